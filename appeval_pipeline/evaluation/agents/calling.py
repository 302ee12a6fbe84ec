"""An agent's call of an action on a state: the same call on the same state has the same outcome, always.

Search, replay and every agent go through here, so that a plan that a search found holds when it is
carried out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import orjson

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.engine import Access, ActionResult, Engine, ExecutionContext, Session

State = dict[str, Any]


class Caller:
    """Runs one agent's calls.

    Args:
        engine: The app.
        agent: Who calls.
        roles: What each agent may be admitted by.
        config: Overrides of the app's initial config.
    """

    def __init__(
        self, engine: Engine, agent: str, roles: Mapping[str, Access], config: Mapping[str, object]
    ) -> None:
        self._engine = engine
        self._agent = agent
        self._roles = dict(roles)
        self._config = config

    def call(self, call: ToolCall, state: State) -> ActionResult:
        """The outcome of a call on ``state``, which stays as it is."""
        return self.at(state, canonical_bytes(state)).call(call)

    def at(self, state: State, state_bytes: bytes) -> Position:
        """A state to try several calls on.

        Args:
            state_bytes: The state as :func:`canonical_bytes`.
        """
        session = self._engine.session(
            state=state, config=self._config, context=ExecutionContext(roles=self._roles)
        )
        return Position(session, self._agent, self._roles, state_bytes)


class Position:
    """A state, and calls tried on it, each as if it were the only one."""

    def __init__(self, session: Session, agent: str, roles: Mapping[str, Access], state_bytes: bytes) -> None:
        self._session = session
        self._agent = agent
        self._roles = roles
        self._digest = hashlib.blake2b(state_bytes, digest_size=8)

    def call(self, call: ToolCall) -> ActionResult:
        """The outcome of a call.

        Its ids come from what is called, and on what. They must not depend on how many calls came before: a
        search meets a state on one way only, and whoever comes another way would be given others.
        """
        digest = self._digest.copy()
        digest.update(canonical_bytes([call.name, dict(call.arguments)]))
        seed = int.from_bytes(digest.digest())
        self._session.context = ExecutionContext(seed=seed, roles=self._roles)
        return self._session.try_out(self._agent, call.name, dict(call.arguments))


def canonical_bytes(value: object) -> bytes:
    """JSON whose keys are sorted, for plain JSON values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half of a surrogate pair, or an argument that is no JSON
        return json.dumps(value, sort_keys=True, default=repr).encode()
