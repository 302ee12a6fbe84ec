"""What the names of an action's expressions mean in its compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from appeval_pipeline.appdef.schema import ActionDefinition
from appeval_pipeline.expr.codegen import Emitter
from appeval_pipeline.expr.compiled import step_name
from appeval_pipeline.expr.tree import Field, Index, Name, Path, Step
from appeval_pipeline.expr.writing import Kind, Operand, Writer, constant


def parameter_local(position: int) -> str:
    """The local name of a parameter's value."""
    return f"p{position}"


class ActionRoots:
    """``params``, ``agent``, ``agents``, ``shared``, ``config`` and the loop items in scope.

    Parameters are locals; ``.id`` and ``.name`` of agents are virtual.
    """

    def __init__(self, action: ActionDefinition) -> None:
        self._params: dict[str, Operand] = {}
        for position, (name, spec) in enumerate(action.parameters.items()):
            always = spec.required or spec.default is not None
            kind: Kind | None = spec.type if always else None
            aliases = spec.type in ("array", "object")
            self._params[name] = Operand(parameter_local(position), kind, aliases=aliases)
        self._items: dict[str, Operand] = {}

    @contextmanager
    def item(self, name: str, local: str) -> Iterator[None]:
        """``name`` is the loop item held in ``local``; an outer item of that name comes back after."""
        outer = dict(self._items)
        self._items[name] = Operand(local, aliases=True)
        yield
        self._items = outer

    def variable(self, writer: Writer, name: Name) -> Operand:
        item = self._items.get(name.name)
        if item is not None:
            return item
        if name.name == "params":
            code = ", ".join(f"{key!r}: {operand.code}" for key, operand in self._params.items())
            local = writer.fresh()
            writer.line(f"{local} = {{{code}}}")
            return Operand(local, "object", aliases=any(p.aliases for p in self._params.values()))
        return Operand(name.name, "object", aliases=True, changes=name.name != "config")

    def path(self, emitter: Emitter, path: Path) -> tuple[Operand, tuple[Step, ...]] | None:
        if not isinstance(path.base, Name) or path.base.name in self._items:
            return None
        first, rest = path.steps[0], path.steps[1:]
        match path.base.name:
            case "params":
                name = step_name(first)
                if name is None:
                    return None
                return self._params.get(name, constant(None)), rest
            case "agent":
                return self._agent(
                    emitter, Operand("agent", "object", aliases=True, changes=True), "caller", path.steps
                )
            case "agents":
                return self._other_agent(emitter, first, rest)
            case _:
                return None

    def _agent(
        self, emitter: Emitter, state: Operand, agent_id: str, steps: tuple[Step, ...]
    ) -> tuple[Operand, tuple[Step, ...]]:
        """The first step below an agent that surely exists."""
        writer, first = emitter.writer, steps[0]
        name = step_name(first)
        if name == "id":
            return Operand(agent_id, "string"), steps[1:]
        result = writer.fresh()
        if name == "name":
            writer.line(f"{result} = {state.code}.get('name')")
            with writer.block(f"if {result} is None:"):
                writer.line(f"{result} = {agent_id}")
            return Operand(result, aliases=True, changes=True), steps[1:]
        match first:
            case Field():
                return state, steps
            case Index(_, column):
                key = emitter.key(first)
                writer.line(f"{result} = agent_field({state.code}, {agent_id}, {key.code})", column)
                return Operand(result, aliases=True, changes=True), steps[1:]
            case _:
                assert_never(first)

    def _other_agent(
        self, emitter: Emitter, first: Step, rest: tuple[Step, ...]
    ) -> tuple[Operand, tuple[Step, ...]]:
        writer = emitter.writer
        key = emitter.key(first)
        state = writer.fresh()
        if key.kind == "string":
            writer.line(f"{state} = agents.get({key.code})")
        else:
            writer.line(f"{state} = index(agents, {key.code})", first.column)
        if not rest or (isinstance(rest[0], Field) and rest[0].name not in ("id", "name")):
            return Operand(state, aliases=True, changes=True), rest
        result = writer.fresh()
        with writer.block(f"if {state} is None:"):
            writer.line(f"{result} = None")
        with writer.block("else:"):
            agent_id = key.code if not key.constant else f"({key.code})"
            found, left = self._agent(
                emitter, Operand(state, "object", aliases=True, changes=True), agent_id, rest
            )
            if len(left) == len(rest):
                found, left = emitter.steps(found, rest[:1]), rest[1:]
            writer.line(f"{result} = {found.code}")
        return Operand(result, aliases=True, changes=True), left
