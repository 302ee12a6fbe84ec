"""Scenario files: what is accepted, and how bad ones are told apart by file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

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


ALIASES_OF_ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in ("ab", "bc", "cd", "de", "ef")
)
"""Each line is ten times the one before: the fifth holds 111,111 values."""
CASES = yaml.safe_load((Path(__file__).parent / "faults.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["because"])
def test_a_bad_file_is_refused_with_file_line_and_key(tmp_path: Path, case: dict[str, Any]) -> None:
    old, new = case["replace"], case["by"]
    assert old in GOOD
    path = tmp_path / "bad.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert str(path) in str(caught.value)
    faults = caught.value.faults
    assert [(fault.location, fault.line) for fault in faults] == [(case["key"], case["line"])]
    for part in case["says"] if isinstance(case["says"], list) else [case["says"]]:
        assert part in faults[0].message


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "The document is empty"),
        ("# nothing but a comment\n", None, "The document is empty"),
        ("- a\n- b\n", 1, 'Expected an object, got ["a", "b"]'),
        ("just text\n", 1, 'Expected an object, got "just text"'),
        (GOOD + "---\n" + GOOD, 13, "another document"),
        (GOOD.replace("    action", "\taction"), 7, "found a tab character"),
        (GOOD.replace("[alice", "[[alice"), 5, "did not find expected ',' or ']'"),
        ("a: &x [*x]\n", 1, "Alias '*x' refers to itself"),
        ("a: *x\n", 1, "Alias '*x' refers to itself or to nothing"),
        (ALIASES_OF_ALIASES, 5, "Unfolds into more than 100000 values"),
        (GOOD + "#" + "x" * 2_000_000, None, "File is larger than 2000000 bytes"),
        ("[" * 101 + "]" * 101, 1, "Nested deeper than 100 levels"),
        ("? [a]\n: b\n", 1, "Keys must be plain text"),
        (GOOD + "tags: [\x07]\n", None, "control characters are not allowed"),
    ],
)
def test_what_is_no_document_is_refused_as_a_whole(
    tmp_path: Path, text: str, line: int | None, says: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    [fault] = caught.value.faults
    assert (caught.value.source, fault.location, fault.line) == (str(path), "", line)
    assert says in fault.message


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
