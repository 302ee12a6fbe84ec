"""Scenarios against a real app; the expected outcomes follow from the spec's rules by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.errors import ScenarioError
from appeval_pipeline.evaluation.scenarios import ScenarioResult, load_scenario, run_scenario

Run = Callable[..., ScenarioResult]


@pytest.fixture
def run(wallet: AppDefinition) -> Run:
    def run(*steps: dict[str, Any], **rest: Any) -> ScenarioResult:
        scenario = {"name": "test", "app_id": "wallet", "setup": {"agents": ["alice", "bob"]}, **rest}
        return run_scenario(wallet, load_scenario({**scenario, "steps": list(steps)}))

    return run


def transfer(amount: object, expect: dict[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    step = {"agent": "alice", "action": "transfer", "params": {"to": "bob", "amount": amount}, **rest}
    return step if expect is None else {**step, "expect": expect}


def test_v21_02_01_a_passing_scenario_passes(run: Run) -> None:
    result = run(
        transfer(4, {"data": {"new_balance": 6}, "state": {"alice.balance": 6, "bob.balance": 14}}),
        transfer(7, {"success": False, "error_contains": "Insufficient"}),
    )
    assert result.passed
    assert (result.steps_passed, result.steps_total, result.partial_credit) == (2, 2, 1.0)
    assert result.failures == ()


def test_v21_02_02_a_failing_scenario_captures_its_failures(run: Run) -> None:
    result = run(transfer(4, {"data": {"new_balance": 7}, "state": {"bob.balance": 14}}, name="pay"))
    assert not result.passed
    [failure] = result.failures
    assert failure.step_name == "pay"
    assert failure.expected == {"data.new_balance": 7}
    assert failure.actual == {"data.new_balance": 6}
    assert failure.error == "data.new_balance is 6, expected 7"


def test_v21_02_03_a_step_sees_the_state_that_the_step_before_left(run: Run) -> None:
    result = run(transfer(4), transfer(4), transfer(4, {"success": False}))
    assert result.passed
    assert result.steps[1].state_diff["alice.balance"] == {"before": 6, "after": 2}


def test_v21_02_04_assertions_are_checked_and_failures_reported(run: Run) -> None:
    result = run(
        transfer(4),
        assertions=["Final alice.balance == 6", "Final bob.balance == 15", "len(alice.transactions) == 1"],
    )
    assert not result.passed
    assert result.steps_passed == 1
    [failure] = result.failures
    assert failure.step_name == "assertion: Final bob.balance == 15"
    assert failure.error == "bob.balance == 15 is false: bob.balance is 14"
    assert failure.actual["bob.balance"] == 14


def test_after_a_step_that_disappoints_the_next_one_starts_from_the_state_before_it(run: Run) -> None:
    result = run(
        transfer(4, {"data": {"new_balance": 99}}),
        transfer(3, {"state": {"alice.balance": 7, "bob.balance": 13}}),
        assertions=["alice.balance == 7"],
    )
    assert [step.passed for step in result.steps] == [False, True]
    assert len(result.failures) == 1
    assert result.partial_credit == 0.5


def test_an_expected_failure_leaves_the_state_for_the_next_step(run: Run) -> None:
    result = run(transfer(99, {"success": False, "state": {"alice.balance": 10}}), transfer(10))
    assert result.passed


def test_success_is_expected_unless_denied(run: Run) -> None:
    failed = run(transfer(99))
    assert failed.failures[0].error == "the action failed (validation): Insufficient funds"
    succeeded = run(transfer(1, {"success": False}))
    assert "the action succeeded, a failure was expected" in succeeded.failures[0].error


def test_stop_on_failure_leaves_out_the_rest(run: Run) -> None:
    result = run(transfer(99), transfer(1), stop_on_failure=True)
    assert (len(result.steps), result.steps_passed, result.steps_total) == (1, 0, 2)


def test_the_whole_error_can_be_expected(run: Run) -> None:
    assert run(transfer(99, {"success": False, "error": "Insufficient funds"})).passed
    assert not run(transfer(99, {"success": False, "error": "Insufficient"})).passed


def test_an_unknown_agent_is_a_failed_step_and_not_a_crash(run: Run) -> None:
    result = run(transfer(1, {"success": False, "error_contains": "zed"}, agent="zed"))
    assert result.passed
    assert result.steps[0].error_kind == "unknown_agent"


def test_initial_state_takes_defaults_and_keeps_fields_beyond_the_schema(run: Run) -> None:
    result = run(
        transfer(1, {"state": {"alice.balance": 99, "alice.nick": "Al", "bob.balance": 11, "shared.fee": 1}}),
        setup={
            "agents": ["alice", "bob"],
            "initial_state": {"per_agent": {"alice": {"balance": 100, "nick": "Al"}}},
        },
    )
    assert result.passed


def test_setup_config_overrides_the_initial_config(run: Run) -> None:
    result = run(
        transfer(1, {"state": {"alice.transactions[0].currency": "USD"}}),
        setup={"agents": ["alice", "bob"], "config": {"currency": "USD"}},
        assertions=["config.currency == 'USD'"],
    )
    assert result.passed


def test_roles_of_the_setup_decide_who_may_act(wallet: AppDefinition) -> None:
    restricted = wallet.model_copy(update={"access_type": "role_restricted", "allowed_role_tags": ["staff"]})
    scenario = load_scenario(
        {
            "name": "access",
            "app_id": "wallet",
            "setup": {"agents": [{"id": "alice", "role": "clerk", "role_tags": ["staff"]}, "bob"]},
            "steps": [
                transfer(1),
                transfer(1, {"success": False, "error_contains": "bob"}, agent="bob"),
            ],
        }
    )
    result = run_scenario(restricted, scenario)
    assert result.passed
    assert result.steps[1].error_kind == "access"


def test_a_state_that_cannot_be_used_is_a_failed_setup(run: Run) -> None:
    result = run(
        transfer(1), setup={"agents": ["alice"], "initial_state": {"shared": {"blob": "x" * 1_000_001}}}
    )
    assert not result.passed
    assert result.failures[0].step_name == "setup"
    assert "at most 1000000" in result.failures[0].error


@pytest.mark.parametrize(
    ("expected", "passes"),
    [
        ([{"to": "bob", "message_contains": "$4", "data": {"from": "alice"}}], True),
        ([{"to": "bob", "message": "You got $4"}], True),
        ([{"to": "alice"}], False),
        ([{"to": "bob"}, {"to": "bob"}], False),
        ([], False),
    ],
)
def test_observations(run: Run, expected: list[dict[str, Any]], passes: bool) -> None:
    assert run(transfer(4, {"observations": expected})).passed is passes


@pytest.mark.parametrize("general_first", [True, False])
def test_a_general_expectation_leaves_the_observation_that_a_special_one_needs(general_first: bool) -> None:
    app = load_app(
        """
        app_id: bell
        name: Bell
        category: custom
        actions:
          - name: ring
            logic:
              - {type: notify, to: "'bob'", message: Hurry}
              - {type: notify, to: "'bob'", message: Ann comes}
        """
    )
    expected = [{"to": "bob"}, {"to": "bob", "message_contains": "Hurry"}]
    step = {"agent": "ann", "action": "ring"}

    def passes(*observations: dict[str, Any]) -> bool:
        scenario = {"name": "test", "app_id": "bell", "setup": {"agents": ["ann", "bob"]}}
        steps = [{**step, "expect": {"observations": list(observations)}}]
        return run_scenario(app, load_scenario({**scenario, "steps": steps})).passed

    assert passes(*(expected if general_first else reversed(expected)))
    assert not passes(*expected, {"to": "bob"})
    assert not passes({"message": "Hurry"}, {"message": "Hurry"})


def test_the_same_scenario_gives_the_same_result_but_for_time(run: Run) -> None:
    def stable(result: ScenarioResult) -> dict[str, Any]:
        plain = result.to_dict()
        for timed in (plain, *plain["steps"]):
            timed.pop("duration_ms")
        return plain

    steps = (transfer(1), transfer(2))
    assert stable(run(*steps)) == stable(run(*steps))
    other_seed = run(*steps, setup={"agents": ["alice", "bob"], "seed": 7})
    assert stable(other_seed) != stable(run(*steps))


def test_every_step_records_what_it_did(run: Run) -> None:
    [step] = run(transfer(4)).steps
    assert step.success
    assert step.data is not None
    assert step.data["new_balance"] == 6
    assert step.observations[0]["agent_id"] == "bob"
    assert step.trace[-1] == ("transfer.logic[6]", "return")
    assert set(step.state_diff) == {"alice.balance", "bob.balance", "alice.transactions[0]"}
    assert step.state_diff["bob.balance"] == {"before": 10, "after": 14}


def test_assertions_name_what_makes_them_false(run: Run) -> None:
    result = run(
        transfer(4), assertions=["alice.id == 'alice' && agents.bob.balance < shared.fee", "alice.balance"]
    )
    assert result.failures[0].error == (
        "agents.bob.balance < shared.fee is false: agents.bob.balance is 14 and shared.fee is 1"
    )
    assert result.failures[1].error == "alice.balance is 6, expected true"


def test_an_assertion_that_cannot_be_evaluated_fails_and_says_why(run: Run) -> None:
    result = run(transfer(4), assertions=["alice.missing > 1"])
    assert result.failures[0].error == "alice.missing > 1: Cannot compare null and number"


def test_final_may_stand_before_any_expression(run: Run) -> None:
    assertions = [
        "Final !(alice.balance == 10)",
        "Final -alice.balance == -6",
        "Final [6] == [alice.balance]",
    ]
    assert run(transfer(4), assertions=assertions).passed


def test_expecting_null_data_expects_that_there_is_none(run: Run) -> None:
    assert not run(transfer(4, {"data": None})).passed
    assert run(transfer(99, {"success": False, "data": None})).passed
    assert not run(transfer(4, {"observations": [{"to": "bob", "data": None}]})).passed


def test_expected_state_knows_ids_names_and_agents_called_like_variables(run: Run) -> None:
    setup = {"agents": ["alice", "bob", "shared"], "initial_state": {"shared": {"fee": 2}}}
    expect = {
        "state": {
            "alice.id": "alice",
            "bob.name": "bob",
            "shared.fee": 2,
            "agents['shared'].balance": 10,
            "agents.alice.balance": 6,
        }
    }
    assert run(transfer(4, expect), setup=setup).passed


@pytest.mark.parametrize(
    ("expect", "has_expectation"),
    [(None, False), ({}, False), ({"success": True}, True), ({"data": None}, True), ({"state": {}}, True)],
)
def test_a_step_tells_whether_anything_was_expected_of_it(
    run: Run, expect: dict[str, Any] | None, has_expectation: bool
) -> None:
    [step] = run(transfer(4, expect)).steps
    assert step.has_expectation is has_expectation
    assert step.to_dict()["has_expectation"] is has_expectation


def test_a_pattern_that_would_take_too_long_on_a_long_text_does_not_match(run: Run) -> None:
    setup = {"agents": ["alice", "bob"], "initial_state": {"shared": {"text": "a" * 900_000}}}
    for pattern, matches in (("^a+$", True), ("(a?){500}$", False)):
        result = run(transfer(1, {"state": {"shared.text": {"$regex": pattern}}}), setup=setup)
        assert result.passed is matches


def test_a_scenario_has_at_most_1000_steps(run: Run) -> None:
    assert run(*[transfer(0.001)] * 1_000).steps_passed == 1_000
    with pytest.raises(ScenarioError, match="at most 1000 items, got 1001"):
        run(*[transfer(0.001)] * 1_001)
