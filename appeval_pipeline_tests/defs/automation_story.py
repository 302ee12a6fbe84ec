"""What happens to files while the UI and its daemon run, and what comes of it without a click.

In parts, so that the test of the UI can do other things while the daemon works.
"""

import time
from pathlib import Path

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import query
from appeval_pipeline.store.dependencies import APP_ASSETS, SCENARIOS
from appeval_pipeline.store.opening import open_store
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs.running import after
from appeval_pipeline_tests.timing import slowness
from appeval_pipeline_tests.ui_server import Ui, wait_for

APP = "adder"

MATERIALIZATIONS = """
query ($key: AssetKeyInput!, $partitions: [String!]) {
  assetOrError(assetKey: $key) { ... on Asset {
    assetMaterializations(partitions: $partitions, limit: 10) { runId }
  } }
}
"""

VIOLATION = """
{ assetNodeOrError(assetKey: {path: ["app_definitions"]}) { ... on AssetNode {
  assetCheckOrError(checkName: "landed_version_is_unchanged") { ... on AssetCheck {
    executionForLatestMaterialization { evaluation { success description } }
  } }
} } }
"""


def drop_three_versions(data_dir: Path) -> float:
    """New files, as someone copies them into the folder; returns when."""
    now = time.time()
    scenario = catalogues.add_scenario(data_dir, APP)
    catalogues.write(scenario, scenario.read_text(), modified=now)
    for version in (1, 3, 4):
        path = catalogues.add_version(data_dir, APP, version)
        catalogues.write(path, path.read_text(), modified=now)
    return now


def await_three_versions(ui: Ui, dropped_at: float) -> None:
    """All results of the three are stored within a minute after ``dropped_at``, on a machine that is free."""
    slow = slowness()  # with the daemon at work, and whatever else
    wait_for(lambda: baselines(ui) == [(1, None), (3, 1), (4, 3)])
    sql = (
        "SELECT count(*), max(epoch(materialized_at)) FROM benchmark_results WHERE app_id = 'adder'"
        " HAVING count(*) = 3"
    )
    ((_, stored_at),) = wait_for(lambda: rows(ui, sql))
    assert float(str(stored_at)) - dropped_at < 60 * max(slow, slowness())


def change_what_has_landed(data_dir: Path) -> None:
    """A scenario more for version 1, an edit of a version of another app, and a file less."""
    catalogues.add_scenario(data_dir, APP, file="first.yaml", extra='applies_to: "1"\n')
    (data_dir / "apps" / APP / "v4.yaml").unlink()
    catalogues.add_version(data_dir, "counter", 2, name="Edited")


def await_what_follows(ui: Ui) -> None:
    """The report on the changed baseline is renewed, the edit is a violation; no more than that was made."""
    again = {
        1: {SCENARIOS, *after(SCENARIOS)},  # its scenarios changed
        3: {"regression_reports"},  # its baseline is version 1
    }
    wait_for(lambda: times(ui, "regression_reports", 3) == 2)
    made = {version: {asset: times(ui, asset, version) for asset in APP_ASSETS} for version in (1, 3, 4)}
    assert made == {
        version: {asset: 2 if asset in again.get(version, ()) else 1 for asset in APP_ASSETS}
        for version in (1, 3, 4)
    }
    assert baselines(ui) == [(1, None), (3, 1), (4, 3)]

    def violation() -> str | None:
        check = ui.ask(VIOLATION)["assetNodeOrError"]["assetCheckOrError"]
        evaluation = (check["executionForLatestMaterialization"] or {}).get("evaluation")
        return evaluation["description"] if evaluation and not evaluation["success"] else None

    assert "apps/counter/v2.yaml was changed after it had landed" in str(wait_for(violation))
    names = rows(ui, "SELECT name FROM app_versions WHERE app_id = 'counter' ORDER BY version")
    assert names == [("Counter 1",), ("Counter 2",)]
    assert rows(ui, "SELECT count(*) FROM run_failures") == [(0,)]


def baselines(ui: Ui) -> list[tuple[object, ...]]:
    """The versions of the app that have a report, each with what it was compared with."""
    return rows(
        ui, "SELECT version, old_version FROM regression_reports WHERE app_id = 'adder' ORDER BY version"
    )


def rows(ui: Ui, sql: str) -> list[tuple[object, ...]]:
    try:
        return list(query(open_store(ui.settings.store), sql).rows)
    except StoreError:
        return []


def times(ui: Ui, asset: str, version: int) -> int:
    """How often the result of one version was made."""
    partition = f"{APP}@{version}"
    found = ui.ask(MATERIALIZATIONS, key={"path": [asset]}, partitions=[partition])
    return len(found["assetOrError"]["assetMaterializations"])
