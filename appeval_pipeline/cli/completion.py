"""What a shell offers when a user presses Tab: names out of the data directory. Never an error."""

from __future__ import annotations

import typer


def complete_app(incomplete: str) -> list[str]:
    """The apps of the data directory."""
    return [name for name in _versions() if name.startswith(incomplete)]


def complete_version(context: typer.Context, incomplete: str) -> list[str]:
    """The versions of the app that the command line names before."""
    known = _versions().get(str(context.params.get("app")), [])
    return [version for version in map(str, known) if version.startswith(incomplete)]


def complete_baseline(context: typer.Context, incomplete: str) -> list[str]:
    """The same, and the word for the version below."""
    words = ["baseline"] if "baseline".startswith(incomplete) else []
    return [*complete_version(context, incomplete), *words]


def _versions() -> dict[str, list[int]]:
    from appeval_pipeline.appdef.catalogue import scan
    from appeval_pipeline.errors import AppEvalError
    from appeval_pipeline.settings import load_settings

    found: dict[str, list[int]] = {}
    try:
        for entry in scan(load_settings().data_dir).entries:
            found.setdefault(entry.app_id, []).append(entry.version)
    except (AppEvalError, OSError):
        return {}
    return found
