"""The lock files by which everybody can tell whether the process behind a run lives.

They lie where those of `appeval run` do, so that whoever looks for dead runs finds both.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def lock_path(home: Path, launcher: str) -> Path:
    """The lock file of that name in a Dagster home."""
    return home / "launchers" / f"{launcher}.lock"


@contextmanager
def launcher_lock(home: Path) -> Iterator[tuple[str, int]]:
    """A new lock: its name, and the descriptor by which a child goes on to hold it when this is left."""
    name = uuid4().hex
    path = lock_path(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield name, file.fileno()


@contextmanager
def only_server(home: Path) -> Iterator[None]:
    """Be the only server in here for this Dagster home: two could otherwise start the same run."""
    with (home / "starting.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
