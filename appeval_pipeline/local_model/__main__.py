"""The process that serves the model: tells its address on stdout, and ends when its stdin does.

It is a process of its own because within ours (measured with xllamacpp 2026.10) all other threads stood still
while the model was loaded, stopping during a request never returned, and ending during one was a segmentation
fault. Also, llama.cpp ends its process where one of its assertions fails, and prints to stdout.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import xllamacpp

SLOTS: Final = 2
"""Requests that are worked on at the same time; more wait."""
TOKENS_PER_SLOT: Final = 8192
"""What SmolLM2 was trained on; a request with its answer fits into it or is refused."""
THREADS: Final = 1
"""Two threads on two busy cores wait for each other at every layer: 0.5 tokens a second, not 60."""
REMEMBERED_MIB: Final = 256
"""For prompts that no slot holds any longer, so that an episode's next turn need not begin at its first."""
LOG_ERRORS: Final = 1
LOG_ALL: Final = 3


def main(arguments: Sequence[str]) -> None:
    """Serve until stdin ends."""
    parser = argparse.ArgumentParser(prog="python -m appeval_pipeline.local_model", description=__doc__)
    parser.add_argument("model_file", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--debug", action="store_true")
    options = parser.parse_args(arguments)
    # Ctrl-C in a terminal reaches every process in it; when to stop is the parent's to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer = _stdout_for_ourselves()
    server = _start(options.model_file, options.host, options.port, LOG_ALL if options.debug else LOG_ERRORS)
    os.write(answer, f"{server.listening_address}\n".encode())
    sys.stdin.buffer.read()
    # Nothing is left to tidy up, and requests that are being worked on have nobody who waits for them.
    os._exit(0)


def _stdout_for_ourselves() -> int:
    """The descriptor of stdout as it was; what llama.cpp prints there goes to stderr from now on."""
    ours = os.dup(1)
    os.dup2(2, 1)
    return ours


def _start(model_file: Path, host: str, port: int, verbosity: int) -> xllamacpp.Server:
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(model_file)
    wanted.model_alias = {model_file.stem}
    wanted.hostnames, wanted.port = [host], port
    wanted.ui = False
    wanted.n_parallel = SLOTS
    wanted.n_ctx = SLOTS * TOKENS_PER_SLOT
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = THREADS
    wanted.n_gpu_layers = 0
    wanted.verbosity = verbosity
    wanted.cache_ram_mib = REMEMBERED_MIB
    try:
        return xllamacpp.Server(wanted)  # returns when the model is loaded and the port is open
    except RuntimeError as error:
        sys.exit(f"{model_file}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
