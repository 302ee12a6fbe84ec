"""Experiments on tau-bench's tasks: trials at the same time, cut off, broken down, and judged."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.agents import (
    Agent,
    Briefing,
    Exchange,
    Limits,
    NoopAgent,
    Reply,
    ToolCall,
    Turn,
    Usage,
)
from appeval_pipeline.agents.journal import Journal
from appeval_pipeline.taubench import OracleTauAgent, ScriptedUser, TauSuite, TauTask
from appeval_pipeline.taubench.evaluating import Experiment, MakeAgent, MakeUser, TauEvaluator
from appeval_pipeline.taubench.flagging import without_flagged
from appeval_pipeline.taubench.results import TauResult, read_results, write_results
from appeval_pipeline.taubench.users import UserReply

USER = {"user": "scripted"}


def scripted(seed: int) -> ScriptedUser:
    return ScriptedUser()


@pytest.fixture
def suite(retail: TauSuite) -> TauSuite:
    return retail


def run(
    suite: TauSuite,
    directory: Path,
    make_agent: MakeAgent = OracleTauAgent,
    *,
    tasks: int = 6,
    retry_errors: bool = False,
    make_user: MakeUser = scripted,
    **more: Any,
) -> tuple[TauResult, ...]:
    experiment = Experiment(agent={"agent": "made up"}, user=USER, **more)
    evaluator = TauEvaluator(suite, experiment, make_agent, make_user)
    with Journal(directory, experiment.configuration(suite)) as journal:
        return asyncio.run(evaluator.run(suite.tasks[:tasks], journal, retry_errors=retry_errors))


def without_times(results: Sequence[TauResult]) -> list[dict[str, Any]]:
    return [result.to_record() for result in results]  # which has no times


class Counting:
    """Makes oracles and notes the tasks; fails or is interrupted at one of them."""

    def __init__(self, at: int | None = None, what: str = "interrupt") -> None:
        self.tried: list[int] = []
        self._at = at
        self._what = what

    def __call__(self, task: TauTask) -> OracleTauAgent:
        counting = self

        class Counted(OracleTauAgent):
            async def start(self, briefing: Briefing, seed: int) -> None:
                counting.tried.append(task.id)
                if task.id == counting._at:
                    if counting._what == "break":
                        raise ConnectionError("the wire is cut")
                    signal.raise_signal(signal.SIGINT)
                    await asyncio.sleep(60)

        return Counted(task)


def test_the_oracle_succeeds_and_results_come_in_order(suite: TauSuite, tmp_path: Path) -> None:
    results = run(suite, tmp_path, trials=2)
    assert [(result.task_id, result.trial) for result in results] == [
        (task, trial) for task in range(6) for trial in range(2)
    ]
    assert all(result.succeeded for result in results)


def test_a_trial_reads_as_a_conversation(suite: TauSuite, tmp_path: Path) -> None:
    (result, *_) = run(suite, tmp_path, tasks=1)
    roles = [message["role"] for message in result.trajectory]
    actions = len(suite.tasks[0].actions)
    assert roles == ["system", "user", *["assistant", "tool"] * actions, "assistant", "user"]
    assert result.trajectory[1]["content"] == suite.tasks[0].instruction
    assert result.trajectory[2]["tool_calls"][0]["function"]["name"] == suite.tasks[0].actions[0].name
    assert result.turns == actions + 1


def test_results_are_read_back_as_they_were(suite: TauSuite, tmp_path: Path) -> None:
    results = run(suite, tmp_path / "trials", trials=2)
    write_results(tmp_path / "results.json", results)
    assert without_times(read_results(tmp_path / "results.json")) == without_times(results)


def test_seeds_follow_from_experiment_task_and_trial(suite: TauSuite, tmp_path: Path) -> None:
    few = run(suite, tmp_path / "few", tasks=3, trials=1)
    many = run(suite, tmp_path / "many", tasks=6, trials=2)
    seeds = {(result.task_id, result.trial): result.info["seed"] for result in many}
    assert len(set(seeds.values())) == 12
    assert all(seeds[result.task_id, result.trial] == result.info["seed"] for result in few)
    other = run(suite, tmp_path / "other", tasks=1, seed=1)
    assert other[0].info["seed"] != few[0].info["seed"]


def test_an_interrupted_experiment_repeats_no_finished_trial(suite: TauSuite, tmp_path: Path) -> None:
    undisturbed = run(suite, tmp_path / "undisturbed", max_concurrency=1)
    first, second = Counting(at=3), Counting()
    with pytest.raises(KeyboardInterrupt):
        run(suite, tmp_path, first, max_concurrency=1)
    resumed = run(suite, tmp_path, second, max_concurrency=1)
    assert (first.tried, second.tried) == ([0, 1, 2, 3], [3, 4, 5])
    assert without_times(resumed) == without_times(undisturbed)


def test_more_trials_are_added_to_those_that_there_are(suite: TauSuite, tmp_path: Path) -> None:
    run(suite, tmp_path, trials=1)
    more = Counting()
    assert len(run(suite, tmp_path, more, trials=2)) == 12
    assert sorted(more.tried) == list(range(6))


def test_what_broke_down_has_no_reward_and_is_tried_again_where_asked(
    suite: TauSuite, tmp_path: Path
) -> None:
    broken = run(suite, tmp_path, Counting(at=2, what="break"))
    assert [result.reward for result in broken] == [1, 1, None, 1, 1, 1]
    assert broken[2].error == "ConnectionError: the wire is cut"
    kept, again = Counting(), Counting()
    assert run(suite, tmp_path, kept)[2].reward is None
    assert run(suite, tmp_path, again, retry_errors=True)[2].reward == 1
    assert (kept.tried, again.tried) == ([], [2])


def test_one_slow_trial_blocks_no_other(suite: TauSuite, tmp_path: Path) -> None:
    ended: list[int] = []

    def make(task: TauTask) -> OracleTauAgent:
        class Slow(OracleTauAgent):
            async def start(self, briefing: Briefing, seed: int) -> None:
                await asyncio.sleep(0.2 if task.id == 0 else 0)

        return Slow(task)

    experiment = Experiment(agent={"agent": "slow"}, user=USER, max_concurrency=2)
    with Journal(tmp_path, experiment.configuration(suite)) as journal:
        evaluator = TauEvaluator(suite, experiment, make, scripted)
        asyncio.run(evaluator.run(suite.tasks[:6], journal, tell=lambda result: ended.append(result.task_id)))
    assert ended == [1, 2, 3, 4, 5, 0]


def test_who_runs_out_of_steps_gets_nothing_even_where_nothing_was_to_do(
    suite: TauSuite, tmp_path: Path
) -> None:
    (easy,) = (task for task in suite.tasks if task.id == 10)  # an agent that does nothing passes it
    assert "null_passable" in suite.flags(easy).names

    class Restless(NoopAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            return Turn(ToolCall("list_all_product_types", {}))

    class Silent(NoopAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            return Turn(Reply("Bye."))

    def reward(agent: MakeAgent, directory: str) -> tuple[float | None, str]:
        experiment = Experiment(agent={"agent": directory}, user=USER, limits=Limits(max_steps=3))
        with Journal(tmp_path / directory, experiment.configuration(suite)) as journal:
            evaluator = TauEvaluator(suite, experiment, agent, scripted)
            (result,) = asyncio.run(evaluator.run([easy], journal))
        return result.reward, result.info["end"]

    assert reward(lambda task: Restless(), "restless") == (0, "max_steps")
    assert reward(lambda task: Silent(), "silent") == (1, "done")


def test_scores_are_told_without_flagged_tasks(suite: TauSuite, tmp_path: Path) -> None:
    results = run(suite, tmp_path, lambda task: NoopAgent(), tasks=13)
    lines = list(map(str, without_flagged(suite, suite.tasks[:13], results)))
    assert [line.split(":")[0] for line in lines] == [
        "without 2 null_passable (tasks 10, 12)",
        "without 1 gold_error (tasks 12)",
        "without 2 read_only (tasks 10, 12)",
    ]
    # Of the 12 tasks but number 12 one is passed, number 10.
    assert ["pass^1 0.000" in lines[0], "pass^1 0.083" in lines[1]] == [True, True]


class Paid(NoopAgent):
    """Says one thing, at a price."""

    def __init__(self, cost_usd: float | None = 0.5) -> None:
        self._cost_usd = cost_usd

    async def act(self, history: Sequence[Exchange]) -> Turn:
        return Turn(Reply("Bye."), Usage(10, 1, self._cost_usd))


class PaidUser(ScriptedUser):
    """Its messages cost a quarter of a dollar each; the last one never comes from one that hangs."""

    def __init__(self, *, hangs: bool = False) -> None:
        self._hangs = hangs

    async def start(self, instruction: str) -> UserReply:
        return UserReply(instruction, usage=Usage(5, 1, 0.25))

    async def reply(self, agent_says: str) -> UserReply:
        if self._hangs:
            await asyncio.sleep(60)
        return UserReply("###STOP###", True, Usage(5, 1, 0.25))


def test_no_trial_begins_once_the_budget_is_spent(suite: TauSuite, tmp_path: Path) -> None:
    def tried(limit_usd: float) -> list[int]:
        results = run(
            suite,
            tmp_path,
            lambda task: Paid(),
            make_user=lambda seed: PaidUser(),
            max_cost_usd=limit_usd,
            max_concurrency=1,
        )
        return [result.task_id for result in results]

    assert tried(2.5) == [0, 1, 2]  # at a dollar each: after two there is half a dollar left
    assert tried(2.5) == [0, 1, 2]  # what has finished counts
    assert tried(3.5) == [0, 1, 2, 3]
    assert tried(100) == list(range(6))


def test_with_several_trials_at_a_time_those_that_run_end(suite: TauSuite, tmp_path: Path) -> None:
    results = run(suite, tmp_path, lambda task: Paid(), max_cost_usd=0.5, max_concurrency=4)
    assert 1 <= len(results) <= 4


def test_what_has_no_known_price_is_not_limited(suite: TauSuite, tmp_path: Path) -> None:
    assert len(run(suite, tmp_path, lambda task: Paid(None), max_cost_usd=0.1)) == 6


def test_a_message_that_no_step_followed_is_paid_for(suite: TauSuite, tmp_path: Path) -> None:
    results = run(suite, tmp_path, lambda task: NoopAgent(), tasks=1, make_user=lambda seed: PaidUser())
    assert (results[0].user.cost_usd, results[0].user.prompt_tokens) == (0.25, 5)


def test_who_runs_out_of_time_has_no_reward(suite: TauSuite, tmp_path: Path) -> None:
    def once(hangs: bool, retry_errors: bool = False) -> TauResult:
        limits = Limits(max_time_s=0.1)
        (result,) = run(
            suite,
            tmp_path,
            lambda task: Paid(),
            tasks=1,
            make_user=lambda seed: PaidUser(hangs=hangs),
            limits=limits,
            retry_errors=retry_errors,
        )
        return result

    result = once(hangs=True)
    assert (result.reward, result.error) == (None, "TimeoutError: the trial took longer than it may")
    assert [message["content"] for message in result.trajectory[2:]] == [
        "Bye.",
        "The time was up before there was an answer",
    ]
    write_results(tmp_path / "results.json", [result])
    (read,) = read_results(tmp_path / "results.json")
    assert read.to_record() == result.to_record()
    assert once(hangs=False).reward is None
    assert once(hangs=False, retry_errors=True).reward == 0


def test_an_agent_that_cannot_be_made_ends_its_trial_alone(suite: TauSuite, tmp_path: Path) -> None:
    def make(task: TauTask) -> Agent:
        if task.id == 1:
            raise OSError("no memory left")
        return OracleTauAgent(task)

    results = run(suite, tmp_path, make, tasks=3)
    assert [result.reward for result in results] == [1, None, 1]
    assert results[1].error == "OSError: no memory left"


def test_each_trial_s_user_has_the_trial_s_seed(suite: TauSuite, tmp_path: Path) -> None:
    seeds: list[int] = []

    def make(seed: int) -> ScriptedUser:
        seeds.append(seed)
        return ScriptedUser()

    results = run(suite, tmp_path, make_user=make, tasks=3)
    assert sorted(seeds) == sorted(result.info["seed"] for result in results)


def test_tau_bench_s_own_environment_gives_the_same_results(suite: TauSuite, tmp_path: Path) -> None:
    ours = run(suite, tmp_path, tasks=2)
    theirs = run(suite, tmp_path, tasks=2, reference_env=True, make_user=lambda seed: PaidUser())
    assert len(list(tmp_path.iterdir())) == 2
    assert [result.reward for result in theirs] == [result.reward for result in ours] == [1, 1]
    assert [result.trajectory for result in theirs] == [result.trajectory for result in ours]
    assert [result.user.cost_usd for result in theirs] == [0.5, 0.5]


def test_what_fails_is_told_without_keys(suite: TauSuite, tmp_path: Path) -> None:
    environ = {"MY_SERVICE_TOKEN": "open-sesame-123"}

    def make(task: TauTask) -> Agent:
        if task.id == 0:
            raise OSError("not made with open-sesame-123")
        return Counting(at=1, what="break")(task)

    class Leaking(ConnectionError):
        def __str__(self) -> str:
            return "refused\nopen-sesame-123"

    class Speaking(ScriptedUser):
        async def reply(self, agent_says: str) -> UserReply:
            raise Leaking

    experiment = Experiment(agent={}, user={})
    with Journal(tmp_path, experiment.configuration(suite)) as journal:
        evaluator = TauEvaluator(suite, experiment, make, lambda seed: Speaking(), environ)
        results = asyncio.run(evaluator.run(suite.tasks[:3], journal))
    assert [result.error for result in results] == [
        "OSError: not made with [redacted]",
        "ConnectionError: the wire is cut",
        "Leaking: refused [redacted]",
    ]
    assert "sesame" not in "".join(path.read_text() for path in tmp_path.iterdir())


def test_trials_that_may_run_at_once_begin_one_after_the_other(suite: TauSuite, tmp_path: Path) -> None:
    begun: list[float] = []

    def make(task: TauTask) -> OracleTauAgent:
        begun.append(time.monotonic())
        return OracleTauAgent(task)

    run(suite, tmp_path, make, tasks=4, max_concurrency=4)
    assert all(later - begun[0] >= 0.04 * place for place, later in enumerate(begun))
