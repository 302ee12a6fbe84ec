"""What is timed: the calls of a scenario, and the session that they start in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine, ExecutionContext, Session
from appeval_pipeline.errors import StateError
from appeval_pipeline.evaluation.scenarios import Scenario
from appeval_pipeline.evaluation.scenarios.schema import Setup

Start = Callable[[], Session]
"""Makes a new session."""


@dataclass(frozen=True, slots=True)
class Call:
    """One action of one agent."""

    agent: str
    action: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Workload:
    """Calls that run one after another in one session.

    No expectation is looked at, so where `run_scenario` takes an unexpected step back, this does not.
    """

    setup: Setup
    calls: tuple[Call, ...]

    def starter(self, engine: Engine) -> Start:
        """What makes new sessions, each as the setup describes it; the setup is looked at once.

        Raises:
            StateError: The setup cannot be used.
        """
        setup = self.setup
        roles = setup.roles
        origin = engine.session(
            setup.agent_ids,
            {"per_agent": setup.initial_state.per_agent, "shared": setup.initial_state.shared},
            config=setup.config,
        )
        return lambda: origin.fork(ExecutionContext(seed=setup.seed, roles=roles))


def applicable(app: AppDefinition, scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    """The scenarios that are meant for this app in its version; a definition without one is version 1."""
    version = app.version or 1
    return tuple(
        scenario for scenario in scenarios if scenario.app_id == app.app_id and scenario.applies(version)
    )


def workloads_of(scenarios: Iterable[Scenario], *engines: Engine) -> tuple[Workload, ...]:
    """The calls of the scenarios; those whose setup one of ``engines`` refuses are left out."""
    workloads = []
    for scenario in scenarios:
        calls = tuple(Call(step.agent, step.action, dict(step.params)) for step in scenario.steps)
        workload = Workload(scenario.setup, calls)
        if all(_can_start(workload, engine) for engine in engines):
            workloads.append(workload)
    return tuple(workloads)


def _can_start(workload: Workload, engine: Engine) -> bool:
    try:
        workload.starter(engine)
    except StateError:
        return False
    return True
