"""`appeval ui` on loopback."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from appeval_pipeline.settings import Settings

T = TypeVar("T")


class Ui:
    """The webserver and its GraphQL."""

    def __init__(self, port: int, settings: Settings) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.settings = settings

    def ask(self, graphql: str, **variables: object) -> dict[str, Any]:
        body = json.dumps({"query": graphql, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            answer = json.load(response)
        assert "errors" not in answer, answer["errors"]
        data: dict[str, Any] = answer["data"]
        return data


def wait_for(what: Callable[[], T | None], *, within_s: float = 180) -> T:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        value = what()
        if value:
            return value
        time.sleep(0.25)
    raise AssertionError(f"Nothing within {within_s} s")


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextlib.contextmanager
def running_ui(settings: Settings, folder: Path) -> Iterator[Ui]:
    """The UI and its daemon, with their log in ``folder``; they are stopped at the end."""
    port = free_port()
    log = (folder / "ui.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "appeval_pipeline.cli", "ui", "--port", str(port)],
        env={**os.environ, **settings.environment()},
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        ui = Ui(port, settings)

        def answers() -> bool:
            assert process.poll() is None, (folder / "ui.log").read_text()
            try:
                return bool(ui.ask("{ version }"))
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                return False

        wait_for(answers)
        yield ui
    finally:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.close()
