"""How agents get on with an app: tasks, trials, and how good they could have been."""

from appeval_pipeline.evaluation.agents.environment import AppEnvironment
from appeval_pipeline.evaluation.agents.evaluating import (
    AgentChoice,
    EvaluationPlan,
    evaluate_agent,
    evaluate_agent_async,
)
from appeval_pipeline.evaluation.agents.result import AgentEvaluation, ErrorPattern, TrialResult
from appeval_pipeline.evaluation.agents.task import EvaluationTask, load_task

__all__ = [
    "AgentChoice",
    "AgentEvaluation",
    "AppEnvironment",
    "ErrorPattern",
    "EvaluationPlan",
    "EvaluationTask",
    "TrialResult",
    "evaluate_agent",
    "evaluate_agent_async",
    "load_task",
]
