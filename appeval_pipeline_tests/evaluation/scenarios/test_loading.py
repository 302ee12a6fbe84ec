"""Scenario files: what is accepted, and how bad ones are told apart by file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from appeval_pipeline.errors import ScenarioError
from appeval_pipeline.evaluation.scenarios import load_scenario

GOOD = """\
name: A test
app_id: wallet
setup:
  agents: [alice, {id: bob, role: clerk}]
steps:
  - agent: alice
    action: transfer
    params: {to: bob, amount: 1}
    expect:
      data: {new_balance: 9}
      state: {alice.balance: 9}
assertions: ["alice.balance == 9"]
"""


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(GOOD)
    scenario = load_scenario(path)
    assert scenario.name == "A test"
    assert scenario.setup.agent_ids == ["alice", "bob"]
    assert scenario.steps[0].expect.success


@pytest.mark.parametrize(
    ("old", "new", "location", "line", "message"),
    [
        ("action: transfer", "actoin: transfer", "steps[0].actoin", 7, "Unknown key 'actoin'"),
        ("    action: transfer\n", "", "steps[0].action", 6, "Required key is missing"),
        ("data: {new", "dta: {new", "steps[0].expect.dta", 10, "did you mean 'data'?"),
        ("new_balance: 9", "new_balance: {$x: 1}", "steps[0].expect.data.new_balance", 10, "matcher '$x'"),
        ("alice.balance: 9}", "carol.balance: 9}", "steps[0].expect.state", 11, "'carol' is no agent"),
        ("alice.balance: 9}", "alice balance: 9}", "steps[0].expect.state", 11, "Syntax error"),
        ("alice.balance == 9", "carol.balance == 9", "assertions[0]", 12, "Variable 'carol' is not defined"),
        ("alice.balance == 9", "alice.balance ==", "assertions[0]", 12, "expected a value"),
        ("name: A test", "name: A test\napplies_to: new", "applies_to", 2, "no version range"),
        ("name: A test", "name: 5", "name", 1, "Expected text, got 5"),
        ("steps:\n", "steps: []\nrest:\n", "steps", 5, "at least 1 item"),
        ("app_id: wallet", "app_id: wallet\nname: again", "name", 3, "stands twice"),
    ],
)
def test_a_bad_file_names_line_and_key(
    tmp_path: Path, old: str, new: str, location: str, line: int, message: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert str(path) in str(caught.value)
    found = [(fault.location, fault.line) for fault in caught.value.faults if message in fault.message]
    assert found == [(location, line)]


@pytest.mark.parametrize(
    ("text", "versions"),
    [(">=2", [2, 3, 4]), ("<3", [1, 2]), (">=2, <4", [2, 3]), ("3", [3]), ("!=3", [1, 2, 4]), ("==1", [1])],
)
def test_applies_to(text: str, versions: list[int]) -> None:
    scenario = load_scenario(f"applies_to: '{text}'\n{GOOD}")
    assert [version for version in range(1, 5) if scenario.applies(version)] == versions


def test_the_content_hash_ignores_comments_and_sees_changes() -> None:
    assert load_scenario(GOOD).content_hash == load_scenario("# hello\n" + GOOD).content_hash
    assert (
        load_scenario(GOOD).content_hash != load_scenario(GOOD.replace("amount: 1", "amount: 2")).content_hash
    )


def test_an_agent_that_is_given_twice_is_a_fault() -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(GOOD.replace("[alice, {id: bob, role: clerk}]", "[alice, {id: alice, role: clerk}]"))
    assert caught.value.faults == [("setup.agents[1]", "Agent 'alice' is given twice")]
