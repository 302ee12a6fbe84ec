"""``appeval new``: the files of a new app, which work as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

_WHAT: Final = {
    "apps": "the definition: state, and actions with their logic",
    "scenarios": "what should happen, step by step",
    "tasks": "a goal for agents",
    "schemas": "with which editors complete keys and mark mistakes",
}


def new(
    app: Annotated[
        str,
        typer.Argument(
            help="Its id: 2 to 50 characters, a to z, 0 to 9 and _, a letter first.",
            metavar="APP",
            show_default=False,
        ),
    ],
    data_dir: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            help="The data directory to write into; made if absent.",
            metavar="DIR",
            show_default="APPEVAL_DATA_DIR, else ./data",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Begin an app: write a definition, a scenario and a task that work, for you to change.

    Nothing is overwritten: exits with 2 if there is an app of this name, or the name cannot be used.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.starter import write_starter

    place = data_dir or _default_dir()
    files = write_starter(app, place)
    if as_json:
        print_json({"app_id": app, "data_dir": str(place), "files": [str(file) for file in files]})
    else:
        _tell(app, place, files)


def _default_dir() -> Path:
    from appeval_pipeline.settings import HERE, load_settings

    settings = load_settings()
    return settings.data_dir if "data_dir" in settings.model_fields_set else HERE


def _tell(app: str, data_dir: Path, files: Sequence[Path]) -> None:
    from shlex import quote

    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console, table

    made = table("written", "what it is")
    *mine, _, _, schema = files
    for file in mine:
        folder = file.parent.name
        made.add_row(escape(str(file)), _WHAT.get(folder, _WHAT["apps"]))
    made.add_row(escape(str(schema.parent / "*.json")), _WHAT["schemas"])
    out = console()
    out.print(made)
    out.print()
    setting = "" if _is_looked_into(data_dir) else f"APPEVAL_DATA_DIR={quote(str(data_dir))} "
    out.print("Next:", markup=False)
    for command, what in (
        (
            f"appeval check {quote(str(data_dir / 'apps' / app))}",
            "faults, quality, scenarios, what these do not reach",
        ),
        (f"{setting}appeval agent {app}", "an agent on the task"),
        (f"{setting}appeval run --app {app}", "evaluate it, and store the results"),
    ):
        out.print(f"  {command}", soft_wrap=True, markup=False)
        out.print(f"      {what}", soft_wrap=True, markup=False, style="dim")


def _is_looked_into(data_dir: Path) -> bool:
    """Whether the other commands find this data directory by themselves."""
    from appeval_pipeline.errors import SettingsError
    from appeval_pipeline.settings import load_settings

    try:
        return load_settings().data_dir == data_dir.absolute()
    except SettingsError:
        return False
