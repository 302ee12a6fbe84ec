"""Agents and environments: protocols, plain agents, search, and the loop that joins them.

Language models are in ``models``, and the agent that asks one in ``llm``; who needs them imports them there.
"""

from appeval_pipeline.agents.episode import Limits, run_episode
from appeval_pipeline.agents.plain import NoopAgent, RandomAgent, ReplayAgent
from appeval_pipeline.agents.protocol import (
    Action,
    Agent,
    Briefing,
    Environment,
    Exchange,
    InvalidAction,
    Observation,
    Reply,
    Reward,
    Stop,
    Tool,
    ToolCall,
    Turn,
    Usage,
)
from appeval_pipeline.agents.search import Budget, SearchResult, SearchSpace, shortest_plan
from appeval_pipeline.agents.trajectory import End, Step, Trajectory

__all__ = [
    "Action",
    "Agent",
    "Briefing",
    "Budget",
    "End",
    "Environment",
    "Exchange",
    "InvalidAction",
    "Limits",
    "NoopAgent",
    "Observation",
    "RandomAgent",
    "ReplayAgent",
    "Reply",
    "Reward",
    "SearchResult",
    "SearchSpace",
    "Step",
    "Stop",
    "Tool",
    "ToolCall",
    "Trajectory",
    "Turn",
    "Usage",
    "run_episode",
    "shortest_plan",
]
