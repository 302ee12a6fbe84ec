"""Finished trials on disk, so that an evaluation which was cut off goes on where it was.

A journal is a text file: a line that says what is evaluated and how, then a line for each finished trial, on
disk before the next one counts. Its name is the hash of what its first line says: whoever evaluates the same
in the same way finds it, and nobody else does.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from types import TracebackType

from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.agents.reading import read_trajectory
from appeval_pipeline.agents.trajectory import Trajectory
from appeval_pipeline.errors import JournalError, TrajectoryError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class TrialKey:
    """Which trial of which task; trials count from 0."""

    task: str
    trial: int


class Journal:
    """The finished trials of one evaluation; a context manager that holds the file.

    Args:
        directory: Where journals are; made if it is not there.
        configuration: Everything that decides how trials go, as plain JSON. It must hold no secrets.

    Attributes:
        finished: The trials so far; of one that was tried more than once, the last.
    """

    def __init__(self, directory: Path, configuration: JsonObject) -> None:
        header = {"format": FORMAT, "configuration": dict(configuration)}
        self._header = _line(header, sort_keys=True)
        self.path = directory / f"{hashlib.sha256(self._header).hexdigest()}.jsonl"
        self.finished: dict[TrialKey, Trajectory] = {}
        self._file: BufferedRandom | None = None

    def __enter__(self) -> Journal:
        """Open the file, and read what it has.

        Raises:
            JournalError: Another process evaluates the same, or the file cannot be used.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = _open_locked(self.path)
        except OSError as error:
            raise JournalError(f"The journal {self.path} cannot be used: {error.strerror}") from error
        try:
            self._read(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def done(self) -> dict[TrialKey, Trajectory]:
        """The finished trials that need not be tried again: but those that broke down."""
        return {key: trial for key, trial in self.finished.items() if trial.end != "infra_error"}

    def record(self, key: TrialKey, trajectory: Trajectory) -> None:
        """Keep a finished trial; it is on disk when this returns."""
        assert self._file is not None, "a journal is written to while it is open"
        trial = {"task": key.task, "trial": key.trial, "trajectory": trajectory.to_dict()}
        self._file.write(_line(trial))
        self._sync()
        self.finished[key] = trajectory

    def discard(self) -> None:
        """Delete the file: all that it has is kept elsewhere now, or is to be done afresh."""
        self.path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget all finished trials."""
        assert self._file is not None, "a journal is cleared while it is open"
        self._file.truncate(len(self._header))
        self._file.seek(0, os.SEEK_END)
        self._sync()
        self.finished.clear()

    def _read(self, file: BufferedRandom) -> None:
        whole = 0
        for number, line in enumerate(file):
            if not line.endswith(b"\n"):
                break  # cut off while it was written: that trial is tried again
            if number == 0:
                if line != self._header:
                    raise JournalError(
                        f"{self.path} is not the journal of this evaluation: delete it to start afresh"
                    )
            else:
                key, trajectory = self._trial(line, number + 1)
                self.finished[key] = trajectory
            whole += len(line)
        file.truncate(whole)
        file.seek(0, os.SEEK_END)
        if whole == 0:
            file.write(self._header)
            file.flush()
            os.fsync(file.fileno())

    def _trial(self, line: bytes, number: int) -> tuple[TrialKey, Trajectory]:
        try:
            document = json.loads(line)
            if not isinstance(document, Mapping):
                raise TrajectoryError("expected an object")
            key = TrialKey(str(document["task"]), int(document["trial"]))
            return key, read_trajectory(document["trajectory"])
        except (ValueError, KeyError, TypeError, TrajectoryError) as error:
            raise JournalError(
                f"{self.path}, line {number}: {error}; delete the line to have that trial done again, "
                "or the file to start afresh"
            ) from error

    def _sync(self) -> None:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())


def _open_locked(path: Path) -> BufferedRandom:
    """Open for reading and writing, by this process alone."""
    while True:
        file = path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise JournalError(
                f"Another process is evaluating the same ({path.name}): wait for it to finish"
            ) from None
        if _is_same(file, path):
            file.seek(0)
            return file
        file.close()  # it was discarded between opening and locking


def _is_same(file: BufferedRandom, path: Path) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(file.fileno())
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def _line(document: object, *, sort_keys: bool = False) -> bytes:
    # Not orjson: it takes no integer beyond 64 bits, and reads one as a float. Models write such numbers.
    return json.dumps(document, sort_keys=sort_keys, separators=(",", ":")).encode() + b"\n"
