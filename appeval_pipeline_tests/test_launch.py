"""What `appeval run` does, on a real Dagster instance and a real store."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline import launch
from appeval_pipeline.defs import execution
from appeval_pipeline.defs.execution import Step
from appeval_pipeline.errors import CatalogueError, SettingsError
from appeval_pipeline.launch import EvaluationRequest, Progress, RunSummary
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Database, Severity, query, read_overview
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline_tests import catalogues

VERSIONS = (("adder", 1), ("counter", 1), ("counter", 2), ("doubler", 1))
ALL_FRESH = dict.fromkeys(VERSIONS, "fresh")


@dataclass(frozen=True)
class FirstRun:
    """A run on a folder with four app versions, and what it told while it went on."""

    folder: Path
    summary: RunSummary
    told: list[int | Step]


def settings_in(folder: Path) -> Settings:
    return Settings.model_validate(
        {
            "data_dir": folder / "data",
            "store": folder / "appeval.duckdb",
            "dagster_home": folder / "dagster",
        }
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    folder = tmp_path_factory.mktemp("first")
    for app_id, version in VERSIONS:
        catalogues.add_version(folder / "data", app_id, version)
    catalogues.add_scenario(folder / "data", "counter")
    told: list[int | Step] = []
    summary = launch.run(
        settings_in(folder), report=lambda plan: told.append(len(plan.needs)), follow=told.append
    )
    return FirstRun(folder, summary, told)


@pytest.fixture
def evaluated(first: FirstRun, tmp_path: Path) -> Settings:
    """A copy of the folder in which everything is up to date."""
    shutil.copytree(first.folder, tmp_path, dirs_exist_ok=True)
    return settings_in(tmp_path)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder in which nothing has been evaluated."""
    catalogues.add_version(tmp_path / "data")
    return settings_in(tmp_path)


def progress(summary: RunSummary) -> dict[tuple[str, int], str]:
    return {(version.app_id, version.version): version.progress.value for version in summary.versions}


def test_a_run_evaluates_what_is_new_and_only_that(first: FirstRun, evaluated: Settings) -> None:
    summary = first.summary
    assert progress(summary) == dict.fromkeys(VERSIONS, "evaluated")
    assert len(summary.run_ids) == 1
    assert (summary.evaluated_count, summary.fresh_count, summary.could_not_run) == (4, 0, ())
    assert (summary.first_count, summary.changes) == (4, ())

    second = launch.run(evaluated)
    assert progress(second) == ALL_FRESH
    assert second.run_ids == second.changes == ()

    catalogues.add_version(evaluated.data_dir, version=3)
    third = launch.run(evaluated)
    assert progress(third) == {**ALL_FRESH, ("counter", 3): "evaluated"}
    rows = query(
        Database(evaluated.store),
        "SELECT version, run_id FROM quality_scores WHERE app_id = 'counter' ORDER BY ALL",
    ).rows
    assert rows == ((1, summary.run_ids[0]), (2, summary.run_ids[0]), (3, third.run_ids[0]))


def test_progress_is_announced_before_it_starts_and_every_step_is_told(
    first: FirstRun, evaluated: Settings
) -> None:
    announced, *steps = first.told
    assert announced == len(VERSIONS)
    assert {step.name for step in steps if isinstance(step, Step)} == {*APP_ASSETS, "app_version_checks"}
    assert [(step.number, step.total, step.version_count) for step in steps if isinstance(step, Step)] == [
        (number, len(APP_ASSETS) + 1, len(VERSIONS)) for number in range(1, len(APP_ASSETS) + 2)
    ]
    told: list[int | Step] = []
    launch.run(evaluated, report=lambda plan: told.append(len(plan.needs)), follow=told.append)
    assert told == [0]


def test_a_run_with_nothing_to_do_does_not_even_import_dagster(evaluated: Settings) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom appeval_pipeline import launch\n"
        "from appeval_pipeline.settings import load_settings\n"
        "summary = launch.run(load_settings())\n"
        "print(summary.fresh_count, 'dagster' in sys.modules)"
    )
    output = subprocess.check_output([sys.executable, "-c", code], env=evaluated.environment(), text=True)
    assert output == "4 False\n"


def test_the_request_narrows_or_widens_the_run(evaluated: Settings) -> None:
    catalogues.add_version(evaluated.data_dir, version=3)
    forced = launch.run(evaluated, EvaluationRequest(app_id="counter", version=2, everything=True))
    assert progress(forced) == {("counter", 2): "evaluated"}
    stored = {version.partition_key for version in read_overview(Database(evaluated.store))}
    assert stored == {"adder@1", "counter@1", "counter@2", "doubler@1"}
    with pytest.raises(CatalogueError, match="known apps: adder, counter, doubler"):
        launch.run(evaluated, EvaluationRequest(app_id="nobody"))


def test_separate_stretches_are_separate_runs_and_the_summary_says_what_changed(evaluated: Settings) -> None:
    for app_id, count in (("adder", 1), ("doubler", 2)):
        catalogues.add_scenario(evaluated.data_dir, app_id, count=count)
    summary = launch.run(evaluated)
    assert len(summary.run_ids) == 2
    changes = [(change.partition_key, change.name, change.before, change.after) for change in summary.changes]
    assert changes[0] == ("doubler@1", "Counting", None, "failed")
    assert ("adder@1", "scenarios.total", 0, 1) in changes
    assert {change.partition_key for change in summary.changes} == {"adder@1", "doubler@1"}
    assert not {change.name for change in summary.changes} & {"quality.overall", "definition.warnings"}
    assert summary.first_count == 0
    plain = summary.to_dict()
    assert json.loads(json.dumps(plain))["changes"][0]["is_worse"] is True
    assert plain["versions"][0]["overview"]["overall_score"] > 0
    assert progress(summary)["counter", 2] == "fresh"


