"""The files that commands of ``appeval tau`` are told to write."""

from __future__ import annotations

from pathlib import Path


def refuse_unwritable(option: str, path: Path | None) -> None:
    """Refuse, before hours of work and not after them, a file that cannot be written where it is to be.

    Raises:
        SettingsError: There is no such directory, or the file is one; names the option.
    """
    from appeval_pipeline.errors import SettingsError

    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise SettingsError(
            f"{option}: {path} cannot be written: expected a file in a directory that is there"
        )
