"""Why a metric differs between two versions of an app: which of the things that it rests on changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.definition_changes import definition_changes
from appeval_pipeline.store.dependencies import AGENTS, DEFINITIONS
from appeval_pipeline.store.lineage import LineageNode, no_metric, read_metric, result_node

MOST_DETAILS: Final = 10
"""Changes of a definition that are told in words."""

BASELINE: Final = "baseline"
_MEASURED_UNITS: Final = ("ms", "multiple", "actions/s")


@dataclass(frozen=True, slots=True)
class Side:
    """The metric in one of the two versions; its value is None where the version has none."""

    version: int
    partition_key: str
    value: float | None
    run_id: str | None
    materialized_at: datetime | None


@dataclass(frozen=True, slots=True)
class InputChange:
    """One thing that the metric rests on and that is not the same for both versions.

    Attributes:
        kind: ``definition``, ``scenario``, ``task``, ``code``, ``config`` or ``baseline``.
        name: The file, or the name.
        what: ``added``, ``removed`` or ``changed``, from the old version to the new one.
        details: What changed, in words; of a definition at most `MOST_DETAILS`.
        details_left_out: How many more there are.
    """

    kind: str
    name: str
    what: str
    details: tuple[str, ...] = ()
    details_left_out: int = 0


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A metric in two versions, and what it rests on: what changed, and what is the same.

    Attributes:
        same: Names of the inputs that are the same for both, with their kind.
        notes: What else to know when reading it.
    """

    app_id: str
    metric: str
    unit: str
    old: Side
    new: Side
    changed: tuple[InputChange, ...]
    same: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def difference(self) -> float | None:
        """The new value minus the old one; None unless both versions have one."""
        if self.old.value is None or self.new.value is None:
            return None
        return self.new.value - self.old.value

    def to_dict(self) -> dict[str, object]:
        """Plain JSON."""
        document: dict[str, object] = asdict(self)
        for side in ("old", "new"):
            values = asdict(getattr(self, side))
            at = values["materialized_at"]
            document[side] = {**values, "materialized_at": at.isoformat() if at else None}
        document["changed"] = [{**asdict(one), "details": [*one.details]} for one in self.changed]
        return {
            **document,
            "same": [*self.same],
            "notes": [*self.notes],
            "difference": self.difference,
        }


def explain_difference(
    database: Store, app_id: str, version: int, metric: str, against: int | None
) -> MetricDifference:
    """Why a metric of ``version`` differs from that of another one.

    Args:
        against: The other version; None for the next lower valid one, the baseline.

    Raises:
        StoreError: There is no store, or no such version, baseline or metric in it; or both versions are one:
            the store keeps the latest result of each version only.
    """
    if against == version:
        raise StoreError(
            f"The store keeps only the latest result of {app_id} version {version}, none from before; "
            "compare it with another version"
        )
    with database.reader() as connection:
        found = read_metric(connection, app_id, version, metric)
        if found is None:
            raise no_metric(connection, app_id, version, metric)
        if against is None:
            against = _baseline(connection, app_id, version)
        other = read_metric(connection, app_id, against, metric)
        old_key = f"{app_id}@{against}"
        old_tree = _tree(connection, found.asset_key, old_key)
        if old_tree is None:
            raise no_metric(connection, app_id, against, metric)
        new_tree = result_node(connection, found.asset_key, found.partition_key, found.data_version)
        old_sources, new_sources = _sources(old_tree), _sources(new_tree)
        changes = (
            *_definition_change(connection, old_key, found.partition_key),
            *_input_changes(old_sources, new_sources),
        )
        return MetricDifference(
            app_id=app_id,
            metric=metric,
            unit=found.unit,
            old=Side(
                against, old_key, other.value if other else None, old_tree.run_id, old_tree.materialized_at
            ),
            new=Side(version, found.partition_key, found.value, found.run_id, new_tree.materialized_at),
            changed=changes,
            same=tuple(_same(old_sources, new_sources, changes)),
            notes=tuple(_notes(metric, found.unit)),
        )


