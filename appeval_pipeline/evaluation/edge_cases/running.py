"""Running calls on worlds: states that can be made again, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.appdef.work import block_work
from appeval_pipeline.engine import Access, ActionResult, Engine, ExecutionContext, Session
from appeval_pipeline.errors import StateError
from appeval_pipeline.expr.limits import MAX_STATE_BYTES
from appeval_pipeline.expr.values import json_size

AGENTS: Final = ("alice", "bob", "carol")
"""Who takes part; all may use the app."""

OUTSIDER: Final = "mallory"
"""Who takes part, too, where an app restricts who may use it; and may not."""

STRANGER: Final = "nobody"
"""Who takes no part."""

SEARCH_BUDGET: Final = 40_000
"""Units of work of the search for inputs, an app: some 1,000 usual calls."""

CASES_BUDGET: Final = 400_000
"""Units of work of running the cases, an app: some 10,000 usual calls."""

_CALL_WORK: Final = 20
_PARAMETERS_A_UNIT: Final = 4
_BYTES_A_UNIT: Final = 500
"""Bytes of state that are copied in the time of a unit."""
_BYTES_LOOKED_THROUGH: Final = 16_000
"""Bytes of state from which an operation may be more than a unit."""

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One action of one agent."""

    agent: str
    action: str
    params: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"agent": self.agent, "action": self.action, "params": self.params}


@dataclass(frozen=True, eq=False)
class World:
    """A state, and how it came to be: the initial one, the calls, then the fields that were set, by path."""

    state: State
    before: tuple[Call, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def size(self) -> int:
        """Bytes of the state as JSON."""
        return json_size(self.state)

    def with_field(self, owners: Sequence[str], name: str, value: Any) -> World:
        """The world with a field set: of agents, or of ``shared``."""
        per_agent = {agent: dict(fields) for agent, fields in self.state["per_agent"].items()}
        state = {"per_agent": per_agent, "shared": dict(self.state["shared"])}
        for owner in owners:
            (state["shared"] if owner == "shared" else per_agent[owner])[name] = value
        return World(state, self.before, {f"{owner}.{name}": value for owner in owners})

    def call_to_dict(self, call: Call) -> dict[str, Any]:
        """``call``, and what it needs before it."""
        whole = call.to_dict()
        if self.before:
            whole["before"] = [earlier.to_dict() for earlier in self.before]
        if self.fields:
            whole["state"] = self.fields
        return whole


class Runner:
    """Runs calls until its budget is spent; what one run leaves behind, the next does not see.

    Attributes:
        budget: Units of work that are left; a run may go beyond it, the next is not begun.
        is_capped: Whether a run was asked for when nothing was left.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.budget = 0
        self.is_capped = False
        app = engine.app
        access = Access.of(next(iter(app.allowed_roles), None), app.allowed_role_tags[:1])
        self._roles = dict.fromkeys(AGENTS, access)
        self._work = {
            placed.id: block_work(placed.block, placed.scope)
            for action in app.actions
            for placed in walk_blocks(action)
        }
        # The engine looks at every parameter of the action, given or not.
        self._call_work = {
            action.name: _CALL_WORK + len(action.parameters) // _PARAMETERS_A_UNIT for action in app.actions
        }
        self._makes_ids = "generate_id" in app.model_dump_json()
        self._sessions: dict[World, Session] = {}

    def refill(self, budget: int) -> None:
        """Start again with another budget."""
        self.budget = budget
        self.is_capped = False

    def initial_world(self) -> World:
        """The initial state with as many of `AGENTS` as it has room for.

        Raises:
            StateError: It has no room for one.
        """
        outsiders = (OUTSIDER,) if self.engine.restricted else ()
        for count in range(len(AGENTS), 0, -1):
            world = World(self.engine.initial_state((*AGENTS[:count], *outsiders)))
            if world.size <= MAX_STATE_BYTES:
                return world
        raise StateError(
            f"The initial state with one agent has {world.size} bytes as JSON; "
            f"at most {MAX_STATE_BYTES} are accepted"
        )

    def run(self, world: World, call: Call) -> ActionResult | None:
        """Run ``call``, traced; None if the budget is spent, or the world is too large to be one."""
        if self.budget <= 0:
            self.is_capped = True
            return None
        session = self._sessions.pop(world, None)
        if session is None:
            self.budget -= world.size // _BYTES_A_UNIT
            if world.size > MAX_STATE_BYTES:
                return None
            session = self.engine.session(state=world.state, context=self._context(world))
        elif self._makes_ids:
            # The call before this one may have taken ids.
            session.context = self._context(world)
        result = session.execute(call.agent, call.action, call.params, trace=True)
        if not result.success:
            self._sessions[world] = session
        self.budget -= self._cost(world, call, result)
        return result

    def _context(self, world: World) -> ExecutionContext:
        """Ids that differ from those of the calls before, and are the same whenever the call is made."""
        return ExecutionContext(seed=len(world.before), roles=self._roles)

    def _cost(self, world: World, call: Call, result: ActionResult) -> int:
        operations = sum(self._work[event.block] for event in result.trace)
        per_operation = 1 + world.size // _BYTES_LOOKED_THROUGH
        return self._call_work.get(call.action, _CALL_WORK) + len(call.params) + operations * per_operation
