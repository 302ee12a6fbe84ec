"""What declarative automation requests."""

from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store.dependencies import APP_ASSETS, SCENARIOS
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs.running import after, evaluate, settings_of


class Ticks:
    """Ticks of the automation, one after the other, as the daemon makes them."""

    def __init__(self, workspace: Workspace, instance: dg.DagsterInstance) -> None:
        self.definitions = build_definitions(settings_of(workspace))
        self.workspace = workspace
        self.instance = instance
        self.last: dg.EvaluateAutomationConditionsResult | None = None

    def next(self) -> dict[str, set[str]]:
        """What one tick requests, by app version."""
        self.last = dg.evaluate_automation_conditions(
            self.definitions,
            self.instance,
            asset_selection=dg.AssetSelection.all(),
            cursor=self.last.cursor if self.last else None,
        )
        requested: dict[str, set[str]] = {}
        for asset in APP_ASSETS:
            for key in self.last.get_requested_partitions(dg.AssetKey(asset)):
                requested.setdefault(str(key), set()).add(asset)
        return requested


@pytest.fixture
def ticks(workspace: Workspace, instance: dg.DagsterInstance) -> Ticks:
    return Ticks(workspace, instance)


def test_nothing_is_requested_that_a_run_has_seen_to_and_a_report_follows_its_baseline(
    ticks: Ticks, data_dir: Path
) -> None:
    catalogues.add_version(data_dir, version=2)
    assert ticks.next() == {}  # new files are not automation's
    evaluate(ticks.workspace, ticks.instance, "counter@1", "counter@2")
    assert ticks.next() == {}
    # Dagster's data version of this partition changes from the range's to its own; its content does not.
    evaluate(ticks.workspace, ticks.instance, "counter@1", assets=("app_definitions",))
    assert ticks.next() == {}

    # The report waits until no run works on it.
    ticks.workspace.database.write(
        lambda connection: connection.execute(
            "UPDATE lineage SET input_version = 'another' WHERE partition_key = 'counter@2'"
            " AND input_kind = 'upstream_version' AND input_key = 'quality_scores'"
        )
    )
    busy = ticks.instance.add_run(
        dg.DagsterRun("other", status=dg.DagsterRunStatus.STARTED, tags={"dagster/partition": "counter@2"})
    )
    assert ticks.next() == {}
    ticks.instance.report_run_canceled(busy)
    assert ticks.next() == {"counter@2": {"regression_reports"}}


def test_what_rests_on_a_changed_result_is_requested_once(ticks: Ticks, data_dir: Path) -> None:
    evaluate(ticks.workspace, ticks.instance, "counter@1")
    catalogues.add_scenario(data_dir, count=2)
    assert ticks.next() == {}  # changed files are not automation's
    evaluate(ticks.workspace, ticks.instance, "counter@1", assets=("scenario_runs",))
    assert ticks.next() == {"counter@1": set(after(SCENARIOS))}
    assert ticks.next() == {}
    evaluate(ticks.workspace, ticks.instance, "counter@1", assets=after(SCENARIOS))
    assert ticks.next() == {}
