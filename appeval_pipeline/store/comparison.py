"""One app version: its files as they are now beside what its stored results were computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from appeval_pipeline.agent_plan import AgentPlan
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.dependencies import AGENTS, APP_ASSETS, DEFINITIONS, REGRESSIONS, SOURCES
from appeval_pipeline.store.files import file_sha256
from appeval_pipeline.store.inputs import EVALUATOR, config_inputs
from appeval_pipeline.store.landing import find_violation
from appeval_pipeline.store.results import StoredResult, StoredState, StoredVersion
from appeval_pipeline.store.rows import Input
from appeval_pipeline.store.scenario_files import ScenarioFile, applying
from appeval_pipeline.store.task_files import TaskFile
from appeval_pipeline.version import EVALUATOR_VERSION

EDITED = "edited after it had landed"
RESTORED = "restored to what had landed"
SAME_DEFINITION = (EDITED, RESTORED)
"""Reasons to look at a definition again that leave the stored one as it is, and so all that rests on it."""


class Cause(StrEnum):
    """What makes a result stale, and so who sees to it."""

    FILES = "files"
    """Files, code or configuration; or there is no result. The file sensor requests it."""
    RESULTS = "results"
    """A stored result that it was computed from has changed. Declarative automation requests it."""
    AWAITED = "awaited"
    """Its baseline is about to be evaluated again: until then nobody knows whether it is stale."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a result is stale: for people, and for the automation."""

    text: str
    cause: Cause = Cause.FILES


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a version is compared with.

    Attributes:
        partition_key: The baseline's partition.
        version: Its version.
        stale: Its assets that are about to be evaluated again.
    """

    partition_key: str
    version: int
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One version: its files beside what is stored of it."""

    agents: AgentPlan
    file_sha256: str | None
    tasks: tuple[TaskFile, ...]
    scenarios: tuple[ScenarioFile, ...]
    compared_scenarios: tuple[ScenarioFile, ...]
    stored: StoredVersion | None
    results: Mapping[str, StoredResult]
    baseline: Baseline | None
    baseline_results: Mapping[str, StoredResult]
    violation: str | None
    violating_sha256: str | None

    @classmethod
    def of(
        cls,
        data_dir: Path,
        entry: CatalogueEntry,
        stored: StoredState,
        suite: tuple[ScenarioFile, ...],
        tasks: tuple[TaskFile, ...],
        baseline: Baseline | None,
        agents: AgentPlan,
    ) -> Comparison:
        """Compare the files of ``entry`` with ``stored``.

        Args:
            suite: All scenario files of the app.
            tasks: All task files of the app.
            baseline: What the version is compared with, if there is such a version.
            agents: Which agents try the tasks.
        """
        version = stored.versions.get(entry.partition_key)
        violation = (
            find_violation(entry, version, data_dir) if version is not None and version.landed else None
        )
        versions = (entry.version, baseline.version) if baseline else ()
        return cls(
            agents=agents,
            tasks=tuple(file for file in tasks if file.applies(entry.version)),
            file_sha256=file_sha256(data_dir, str(entry.path)),
            scenarios=applying(suite, entry.version),
            compared_scenarios=applying(suite, *versions),
            stored=version,
            results=stored.results_of(entry.partition_key),
            baseline=baseline,
            baseline_results=stored.results_of(baseline.partition_key) if baseline else {},
            violation=violation.message if violation else None,
            violating_sha256=violation.file_sha256 if violation else None,
        )

    def stale_assets(self, force: bool, unasked: bool = False) -> dict[str, Reason]:
        """The assets to materialize, upstream first, with the reason of each.

        Args:
            force: All of them.
            unasked: Agents are to try again, for some could not be asked.
        """
        stale: dict[str, Reason] = {}
        for asset in APP_ASSETS:
            reason = Reason("asked for") if force else self._reason(asset, stale)
            if reason is None and asset == AGENTS and unasked:
                reason = Reason("some agents could not be asked")
            if reason is not None:
                stale[asset] = reason
        return stale

    def _reason(self, asset: str, stale: Mapping[str, Reason]) -> Reason | None:
        if asset == DEFINITIONS:
            text = self._definition_reason()
            return Reason(text) if text else None
        definition = stale.get(DEFINITIONS)
        if definition is not None and definition.text not in SAME_DEFINITION:
            return definition
        if text := self._code_reason(asset) or self._config_reason(asset):
            return Reason(text)
        sources = SOURCES[asset]
        inputs = self.results[asset].inputs
        for upstream in sources.upstream[1:]:
            if upstream in stale:
                return Reason(f"{upstream} is evaluated again", stale[upstream].cause)
        if text := self._upstream_reason(sources.upstream, inputs):
            return Reason(text, Cause.RESULTS)
        baseline = self._baseline_reason(sources.baseline, inputs) if sources.baseline else None
        if baseline is not None:
            return baseline
        if sources.scenarios:
            files = self.compared_scenarios if asset == REGRESSIONS else self.scenarios
            recorded = {source.key: source.content_hash for source in inputs if source.kind == "file"}
            if recorded != {file.path: file.content_hash for file in files}:
                return Reason("its scenarios changed")
        if sources.tasks:
            recorded = {source.key: source.content_hash for source in inputs if source.kind == "file"}
            if recorded != {file.path: file.content_hash for file in self.tasks}:
                return Reason("its tasks changed")
        return None

    def _definition_reason(self) -> str | None:
        stored = self.stored
        if stored is None:
            return "new"
        if reason := self._code_reason(DEFINITIONS) or self._config_reason(DEFINITIONS):
            return reason
        if not stored.landed:
            return "repaired" if stored.file_sha256 != self.file_sha256 else None
        if stored.violating_sha256 != self.violating_sha256:
            return EDITED if self.violating_sha256 else RESTORED
        return None

    def _code_reason(self, asset: str) -> str | None:
        result = self.results.get(asset)
        if result is None:
            return "never evaluated"
        used = {
            source.version for source in result.inputs if source.kind == "code" and source.key == EVALUATOR
        }
        return None if used == {EVALUATOR_VERSION} else f"evaluator changed to {EVALUATOR_VERSION}"

    def _config_reason(self, asset: str) -> str | None:
        used = {
            source.key: source.version for source in self.results[asset].inputs if source.kind == "config"
        }
        present = {source.key: source.version for source in config_inputs(asset, self.agents)}
        changed = sorted(name for name in used.keys() | present.keys() if used.get(name) != present.get(name))
        return f"its configuration changed: {', '.join(changed)}" if changed else None

    def _upstream_reason(self, upstream: tuple[str, ...], inputs: tuple[Input, ...]) -> str | None:
        used = {source.key: source.version for source in inputs if source.kind == "asset"}
        for asset in upstream:
            if used.get(asset) != _data_version(self.results, asset):
                return "its definition changed" if asset == DEFINITIONS else f"{asset} changed"
        return None

    def _baseline_reason(self, assets: tuple[str, ...], inputs: tuple[Input, ...]) -> Reason | None:
        used = {
            (source.partition_key, source.key): source.version
            for source in inputs
            if source.kind == "upstream_version"
        }
        if self.baseline is None:
            return Reason("its baseline is gone", Cause.RESULTS) if used else None
        key = self.baseline.partition_key
        if set(assets) & set(self.baseline.stale):
            return Reason(f"its baseline {key} is evaluated again", Cause.AWAITED)
        if {partition for partition, _ in used} - {key}:
            return Reason(f"its baseline is {key} now", Cause.RESULTS)
        stored = {(key, asset): _data_version(self.baseline_results, asset) for asset in assets}
        if used == stored:
            return None
        return Reason(f"the results of its baseline {key} changed", Cause.RESULTS)

    def fingerprint(self, assets: tuple[str, ...]) -> str:
        """Hash of the inputs as they are now and of the runs that stored what is there."""
        return sha256_of(
            {
                "assets": assets,
                "evaluator": EVALUATOR_VERSION,
                "config": {
                    asset: [found.version for found in config_inputs(asset, self.agents)] for asset in assets
                },
                "definition": self.file_sha256,
                "scenarios": [[file.path, file.content_hash] for file in self.scenarios],
                "tasks": [[file.path, file.content_hash] for file in self.tasks],
                "stored": {asset: result.run_id for asset, result in self.results.items()},
                "baseline": [
                    self.baseline.partition_key if self.baseline else None,
                    {asset: result.run_id for asset, result in self.baseline_results.items()},
                ],
            }
        )


def _data_version(results: Mapping[str, StoredResult], asset: str) -> str | None:
    result = results.get(asset)
    return result.data_version if result else None
