"""Recorded trials, counted by hand; what a search finds, against what is known of small apps."""

from collections.abc import Sequence
from typing import Any

import pytest

from appeval_pipeline.agents import Budget, InvalidAction, Limits, ReplayAgent, Stop, ToolCall
from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.errors import ComparisonError, TaskError
from appeval_pipeline.evaluation.agents import EvaluationPlan, evaluate_agent
from appeval_pipeline_tests.evaluation.agents.tills import TILL, make_task


@pytest.fixture
def till() -> AppDefinition:
    return load_app(TILL)


def pay(coins: object, to: str = "bob") -> ToolCall:
    return ToolCall("pay", {"to": to, "coins": coins})


LOOK = ToolCall("look", {})

WINDING: Sequence[Any] = [
    LOOK,  # comes no nearer
    pay(9),  # refused: too many, a parameter error
    pay(1, "eve"),  # refused: a validation error
    pay(3),  # nearer: 2 coins are missing still
    pay(3),  # fails: an error of the logic
    pay(3),  # the same again: a repeated error
    pay(1, "eve"),  # repeated, too
    pay(2),  # the goal
]


def test_v21_03_01_success_rate_is_that_of_a_count_by_hand(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task(), ReplayAgent(WINDING))
    assert (evaluation.actions_attempted, evaluation.actions_succeeded) == (8, 3)
    assert evaluation.success_rate == pytest.approx(3 / 8)
    assert evaluation.used_all_actions
    assert evaluation.goal_rate is not None
    assert evaluation.goal_rate.value == 1


def test_v21_03_02_efficiency_is_the_optimum_by_what_was_taken(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task(), ReplayAgent(WINDING))
    # Five coins, at most three at a time: two payments.
    assert (evaluation.optimal_actions, evaluation.optimal_is_exact) == (2, True)
    assert evaluation.actions_to_goal == 8
    assert evaluation.efficiency_ratio == pytest.approx(2 / 8)
    # Of eight attempts two came nearer: the payment of three, and the last one.
    assert evaluation.appropriate_action_choice == pytest.approx(2 / 8)


def test_v21_03_03_repeated_errors_are_flagged(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task(), ReplayAgent(WINDING))
    assert (evaluation.validation_errors, evaluation.logic_errors, evaluation.repeated_errors) == (3, 2, 2)
    patterns = {
        (pattern.error, pattern.after): (pattern.error_kind, pattern.count)
        for pattern in evaluation.error_patterns
    }
    assert patterns == {
        ("Parameter 'coins' must be at most 3, got 9", "look"): ("parameters", 1),
        ("Nobody is called eve", "pay"): ("validation", 2),
        ("Only 2 coins are left", "pay"): ("logic", 2),
    }


def test_an_error_is_repeated_whatever_the_order_of_its_parameters(till: AppDefinition) -> None:
    again = ToolCall("pay", {"coins": 9, "to": "bob"})
    other = ToolCall("pay", {"coins": 8, "to": "bob"})
    evaluation = evaluate_agent(till, make_task(), ReplayAgent([pay(9), again, other]))
    assert (evaluation.validation_errors, evaluation.repeated_errors) == (3, 1)


def test_a_goal_that_is_missed_has_no_efficiency(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task(), ReplayAgent([pay(1), Stop()]))
    assert (evaluation.actions_to_goal, evaluation.efficiency_ratio) == (None, 0.0)
    assert evaluation.goal_rate is not None
    assert evaluation.goal_rate.value == 0
    assert evaluation.trials[0].trajectory.end == "stopped"


def test_the_oracle_takes_the_shortest_way(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task(), "oracle", trials=2)
    assert (evaluation.actions_to_goal, evaluation.efficiency_ratio) == (2, 1.0)
    assert evaluation.appropriate_action_choice == 1
    assert evaluation.pass_hat_k == {1: 1.0, 2: 1.0}


def test_what_cannot_be_reached_is_known_to_be_so(till: AppDefinition) -> None:
    evaluation = evaluate_agent(till, make_task("bob.coins > 10"), "oracle")
    assert (evaluation.optimal_actions, evaluation.optimal_is_exact) == (None, True)
    assert evaluation.goal_rate is not None
    assert evaluation.goal_rate.value == 0


def test_a_search_that_was_cut_off_says_so(till: AppDefinition) -> None:
    plan = EvaluationPlan(budget=Budget(max_depth=1))
    evaluation = evaluate_agent(till, make_task(), ReplayAgent([pay(3), pay(2)]), plan=plan)
    assert (evaluation.optimal_actions, evaluation.optimal_is_exact) == (None, False)
    assert (evaluation.efficiency_ratio, evaluation.appropriate_action_choice) == (None, None)


def test_random_trials_differ_by_seed_and_repeat_by_seed(till: AppDefinition) -> None:
    first, again = (evaluate_agent(till, make_task(), "random", trials=4) for _ in range(2))
    calls = [
        [step.exchange.action for step in trial.trajectory.steps] for trial in (*first.trials, *again.trials)
    ]
    assert calls[:4] == calls[4:]
    assert len({repr(trial) for trial in calls}) == 4


