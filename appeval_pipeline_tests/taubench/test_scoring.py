"""Expected numbers are those of the published row, or calculated by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from appeval_pipeline.taubench.results import MissingTrials, Spending, TauResult, read_results
from appeval_pipeline.taubench.scoring import score
from appeval_pipeline_tests.taubench.airline_outcomes import (
    PUBLISHED,
    STANDARD_ERRORS,
    records,
    results,
    write,
)

ANSWER = {"role": "assistant", "content": ""}


def test_the_published_trials_give_the_published_numbers_and_their_standard_errors(tmp_path: Path) -> None:
    scored = score(read_results(write(tmp_path / "airline.json", records())), task_ids=range(50))
    aggregates = scored.scored_only
    for k in (1, 2, 3, 4):
        estimate = aggregates.pass_hat_k[k]
        assert estimate is not None
        assert round(estimate.value, 3) == PUBLISHED[k]
        assert estimate.standard_error is not None
        assert round(estimate.standard_error, 4) == STANDARD_ERRORS[k]
        assert estimate.low < estimate.value < estimate.high
        assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * STANDARD_ERRORS[k], rel=0.1)
    assert (scored.is_complete, aggregates.task_count, aggregates.trial_count) == (True, 50, 200)
    assert scored.errors_as_failures == aggregates


def test_what_goes_with_pass_hat_k_is_as_calculated_by_hand() -> None:
    aggregates = score(results()).scored_only
    assert aggregates.overall_score is not None
    # (84/200 + 82/300 + 44/200 + 10/50) / 4, for 14, 12, 10, 4 and 10 tasks with 0 to 4 successes.
    assert aggregates.overall_score.value == pytest.approx((0.42 + 82 / 300 + 0.22 + 0.2) / 4)
    assert aggregates.overall_score.standard_error is not None
    assert aggregates.average_reward == aggregates.pass_hat_k[1]
    # MSB = 4 (15.5 - 50 * 0.42^2) / 49 = 0.545306, MSW = 4 (21 - 15.5) / 150 = 0.146667.
    assert aggregates.intraclass_correlation == pytest.approx(0.398639 / 0.985306, abs=1e-5)
    # 2.801585 times the root of 2 times 0.0522162.
    assert aggregates.minimum_detectable_difference == pytest.approx(0.20688, abs=1e-5)


def test_one_trial_a_task_has_wilson_s_interval_and_no_pass_2() -> None:
    aggregates = score([one for one in results() if one.trial == 0]).scored_only
    first = aggregates.pass_hat_k[1]
    assert first is not None
    assert (first.method, first.task_count) == ("wilson", 50)
    assert [aggregates.pass_hat_k[k] for k in (2, 3, 4)] == [None, None, None]
    assert aggregates.overall_score is None
    assert aggregates.intraclass_correlation is None


def test_an_error_is_left_out_in_one_count_and_a_failure_in_the_other() -> None:
    made = [TauResult(task, trial, 1.0) for task in range(3) for trial in range(4)]
    made[5] = TauResult(1, 1, None, error="Connection lost\nTraceback ...")
    scored = score(made)
    assert (scored.infra_error_count, scored.infra_errors) == (1, {"Connection lost": 1})
    assert not scored.is_complete
    left_out, failed = scored.scored_only, scored.errors_as_failures
    assert (left_out.trial_count, failed.trial_count) == (11, 12)
    assert [one and one.value for one in left_out.pass_hat_k.values()] == [1, 1, 1, None]
    # The task with three successes of four has 3/4, 3/6, 1/4 and 0.
    assert [one and one.value for one in failed.pass_hat_k.values()] == pytest.approx(
        [2.75 / 3, 2.5 / 3, 2.25 / 3, 2 / 3]
    )
    assert left_out.average_reward is not None
    assert failed.average_reward is not None
    assert (left_out.average_reward.value, failed.average_reward.value) == (1, pytest.approx(11 / 12))


def test_a_task_whose_trials_all_broke_down_leaves_nothing_defined_but_the_reward_of_the_others() -> None:
    scored = score([TauResult(0, 0, 1.0), TauResult(1, 0, None, error="Timeout")])
    assert scored.scored_only.fewest_trials == 0
    assert set(scored.scored_only.pass_hat_k.values()) == {None}
    assert scored.scored_only.average_reward is not None
    assert scored.scored_only.average_reward.value == 1
    nothing = score([TauResult(0, 0, None, error="Timeout")])
    assert nothing.scored_only.average_reward is None


def test_pass_hat_k_is_refused_beyond_the_trials_of_the_task_that_has_fewest() -> None:
    made = [one for one in results() if (one.task_id, one.trial) != (7, 2)]
    scored = score(made)
    assert scored.missing == (MissingTrials(7, (2,)),)
    assert not scored.is_complete
    assert scored.scored_only.fewest_trials == 3
    assert scored.scored_only.pass_hat_k[3] is not None
    assert scored.scored_only.pass_hat_k[4] is None


def test_tasks_that_should_be_there_are_missed() -> None:
    scored = score([TauResult(0, 0, 1.0)], task_ids=range(2))
    assert scored.missing == (MissingTrials(1, (0,)),)


def test_costs_are_summed_and_unknown_where_one_trial_does_not_tell() -> None:
    made = [
        TauResult(0, 0, 1.0, agent=Spending(0.25, 10, 2), user=Spending(0.5)),
        TauResult(0, 1, 0.0, agent=Spending(0.75, 30, 4)),
    ]
    scored = score(made)
    agent, user = scored.agent_cost, scored.user_cost
    assert (agent.total_usd, agent.mean_usd, agent.prompt_tokens, agent.completion_tokens) == (
        1.0,
        0.5,
        40,
        6,
    )
    assert (user.total_usd, user.mean_usd, user.prompt_tokens, user.known_trials) == (None, None, None, 1)


def test_success_by_turns_counts_the_agent_s_messages() -> None:
    made = [
        TauResult(0, 0, 1.0, trajectory=[ANSWER] * 2),
        TauResult(0, 1, 1.0, trajectory=[{"role": "user"}, *[ANSWER] * 5]),
        TauResult(1, 0, 0.0, trajectory=[ANSWER]),
        TauResult(1, 1, 0.0),
    ]
    aggregates = score(made).scored_only
    assert {k: one.value for k, one in aggregates.success_at_turn.items()} == {
        1: 0,
        2: 0.25,
        3: 0,
        4: 0,
        5: 0.25,
    }
    assert [one.value for one in aggregates.success_within_turns.values()] == [0, 0.25, 0.25, 0.25, 0.5]
    assert aggregates.pass_hat_k[1] is not None
    assert aggregates.success_within_turns[5].value == aggregates.pass_hat_k[1].value


def test_success_by_turns_is_not_told_where_a_success_has_no_trajectory() -> None:
    made = [TauResult(0, 0, 1.0, trajectory=[ANSWER]), TauResult(1, 0, 1.0)]
    assert score(made).scored_only.success_at_turn == {}


def test_the_same_seed_gives_the_same_intervals_and_the_order_of_results_is_nothing() -> None:
    forth, back = results(), results()[::-1]
    assert score(forth, seed=3) == score(back, seed=3)
    assert score(forth, seed=3) != score(forth, seed=4)


def test_a_score_is_plain_json() -> None:
    made = [*results(), replace(results()[0], trial=4, reward=None, error="x" * 500)]
    plain = score(made).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["scored_only"]["pass_hat_k"]["1"]["value"] == pytest.approx(0.42)
    assert plain["infra_errors"] == {"x" * 200 + "…": 1}
    assert plain["missing"][0] == {"task_id": 1, "trials": [4]}


def test_no_trial_has_no_score() -> None:
    with pytest.raises(ValueError, match="no trial"):
        score([])
