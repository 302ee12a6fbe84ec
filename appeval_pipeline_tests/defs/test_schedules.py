import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.jobs import evaluate_app_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.schedules import nightly_benchmarks
from appeval_pipeline.store import write_batch
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import samples

NIGHT = datetime(2026, 3, 4, 3, tzinfo=UTC)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """A schedule opens its instance by reference, which an ephemeral one has not."""
    with dg.DagsterInstance.local_temp(str(tmp_path)) as local:
        yield local


def tick(workspace: Workspace, instance: dg.DagsterInstance) -> object:
    # Closed here: where the garbage collector does it, it may disturb the instance of another test.
    with dg.build_schedule_context(instance=instance, scheduled_execution_time=NIGHT) as context:
        return nightly_benchmarks(context, workspace=workspace)


def test_there_is_nothing_to_measure_at_first(workspace: Workspace, instance: dg.DagsterInstance) -> None:
    assert isinstance(tick(workspace, instance), dg.SkipReason)


def test_the_latest_valid_version_of_each_app_is_measured(
    workspace: Workspace, instance: dg.DagsterInstance, data_dir: Path
) -> None:
    stored = [("adder", 1), ("counter", 1), ("counter", 9), ("counter", 10), ("gone", 1)]
    for app_id, version in stored[:-1]:
        catalogues.add_version(data_dir, app_id, version)
    catalogues.add_version(data_dir, "counter", 11)  # not evaluated yet
    workspace.database.prepare()
    results = [samples.definition(app_id, version) for app_id, version in stored]
    write_batch(workspace.database, samples.batch("app_definitions", *results))
    instance.add_dynamic_partitions("app_versions", [result.partition_key for result in results])
    requests = tick(workspace, instance)
    assert isinstance(requests, list)
    assert [
        (request.run_key, request.partition_key, request.asset_selection, request.tags["appeval/app"])
        for request in requests
    ] == [
        ("2026-03-04:adder@1", "adder@1", [dg.AssetKey("benchmark_results")], "adder"),
        ("2026-03-04:counter@10", "counter@10", [dg.AssetKey("benchmark_results")], "counter"),
    ]


def test_the_schedule_in_the_documentation_requests_its_version(instance: dg.DagsterInstance) -> None:
    text = (Path(__file__).parents[2] / "docs" / "automation.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {"dg": dg, "evaluate_app_versions": evaluate_app_versions}
    exec(example, names)  # noqa: S102 - our own page: what it tells people to write has to run
    schedule = names["weekly_quality"]
    assert isinstance(schedule, dg.ScheduleDefinition)
    instance.add_dynamic_partitions("app_versions", ["paypal@1"])
    definitions = dg.Definitions(
        assets=app_assets, jobs=[evaluate_app_versions], schedules=[schedule], resources={"workspace": None}
    )
    with dg.build_schedule_context(
        instance=instance,
        scheduled_execution_time=NIGHT,
        repository_def=definitions.get_repository_def(),
    ) as context:
        (request,) = schedule.evaluate_tick(context).run_requests or []
    assert request.asset_selection == [dg.AssetKey("quality_scores")]
