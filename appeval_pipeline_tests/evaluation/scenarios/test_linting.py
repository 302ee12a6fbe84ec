"""What the lint finds in a suite, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation.scenarios import (
    LoadedScenario,
    lint_for_version,
    lint_scenarios,
    lint_suite,
    read_scenario,
)

GOOD = """\
name: A test
app_id: wallet
applies_to: ">=1"
setup:
  agents: [alice, bob]
  initial_state:
    per_agent: {alice: {balance: 10, name: Alice}}
    shared: {fee: 1}
steps:
  - agent: alice
    action: transfer
    params: {to: bob, amount: 1}
    expect: {data: {new_balance: 9}}
assertions:
  - Final alice.balance == 9
"""


def scenario(*changes: tuple[str, str]) -> LoadedScenario:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_scenario(text)


def test_a_sound_scenario_has_no_findings(wallet: AppDefinition) -> None:
    assert lint_scenarios([wallet], [scenario()]) == ()


@pytest.mark.parametrize(
    ("old", "new", "location", "line", "message"),
    [
        (">=1", ">=3,<2", "applies_to", 3, "No version can be '>=3,<2'"),
        (">=1", "<1", "applies_to", 3, "No version can be '<1'"),
        (">=1", ">2,<4,!=3", "applies_to", 3, "No version can be '>2,<4,!=3'"),
        (">=1", ">=4", "applies_to", 3, "'>=4' holds none of the versions there are (1, 2, 3)"),
        ("Final alice.balance == 9", "'true'", "assertions[0]", 15, "reads nothing of the final state"),
        ("Final alice.balance == 9", "1 + 1 == 2", "assertions[0]", 15, "reads nothing of the final state"),
        (
            "Final alice.balance == 9",
            "alice.balance <= alice . balance",
            "assertions[0]",
            15,
            "Both sides of the assertion are alice.balance",
        ),
        ("agent: alice", "agent: alicia", "steps[0].agent", 10, "Unknown agent 'alicia'; known: alice, bob"),
        (
            "{alice: {balance",
            "{alcie: {balance",
            "setup.initial_state.per_agent.alcie",
            7,
            "'alcie' is not in setup.agents; known: alice, bob; did you mean 'alice'?",
        ),
        (
            "expect: {",
            "expect: {observations: [{to: zed}], ",
            "steps[0].expect.observations[0].to",
            13,
            "Unknown agent 'zed'",
        ),
        (
            "expect: {",
            "expect: {error_contains: funds, ",
            "steps[0].expect.error_contains",
            13,
            "add success: false",
        ),
    ],
)
def test_the_suite_lint_tells_file_line_and_key(
    tmp_path: Path, old: str, new: str, location: str, line: int, message: str
) -> None:
    path = tmp_path / "a_test.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1))
    [finding] = [f for f in lint_suite([read_scenario(path)], [1, 2, 3]) if f.location == location]
    assert (finding.file, finding.line, finding.version) == (str(path), line, None)
    assert message in finding.message
    assert str(finding).startswith(f"a_test.yaml: {location} (line {line}): ")


@pytest.mark.parametrize(
    ("old", "new", "location", "line", "message"),
    [
        (
            "action: transfer",
            "action: transfr",
            "steps[0].action",
            11,
            "Unknown action 'transfr'; known: transfer; did you mean 'transfer'?",
        ),
        (
            "amount: 1}",
            "amont: 1}",
            "steps[0].params.amont",
            12,
            "Action 'transfer' has no parameter 'amont'; known: to, amount; did you mean 'amount'?",
        ),
        (
            "{balance: 10",
            "{blance: 10",
            "setup.initial_state.per_agent.alice.blance",
            7,
            "'blance' is no field of an agent's state; known: balance, transactions; did you mean 'balance'?",
        ),
        (
            "{fee: 1}",
            "{balance: 1}",
            "setup.initial_state.shared.balance",
            8,
            "'balance' is no field of the shared state; known: fee",
        ),
    ],
)
def test_the_lint_for_a_version_tells_what_that_version_does_not_have(
    wallet: AppDefinition, old: str, new: str, location: str, line: int, message: str
) -> None:
    version = wallet.model_copy(update={"version": 2})
    [finding] = lint_for_version(version, [scenario((old, new))])
    assert (finding.location, finding.line, finding.message) == (location, line, message)
    assert (finding.file, finding.version) == (None, 2)


def test_a_version_is_only_held_against_the_scenarios_that_apply_to_it(wallet: AppDefinition) -> None:
    suite = [scenario((">=1", ">=2"), ("action: transfer", "action: transfr"))]
    versions = [wallet.model_copy(update={"version": number}) for number in (1, 2, 3)]
    assert [finding.version for finding in lint_scenarios(versions, suite)] == [2, 3]


def test_steps_that_expect_a_failure_may_name_what_is_not_there(wallet: AppDefinition) -> None:
    changes = [("agent: alice", "agent: zed"), ("{data: {new_balance: 9}}", "{success: false}")]
    assert lint_scenarios([wallet], [scenario(*changes)]) == ()
    assert lint_scenarios([wallet], [scenario(("action: transfer", "action: no"), changes[1])]) == ()
    assert lint_scenarios([wallet], [scenario(("amount: 1}", "amont: 1}"), changes[1])]) == ()


@pytest.mark.parametrize("expect", ["{}", "{success: true}", "{success: false}", "{data: {}}", "{state: {}}"])
@pytest.mark.parametrize("assertions", ["", "assertions: ['2 > 1']"])
def test_a_scenario_that_expects_nothing_beyond_success_is_found(expect: str, assertions: str) -> None:
    bare = GOOD[: GOOD.index("assertions")].replace("{data: {new_balance: 9}}", expect) + assertions
    findings = lint_suite([read_scenario(bare)])
    assert findings[0].location == "steps"
    assert "Nothing is expected beyond success" in findings[0].message
    assert findings[0].line == 9


@pytest.mark.parametrize(
    "expect",
    [
        "{data: {new_balance: 9}}",
        "{data: null}",
        "{success: false, error: No}",
        "{success: false, error_contains: No}",
        "{state: {alice.balance: 9}}",
        "{observations: []}",
    ],
)
def test_one_expectation_or_one_assertion_is_enough(expect: str) -> None:
    without_assertions = GOOD[: GOOD.index("assertions")]
    assert lint_suite([read_scenario(without_assertions.replace("{data: {new_balance: 9}}", expect))]) == ()
    assert lint_suite([read_scenario(GOOD.replace("{data: {new_balance: 9}}", "{}"))]) == ()


def test_a_name_that_two_scenarios_of_one_version_share_is_found(tmp_path: Path) -> None:
    for name, versions in (("a", ">=1"), ("b", ">=2")):
        (tmp_path / f"{name}.yaml").write_text(GOOD.replace(">=1", versions))
    a, b = (read_scenario(tmp_path / f"{name}.yaml") for name in "ab")
    [finding] = lint_suite([a, b], [1, 2])
    assert (finding.file, finding.location, finding.line) == (str(tmp_path / "b.yaml"), "name", 1)
    assert finding.message == "'A test' is the name of a.yaml, too; results are told apart by it"


def test_two_scenarios_that_never_meet_may_share_a_name() -> None:
    assert lint_suite([scenario((">=1", "<2")), scenario((">=1", ">=2"))], [1, 2, 3]) == ()


def test_the_plain_form_names_every_field(wallet: AppDefinition) -> None:
    [finding] = lint_scenarios([wallet], [scenario(("{fee: 1}", "{x: 1}"))])
    plain: dict[str, Any] = finding.to_dict()
    assert plain == {
        "file": None,
        "line": 8,
        "location": "setup.initial_state.shared.x",
        "message": "'x' is no field of the shared state; known: fee",
        "version": 1,
    }
