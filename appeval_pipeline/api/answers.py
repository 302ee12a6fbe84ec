"""What each GET answers, as a function of a snapshot and the request, so that it can be remembered."""

from __future__ import annotations

from typing import Final

from appeval_pipeline.api import reading
from appeval_pipeline.api.comparing import read_comparison
from appeval_pipeline.api.models.base import MAX_ROWS
from appeval_pipeline.api.models.comparing import ComparisonAnswer
from appeval_pipeline.api.models.results import (
    AppDefinitionAnswer,
    AppList,
    BenchmarkEntry,
    BenchmarkList,
    CoverageAnswer,
    QualityAnswer,
    VersionList,
)
from appeval_pipeline.api.reading import Connection, Stored
from appeval_pipeline.evaluation.suite import REFERENCE_ROOT
from appeval_pipeline.store.rows import AppVersionRow

_LATEST: Final = (
    "SELECT app_id, max(version), arg_max(name, version), arg_max(action_count, version) FROM app_versions"
    f" WHERE root = ? GROUP BY app_id ORDER BY app_id LIMIT {MAX_ROWS}"
)

Pair = tuple[Stored[AppVersionRow], Stored[AppVersionRow]]


def apps(connection: Connection, limit: int, offset: int) -> AppList:
    """A page of the apps."""
    items = reading.read_apps(connection, limit, offset)
    return AppList(total=reading.count_apps(connection), items=items)


def definition(connection: Connection, app_id: str, version: int | None) -> Stored[AppVersionRow]:
    """The stored definition of a version, the latest if None.

    Raises:
        ApiProblem: 404.
    """
    number = reading.choose_version(connection, app_id, version)
    return reading.read_definition(connection, app_id, number)


def app(connection: Connection, app_id: str, version: int | None) -> AppDefinitionAnswer:
    """One app version.

    Raises:
        ApiProblem: 404.
    """
    stored = definition(connection, app_id, version)
    return reading.definition_answer(stored, reading.read_versions(connection, app_id))


def versions(connection: Connection, app_id: str, limit: int, offset: int) -> VersionList:
    """A page of an app's versions.

    Raises:
        ApiProblem: 404.
    """
    numbers = reading.read_versions(connection, app_id)
    keys = [f"{app_id}@{number}" for number in numbers[offset : offset + limit]]
    items = reading.read_summaries(connection, keys)
    return VersionList(app_id=app_id, total=len(numbers), items=items)


def quality(connection: Connection, app_id: str, version: int | None) -> QualityAnswer:
    """The quality of a version.

    Raises:
        ApiProblem: 404.
    """
    number = reading.choose_version(connection, app_id, version)
    answer = reading.read_quality(connection, app_id, number)
    if answer is None:
        raise reading.not_evaluated(app_id, number, "quality")
    return answer


def coverage(connection: Connection, app_id: str, version: int | None) -> CoverageAnswer:
    """The coverage of a version.

    Raises:
        ApiProblem: 404.
    """
    number = reading.choose_version(connection, app_id, version)
    answer = reading.read_coverage(connection, app_id, number)
    if answer is None:
        raise reading.not_evaluated(app_id, number, "coverage")
    return answer


def comparison(connection: Connection, app_id: str, old: int, new: int | None) -> ComparisonAnswer | Pair:
    """The stored comparison; the two definitions, where there is none.

    Raises:
        ApiProblem: 404.
    """
    before = definition(connection, app_id, old)
    after = definition(connection, app_id, new)
    return read_comparison(connection, app_id, old, after.row.version) or (before, after)


def benchmarks(connection: Connection) -> BenchmarkList:
    """The reference apps."""
    items = [
        BenchmarkEntry(
            benchmark_id=app_id,
            version=version,
            name=name,
            action_count=actions,
            result=reading.read_benchmark(connection, app_id, version),
        )
        for app_id, version, name, actions in connection.execute(_LATEST, [REFERENCE_ROOT]).fetchall()
    ]
    return BenchmarkList(total=len(items), items=items)
