"""Calls of the actions that no scenario calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation.edge_cases import example_parameters
from appeval_pipeline.evaluation.scenarios.schema import ScenarioAgent, Setup
from appeval_pipeline.evaluation.timing.workload import Call, Workload

_AGENTS: Final = ("alice", "bob")


def example_workloads(app: AppDefinition, workloads: Sequence[Workload]) -> tuple[Workload, ...]:
    """A call of each action that no workload calls; those for which no parameters are found are left out."""
    called = {call.action for workload in workloads for call in workload.calls}
    role = next(iter(app.allowed_roles), None)
    agents = [ScenarioAgent(id=name, role=role, role_tags=list(app.allowed_role_tags)) for name in _AGENTS]
    caller, other = _AGENTS
    # The other agent first: few actions let their caller be the agent that they are about.
    examples = (
        (action.name, example_parameters(action, (other, caller)))
        for action in app.actions
        if action.name not in called
    )
    calls = tuple(Call(caller, name, params) for name, params in examples if params is not None)
    return (Workload(Setup(agents=agents), calls),) if calls else ()
