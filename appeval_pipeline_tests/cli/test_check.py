"""``appeval check`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import GOOD, Appeval, write_app


def test_a_good_definition_passes_and_shows_its_scores(appeval: Appeval, data: Path) -> None:
    result = appeval("check", str(data / "apps" / "tally" / "v1.yaml"))
    assert result.returncode == 0, result.stderr
    assert "Excellent" in result.stdout
    assert "scenarios 1/1 passed" in result.stdout
    assert "coverage: actions 100%, blocks 100%, branches 100%, paths 100% of 1" in result.stdout
    assert result.stderr == ""


def test_what_the_scenarios_do_not_reach_is_named(appeval: Appeval, data: Path) -> None:
    text = GOOD.replace(
        "    logic:\n",
        "    logic:\n      - {{type: validate, condition: params.amount < 10, errorMessage: too many}}\n",
    )
    result = appeval("check", str(write_app(data, "tally", text=text)))
    assert result.returncode == 0
    assert "branches 50%" in result.stdout
    assert "not covered `count.logic[0]`" in result.stdout


def test_every_fault_of_a_broken_definition_is_printed_with_its_place(appeval: Appeval, data: Path) -> None:
    text = (
        GOOD.replace("shared.total, operation", "shared.sum, operation")
        .replace("total: shared.total", "total: shard.total + agent.x")
        .replace("minValue: 1", "minValue: 3, default: 2")
    )
    path = write_app(data, "broken", text=text)
    result = appeval("check", str(path))
    assert result.returncode == 2
    assert "actions.count.parameters.amount.default (line 12)" in result.stderr
    assert "actions.count.logic[0].target (line 15): 'sum' is not in shared state" in result.stderr
    assert "actions.count.logic[1].value.total (line 16): Variable 'shard' is not defined" in result.stderr
    assert "Traceback" not in result.stderr


def test_below_the_bar_exits_with_1(appeval: Appeval, data: Path) -> None:
    path = str(write_app(data, "tally", text=GOOD.replace("description: Add to the total.", "")))
    result = appeval("check", path, "--min-quality", "99")
    assert result.returncode == 1
    assert "below the bar of 99" in result.stdout
    assert appeval("check", path, "--min-quality", "70").returncode == 0
    # At the default bar of 70 already: nothing described, nothing checked.
    bare = "app_id: {app_id}\nname: T\ncategory: custom\nactions: [{{name: count}}]\n"
    assert appeval("check", str(write_app(data, "bare", text=bare))).returncode == 1


def test_a_failing_scenario_exits_with_1_and_is_explained(appeval: Appeval, data: Path) -> None:
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    scenario.write_text(scenario.read_text().replace("{total: 2}", "{total: 3}"))
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 1
    assert "Counting › Step 1: data.total is 2, expected 3" in result.stdout


def test_edge_cases_that_are_not_met_or_not_robust_are_named(appeval: Appeval, data: Path) -> None:
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 0
    assert "met by scenarios, 100% robust" in result.stdout
    assert "not met `count.amount`: required missing" in result.stdout
    text = GOOD.replace("value: params.amount}}", "value: 1 / (params.amount - 1)}}")
    result = appeval("check", str(write_app(data, "tally", text=text)))
    assert (
        "not robust `count.amount`: at min, valid input that ends in an error of kind 'expression'"
        in result.stdout
    )
    result = appeval("check", str(data / "apps" / "tally"), "--json")
    [case] = [
        case for case in json.loads(result.stdout)[0]["edge_cases"]["cases"] if case["kind"] == "at_min"
    ]
    assert (case["parameter"], case["outcome"]) == ("amount", "expression")


def test_of_many_failures_of_a_scenario_the_first_are_shown(appeval: Appeval, data: Path) -> None:
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    failing = ", ".join(f"shared.total == {total}" for total in range(3, 10))
    scenario.write_text(scenario.read_text().replace("shared.total == 2", failing))
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 1
    assert result.stdout.count("failed Counting") == 5
    assert "shared.total == 3 is false: shared.total is 2" in result.stdout
    assert "and 2 more failures of this scenario (--json lists all)" in result.stdout


def test_lint_of_scenarios_is_shown_with_file_line_and_key_and_changes_no_exit_code(
    appeval: Appeval, data: Path
) -> None:
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    text = scenario.read_text()
    scenario.write_text(text + "applies_to: '>7'\n")
    result = appeval("check", str(data / "apps" / "tally" / "v1.yaml"))
    assert result.returncode == 0
    assert "warning counting.yaml: applies_to (line 10): '>7' holds none of the versions" in result.stdout
    assert "scenarios none that apply to this version" in result.stdout
    assert "not met" not in result.stdout
    scenario.write_text(text.replace("ann]", "ann], initial_state: {shared: {sum: 1}}"))
    result = appeval("check", str(data / "apps" / "tally" / "v1.yaml"), "--json")
    assert result.returncode == 0
    [check] = json.loads(result.stdout)
    [warning] = check["suite_warnings"]
    assert (warning["file"], warning["line"], warning["version"]) == (str(scenario), 3, 1)
    assert warning["location"] == "setup.initial_state.shared.sum"
    assert "known: total" in warning["message"]


def test_what_is_wrong_with_a_scenario_itself_is_shown_once_for_all_versions(
    appeval: Appeval, data: Path
) -> None:
    for version in (2, 3):
        write_app(data, "tally", version=version)
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    text = scenario.read_text().replace("assertions:", "assertions: ['1 < 2']\nx:")
    scenario.write_text(text[: text.index("x:")].replace("action: count", "action: cuont"))
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 1
    assert result.stdout.count("reads nothing of the final state") == 1
    assert result.stdout.count("did you mean 'count'?") == 3
    assert "0 of 3 definitions passed" in result.stdout


def test_an_invalid_scenario_exits_with_2_and_names_file_line_and_key(appeval: Appeval, data: Path) -> None:
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    scenario.write_text(scenario.read_text().replace("action:", "acton:"))
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 2
    assert "counting.yaml: steps[0].acton (line 6)" in result.stderr


def test_a_folder_is_searched_for_definitions(appeval: Appeval, data: Path) -> None:
    result = appeval("check", str(data), "--json")
    assert result.returncode == 0
    checks = json.loads(result.stdout)
    assert [Path(check["path"]).parent.name for check in checks] == ["score", "tally"]
    assert all(check["passed"] and check["quality"]["overall_score"] > 90 for check in checks)


def test_json_of_a_broken_definition_lists_the_faults(appeval: Appeval, data: Path) -> None:
    path = write_app(
        data, "broken", text=GOOD.replace("value: params.amount", "value: params.amount + amout")
    )
    result = appeval("check", str(path), "--json")
    assert result.returncode == 2
    [check] = json.loads(result.stdout)
    assert check["quality"] is None
    assert check["faults"][0]["location"] == "actions.count.logic[0].value"


def test_a_path_that_is_not_there_exits_with_2(appeval: Appeval, data: Path) -> None:
    result = appeval("check", str(data / "nothing.yaml"))
    assert result.returncode == 2
    assert result.stderr.startswith("Error: There is no file or folder")
    assert appeval("check", str(data.parent)).returncode == 0
    (data / "empty").mkdir()
    assert "no definition" in appeval("check", str(data / "empty")).stderr


def test_check_holds_files_of_a_catalogue_to_its_rules_of_paths(appeval: Appeval, data: Path) -> None:
    path = write_app(data, "tally", version=3, text=GOOD.replace("{app_id}", "score"))
    result = appeval("check", str(path))
    assert result.returncode == 2
    assert "app_id (line 1): The path says tally, the file says score" in result.stderr
    scenario = data / "apps" / "score" / "scenarios" / "counting.yaml"
    scenario.write_text(scenario.read_text().replace("app_id: score", "app_id: tally"))
    result = appeval("check", str(data / "apps" / "score"))
    assert result.returncode == 2
    assert (
        "counting.yaml: app_id (line 2): The scenario is for 'tally', the definition is 'score'"
        in result.stderr
    )


def test_texts_of_a_scenario_do_not_steer_the_terminal(appeval: Appeval, data: Path) -> None:
    scenario = data / "apps" / "tally" / "scenarios" / "counting.yaml"
    text = scenario.read_text().replace("  - agent: ann", r'  - name: "a\e[2Jb\u202ec"' + "\n    agent: ann")
    scenario.write_text(text.replace("{total: 2}", "{total: 3}"))
    result = appeval("check", str(data / "apps" / "tally"))
    assert result.returncode == 1
    assert "failed Counting › a[2Jbc: data.total is 2, expected 3" in result.stdout
