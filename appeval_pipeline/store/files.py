"""Hashes of files in the data directory."""

from __future__ import annotations

import hashlib
from pathlib import Path


def file_sha256(data_dir: Path, path: str) -> str | None:
    """SHA-256 of one file's bytes, None where it cannot be read (any more)."""
    try:
        return hashlib.sha256((data_dir / path).read_bytes()).hexdigest()
    except OSError:
        return None


UNREADABLE = "unreadable"
"""Stands where a file's hash would, when the file cannot be read."""
