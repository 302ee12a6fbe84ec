"""The first version of a new app, with a scenario and a task."""

from __future__ import annotations

import shutil
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import yaml

from appeval_pipeline.appdef.catalogue import APP_FOLDER, ROOTS
from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.starter.schemas import FOLDER, write_schemas

_TEMPLATE_ID: Final = "starter_app"
_TEMPLATE_NAME: Final = "Starter App"
_HOME: Final = "apps"


def write_starter(app_id: str, data_dir: Path) -> tuple[Path, ...]:
    """Write a definition, a scenario, a task and the schemas of all three into ``data_dir``.

    Returns:
        The files, the definition first.

    Raises:
        CatalogueError: The id cannot be used, or there is something of this name already.
    """
    if not APP_FOLDER.fullmatch(app_id):
        raise CatalogueError(
            f"'{app_id}' is no app id; accepted are 2 to 50 characters: a to z, 0 to 9 and _, a letter "
            "first, such as gift_shop"
        )
    for root in ROOTS:
        # Whatever it is, a file or a broken link included, it is not ours to write over.
        place = data_dir / root / app_id
        if place.exists() or place.is_symlink():
            raise CatalogueError(
                f"There is '{place}' already, and nothing was written; choose another name, or delete it"
            )
    folder = data_dir / _HOME / app_id
    # Under another name first, which the catalogue passes over: nobody sees, or is left with, half an app.
    unfinished = folder.with_name(f".{app_id}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    places = [_write(template, unfinished, app_id) for template in _templates()]
    schemas = write_schemas(data_dir / FOLDER)
    unfinished.rename(folder)
    return (*(folder / place for place in places), *schemas)


def _templates() -> list[tuple[str, Traversable]]:
    """Path within the app's folder, and the template; the definition first."""
    root = files("appeval_pipeline.starter") / "files"
    inner = [
        (f"{folder}/{file.name}", file)
        for folder in ("scenarios", "tasks")
        for file in sorted((root / folder).iterdir(), key=lambda one: one.name)
    ]
    return [("v1.yaml", root / "v1.yaml"), *inner]


def _write(template: tuple[str, Traversable], folder: Path, app_id: str) -> str:
    place, source = template
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8").replace(_TEMPLATE_ID, _scalar(app_id))
    path.write_text(text.replace(_TEMPLATE_NAME, _scalar(_title(app_id))), encoding="utf-8")
    return place


def _title(app_id: str) -> str:
    """``gift_shop`` as people write it: Gift Shop."""
    return " ".join(word.capitalize() for word in app_id.split("_") if word)


def _scalar(text: str) -> str:
    """``text`` as YAML reads it: in quotes if it would be no text without, as ``null`` or ``yes``."""
    return text if isinstance(yaml.safe_load(text), str) else f'"{text}"'
