"""Running actions on a state that the session owns and changes in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from appeval_pipeline.engine.journal import Journal, Version, copy_at, undo
from appeval_pipeline.engine.result import ActionResult, ErrorKind, TraceEvent
from appeval_pipeline.engine.runtime import DROPPED, ActionFailed, check_size
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.context import Access, ExecutionContext
from appeval_pipeline.expr.limits import MAX_OBSERVATIONS, MAX_STATE_BYTES, LimitExceeded, Meter
from appeval_pipeline.expr.values import copy_plain, json_size

if TYPE_CHECKING:
    from appeval_pipeline.engine.engine import Engine

T = TypeVar("T")

_NOBODY = Access()


class Session:
    """A state, and actions run on it one after another.

    Attributes:
        context: Where ids, time and rights come from.
    """

    __slots__ = ("_agents", "_config", "_engine", "_meter", "_most_bytes", "_state", "_version", "context")

    def __init__(
        self, engine: Engine, state: dict[str, Any], config: dict[str, Any], context: ExecutionContext
    ) -> None:
        self._engine = engine
        self._state = state
        self._agents: dict[str, dict[str, Any]] = state["per_agent"]
        self._config = config
        self._most_bytes = check_size(state)
        self._meter = Meter()
        self._version = Version()
        self.context = context

    @property
    def state(self) -> dict[str, Any]:
        """A copy of the state as it is now."""
        return copy_plain(self._state)  # type: ignore[return-value]

    state_after = state

    def fork(self, context: ExecutionContext) -> Session:
        """Another session of the same config that starts from the state as it is now.

        Faster than a session from a state that is given: nothing is left to check.
        """
        return Session(self._engine, copy_plain(self._state), self._config, context)  # type: ignore[arg-type]

    @property
    def state_bytes(self) -> int:
        """The size of the state as compact JSON."""
        self._most_bytes = json_size(self._state)
        return self._most_bytes

    def _measure(self, grown: int) -> int:
        """Measure the state, within an action of which the state may have grown by ``grown`` bytes.

        Between measurements only an upper bound is known: that needs no look at numbers.

        Returns:
            The bytes that the state may have grown by before it must be measured again.

        Raises:
            LimitExceeded: The state is larger than 1 MB.
        """
        size = json_size(self._state)
        if size > MAX_STATE_BYTES:
            raise LimitExceeded("State size limit exceeded")
        self._most_bytes = size - grown
        return MAX_STATE_BYTES - self._most_bytes

    def execute(
        self, agent_id: str, action: str, params: Mapping[str, object] | None = None, *, trace: bool = False
    ) -> ActionResult:
        """Run one action as ``agent_id``.

        Args:
            params: Its parameters; plain JSON, never changed, and not held on to.
            trace: Whether to record the blocks that ran.

        Returns:
            The result; a failure is a result too, and leaves the state as it was.
        """
        started = perf_counter()
        events: list[TraceEvent] = []
        compiled = self._engine.compiled(action, trace) if isinstance(action, str) else None
        if compiled is None:
            known = ", ".join(self._engine.action_names)
            return self._refuse(
                "unknown_action", f"Unknown action '{action}'; known actions: {known}", started
            )
        agent = self._agents.get(agent_id) if isinstance(agent_id, str) else None
        if agent is None:
            return self._refuse("unknown_agent", f"Unknown agent '{agent_id}'", started)
        if self._engine.restricted and not self._admits(agent_id):
            return self._refuse("access", f"Agent '{agent_id}' may not use this app", started)
        if type(params) is not dict:
            given = _as_object(params)
            if given is None:
                return self._refuse("parameters", "Parameters must be an object", started)
            params = given
        journal: Journal = []
        observations: list[dict[str, Any]] = []
        most_bytes = self._most_bytes
        self._meter.reset()
        try:
            data, grown = compiled.run(
                params,
                agent_id,
                agent,
                {agent_id: agent} if self._engine.isolated else self._agents,
                self._agents,
                self._state["shared"],
                self._config,
                self.context,
                self._meter,
                journal.append,
                observations,
                events,
                MAX_STATE_BYTES - most_bytes,
                self._measure,
            )
        except (ActionFailed, ExpressionError, LimitExceeded) as error:
            self._take_back(journal, most_bytes)
            result = self._refuse(_kind(error), error.message, started)
            result.trace = events
            site = compiled.site_of(error)
            result.error_at = site.at if site else None
            result.deterministic = not isinstance(error, LimitExceeded) or error.deterministic
            return result
        except BaseException:
            # A clock of the caller's that fails, an interrupt: the action did not happen.
            self._take_back(journal, most_bytes)
            raise
        if journal:
            self._most_bytes += grown
            self._version = self._version.advance(journal)
        result = ActionResult(True, data, None, None, observations, events, self._make_state())
        if len(observations) > MAX_OBSERVATIONS:
            result.observations_dropped = observations.count(DROPPED)
            del observations[MAX_OBSERVATIONS:]
        result.duration_ms = (perf_counter() - started) * 1000
        return result

    def try_out(self, agent_id: str, action: str, params: Mapping[str, object] | None = None) -> ActionResult:
        """Run one action and take it back: the result has the state after it, the session is as it was."""
        version, most_bytes = self._version, self._most_bytes
        result = self.execute(agent_id, action, params)
        if self._version is not version:
            assert result.state_after is not None  # made now: what it is made from is about to be undone
            self._take_back(version.changes, most_bytes)
            version.rewind()
            self._version = version
        return result

    def peek(
        self, agent_id: str, action: str, params: dict[str, object], look: Callable[[dict[str, Any]], T]
    ) -> T | None:
        """What ``look`` makes of the state that one action leaves, which is then taken back.

        As `try_out`, for a search: of thousands of actions it asks but where those that succeed lead.

        Args:
            look: Is handed the live state, to copy what it needs.

        Returns:
            None where the action fails, or changes nothing.

        Raises:
            LimitExceeded: The wall clock ended the action: another time it may go otherwise.
        """
        compiled = self._engine.compiled(action, traced=False)
        agent = self._agents.get(agent_id)
        if compiled is None or agent is None or (self._engine.restricted and not self._admits(agent_id)):
            return None
        journal: Journal = []
        most_bytes = self._most_bytes
        self._meter.reset()
        try:
            compiled.run(
                params,
                agent_id,
                agent,
                {agent_id: agent} if self._engine.isolated else self._agents,
                self._agents,
                self._state["shared"],
                self._config,
                self.context,
                self._meter,
                journal.append,
                [],
                [],
                MAX_STATE_BYTES - most_bytes,
                self._measure,
            )
            return look(self._state) if journal else None
        except LimitExceeded as error:
            if error.deterministic:
                return None
            raise
        except (ActionFailed, ExpressionError):
            return None
        finally:
            self._take_back(journal, most_bytes)

    def _take_back(self, journal: Journal, most_bytes: int) -> None:
        undo(journal)
        self._most_bytes = most_bytes

    def _make_state(self) -> partial[dict[str, Any]]:
        return partial(copy_at, self._state, self._version)

    def _refuse(self, kind: ErrorKind, message: str, started: float) -> ActionResult:
        result = ActionResult(False, None, message, kind, [], [], self._make_state())
        result.duration_ms = (perf_counter() - started) * 1000
        return result

    def _admits(self, agent_id: str) -> bool:
        access = self.context.roles.get(agent_id, _NOBODY)
        app = self._engine.app
        return access.role in app.allowed_roles or not access.role_tags.isdisjoint(app.allowed_role_tags)


def _as_object(params: object) -> dict[str, object] | None:
    """Parameters as a dict; None if they are no object."""
    if params is None:
        return {}
    return dict(params) if isinstance(params, Mapping) else None


def _kind(error: ActionFailed | ExpressionError | LimitExceeded) -> ErrorKind:
    match error:
        case ActionFailed():
            return error.kind
        case LimitExceeded():
            return "limit"
        case _:
            return "expression"
