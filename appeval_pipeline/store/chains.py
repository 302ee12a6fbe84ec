"""Which stored metrics cannot be followed down to files, code and configuration, and why."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.dependencies import SOURCES
from appeval_pipeline.store.inputs import EVALUATOR, config_inputs


@dataclass(frozen=True, slots=True)
class BrokenChain:
    """An asset's partition whose metrics cannot be followed to files and code, and why."""

    asset_key: str
    partition_key: str
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class _Result:
    """One result, as its dependents name it."""

    asset_key: str
    partition_key: str
    data_version: str

    def __str__(self) -> str:
        return f"{self.asset_key} of {self.partition_key}"


@dataclass(frozen=True, slots=True)
class _Sources:
    has_file: bool
    has_code: bool
    has_baseline: bool
    configurations: frozenset[str]
    results: tuple[_Result, ...]


def broken_chains(database: Store) -> tuple[BrokenChain, ...]:
    """Partitions of assets that have metrics without a complete chain.

    A chain is complete when each result on it names the evaluator's version and all configuration that
    concerns it, every result that it names is still stored as it was used, a comparison names its baseline,
    and it comes to a file in the end. Each result is looked at once, however many metrics rest on it.
    """
    with database.reader() as connection:
        measured = {
            _Result(*row)
            for row in connection.execute(
                "SELECT DISTINCT asset_key, partition_key, data_version FROM metrics"
            ).fetchall()
        }
        rows = connection.execute(
            """
            SELECT asset_key, partition_key, data_version, bool_or(input_kind = 'file'),
                bool_or(input_kind = 'code' AND input_key = ?), bool_or(input_kind = 'upstream_version'),
                list(input_key) FILTER (input_kind = 'config'),
                list([input_key, input_partition_key, input_version])
                    FILTER (input_kind IN ('asset', 'upstream_version'))
            FROM lineage GROUP BY ALL
            """,
            [EVALUATOR],
        ).fetchall()
    stored = {
        _Result(*result): _Sources(
            has_file,
            has_code,
            has_baseline,
            frozenset(configurations or ()),
            tuple(_Result(*source) for source in sources or ()),
        )
        for *result, has_file, has_code, has_baseline, configurations, sources in rows
    }
    reasons = _reasons(measured, stored)
    return tuple(
        BrokenChain(found.asset_key, found.partition_key, reasons[found])
        for found in sorted(measured & reasons.keys())
    )


def _reasons(measured: Iterable[_Result], stored: Mapping[_Result, _Sources]) -> dict[_Result, str]:
    """Why the chain of a result is broken: by what it lacks itself, or by the nearest result that lacks."""
    dependents: dict[_Result, list[_Result]] = {}
    for result, sources in stored.items():
        for source in sources.results:
            dependents.setdefault(source, []).append(result)
    reasons = {result: "it has no lineage" for result in measured if result not in stored}
    for result, sources in stored.items():
        lost = [source for source in sources.results if source not in stored]
        lacking = [
            *_lacking(result, sources),
            *(f"{source} has been replaced since: evaluate it again" for source in lost),
        ]
        if lacking:
            reasons[result] = "; ".join(lacking)
    for result, nearer in _spread(reasons, dependents):
        reasons.setdefault(result, f"it rests on {nearer}, which is incomplete: {reasons[nearer]}")
    with_file = {result for result, sources in stored.items() if sources.has_file}
    grounded = with_file | {result for result, _ in _spread(with_file, dependents)}
    for result in stored.keys() - grounded:
        reasons.setdefault(result, "it comes to no file")
    return reasons


def _spread(
    results: Iterable[_Result], dependents: Mapping[_Result, list[_Result]]
) -> Iterator[tuple[_Result, _Result]]:
    """All that rests on ``results``, each once, nearest first, with what it was reached from."""
    waiting = deque(results)
    known = set(waiting)
    while waiting:
        source = waiting.popleft()
        for result in dependents.get(source, ()):
            if result not in known:
                known.add(result)
                yield result, source
                waiting.append(result)


def _lacking(result: _Result, sources: _Sources) -> Iterator[str]:
    if not sources.has_code:
        yield "it names no evaluator"
    names = {found.key for found in config_inputs(result.asset_key)} - sources.configurations
    if names:
        yield f"it names no configuration {', '.join(sorted(names))}"
    graph = SOURCES.get(result.asset_key)
    if graph and graph.baseline and not sources.has_baseline:
        yield "it names no baseline"