def test_an_agent_that_says_what_is_no_action_may_be_let_off(till: AppDefinition) -> None:
    actions = [InvalidAction("no JSON", "pay("), pay(3), pay(2)]
    strict = evaluate_agent(till, make_task(), ReplayAgent(actions)).trials[0]
    assert (strict.goal_reached, strict.invalid_actions, strict.trajectory.end) == (
        False,
        1,
        "invalid_action",
    )
    plan = EvaluationPlan(limits=Limits(max_invalid_actions=1))
    lenient = evaluate_agent(till, make_task(), ReplayAgent(actions), plan=plan).trials[0]
    assert (lenient.goal_reached, lenient.invalid_actions, lenient.actions_attempted) == (True, 1, 2)


def test_what_was_no_action_is_among_the_errors_told(till: AppDefinition) -> None:
    actions = [pay(1), InvalidAction("no JSON", "pay(")]
    evaluation = evaluate_agent(till, make_task(), ReplayAgent(actions))
    (pattern,) = evaluation.error_patterns
    assert (pattern.action, pattern.error_kind, pattern.error) == ("(no action)", "invalid_action", "no JSON")
    assert (pattern.after, pattern.count) == ("pay", 1)


def test_efficiency_is_unknown_where_a_goal_was_reached_and_no_plan_found(till: AppDefinition) -> None:
    ways = iter([[pay(3), pay(2)], []])
    plan = EvaluationPlan(budget=Budget(max_states=1))
    evaluation = evaluate_agent(till, make_task(), lambda: ReplayAgent(next(ways)), trials=2, plan=plan)
    assert evaluation.optimal_actions is None
    assert [trial.efficiency_ratio for trial in evaluation.trials] == [None, 0]
    assert evaluation.efficiency_ratio is None


def test_the_choice_of_some_trials_does_not_stand_for_all(till: AppDefinition) -> None:
    # Of 40 states one is left for distances off the plan, which pays 3 and 2.
    ways = iter([[LOOK], [pay(2)], []])
    plan = EvaluationPlan(budget=Budget(max_states=40))
    evaluation = evaluate_agent(till, make_task(), lambda: ReplayAgent(next(ways)), trials=3, plan=plan)
    assert [trial.appropriate_action_choice for trial in evaluation.trials] == [0, None, None]
    assert evaluation.appropriate_action_choice is None


def test_the_shortest_way_is_known_to_be_apt_without_another_search(till: AppDefinition) -> None:
    plan = EvaluationPlan(budget=Budget(max_states=39))  # none is left for other distances
    evaluation = evaluate_agent(till, make_task(), "oracle", plan=plan)
    assert evaluation.appropriate_action_choice == 1


def test_a_trial_that_breaks_down_counts_in_nothing(till: AppDefinition) -> None:
    class Broken(ReplayAgent):
        async def act(self, history: Any) -> Any:
            raise TimeoutError("no answer")

    evaluation = evaluate_agent(till, make_task(), lambda: Broken([]), trials=2)
    assert (evaluation.infra_errors, evaluation.goal_rate, evaluation.pass_hat_k) == (2, None, {})
    assert evaluation.trials[0].trajectory.error == "TimeoutError: no answer"


@pytest.mark.parametrize(
    ("change", "location", "message"),
    [
        ({"goal_condition": "bob.coins >="}, "goal_condition", "expected"),
        ({"goal_condition": "eve.coins > 1"}, "goal_condition", "a goal may name agent, agents, ann, bob"),
        ({"optimal_steps": 11}, "optimal_steps", "more than max_steps, 10"),
        ({"max_steps": 0}, "max_steps", "1"),
        ({"other_agents": ["bob", "ann"]}, "other_agents[1]", "given twice"),
        ({"candidate_values": {"coins": []}}, "candidate_values.coins", "no value"),
        ({"goals": "x"}, "goals", "Unknown key"),
    ],
)
def test_a_bad_task_is_refused_with_its_place(change: dict[str, Any], location: str, message: str) -> None:
    with pytest.raises(TaskError) as refused:
        make_task(**change)
    ((place, words),) = refused.value.faults
    assert place == location
    assert message in words


def test_a_task_is_for_one_app(till: AppDefinition) -> None:
    with pytest.raises(ComparisonError, match="is for other, not for till version 1"):
        evaluate_agent(till, make_task(app_id="other"), "noop")
    with pytest.raises(ComparisonError, match="not for till version 1"):
        evaluate_agent(till, make_task(applies_to=">=2"), "noop")


def test_an_unknown_agent_is_refused(till: AppDefinition) -> None:
    with pytest.raises(ValueError, match="There is no agent 'chess'; expected noop, random, oracle"):
        evaluate_agent(till, make_task(), "chess")
