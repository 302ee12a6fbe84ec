"""Declarative automation: what rests on a stored result is evaluated again once that result changes.

Dagster's own data versions cannot tell this: in a run over several partitions it stamps one version on all of
them, and a baseline is no dependency that it knows. The store has each partition's own, in its lineage.
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import dagster as dg

from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.run_partitions import busy_partitions
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.experiments import ExperimentNeed, plan_experiments
from appeval_pipeline.store.freshness import Need, make_plan
from appeval_pipeline.store.results import read_state

INTERVAL_S = 10


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What is stale because a stored result changed, and nothing else.

    Attributes:
        by_asset: The fingerprint of the need of each app version or experiment, by partition key, by asset.
        busy: App versions and experiments that some unfinished run works on.
    """

    by_asset: Mapping[str, Mapping[str, str]]
    busy: frozenset[str]


def read_follow_ups(workspace: Workspace, instance: dg.DagsterInstance) -> FollowUps:
    """Compare files and store, and pick what the file sensor leaves to automation."""
    workspace.database.prepare()
    busy = busy_partitions(instance)
    by_asset: dict[str, dict[str, str]] = {}
    plan = make_plan(workspace.data_path, read_state(workspace.database), agents=workspace.agent_plan)
    experiments = plan_experiments(
        workspace.data_path, workspace.database, costly=workspace.costly_experiments
    )
    needs: tuple[Need | ExperimentNeed, ...] = (*plan.needs, *experiments.needs)
    for need in needs:
        if not need.caused_by(Cause.FILES):
            for asset in need.caused_by(Cause.RESULTS):
                by_asset.setdefault(asset, {})[need.partition_key] = need.fingerprint
    return FollowUps(by_asset, busy)


class FollowUpReader:
    """Reads the follow-ups once a tick, for all assets."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._last: tuple[datetime, FollowUps] | None = None

    def read(self, instance: dg.DagsterInstance, tick: datetime) -> FollowUps:
        """The follow-ups as of the tick at this time."""
        if self._last is None or self._last[0] != tick:
            self._last = tick, read_follow_ups(self._workspace, instance)
        return self._last[1]


class ResultsChanged(dg.AutomationCondition[dg.AssetKey]):
    """True where a result rests on a stored one of another data version, and no run works on it.

    True once for each change: what a failed run leaves behind is the file sensor's, which counts attempts.
    """

    def __init__(self, reader: FollowUpReader) -> None:
        self._reader = reader

    @property
    def name(self) -> str:
        """How the UI calls the condition."""
        return "results_changed"

    @property
    def description(self) -> str:
        """What the UI says about the condition."""
        return "A stored result that this one was computed from, here or of the baseline, has changed"

    def evaluate(self, context: dg.AutomationContext[dg.AssetKey]) -> dg.AutomationResult[dg.AssetKey]:
        """Request what was not requested yet; the cursor has the fingerprints of what was."""
        view = context.asset_graph_view
        follow_ups = self._reader.read(view.instance, context.evaluation_time)
        stale = follow_ups.by_asset.get(context.key.to_user_string(), {})
        requested: dict[str, str] = json.loads(context.cursor or "{}")
        kept = {key: value for key, value in requested.items() if key in stale}
        due = {
            key: value
            for key, value in stale.items()
            if key not in follow_ups.busy and requested.get(key) != value
        }
        partitions = context.partitions_def
        subset = context.get_empty_subset()
        if due and partitions is not None:
            wanted = view.get_subset_from_partition_keys(context.key, partitions, set(due))
            subset = context.candidate_subset.compute_intersection(wanted)
        return dg.AutomationResult(context, subset, cursor=canonical_json({**kept, **due}))


def following(asset: dg.AssetsDefinition, reader: FollowUpReader) -> dg.AssetsDefinition:
    """The asset, evaluated again when a result that it rests on changes; as it is if it rests on none."""
    return asset.map_asset_specs(
        lambda spec: (
            spec.replace_attributes(automation_condition=ResultsChanged(reader)) if list(spec.deps) else spec
        )
    )


def _automation_sensor() -> dg.AutomationConditionSensorDefinition:
    with warnings.catch_warnings():
        # Conditions of one's own are evaluated beside one's own code, an option that is in beta.
        warnings.simplefilter("ignore", dg.BetaWarning)
        return dg.AutomationConditionSensorDefinition(
            name="results_changed",
            target=dg.AssetSelection.all(),
            default_status=dg.DefaultSensorStatus.RUNNING,
            minimum_interval_seconds=INTERVAL_S,
            use_user_code_server=True,
            description=(
                "Evaluates again what rests on stored results that changed: downstream of an asset that was "
                "materialized by hand, say, and the regression report of a version whose baseline changed."
            ),
        )


results_changed = _automation_sensor()
