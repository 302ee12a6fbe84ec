"""``appeval model serve`` as a process."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from appeval_pipeline_tests.local_model.ports import free_port, is_free


def test_the_command_tells_in_one_line_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "appeval_pipeline.cli", "model", "serve", "--model-file", "missing.gguf"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "Error: There is no model file missing.gguf; give the path of a GGUF file\n"
    assert ended.stdout == ""


@pytest.mark.local_llm
@pytest.mark.parametrize("everyone", [True, False], ids=["the terminal's whole group", "the command alone"])
def test_the_command_serves_until_it_is_interrupted(everyone: bool) -> None:
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "appeval_pipeline.cli", "model", "serve", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        first, example = command.stdout.readline(), command.stdout.readline()
        url = f"http://127.0.0.1:{port}/v1"
        assert url in first
        assert example.startswith(f"curl -s {url}/chat/completions ")
        if shutil.which("curl"):  # a machine without it can still run this project
            shown = subprocess.run(example, shell=True, capture_output=True, text=True, check=True).stdout
            assert json.loads(shown)["choices"][0]["message"]["content"]
        if everyone:
            os.killpg(command.pid, signal.SIGINT)
        else:
            command.send_signal(signal.SIGINT)
        assert command.wait(timeout=30) == 0
        assert command.stderr.read() == ""
    assert is_free(port)
