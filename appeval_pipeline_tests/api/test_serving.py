"""`appeval serve`: the real process on loopback, and when it does not start."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app
from appeval_pipeline.errors import SettingsError
from appeval_pipeline_tests import catalogues

TOKEN = "a-token-of-the-tests"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_it_says_where_it_listens_answers_and_ends_with_an_interruption(tmp_path: Path) -> None:
    catalogues.add_version(tmp_path / "data")
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "appeval_pipeline.cli", "serve", "--port", str(port)],
        cwd=tmp_path,
        env={**os.environ, "APPEVAL_DATA_DIR": str(tmp_path / "data"), "APPEVAL_API_TOKEN": TOKEN},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith(f"HTTP API: http://127.0.0.1:{port}/docs, with the token in APPEVAL_API_TOKEN")
        assert TOKEN not in line
        url = f"http://127.0.0.1:{port}/api/v1/app-definitions"
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=180) as response:
            assert json.load(response) == {"total": 0, "items": []}
            assert "server" not in response.headers
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=180)
        assert (process.returncode, rest) == (0, "")
    finally:
        process.kill()
        process.communicate()


def refusal(*arguments: str, **environment: str) -> str:
    result = CliRunner().invoke(app, ["serve", *arguments], env=environment)
    assert isinstance(result.exception, SettingsError), result.output
    return str(result.exception)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "appeval.example"])
def test_beyond_loopback_it_needs_a_token(host: str, tmp_path: Path) -> None:
    assert "set APPEVAL_API_TOKEN" in refusal("--host", host, APPEVAL_DATA_DIR=str(tmp_path))


@pytest.mark.parametrize("token", ["", "short", "with a line\nbreak", "ünicode" * 3])
def test_a_token_that_protects_nothing_is_refused(token: str, tmp_path: Path) -> None:
    message = refusal("--host", "0.0.0.0", APPEVAL_DATA_DIR=str(tmp_path), APPEVAL_API_TOKEN=token)
    assert "APPEVAL_API_TOKEN" in message
    assert not token or token not in message


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert "[api]" in refusal(APPEVAL_DATA_DIR=str(tmp_path))


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = refusal("--port", str(port), APPEVAL_DATA_DIR=str(tmp_path))
    assert f"127.0.0.1:{port}" in message
