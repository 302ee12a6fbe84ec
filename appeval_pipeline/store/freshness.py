"""What is new or stale: the files as they are now against what the stored results were computed from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from appeval_pipeline.agent_plan import DEFAULT_PLAN, AgentPlan
from appeval_pipeline.appdef.catalogue import (
    Catalogue,
    CatalogueEntry,
    CatalogueProblem,
    scan,
)
from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.store.comparison import SAME_DEFINITION, Baseline, Cause, Comparison
from appeval_pipeline.store.dependencies import DEFINITIONS
from appeval_pipeline.store.results import StoredState
from appeval_pipeline.store.scenario_files import read_scenario_files
from appeval_pipeline.store.task_files import read_task_files

MAX_VERSION = 2**31 - 1
"""The greatest INTEGER."""


@dataclass(frozen=True, slots=True)
class Need:
    """An app version that must be evaluated, wholly or in part.

    Attributes:
        entry: Its place in the catalogue.
        assets: The assets to materialize, upstream first.
        reasons: Why, one an asset.
        fingerprint: Hash of the inputs as they are now and of the runs that stored what is there: the same
            need has the same fingerprint until something about it changes.
        causes: What made each asset stale, one an asset.
    """

    entry: CatalogueEntry
    assets: tuple[str, ...]
    reasons: tuple[str, ...]
    fingerprint: str
    causes: tuple[Cause, ...]

    def caused_by(self, *causes: Cause) -> tuple[str, ...]:
        """The assets that are stale for one of ``causes``, upstream first."""
        return tuple(asset for asset, cause in zip(self.assets, self.causes, strict=True) if cause in causes)

    def only(self, assets: tuple[str, ...]) -> Need:
        """The same need with these of its assets."""
        kept = [place for place, asset in enumerate(self.assets) if asset in assets]
        return replace(
            self,
            assets=tuple(self.assets[place] for place in kept),
            reasons=tuple(self.reasons[place] for place in kept),
            causes=tuple(self.causes[place] for place in kept),
        )

    @property
    def partition_key(self) -> str:
        """``<app_id>@<version>``."""
        return self.entry.partition_key


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate, what not, and what is wrong in the catalogue; versions in natural order.

    Attributes:
        needs: What to evaluate.
        fresh: What is up to date.
        violations: Landed versions whose file was edited.
        problems: What breaks the catalogue's rules.
        gone: Partition keys of all that is stored of versions that never landed and have no file any more.
    """

    needs: tuple[Need, ...]
    fresh: tuple[CatalogueEntry, ...]
    violations: tuple[str, ...]
    problems: tuple[CatalogueProblem, ...]
    gone: tuple[str, ...] = ()


def make_plan(
    data_dir: Path,
    stored: StoredState,
    *,
    agents: AgentPlan = DEFAULT_PLAN,
    unasked: Collection[str] = (),
    app_id: str | None = None,
    version: int | None = None,
    force: bool = False,
) -> Plan:
    """Compare the catalogue with what is stored.

    Args:
        data_dir: The data directory.
        stored: What the store holds.
        agents: Which agents try the tasks.
        unasked: Partitions whose agents are to try again, for some could not be asked.
        app_id: Look at this app only.
        version: Look at this version only (of every app, without ``app_id``).
        force: Treat everything as stale.

    Raises:
        CatalogueError: There is no such app or version.
    """
    catalogue = storable_catalogue(data_dir)
    entries = _select(catalogue, app_id, version)
    suites = {
        (entry.app_id, entry.root): read_scenario_files(data_dir, entry.app_id, entry.root)
        for entry in entries
    }
    tasks = {home: read_task_files(data_dir, *home) for home in suites}
    needs, fresh, violations = [], [], []
    baselines = _Baselines(stored)
    for entry in entries:
        home = (entry.app_id, entry.root)
        comparison = Comparison.of(
            data_dir, entry, stored, suites[home], tasks[home], baselines.of(entry), agents
        )
        if comparison.violation is not None:
            violations.append(comparison.violation)
        stale = comparison.stale_assets(force, entry.partition_key in unasked)
        if stale:
            assets = tuple(stale)
            baselines.expect(
                entry, tuple(asset for asset in assets if stale[asset].text not in SAME_DEFINITION)
            )
            reasons = tuple(f"{asset}: {reason.text}" for asset, reason in stale.items())
            causes = tuple(reason.cause for reason in stale.values())
            needs.append(Need(entry, assets, reasons, comparison.fingerprint(assets), causes))
        else:
            fresh.append(entry)
    gone = _gone(catalogue, stored)
    return Plan(tuple(needs), tuple(fresh), tuple(violations), catalogue.problems, gone)


class _Baselines:
    """Finds the next lower version that is valid, or may turn out to be, for it is about to be read."""

    def __init__(self, stored: StoredState) -> None:
        self._valid: dict[str, set[int]] = {}
        self._stale: dict[str, tuple[str, ...]] = {}
        for version in stored.versions.values():
            if version.status == "valid":
                self._valid.setdefault(version.app_id, set()).add(version.version)

    def expect(self, entry: CatalogueEntry, assets: tuple[str, ...]) -> None:
        """Take into account that these assets of a version are about to be evaluated, and may change."""
        self._stale[entry.partition_key] = assets
        if DEFINITIONS in assets:
            self._valid.setdefault(entry.app_id, set()).add(entry.version)

    def of(self, entry: CatalogueEntry) -> Baseline | None:
        """What a version is compared with; None for the first."""
        below = [version for version in self._valid.get(entry.app_id, ()) if version < entry.version]
        if not below:
            return None
        key = f"{entry.app_id}@{max(below)}"
        return Baseline(key, max(below), self._stale.get(key, ()))


def _gone(catalogue: Catalogue, stored: StoredState) -> tuple[str, ...]:
    there = {entry.partition_key for entry in catalogue.entries}
    landed = {key for key, version in stored.versions.items() if version.landed}
    known = {*stored.versions, *(key for _, key in stored.results)}
    return tuple(sorted(known - there - landed))


def _select(catalogue: Catalogue, app_id: str | None, version: int | None) -> tuple[CatalogueEntry, ...]:
    if app_id is not None and version is not None:
        return (catalogue.entry(app_id, version),)
    chosen = tuple(
        entry
        for entry in catalogue.entries
        if app_id in (None, entry.app_id) and version in (None, entry.version)
    )
    if not chosen and app_id is not None:
        catalogue.entry(app_id, 1)  # raises, with what there is
    if not chosen and version is not None:
        raise CatalogueError(f"No app has a version {version}")
    return chosen


def storable_catalogue(data_dir: Path) -> Catalogue:
    """The catalogue without versions whose number the store cannot hold; those are problems."""
    catalogue = scan(data_dir)
    message = f"The version is greater than {MAX_VERSION}"
    too_great = [entry for entry in catalogue.entries if entry.version > MAX_VERSION]
    return Catalogue(
        tuple(entry for entry in catalogue.entries if entry.version <= MAX_VERSION),
        (*catalogue.problems, *(CatalogueProblem(entry.path, message) for entry in too_great)),
    )


def find_entry(catalogue: Catalogue, partition_key: str) -> CatalogueEntry | None:
    """The catalogue's entry of a partition, None where it has none."""
    return next((entry for entry in catalogue.entries if entry.partition_key == partition_key), None)