def test_what_could_not_run_and_what_failed_is_told(evaluated: Settings) -> None:
    catalogues.add_version(evaluated.data_dir, version=3, template=catalogues.INVALID_DEFINITION)
    catalogues.add_version(evaluated.data_dir, "poor", 1, template=catalogues.POOR_DEFINITION)
    catalogues.write(evaluated.data_dir / "apps" / "poor" / "draft.yaml", "x: 1\n")
    summary = launch.run(evaluated)
    assert [version.version for version in summary.could_not_run] == [3]
    assert summary.errors == ()
    failing = {(verdict.partition_key, verdict.check) for verdict in summary.verdicts}
    assert {
        ("counter@3", "definition_is_valid"),
        ("counter@3", "quality_meets_bar"),
        ("counter@3", "all_scenarios_pass"),
        ("poor@1", "quality_meets_bar"),
    } == failing
    assert [str(problem.path) for problem in summary.problems] == ["apps/poor/draft.yaml"]
    assert launch.run(evaluated).could_not_run != ()


def test_a_version_that_never_landed_is_forgotten_when_its_file_is_gone(evaluated: Settings) -> None:
    path = catalogues.add_version(evaluated.data_dir, version=3, template=catalogues.INVALID_DEFINITION)
    launch.run(evaluated)
    path.unlink()
    assert launch.run(evaluated).run_ids == ()
    overview = read_overview(Database(evaluated.store))
    assert [(version.app_id, version.version) for version in overview] == list(VERSIONS)
    with dg.DagsterInstance.from_config(str(evaluated.dagster_home)) as instance:
        assert instance.get_dynamic_partitions("app_versions") == [
            f"{app}@{number}" for app, number in VERSIONS
        ]


def test_an_edited_landed_version_is_a_violation(evaluated: Settings) -> None:
    catalogues.add_version(evaluated.data_dir, version=1, name="Edited")
    summary = launch.run(evaluated)
    assert len(summary.violations) == 1
    verdicts = {(verdict.check, verdict.severity) for verdict in summary.verdicts}
    assert verdicts == {("landed_version_is_unchanged", Severity.WARN)}
    assert launch.run(evaluated).evaluated_count == 0


def test_a_failing_run_is_reported_without_stack_traces_and_tried_again(
    evaluated: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    catalogues.add_version(evaluated.data_dir, version=3)
    writer = Database(evaluated.store).write_path
    writer.rename(writer.with_suffix(".away"))
    writer.mkdir()
    failed = launch.run(evaluated)
    assert progress(failed) == {**ALL_FRESH, ("counter", 3): Progress.RUN_FAILED.value}
    assert "cannot be opened for writing" in failed.errors[0]
    assert capfd.readouterr().err == ""
    writer.rmdir()
    writer.with_suffix(".away").rename(writer)
    assert progress(launch.run(evaluated))["counter", 3] == "evaluated"


def test_a_broken_writer_file_does_not_stop_a_run(evaluated: Settings) -> None:
    catalogues.add_version(evaluated.data_dir, version=3)
    Database(evaluated.store).write_path.write_bytes(b"nonsense" * 1000)
    summary = launch.run(evaluated)
    assert summary.errors == ()
    assert progress(summary) == {**ALL_FRESH, ("counter", 3): "evaluated"}


@pytest.mark.parametrize(
    "text", ["nonsense: 1\n", "storage: 5\n", "storage: {sqlite: {base_dir: /proc/x}}\n"]
)
def test_a_broken_dagster_yaml_is_an_error_that_names_it(settings: Settings, text: str) -> None:
    catalogues.write(settings.dagster_home / "dagster.yaml", text)
    with pytest.raises(SettingsError, match=r"dagster\.yaml: Dagster cannot start with it: (?s:.*)delete it"):
        launch.run(settings)


@pytest.mark.parametrize("tag", ["appeval/launcher", "started/elsewhere"])
def test_a_killed_run_does_not_block_the_next(settings: Settings, tag: str) -> None:
    code = (
        "import os, signal\nfrom appeval_pipeline import launch\n"
        "from appeval_pipeline.settings import load_settings\n"
        "from appeval_pipeline.store import database\n"
        "from appeval_pipeline.defs import execution\n"
        f"execution.LAUNCHER_TAG = {tag!r}\n"
        "settings = load_settings()\n"
        "def die(self, connection): os.kill(os.getpid(), signal.SIGKILL)\n"
        "database.Database(settings.store).prepare()\n"
        "database.Database._publish = die\n"
        "launch.run(settings)"
    )
    process = subprocess.run([sys.executable, "-c", code], env=settings.environment(), capture_output=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        assert [run.status for run in instance.get_runs()] == [dg.DagsterRunStatus.STARTED]
        execution.bury_dead_runs(settings)  # as `appeval ui` does when it starts
        assert [run.status for run in instance.get_runs()] == [dg.DagsterRunStatus.FAILURE]
    summary = launch.run(settings)
    assert summary.errors == ()
    assert summary.evaluated_count == 1


def test_an_empty_data_directory_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    settings = Settings.model_validate({"data_dir": tmp_path / "data", "store": tmp_path / "a.duckdb"})
    assert launch.run(settings).versions == ()
