"""``appeval export``: all stored results as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from appeval_pipeline.store.export import Written


class Format(StrEnum):
    """Stands here as well as in the store, which takes long to import; a test holds them equal."""

    json = "json"
    csv = "csv"
    parquet = "parquet"
    html = "html"
    junit = "junit"


def export(
    output: Annotated[
        Path, typer.Option(help="Directory to write into; made if absent.", metavar="DIR", show_default=False)
    ],
    output_format: Annotated[
        list[Format] | None,
        typer.Option(
            "--format", help="What to write; may be given more than once. [default: all]", show_default=False
        ),
    ] = None,
) -> None:
    """Write all stored results into a directory: JSON, CSV, Parquet, an HTML report, JUnit XML.

    `report.html` is for people, `junit.xml` for CI; `appeval.json`, and a `.csv` and a `.parquet` a table,
    hold every stored value. Files of the same names are replaced, other files are left alone.
    """
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import export as exporting
    from appeval_pipeline.store import open_store

    formats = [exporting.Format(chosen) for chosen in output_format or Format]
    settings = load_settings()
    for written in exporting.export(open_store(settings.store), output, formats, settings.data_dir):
        typer.echo(_line(written, output))


def _line(written: Written, directory: Path) -> str:
    if len(written.files) == 1:
        what = str(written.files[0])
    else:
        what = f"{directory / f'*.{written.format}'} ({len(written.files)} files, one a table)"
    return f"{written.format:<8} {_size(written.size):>9}  {what}"


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"
