"""A search for calls that take every arm of an app's logic.

It is guided by coverage, as fuzzers are: whatever does something new is changed further, and the state that
it leaves becomes one to start from. There is no chance in it: values come from the definition and the state,
in their order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from appeval_pipeline.appdef.schema import ActionDefinition, BranchBlock, LoopBlock, StateField, ValidateBlock
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.engine import ActionResult, TraceEvent
from appeval_pipeline.evaluation.coverage.graph import FlowGraph
from appeval_pipeline.evaluation.edge_cases.examples import MAX_CANDIDATES, candidate_values
from appeval_pipeline.evaluation.edge_cases.running import AGENTS, Call, Runner, World
from appeval_pipeline.expr import parse
from appeval_pipeline.expr.tree import Expression, Field, Literal, Name, Path, walk

MAX_WORLDS: Final = 60
"""States that are started from."""

_FEW_VALUES: Final = 6
"""Values that are tried for a parameter in each state at first; more are tried in the end."""

_MAX_HINTS: Final = 24
_MAX_LENGTH: Final = 1_000
"""Elements of the longest array that a state is prepared with."""


@dataclass(frozen=True, slots=True)
class Found:
    """A call, and the world to make it in."""

    world: World
    call: Call


@dataclass(slots=True)
class Findings:
    """What the search found.

    Attributes:
        arms: For each block and outcome, the first call that came to it.
        best: For each action, the call that came farthest: one that succeeds, if there is one.
        succeeded: The actions that did.
    """

    arms: dict[TraceEvent, Found] = field(default_factory=dict)
    best: dict[str, Found] = field(default_factory=dict)
    succeeded: set[str] = field(default_factory=set)


def search(runner: Runner) -> Findings:
    """Look for calls until every arm is found or the budget of ``runner`` is spent."""
    return _Search(runner).run()


class _Search:
    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.app = runner.engine.app
        self.findings = Findings()
        self.constants = list(dict.fromkeys(_constants(self.app.actions, self.app.initial_config)))
        self.wanted = {
            action.name: {TraceEvent(*arm) for arm in FlowGraph.of(action).possible_arms}
            for action in self.app.actions
        }
        self.worlds: list[World] = []
        self.known_worlds: list[World] = []

    def run(self) -> Findings:
        budget = self.runner.budget
        self._add_world(self.runner.initial_world())
        self._play(_FEW_VALUES, budget * 2 // 5)
        self._prepare_all()
        self.wanted = {name: _failing(arms) for name, arms in self.wanted.items()}
        self.worlds = list(self.known_worlds)
        self._play(MAX_CANDIDATES, budget // 10)
        self._prepare_all()
        return self.findings

    def _prepare_all(self) -> None:
        for action in self.app.actions:
            if not self._is_done(action):
                self._prepare(action)

    def _play(self, most_values: int, kept_back: int) -> None:
        """Start from each state, the newest first: it is where play has come farthest."""
        while self.worlds and self.runner.budget > kept_back and not self._is_over():
            world = self.worlds.pop()
            hints = self._hints(world)
            for action in self.app.actions:
                if not self._is_done(action):
                    self._explore(world, action, hints, most_values)

    def _is_over(self) -> bool:
        """Whether all is found that is looked for in the end; other arms are but on the way there."""
        return all(_failing(arms) <= self.findings.arms.keys() for arms in self.wanted.values()) and len(
            self.findings.succeeded
        ) == len(self.wanted)

    def _is_done(self, action: ActionDefinition) -> bool:
        is_seen = self.wanted[action.name] <= self.findings.arms.keys()
        return is_seen and action.name in self.findings.succeeded

    def _add_world(self, world: World) -> None:
        if len(self.known_worlds) < MAX_WORLDS:
            self.known_worlds.append(world)
            self.worlds.append(world)

    def _explore(self, world: World, action: ActionDefinition, hints: list[object], most_values: int) -> None:
        candidates = {
            name: candidate_values(name, spec, hints, most_values) for name, spec in action.parameters.items()
        }
        if not all(candidates.values()):
            return
        first = {name: values[0] for name, values in candidates.items() if values[0] is not None}
        starters = AGENTS if most_values > _FEW_VALUES else AGENTS[:1]
        starts = [Call(agent, action.name, first) for agent in starters]
        calls = deque(starts)
        known = set()
        while calls and not self._is_done(action):
            call = calls.popleft()
            key = repr(call)
            if key in known:
                continue
            known.add(key)
            result = self.runner.run(world, call)
            if result is None:
                return
            if self._note(world, call, result) or call in starts:
                calls.extendleft(reversed(list(_changed(call, candidates))))

    def _note(self, world: World, call: Call, result: ActionResult) -> bool:
        """Whether ``result`` is something new."""
        found = Found(world, call)
        new = [event for event in result.trace if event not in self.findings.arms]
        for event in new:
            self.findings.arms[event] = found
        if world.fields:
            # A state that was not reached may be one that no input leads to: nothing is built on it.
            return bool(new)
        is_first = result.success and call.action not in self.findings.succeeded
        if is_first:
            self.findings.succeeded.add(call.action)
        if is_first or (new and call.action not in self.findings.succeeded):
            self.findings.best[call.action] = found
        if result.success and (new or is_first):
            state = result.state_after
            if state != world.state:
                self._add_world(World(state, (*world.before, call)))
        return bool(new) or is_first

    def _hints(self, world: World) -> list[object]:
        """Values worth trying: agents, what the state holds, and constants."""
        owners = (world.state["shared"], *world.state["per_agent"].values())
        held = _held(value for fields in owners for value in fields.values())
        values = dict.fromkeys([AGENTS[1], *held, AGENTS[0], *self.constants])
        return list(values)[:_MAX_HINTS]

    def _prepare(self, action: ActionDefinition) -> None:
        """Look for missing arms where a field that the condition reads has another value."""
        for placed in walk_blocks(action):
            arms = [TraceEvent(placed.id, outcome) for outcome in ("pass", "fail", "then", "else")]
            wanted = self.wanted[action.name].intersection(arms) - self.findings.arms.keys()
            known = next((self.findings.arms[arm] for arm in arms if arm in self.findings.arms), None)
            if not wanted or known is None or not isinstance(placed.block, ValidateBlock | BranchBlock):
                continue
            for world in self._prepared(known, placed.block.condition):
                result = self.runner.run(world, known.call)
                if result is None:
                    break
                self._note(world, known.call, result)
                if wanted <= self.findings.arms.keys():
                    break

    def _prepared(self, known: Found, condition: str) -> Iterator[World]:
        names = _fields_read(parse(condition))
        for spec in self.app.state_schema:
            if spec.name not in names:
                continue
            agents = [agent for agent in AGENTS if agent in known.world.state["per_agent"]]
            owners = agents if self.app.is_per_agent(spec) else ["shared"]
            for value in self._field_values(spec, known):
                yield known.world.with_field(owners, spec.name, value)

    def _field_values(self, spec: StateField, known: Found) -> Iterator[Any]:
        given = list(known.call.params.values())
        match spec.type:
            case "number":
                numbers = [value for value in (*given, *self.constants) if _is_number(value)]
                yield from dict.fromkeys([0, 1, *numbers, -1, 1_000_000, 1_000_000_000])
            case "array":
                yield []
                yield from ([value] for value in (*AGENTS, *given))
                lengths = [value for value in (*self.constants, spec.max_items) if type(value) is int]
                yield from (["a"] * length for length in lengths if 0 < length <= _MAX_LENGTH)
            case "boolean":
                yield from (True, False)
            case "string":
                yield from (
                    "",
                    "a",
                    *(value for value in (*given, *self.constants) if isinstance(value, str)),
                )
            case _:
                yield {}
        yield None


def _failing(arms: set[TraceEvent]) -> set[TraceEvent]:
    return {arm for arm in arms if arm.outcome == "fail"}


def _changed(call: Call, candidates: dict[str, list[Any]]) -> Iterator[Call]:
    """``call`` with one thing changed: a parameter, or the agent."""
    for name, values in candidates.items():
        for value in values:
            if value is None:
                params = {other: kept for other, kept in call.params.items() if other != name}
            else:
                params = {**call.params, name: value}
            if params != call.params:
                yield Call(call.agent, call.action, params)
    for agent in AGENTS:
        if agent != call.agent:
            yield Call(agent, call.action, call.params)


def _constants(actions: Iterable[ActionDefinition], config: dict[str, Any]) -> Iterator[Any]:
    """Numbers and texts of the config and of what the logic decides by."""
    yield from (value for value in config.values() if isinstance(value, int | float | str))
    for action in actions:
        for placed in walk_blocks(action):
            match placed.block:
                case ValidateBlock() | BranchBlock():
                    text = placed.block.condition
                case LoopBlock():
                    text = placed.block.collection
                case _:
                    continue
            for node in walk(parse(text)):
                if isinstance(node, Literal) and isinstance(node.value, int | float | str):
                    yield node.value


def _fields_read(tree: Expression) -> set[str]:
    """The state's fields that an expression names: ``agent.x``, ``shared.x``, ``agents[…].x``."""
    found = set()
    for node in walk(tree):
        match node:
            case Path(Name(name="agent" | "shared"), (Field(name=name), *_)):
                found.add(name)
            case Path(Name(name="agents"), (_, Field(name=name), *_)):
                found.add(name)
            case _:
                pass
    return found


def _held(values: Iterable[Any]) -> Iterator[object]:
    """The keys, texts and numbers in ``values``: no more than are looked at, the outer ones first."""
    pending = deque(values)
    for _ in range(_MAX_HINTS * 4):
        if not pending:
            return
        value = pending.popleft()
        match value:
            case dict():
                yield from list(value)[-_MAX_HINTS:]
                pending.extend(list(value.values())[-_MAX_HINTS:])
            case list():
                pending.extend(value[-_MAX_HINTS:])
            case str() | int() | float():
                yield value
            case _:
                pass


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
