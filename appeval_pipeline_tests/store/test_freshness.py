"""What is evaluated again, and what is not."""

from pathlib import Path

import pytest

from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.store import Store, forget, query, write_batch
from appeval_pipeline.store import comparison as comparison_module
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline.store.freshness import make_plan
from appeval_pipeline.store.overview import read_overview
from appeval_pipeline.store.results import StoredState, read_state
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.evaluating import evaluate, needs_of, plan_of

AFTER_SCENARIOS = (
    "scenario_runs",
    "coverage_reports",
    "edge_case_reports",
    "benchmark_results",
    "regression_reports",
)
"""What is evaluated again when scenarios change."""


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    catalogues.add_version(data, version=1)
    catalogues.add_scenario(data)
    return data


def test_everything_is_new_at_first_and_fresh_afterwards(data_dir: Path, kept_database: Store) -> None:
    assert evaluate(data_dir, kept_database) == {"counter@1": APP_ASSETS}
    assert needs_of(data_dir, kept_database) == {}
    (version,) = read_overview(kept_database)
    assert (version.status, version.quality_status) == ("valid", "scored")
    assert (version.scenarios_passed, version.scenarios_total) == (1, 1)


def test_versions_come_in_natural_order(data_dir: Path, database: Store) -> None:
    for number in (10, 9, 2):
        catalogues.add_version(data_dir, version=number)
    assert list(needs_of(data_dir, database)) == ["counter@1", "counter@2", "counter@9", "counter@10"]


def test_a_further_version_needs_just_itself(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=2)
    assert evaluate(data_dir, database) == {"counter@2": APP_ASSETS}


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "# Another comment.\n" + text,
        lambda text: text.replace("minValue", "min_value"),
        lambda text: text.replace("name: Counter 1\ncategory: custom", "category: custom\nname: Counter 1"),
    ],
    ids=["comment", "spelling", "order"],
)
def test_an_edit_without_meaning_changes_nothing(data_dir: Path, database: Store, edit) -> None:  # type: ignore[no-untyped-def]
    evaluate(data_dir, database)
    path = data_dir / "apps/counter/v1.yaml"
    path.write_text(edit(path.read_text()))
    assert needs_of(data_dir, database) == {}
    assert plan_of(data_dir, database).violations == ()


def test_a_comment_in_a_scenario_changes_nothing(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, extra="# A comment.\n")
    assert needs_of(data_dir, database) == {}


def test_changed_scenarios_are_run_again(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, count=7)
    assert evaluate(data_dir, database) == {"counter@1": AFTER_SCENARIOS}
    assert read_overview(database)[0].scenarios_passed == 0
    catalogues.add_scenario(data_dir, file="second.yaml")
    assert evaluate(data_dir, database) == {"counter@1": AFTER_SCENARIOS}
    (data_dir / "apps/counter/scenarios/second.yaml").unlink()
    assert evaluate(data_dir, database) == {"counter@1": AFTER_SCENARIOS}
    assert needs_of(data_dir, database) == {}


def test_a_scenario_concerns_the_versions_that_it_applies_to(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2)
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, file="later.yaml", extra='applies_to: ">=2"\n')
    assert evaluate(data_dir, database) == {"counter@2": AFTER_SCENARIOS}


def regressions(database: Store) -> dict[int, tuple[str, int | None]]:
    rows = query(database, "SELECT version, status, old_version FROM regression_reports").rows
    return {version: (status, old) for version, status, old in rows}  # type: ignore[misc]


def test_a_version_is_compared_with_the_next_lower_valid_one(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    catalogues.add_version(data_dir, version=3)
    evaluate(data_dir, database)
    assert regressions(database) == {1: ("no_baseline", None), 2: ("not_evaluated", 1), 3: ("compared", 1)}
    assert needs_of(data_dir, database) == {}
    catalogues.add_version(data_dir, version=2)
    assert evaluate(data_dir, database) == {"counter@2": APP_ASSETS, "counter@3": ("regression_reports",)}
    assert regressions(database) == {1: ("no_baseline", None), 2: ("compared", 1), 3: ("compared", 2)}
    assert needs_of(data_dir, database) == {}


def test_a_version_between_two_others_becomes_the_baseline_of_the_later(
    data_dir: Path, database: Store
) -> None:
    catalogues.add_version(data_dir, version=3)
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=2)
    assert evaluate(data_dir, database) == {"counter@2": APP_ASSETS, "counter@3": ("regression_reports",)}
    assert needs_of(data_dir, database) == {}


