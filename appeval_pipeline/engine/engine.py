"""An app, compiled once, to be run many times."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from appeval_pipeline.appdef.checking import check_app
from appeval_pipeline.appdef.hashing import canonical_json
from appeval_pipeline.appdef.schema import AppDefinition
from appeval_pipeline.engine.result import ActionResult
from appeval_pipeline.engine.session import Session
from appeval_pipeline.errors import DefinitionError, Fault, StateError
from appeval_pipeline.expr.context import ExecutionContext
from appeval_pipeline.expr.values import copy_input, copy_plain

if TYPE_CHECKING:
    from appeval_pipeline.engine.compiler import CompiledAction

State = dict[str, Any]


class Engine:
    """Runs the actions of one app.

    Args:
        app: The definition.

    Raises:
        DefinitionError: The definition cannot run.
    """

    def __init__(self, app: AppDefinition) -> None:
        faults = [Fault(f.location, f.message) for f in check_app(app) if f.severity == "error"]
        if faults:
            raise DefinitionError(faults, app.app_id)
        self.app = app
        self.action_names = tuple(action.name for action in app.actions)
        self.restricted = app.access_type == "role_restricted"
        self.isolated = app.access_type == "per_agent"
        self._untraced: dict[str, CompiledAction] = {}
        self._traced: dict[str, CompiledAction] = {}

    def compiled(self, action: str, traced: bool) -> CompiledAction | None:
        """The compiled action of that name, made when first asked for; None if there is none."""
        compiled = self._traced if traced else self._untraced
        known = compiled.get(action)
        if known is None:
            definition = self.app.action(action)
            if definition is None:
                return None
            # Whoever only reads definitions, as the command line does at its start, needs no compiler.
            from appeval_pipeline.engine.compiler import compile_action

            known = compiled[action] = compile_action(self.app, definition, traced=traced)
        return known

    def initial_state(self, agents: Iterable[str] = ()) -> State:
        """The state before anything happened: every field's default, for each agent its own copy.

        Returns:
            ``{"per_agent": {agent_id: {field: value}}, "shared": {field: value}}``
        """
        return {
            "per_agent": {agent: self._defaults(per_agent=True) for agent in agents},
            "shared": self._defaults(per_agent=False),
        }

    def complete_state(self, state: Mapping[str, object], agents: Iterable[str] = ()) -> State:
        """A copy of ``state``, with defaults for the fields and agents that it lacks.

        Raises:
            StateError: It is no state.
        """
        given = self._checked(state)
        complete = self.initial_state(dict.fromkeys([*given["per_agent"], *agents]))
        for agent_id, fields in given["per_agent"].items():
            complete["per_agent"][agent_id].update(fields)
        complete["shared"].update(given["shared"])
        return complete

    def execute(
        self,
        agent_id: str,
        action: str,
        params: Mapping[str, object] | None,
        state: Mapping[str, object],
        context: ExecutionContext | None = None,
        trace: bool = False,
    ) -> ActionResult:
        """Run one action on a copy of ``state``.

        Args:
            context: Where ids, time and rights come from. Without one, time stands still and ids depend
                on the call and the state: the same call on the same state gives the same ids, and on the
                state after it others.

        Returns:
            The result; ``state_after`` is the changed copy.

        Raises:
            StateError: ``state`` is no state, or larger than 1 MB as JSON.
        """
        copied = self._checked(state)
        if context is None:
            context = ExecutionContext(seed=_seed_of(agent_id, action, params, copied))
        session = Session(self, copied, self.app.initial_config, context)
        return session.execute(agent_id, action, params, trace=trace)

    def session(
        self,
        agents: Iterable[str] = (),
        state: Mapping[str, object] | None = None,
        seed: int = 0,
        *,
        config: Mapping[str, object] | None = None,
        context: ExecutionContext | None = None,
    ) -> Session:
        """A session that owns its state: the fast way to run many actions.

        Args:
            agents: Agents that take part; those that ``state`` lacks start with the defaults.
            state: Where to start; copied. The initial state if None.
            seed: Of the ids; ignored where ``context`` is given.
            config: Overrides of the app's initial config, key by key.

        Raises:
            StateError: ``state`` or ``config`` cannot be used, or the state to start from is larger than 1 MB
                as JSON.
        """
        start = self.initial_state(agents) if state is None else self.complete_state(state, agents)
        values = dict(self.app.initial_config)
        if config is not None:
            copied = copy_input(config, "config")
            assert isinstance(copied, dict)
            values.update(copied)
        return Session(self, start, values, context or ExecutionContext(seed=seed))

    def resume(self, state: State, config: dict[str, Any], context: ExecutionContext) -> Session:
        """A session from a state that one of this engine told: completed, but not checked again.

        Args:
            state: Copied.
            config: All of it; not copied.
        """
        fields, shared = self._field_names
        is_complete = _begins(state["shared"], shared) and all(
            _begins(own, fields) for own in state["per_agent"].values()
        )
        start = copy_plain(state) if is_complete else self.complete_state(state)
        return Session(self, start, config, context)  # type: ignore[arg-type]

    @cached_property
    def _field_names(self) -> tuple[list[str], list[str]]:
        """Of the agents' fields, and of the shared ones, as the initial state has them."""
        return list(self._defaults(per_agent=True)), list(self._defaults(per_agent=False))

    def _defaults(self, *, per_agent: bool) -> dict[str, Any]:
        return {
            field.name: copy_plain(field.default)
            for field in self.app.state_schema
            if self.app.is_per_agent(field) == per_agent
        }

    def _checked(self, state: Mapping[str, object]) -> State:
        copied = copy_input(state, "state")
        if not isinstance(copied, dict):
            raise StateError("state: expected an object with per_agent and shared")
        unknown = copied.keys() - {"per_agent", "shared"}
        if unknown:
            raise StateError(f"state: unknown key '{min(unknown)}'; accepted: per_agent, shared")
        per_agent = copied.setdefault("per_agent", {})
        shared = copied.setdefault("shared", {})
        if not isinstance(per_agent, dict) or not isinstance(shared, dict):
            raise StateError("state: per_agent and shared must be objects")
        for agent_id, fields in per_agent.items():
            if not isinstance(fields, dict):
                raise StateError(f"state.per_agent.{agent_id}: expected an object")
        return copied


def _begins(fields: Mapping[str, object], names: list[str]) -> bool:
    """Whether the first names of ``fields`` are these: completing adds none, nor changes their order."""
    return list(islice(fields, len(names))) == names


def _seed_of(agent_id: str, action: str, params: Mapping[str, object] | None, state: State) -> int:
    try:
        call = canonical_json([agent_id, action, copy_input(params, "parameters"), state])
    except (StateError, TypeError, ValueError):
        return 0  # a call that is no JSON: it is refused
    return int.from_bytes(hashlib.blake2b(call.encode("utf-8", "surrogatepass"), digest_size=8).digest())
