"""Reading files of the data directory together with their hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file as read once: hash and content belong together even if it is being edited."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str:
        """The bytes as UTF-8 text; raises UnicodeDecodeError."""
        return self.data.decode("utf-8")


def read_file(data_dir: Path, path: str) -> FileContent:
    """Read one file, named relative to the data directory; raises OSError."""
    return FileContent(path, (data_dir / path).read_bytes())


def file_sha256(data_dir: Path, path: str) -> str | None:
    """SHA-256 of one file's bytes, None where it cannot be read (any more)."""
    try:
        return read_file(data_dir, path).sha256
    except OSError:
        return None
