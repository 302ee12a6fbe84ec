"""Writing the chosen formats into a directory, each file whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.export.csv_files import write_csv
from appeval_pipeline.store.export.json_document import write_json
from appeval_pipeline.store.export.junit import write_junit
from appeval_pipeline.store.export.parquet_files import write_parquet
from appeval_pipeline.store.export.report import write_report


class Format(StrEnum):
    """What results can be exported as."""

    json = "json"
    csv = "csv"
    parquet = "parquet"
    html = "html"
    junit = "junit"


@dataclass(frozen=True, slots=True)
class Task:
    """What a writer reads and where it writes; ``data_dir`` holds the files that results are of, if known."""

    connection: duckdb.DuckDBPyConnection
    folder: Path
    data_dir: Path | None


Writer = Callable[[Task], None]

WRITERS: Mapping[Format, Writer] = {
    Format.json: lambda task: write_json(task.connection, task.folder),
    Format.csv: lambda task: write_csv(task.connection, task.folder),
    Format.parquet: lambda task: write_parquet(task.connection, task.folder),
    Format.html: lambda task: write_report(task.connection, task.folder, task.data_dir),
    Format.junit: lambda task: write_junit(task.connection, task.folder),
}
"""Each writes its files, whose names do not depend on the content, into the task's folder."""


@dataclass(frozen=True, slots=True)
class Written:
    """The files of one format, in the order of their names, and their size in bytes together."""

    format: Format
    files: tuple[Path, ...]
    size: int


def export(
    database: Store,
    directory: Path,
    formats: Sequence[Format] = tuple(Format),
    data_dir: Path | None = None,
) -> tuple[Written, ...]:
    """Write all stored results into ``directory``, which is made where there is none.

    All formats show the same snapshot. Files of the same names are replaced, others are left alone; after an
    error the directory is as it was.

    Args:
        data_dir: The data directory, so that the report shows definitions as their authors wrote them.

    Raises:
        StoreError: There is no store, it cannot be read, or nothing is stored in it.
        OSError: The directory cannot be written.
    """
    _require_results(database)
    with _staging(directory) as staging, database.exporter(staging) as connection:
        made = {}
        for format_ in dict.fromkeys(formats):
            folder = staging / format_
            folder.mkdir()
            WRITERS[format_](Task(connection, folder, data_dir))
            made[format_] = sorted(folder.iterdir())
        written = [
            Written(
                format_,
                tuple(directory / file.name for file in files),
                sum(file.stat().st_size for file in files),
            )
            for format_, files in made.items()
        ]
        _put_in_place([file for files in made.values() for file in files], directory)
    return tuple(written)


def _require_results(database: Store) -> None:
    with database.reader() as reader:
        row = reader.execute("SELECT count(*) FROM lineage").fetchone()
    if row is None or row[0] == 0:
        raise StoreError(f"Nothing is stored in {database.name} yet: run `appeval run` first")


@contextmanager
def _staging(directory: Path) -> Iterator[Path]:
    """A hidden folder in ``directory``, so that a file moves from one to the other in one step."""
    directory.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".appeval-export-", dir=directory)).resolve()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _put_in_place(files: Sequence[Path], directory: Path) -> None:
    for file in files:
        if (directory / file.name).is_dir():
            raise IsADirectoryError(21, "Is a directory", str(directory / file.name))
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
    for file in files:
        file.replace(directory / file.name)