def _baseline(connection: duckdb.DuckDBPyConnection, app_id: str, version: int) -> int:
    row = connection.execute(
        "SELECT max(version) FROM app_versions WHERE app_id = ? AND version < ? AND status = 'valid'",
        [app_id, version],
    ).fetchone()
    if row is None or row[0] is None:
        raise StoreError(f"{app_id} version {version} has no baseline: no lower version of it is valid")
    return int(row[0])


def _tree(connection: duckdb.DuckDBPyConnection, asset_key: str, partition_key: str) -> LineageNode | None:
    row = connection.execute(
        "SELECT data_version FROM lineage WHERE asset_key = ? AND partition_key = ? LIMIT 1",
        [asset_key, partition_key],
    ).fetchone()
    return result_node(connection, asset_key, partition_key, row[0]) if row else None


def _sources(tree: LineageNode) -> dict[tuple[str, str], str]:
    """What a result rests on, beside the definition: by kind and name, in what version.

    Of a file that both the version and its baseline rest on, the version's own counts.
    """
    sources: dict[tuple[str, str], str] = {}
    for owner, node in _leaves(tree):
        match node.kind:
            case "file" if owner.key != DEFINITIONS:
                kind = "task" if owner.key == AGENTS else "scenario"
                sources.setdefault((kind, node.key), node.content_hash or node.version)
            case "code" | "config":
                sources.setdefault((node.kind, node.key), node.version)
    baselines = sorted({str(node.partition_key) for node in tree.inputs if node.kind == "upstream_version"})
    if baselines:
        sources[BASELINE, ""] = ", ".join(baselines)
    return dict(sorted(sources.items()))


def _leaves(owner: LineageNode) -> Iterator[tuple[LineageNode, LineageNode]]:
    """Everything that is no result, with the result that it is an input of; nearest first."""
    results = []
    for node in owner.inputs:
        if node.kind in ("asset", "upstream_version"):
            results.append(node)
        else:
            yield owner, node
    for node in results:
        yield from _leaves(node)


def _definition_change(
    connection: duckdb.DuckDBPyConnection, old_key: str, new_key: str
) -> Iterator[InputChange]:
    rows = connection.execute(
        "SELECT partition_key, definition, definition_hash, file_path FROM app_versions"
        " WHERE partition_key IN (?, ?)",
        [old_key, new_key],
    ).fetchall()
    found = {key: rest for key, *rest in rows}
    if len(found) < 2 or found[old_key][1] == found[new_key][1]:
        return
    (old, _, old_path), (new, _, new_path) = found[old_key], found[new_key]
    name = f"{old_path} → {new_path}"
    if old is None or new is None:
        which = old_key if old is None else new_key
        yield InputChange("definition", name, "changed", (f"{which} has no valid definition",))
        return
    words = [str(change) for change in definition_changes(json.loads(old), json.loads(new))]
    details = tuple(words[:MOST_DETAILS])
    yield InputChange("definition", name, "changed", details, len(words) - len(details))


def _input_changes(
    old: Mapping[tuple[str, str], str], new: Mapping[tuple[str, str], str]
) -> Iterator[InputChange]:
    for kind, name in sorted(old.keys() | new.keys()):
        before, after = old.get((kind, name)), new.get((kind, name))
        if before == after:
            continue
        what = "added" if before is None else "removed" if after is None else "changed"
        versions = f"{_short(before)} → {_short(after)}"
        match kind:
            case "scenario" | "task":
                yield InputChange(kind, name, what)
            case "baseline":
                yield InputChange(kind, versions, what)
            case _:
                yield InputChange(kind, name, what, (versions,))


def _same(
    old: Mapping[tuple[str, str], str],
    new: Mapping[tuple[str, str], str],
    changes: tuple[InputChange, ...],
) -> Iterator[str]:
    if not any(change.kind == "definition" for change in changes):
        yield "definition"
    for (kind, name), value in new.items():
        if old.get((kind, name)) == value:
            yield f"{kind} {name}".strip()


def _short(value: str | None) -> str:
    if value is None:
        return "none"
    return value[:12] if len(value) == 64 else value


def _notes(metric: str, unit: str) -> Iterator[str]:
    if unit in _MEASURED_UNITS or metric.endswith(("_change_pct", ".significant_actions")):
        yield "This is measured: it varies from run to run, too."
