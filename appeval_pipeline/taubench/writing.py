"""Files that are written as a whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file of UTF-8; it is there as a whole or, after a crash, as it was before.

    Only a file is put in the place of another: pipes and devices (``/dev/stdout``) are written to, and a link
    goes on leading where it leads.

    Raises:
        OSError: It cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as there:
            there.write(text.encode())
        return
    place = path.resolve()
    beside = place.with_name(f".{place.name}-{os.getpid()}")
    try:
        beside.write_bytes(text.encode())
        beside.replace(place)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