def test_a_report_follows_the_results_of_its_baseline(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2)
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, file="first.yaml", extra='applies_to: "1"\n')
    assert evaluate(data_dir, database) == {
        "counter@1": AFTER_SCENARIOS,
        "counter@2": ("regression_reports",),
    }
    assert needs_of(data_dir, database) == {}


def test_a_report_is_stale_once_its_baseline_s_results_were_replaced(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2)
    evaluate(data_dir, database)
    write_batch(database, samples.batch("quality_scores", samples.quality(samples.definition("counter"))))
    (need,) = [need for need in plan_of(data_dir, database).needs if need.partition_key == "counter@2"]
    assert need.assets == ("regression_reports",)
    assert "its baseline counter@1" in need.reasons[0]


def test_a_report_awaits_its_baseline_and_then_follows_it(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2)
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, file="first.yaml", extra='applies_to: "1"\n')
    first, second = plan_of(data_dir, database).needs
    assert (second.assets, second.causes) == (("regression_reports",), (Cause.AWAITED,))
    assert set(first.causes) == {Cause.FILES}
    evaluate(data_dir, database, only="counter@1")
    (second,) = plan_of(data_dir, database).needs
    assert (second.assets, second.causes) == (("regression_reports",), (Cause.RESULTS,))
    assert second.reasons == ("regression_reports: the results of its baseline counter@1 changed",)


def test_an_invalid_scenario_is_a_stored_failure(data_dir: Path, database: Store) -> None:
    catalogues.write(data_dir / "apps/counter/scenarios/broken.yaml", "name: Broken\nstepz: []\n")
    catalogues.add_scenario(data_dir, app_id="counter", file="foreign.yaml")
    foreign = data_dir / "apps/counter/scenarios/foreign.yaml"
    foreign.write_text(foreign.read_text().replace("app_id: counter", "app_id: other"))
    evaluate(data_dir, database)
    rows = query(database, "SELECT file_path, status, passed, error FROM scenario_runs ORDER BY ALL").rows
    assert [row[:3] for row in rows] == [
        ("apps/counter/scenarios/broken.yaml", "invalid", None),
        ("apps/counter/scenarios/counting.yaml", "passed", True),
        ("apps/counter/scenarios/foreign.yaml", "invalid", None),
    ]
    assert "stepz" in str(rows[0][3])
    assert "app_id" in str(rows[2][3])
    assert needs_of(data_dir, database) == {}


def test_a_landed_version_stays_as_it_is(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=1, name="Edited")
    plan = plan_of(data_dir, database)
    assert len(plan.violations) == 1
    assert "apps/counter/v1.yaml was changed after it had landed" in plan.violations[0]
    assert evaluate(data_dir, database, run_id="run-2") == {"counter@1": ("app_definitions",)}
    rows = query(database, "SELECT name, run_id, violation IS NOT NULL, landed FROM app_versions").rows
    assert rows == (("Counter 1", "run-2", True, True),)
    assert needs_of(data_dir, database) == {}
    assert len(plan_of(data_dir, database).violations) == 1


def test_a_landed_version_whose_file_became_invalid_stays_in_use(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=1, template=catalogues.INVALID_DEFINITION)
    assert evaluate(data_dir, database) == {"counter@1": ("app_definitions",)}
    (version,) = read_overview(database)
    assert version.status == "valid"
    assert version.violation is not None
    assert "something invalid" in version.violation


def test_undoing_the_edit_ends_the_violation(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=1, name="Edited")
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=1)
    assert evaluate(data_dir, database) == {"counter@1": ("app_definitions",)}
    assert read_overview(database)[0].violation is None
    assert needs_of(data_dir, database) == {}


