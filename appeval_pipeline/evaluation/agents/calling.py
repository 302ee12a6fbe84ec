"""An agent's call of an action on a state: the same call on the same state has the same outcome, always.

Search, replay and every agent go through here, so that a plan that a search found holds when it is
carried out.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import orjson

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.engine import Access, ActionResult, Engine, ExecutionContext, Session
from appeval_pipeline.expr.values import copy_input

State = dict[str, Any]
T = TypeVar("T")


class Caller:
    """Runs one agent's calls.

    Args:
        engine: The app.
        agent: Who calls.
        roles: What each agent may be admitted by.
        config: Overrides of the app's initial config.

    Raises:
        StateError: ``config`` cannot be used.
    """

    def __init__(
        self, engine: Engine, agent: str, roles: Mapping[str, Access], config: Mapping[str, object]
    ) -> None:
        self._engine = engine
        self._agent = agent
        self._context = _CallContext(roles=roles)
        self._config = {**engine.app.initial_config, **copy_input(config, "config")}  # type: ignore[dict-item]

    def call(self, call: ToolCall, state: State) -> ActionResult:
        """The outcome of a call on ``state``, which stays as it is."""
        return self.at(state, canonical_bytes(state)).call(call)

    def at(self, state: State, state_bytes: bytes) -> Position:
        """A state to try several calls on.

        Args:
            state: As the engine told it.
            state_bytes: The state as :func:`canonical_bytes`.
        """
        session = self._engine.resume(state, self._config, self._context)
        return Position(session, self._agent, self._context, state_bytes)


class Position:
    """A state, and calls tried on it, each as if it were the only one."""

    def __init__(self, session: Session, agent: str, context: _CallContext, state_bytes: bytes) -> None:
        self._session = session
        self._agent = agent
        self._context = context
        self._state_bytes = state_bytes

    def call(self, call: ToolCall) -> ActionResult:
        """The outcome of a call."""
        self._context.turn_to(call, self._state_bytes)
        return self._session.try_out(self._agent, call.name, dict(call.arguments))

    def peek(self, call: ToolCall, look: Callable[[State], T]) -> T | None:
        """What ``look`` makes of the live state after a call; None where it fails or changes nothing.

        Raises:
            LimitExceeded: The wall clock ended the call.
        """
        self._context.turn_to(call, self._state_bytes)
        return self._session.peek(self._agent, call.name, dict(call.arguments), look)


class _CallContext(ExecutionContext):
    """Hands out ids that come from what is called, and on what.

    They must not depend on how many calls came before: a search meets a state on one way only, and whoever
    comes another way would be given others. Few calls ask for one, so where ids come from is worked out then.
    """

    __slots__ = ("_call", "_state_bytes")

    def turn_to(self, call: ToolCall, state_bytes: bytes) -> None:
        """The ids to come are those of a call on a state."""
        self._call = call
        self._state_bytes = state_bytes
        # The engine draws the bits itself: an overridden `next_id` would not be asked.
        self._bits = self._first_bits

    def _first_bits(self, count: int) -> int:
        digest = hashlib.blake2b(self._state_bytes, digest_size=8)
        digest.update(canonical_bytes([self._call.name, dict(self._call.arguments)]))
        self._bits = random.Random(int.from_bytes(digest.digest())).getrandbits
        return self._bits(count)


def canonical_bytes(value: object) -> bytes:
    """JSON whose keys are sorted, for plain JSON values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half of a surrogate pair, or an argument that is no JSON
        return json.dumps(value, sort_keys=True, default=repr).encode()
