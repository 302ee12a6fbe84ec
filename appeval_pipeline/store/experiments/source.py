"""Which tasks, tools and data experiments rest on: the installed package, and the hash of its tasks."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.store.rows import Input

if TYPE_CHECKING:
    from appeval_pipeline.taubench import TauSource, TauSuite

SOURCE: Final = "tau.source"
"""The configuration that names the tasks, whichever package they are from."""


def missing_source() -> str | None:
    """Why no experiment can run: none of the packages that have the tasks is installed; None where one is."""
    from appeval_pipeline.taubench import find_source

    try:
        find_source()
    except TauBenchError as error:
        return str(error)
    return None


def source_inputs(env: str, task_split: str) -> tuple[Input, ...]:
    """The package as code, and the tasks of a split as configuration; none where there are no such tasks."""
    from appeval_pipeline.taubench import find_source

    try:
        source = find_source()
        tasks_sha256 = _tasks_sha256(env, task_split, source.package, source.version, source.folder)
    except TauBenchError:
        return ()
    return (
        Input(kind="code", key=source.package, version=source.version),
        Input(kind="config", key=SOURCE, version=tasks_sha256),
    )


def load_source(env: str, task_split: str) -> tuple[TauSource, TauSuite]:
    """The package and the tasks.

    Raises:
        TauBenchError: There are none.
    """
    from appeval_pipeline.taubench import load_suite

    suite = load_suite(env, task_split)
    return suite.domain.source, suite


@cache
def _tasks_sha256(env: str, task_split: str, package: str, version: str, folder: Path) -> str:
    """Read once a process: what has been imported does not change any more, either."""
    return load_source(env, task_split)[1].split.sha256
