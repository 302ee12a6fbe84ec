"""Made-up results of agents."""

from __future__ import annotations

from appeval_pipeline.store.rows import AgentEvaluationRow, AgentStepRow, AgentTrialRow, Row
from appeval_pipeline_tests.store.export import results

FILE = "apps/wallet/tasks/paying.yaml"
TASK = f"Pay {results.SCRIPT}"


def agents(app_id: str, version: int) -> results.Result:
    """The oracle and a model on one task, and a task that cannot be used."""
    rows: list[Row] = [
        _evaluated(app_id, version, "oracle", trials=1, reached=1, low=0.2065, high=1.0),
        _evaluated(app_id, version, "llm:made/up", trials=4, reached=1, low=0.0456, high=0.6994),
        results.row(
            AgentEvaluationRow,
            app_id,
            version,
            file_path="apps/wallet/tasks/zz.yaml",
            task="zz.yaml",
            agent="oracle",
            status="invalid",
            error="line 3: 'goal' is not accepted",
            optimal_plan=None,
        ),
    ]
    for agent, trials in (("oracle", 1), ("llm:made/up", 4)):
        for trial in range(trials):
            rows += _trial(app_id, version, agent, trial)
    return results.result("agent_evaluations", app_id, version, *rows)


def _evaluated(
    app_id: str, version: int, agent: str, *, trials: int, reached: int, low: float, high: float
) -> AgentEvaluationRow:
    return results.row(
        AgentEvaluationRow,
        app_id,
        version,
        file_path=FILE,
        task=TASK,
        agent=agent,
        model="made/up" if agent.startswith("llm:") else None,
        status="evaluated",
        trial_count=trials,
        infra_errors=0,
        goals_reached=reached,
        goal_rate=reached / trials,
        goal_rate_low=low,
        goal_rate_high=high,
        pass_hat_1=reached / trials,
        actions_attempted=2 * trials,
        actions_succeeded=trials + reached,
        success_rate=(trials + reached) / (2 * trials),
        actions_to_goal=2.0,
        optimal_actions=2,
        optimal_is_exact=True,
        declared_optimal=2,
        optimal_plan=[{"kind": "tool_call", "name": "transfer", "arguments": {"amount": 5}}] * 2,
        efficiency_ratio=reached / trials,
        validation_errors=trials - reached,
        logic_errors=0,
        repeated_errors=0,
        used_all_actions=False,
        appropriate_action_choice=(trials + reached) / (2 * trials),
        error_patterns=[],
        prompt_tokens=1000,
        completion_tokens=20,
        cost_usd=0.25,
    )


def _trial(app_id: str, version: int, agent: str, trial: int) -> list[Row]:
    reached = trial == 0
    common = {"file_path": FILE, "task": TASK, "agent": agent, "trial": trial}
    errors = [None if reached else results.CONTROL, None]
    return [
        results.row(
            AgentTrialRow,
            app_id,
            version,
            **common,
            seed=trial,
            end_reason="done" if reached else "stopped",
            goal_reached=reached,
            reward=float(reached),
            step_count=2,
            actions_attempted=2,
            actions_succeeded=1 + reached,
            actions_to_goal=2 if reached else None,
            efficiency_ratio=float(reached),
            validation_errors=int(not reached),
            elapsed_s=0.5,
        ),
        *(
            results.row(
                AgentStepRow,
                app_id,
                version,
                **common,
                step_index=place,
                kind="tool_call",
                action="transfer",
                params={"amount": -1.5 if error else 5},
                success=error is None,
                observation=results.FORMULA,
                error=error,
                error_kind="validation" if error else None,
                state_diff={},
                elapsed_s=0.25,
            )
            for place, error in enumerate(errors)
        ),
    ]