def test_an_invalid_version_is_stored_and_may_be_repaired(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    evaluate(data_dir, database)
    first, second = read_overview(database)
    assert (first.status, second.status, second.quality_status) == ("valid", "invalid", "not_evaluated")
    assert second.error is not None
    assert "actions" in second.error
    assert (second.scenarios_total, second.scenarios_not_run) == (1, 1)
    assert needs_of(data_dir, database) == {}
    catalogues.add_version(data_dir, version=2)
    assert evaluate(data_dir, database) == {"counter@2": APP_ASSETS}
    assert read_overview(database)[1].status == "valid"


def test_a_removed_file_leaves_what_is_stored(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    (data_dir / "apps/counter/v1.yaml").unlink()
    plan = plan_of(data_dir, database)
    assert (plan.needs, plan.fresh, plan.violations) == ((), (), ())
    assert len(read_overview(database)) == 1


def test_a_version_that_never_landed_is_gone_with_its_file(data_dir: Path, database: Store) -> None:
    path = catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    evaluate(data_dir, database)
    assert plan_of(data_dir, database).gone == ()
    path.unlink()
    (data_dir / "apps/counter/v1.yaml").unlink()
    assert plan_of(data_dir, database).gone == ("counter@2",)
    forget(database, ["counter@2"])
    assert plan_of(data_dir, database).gone == ()
    for table in ("app_versions", "quality_scores", "scenario_runs", "lineage"):
        rows = query(database, f"SELECT DISTINCT partition_key FROM {table}").rows
        assert rows == (("counter@1",),), table


def test_results_without_a_definition_are_gone_too(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    write_batch(database, samples.batch("quality_scores", samples.quality(samples.definition("other"))))
    assert plan_of(data_dir, database).gone == ("other@1",)
    forget(database, ["other@1"])
    assert plan_of(data_dir, database).gone == ()


def test_a_landed_version_cannot_be_forgotten(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    before = query(database, "SELECT * FROM lineage ORDER BY ALL").rows
    forget(database, ["counter@1"])
    assert query(database, "SELECT * FROM lineage ORDER BY ALL").rows == before
    assert len(read_overview(database)) == 1


def test_a_new_evaluator_evaluates_everything_again(
    data_dir: Path, database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(data_dir, database)
    monkeypatch.setattr(comparison_module, "EVALUATOR_VERSION", "another")
    assert needs_of(data_dir, database) == {"counter@1": APP_ASSETS}


def test_a_result_that_was_never_stored_is_stale(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    database.write(
        lambda connection: connection.execute("DELETE FROM lineage WHERE asset_key = 'quality_scores'")
    )
    needed = ("quality_scores", "benchmark_results", "regression_reports")
    assert needs_of(data_dir, database) == {"counter@1": needed}


def test_the_same_need_has_the_same_fingerprint_until_it_is_met(data_dir: Path, database: Store) -> None:
    (first,), (again,) = plan_of(data_dir, database).needs, plan_of(data_dir, database).needs
    assert first.fingerprint == again.fingerprint
    evaluate(data_dir, database)
    catalogues.add_scenario(data_dir, count=2)
    (to_two,) = plan_of(data_dir, database).needs
    evaluate(data_dir, database, run_id="run-2")
    catalogues.add_scenario(data_dir, count=1)
    evaluate(data_dir, database, run_id="run-3")
    catalogues.add_scenario(data_dir, count=2)
    (to_two_again,) = plan_of(data_dir, database).needs
    assert to_two.fingerprint != to_two_again.fingerprint


def test_app_and_version_narrow_the_plan(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, "adder", 1)
    catalogues.add_version(data_dir, "adder", 2)

    def keys(**filters: object) -> list[str]:
        plan = make_plan(data_dir, StoredState(), **filters)  # type: ignore[arg-type]
        return [need.partition_key for need in plan.needs]

    assert keys(app_id="adder") == ["adder@1", "adder@2"]
    assert keys(app_id="adder", version=2) == ["adder@2"]
    assert keys(version=1) == ["adder@1", "counter@1"]
    for filters in ({"app_id": "nobody"}, {"app_id": "adder", "version": 3}, {"version": 9}):
        with pytest.raises(CatalogueError):
            keys(**filters)


def test_force_makes_everything_stale(data_dir: Path, database: Store) -> None:
    evaluate(data_dir, database)
    (need,) = make_plan(data_dir, read_state(database), force=True).needs
    assert need.assets == APP_ASSETS


def test_editors_droppings_are_passed_over(data_dir: Path, database: Store) -> None:
    for name in ("v2.yaml~", ".v2.yaml.swp", "#v2.yaml#", ".#v2.yaml", "v2.yaml.tmp", "v2.bak"):
        catalogues.write(data_dir / "apps/counter" / name, "half of")
        catalogues.write(data_dir / "apps/counter/scenarios" / name, "half of")
    plan = plan_of(data_dir, database)
    assert [need.partition_key for need in plan.needs] == ["counter@1"]
    assert plan.problems == ()


def test_a_version_number_beyond_the_store_s_is_a_problem(data_dir: Path, database: Store) -> None:
    catalogues.add_version(data_dir, version=2**31)
    plan = plan_of(data_dir, database)
    assert [need.partition_key for need in plan.needs] == ["counter@1"]
    assert [problem.message for problem in plan.problems] == ["The version is greater than 2147483647"]
