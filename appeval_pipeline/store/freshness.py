"""What is new or stale: the files as they are now against what the stored results were computed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from appeval_pipeline.appdef.catalogue import Catalogue, CatalogueEntry, CatalogueProblem, scan
from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.files import file_sha256
from appeval_pipeline.store.inputs import EVALUATOR
from appeval_pipeline.store.landing import find_violation
from appeval_pipeline.store.results import StoredResult, StoredState, StoredVersion
from appeval_pipeline.store.scenario_files import ScenarioFile, applying, read_scenario_files
from appeval_pipeline.version import EVALUATOR_VERSION

DEFINITIONS, QUALITY, SCENARIOS = "app_definitions", "quality_scores", "scenario_runs"

APP_ASSETS = (DEFINITIONS, QUALITY, SCENARIOS)
"""The assets that are evaluated for every app version, upstream first."""


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
    """

    entry: CatalogueEntry
    assets: tuple[str, ...]
    reasons: tuple[str, ...]
    fingerprint: str

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
    app_id: str | None = None,
    version: int | None = None,
    force: bool = False,
) -> Plan:
    """Compare the catalogue with what is stored.

    Args:
        data_dir: The data directory.
        stored: What the store holds.
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
    needs, fresh, violations = [], [], []
    for entry in entries:
        comparison = _Comparison.of(data_dir, entry, stored, suites[entry.app_id, entry.root])
        if comparison.violation is not None:
            violations.append(comparison.violation)
        stale = dict(comparison.stale_assets(force))
        if stale:
            reasons = tuple(f"{asset}: {reason}" for asset, reason in stale.items())
            needs.append(Need(entry, tuple(stale), reasons, comparison.fingerprint(tuple(stale))))
        else:
            fresh.append(entry)
    gone = _gone(catalogue, stored)
    return Plan(tuple(needs), tuple(fresh), tuple(violations), catalogue.problems, gone)


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


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One version: its files beside what is stored of it."""

    file_sha256: str | None
    scenarios: tuple[ScenarioFile, ...]
    stored: StoredVersion | None
    results: dict[str, StoredResult]
    violation: str | None
    violating_sha256: str | None

    @classmethod
    def of(
        cls, data_dir: Path, entry: CatalogueEntry, stored: StoredState, suite: tuple[ScenarioFile, ...]
    ) -> _Comparison:
        key = entry.partition_key
        version = stored.versions.get(key)
        violation = (
            find_violation(entry, version, data_dir) if version is not None and version.landed else None
        )
        return cls(
            file_sha256=file_sha256(data_dir, str(entry.path)),
            scenarios=applying(suite, entry.version),
            stored=version,
            results={
                asset: stored.results[asset, key] for asset in APP_ASSETS if (asset, key) in stored.results
            },
            violation=violation.message if violation else None,
            violating_sha256=violation.file_sha256 if violation else None,
        )

    def stale_assets(self, force: bool) -> Iterator[tuple[str, str]]:
        definition = self._definition_reason()
        replaced = definition is not None and definition not in (EDITED, RESTORED)
        for asset in APP_ASSETS:
            if force:
                yield asset, "asked for"
            elif asset == DEFINITIONS:
                if definition is not None:
                    yield asset, definition
            elif replaced and definition is not None:
                yield asset, definition
            elif reason := self._result_reason(asset):
                yield asset, reason

    def _definition_reason(self) -> str | None:
        stored = self.stored
        if stored is None:
            return "new"
        if reason := self._code_reason(DEFINITIONS):
            return reason
        if not stored.landed:
            return "repaired" if stored.file_sha256 != self.file_sha256 else None
        if stored.violating_sha256 != self.violating_sha256:
            return EDITED if self.violating_sha256 else RESTORED
        return None

    def _result_reason(self, asset: str) -> str | None:
        if reason := self._code_reason(asset):
            return reason
        inputs = self.results[asset].inputs
        used = {source.version for source in inputs if source.kind == "asset" and source.key == DEFINITIONS}
        if self.stored is None or used != {self.stored.data_version}:
            return "its definition changed"
        if asset == SCENARIOS:
            recorded = {source.key: source.content_hash for source in inputs if source.kind == "file"}
            if recorded != {file.path: file.content_hash for file in self.scenarios}:
                return "its scenarios changed"
        return None

    def _code_reason(self, asset: str) -> str | None:
        result = self.results.get(asset)
        if result is None:
            return "never evaluated"
        used = {
            source.version for source in result.inputs if source.kind == "code" and source.key == EVALUATOR
        }
        return None if used == {EVALUATOR_VERSION} else f"evaluator changed to {EVALUATOR_VERSION}"

    def fingerprint(self, assets: tuple[str, ...]) -> str:
        return sha256_of(
            {
                "assets": assets,
                "evaluator": EVALUATOR_VERSION,
                "definition": self.file_sha256,
                "scenarios": [[file.path, file.content_hash] for file in self.scenarios],
                "stored": {asset: result.run_id for asset, result in self.results.items()},
            }
        )


EDITED = "edited after it had landed"
RESTORED = "restored to what had landed"
