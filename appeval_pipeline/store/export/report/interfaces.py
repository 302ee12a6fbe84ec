"""How the interfaces of any two of an app's latest versions differ, by the rules of the regression report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

import duckdb

from appeval_pipeline.store.export.report.texts import cut

MAX_VERSIONS = 8
"""Latest valid versions of an app of which each is compared with each: 28 pairs."""
MAX_CHANGES = 40
"""Changes of one pair that are listed."""

MAX_DIFFERENT_CHANGES = 4000
"""Of all pairs together; pairs after that are not compared."""

Change = tuple[str, str, str]
"""Severity, location, message."""
Pair = tuple[int, int, tuple[int, ...], int]
"""Old version, new version, places of the changes, and how many changes are not listed."""

_DEFINITIONS = """
SELECT app_id, version, definition FROM app_versions WHERE status = 'valid' AND definition IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY app_id ORDER BY version DESC) <= ?
ORDER BY app_id, version
"""


@dataclass(frozen=True, slots=True)
class Interfaces:
    """Each change once, and by app which changes lie between two versions."""

    max_versions: int
    changes: tuple[Change, ...]
    pairs: Mapping[str, tuple[Pair, ...]]


def load_interfaces(connection: duckdb.DuckDBPyConnection, apps: Collection[str]) -> Interfaces:
    """Compare the stored definitions of each app's latest versions."""
    from pydantic import ValidationError

    from appeval_pipeline.appdef import AppDefinition
    from appeval_pipeline.evaluation.regression.interface import interface_changes

    by_app: dict[str, list[tuple[int, AppDefinition]]] = defaultdict(list)
    for app_id, version, text in connection.execute(_DEFINITIONS, [MAX_VERSIONS]).fetchall():
        if app_id in apps:
            try:
                by_app[app_id].append((version, AppDefinition.model_validate_json(text)))
            except ValidationError:
                continue  # what an older release took; the page says that the pair was not compared
    places: dict[Change, int] = {}
    pairs: dict[str, tuple[Pair, ...]] = {}
    for app_id, versions in by_app.items():
        found = []
        for (old, before), (new, after) in combinations(versions, 2):
            if len(places) >= MAX_DIFFERENT_CHANGES:
                break
            changes = [
                (change.severity, cut(change.location, 160), cut(change.message, 300))
                for change in interface_changes(before, after)
            ]
            shown = tuple(places.setdefault(change, len(places)) for change in changes[:MAX_CHANGES])
            found.append((old, new, shown, len(changes) - len(shown)))
        pairs[app_id] = tuple(found)
    return Interfaces(MAX_VERSIONS, tuple(places), pairs)
