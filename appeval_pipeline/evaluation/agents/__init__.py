"""How agents get on with an app: tasks, trials, and how good they could have been."""

from appeval_pipeline.evaluation.agents.environment import AppEnvironment
from appeval_pipeline.evaluation.agents.evaluating import (
    EvaluationPlan,
    TaskEvaluator,
    evaluate_agent,
    evaluate_agent_async,
)
from appeval_pipeline.evaluation.agents.naming import AgentChoice, ModelOptions, NamedAgent, find_agent
from appeval_pipeline.evaluation.agents.result import AgentEvaluation, ErrorPattern, TrialResult
from appeval_pipeline.evaluation.agents.task import EvaluationTask, load_task

__all__ = [
    "AgentChoice",
    "AgentEvaluation",
    "AppEnvironment",
    "ErrorPattern",
    "EvaluationPlan",
    "EvaluationTask",
    "ModelOptions",
    "NamedAgent",
    "TaskEvaluator",
    "TrialResult",
    "evaluate_agent",
    "evaluate_agent_async",
    "find_agent",
    "load_task",
]
