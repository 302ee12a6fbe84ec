"""An action's logic to one Python function that changes the state in place and notes what it changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AnyBlock,
    AppDefinition,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import CONTEXT_NAMES, walk_blocks
from appeval_pipeline.appdef.work import block_work
from appeval_pipeline.engine.parameter_code import write_parameters
from appeval_pipeline.engine.result import TraceEvent
from appeval_pipeline.engine.roots import ActionRoots
from appeval_pipeline.engine.runtime import RUNTIME
from appeval_pipeline.engine.update_code import UpdateWriter
from appeval_pipeline.expr.codegen import Emitter, compile_source
from appeval_pipeline.expr.limits import MAX_LOOP_ITERATIONS, MAX_OBSERVATIONS
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.positions import Text, read_value
from appeval_pipeline.expr.templates import parse_template
from appeval_pipeline.expr.writing import Operand, Site, Writer, constant

ARGUMENTS: Final = (
    "params, caller, agent, agents, known_agents, shared, config, "
    "context, meter, note, observations, trace, room, measure"
)


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """An action ready to run.

    ``run`` takes the arguments named in `ARGUMENTS` and gives the data returned and the most bytes that the
    state may have grown by since it was measured; it raises what `runtime` and `expr` raise.
    """

    name: str
    run: Callable[..., tuple[dict[str, Any], int]]
    writer: Writer

    @property
    def filename(self) -> str:
        return _filename(self.name)

    def site_of(self, error: BaseException) -> Site | None:
        """The place in the definition where ``error`` was raised."""
        return self.writer.site_of(error, self.filename)


def _filename(name: str) -> str:
    return f"<appeval action {name}>"


def compile_action(app: AppDefinition, action: ActionDefinition, *, traced: bool) -> CompiledAction:
    """Compile ``action``, which has been checked.

    Args:
        traced: Whether the code records the blocks it runs.
    """
    compiler = _ActionCompiler(app, action, traced)
    writer = compiler.writer
    with writer.block(f"def action({ARGUMENTS}):"):
        compiler.write()
    run = compile_source(writer, _filename(action.name), "action", {**RUNTIME, **compiler.names})
    return CompiledAction(action.name, run, writer)


class _ActionCompiler:
    def __init__(self, app: AppDefinition, action: ActionDefinition, traced: bool) -> None:
        self.app = app
        self.action = action
        self.traced = traced
        self.writer = Writer()
        self.names: dict[str, object] = {}
        self.roots = ActionRoots(action)
        self.emitter = Emitter(self.writer, self.roots)
        self.counts_work = any(isinstance(placed.block, LoopBlock) for placed in walk_blocks(action))
        self.updates = UpdateWriter(app, self.writer, self.emitter, counts_work=self.counts_work)

    def write(self) -> None:
        if self.counts_work:
            self.writer.line("work = 0")
        self.writer.line("grown = 0")
        self.writer.line("exact = False")
        write_parameters(self.action, self.writer, self.names)
        self._blocks(self.action.logic, f"{self.action.name}.logic", ())
        self.writer.line("return {}, grown")

    def _blocks(self, blocks: Sequence[AnyBlock], arm: str, items: tuple[str, ...]) -> None:
        for index, block in enumerate(blocks):
            identity = f"{arm}[{index}]"
            with self.writer.place(f"actions.{identity}"):
                self._count(block, items)
                self._block(block, identity, items)

    def _block(self, block: AnyBlock, identity: str, items: tuple[str, ...]) -> None:
        match block:
            case ValidateBlock():
                self._validate(block, identity)
            case UpdateBlock():
                self._trace(identity, "run")
                self.updates.write(block, lambda: self.bounded_value(block.value, items))
            case NotifyBlock():
                self._trace(identity, "run")
                self._notify(block, items)
            case ReturnBlock():
                self._trace(identity, "return")
                with self.writer.place(f"actions.{identity}.value"):
                    self.writer.line(f"return {self.fresh_value(block.value, items)}, grown")
            case ErrorBlock():
                self._trace(identity, "error")
                message = self._message(block.message, f"actions.{identity}.message")
                self.writer.line(f"fail({message.code})")
            case BranchBlock():
                self._branch(block, identity, items)
            case LoopBlock():
                self._loop(block, identity, items)
            case _:
                assert_never(block)

    def _validate(self, block: ValidateBlock, identity: str) -> None:
        with self.writer.place(f"actions.{identity}.condition"):
            condition = self.emitter.emit_boolean(parse(block.condition))
        with self.writer.block(f"if not {condition}:"):
            self._trace(identity, "fail")
            message = self._message(block.error_message, f"actions.{identity}.errorMessage")
            self.writer.line(f"invalid({message.code})")
        self._trace(identity, "pass")

    def _notify(self, block: NotifyBlock, items: tuple[str, ...]) -> None:
        at = self.writer.at
        with self.writer.place(f"{at}.to"):
            to = self.emitter.emit(parse(block.to))
        message = self._message(block.message, f"{at}.message")
        with self.writer.place(f"{at}.data"):
            data = "None" if block.data is None else self.fresh_value(block.data, items)
        writer = self.writer
        with writer.place(f"{at}.to"):
            with writer.block(f"if type({to.code}) is not str or {to.code} not in known_agents:"):
                writer.line(f"unknown_agent({to.code})", 1)
            if data != "None":
                # Many observations are as large as one large value: from some number on they are bounded.
                name = writer.fresh()
                writer.line(f"{name} = {data}")
                with writer.block(f"if len(observations) >= {_FEW_STRINGS}:"):
                    writer.line(f"copy_made({name}, meter)")
                data = name
            fields = {
                "app_id": repr(self.app.app_id),
                "agent_id": to.code,
                "message": message.code,
                "data": data,
            }
            code = ", ".join(f"{key!r}: {value}" for key, value in fields.items())
            kept = f"{{{code}}} if len(observations) < {MAX_OBSERVATIONS} else DROPPED"
            writer.line(f"observations.append({kept})")

    def _branch(self, block: BranchBlock, identity: str, items: tuple[str, ...]) -> None:
        with self.writer.place(f"actions.{identity}.condition"):
            condition = self.emitter.emit_boolean(parse(block.condition))
        with self.writer.block(f"if {condition}:"):
            self._trace(identity, "then")
            self._blocks(block.then, f"{identity}.then", items)
            self.writer.line("pass")
        if block.else_ or self.traced:
            with self.writer.block("else:"):
                self._trace(identity, "else")
                self._blocks(block.else_ or (), f"{identity}.else", items)
                self.writer.line("pass")

    def _loop(self, block: LoopBlock, identity: str, items: tuple[str, ...]) -> None:
        writer = self.writer
        with writer.place(f"actions.{identity}.collection"):
            collection = self.emitter.emit(parse(block.collection))
            elements, too_many = writer.fresh(), writer.fresh()
            code = collection.code
            with writer.block(f"if type({code}) is list or type({code}) is dict:"):
                # Elements may change under the loop only if it, or what it calls, writes.
                copied = collection.changes and _writes(block.body)
                taken = "snapshot" if copied else "first_elements"
                writer.line(f"{elements} = {taken}({code}, meter)")
                writer.line(f"{too_many} = len({code}) > {MAX_LOOP_ITERATIONS}")
            with writer.block("else:"):
                writer.line(f"no_collection({code})", 1)
        if self.traced:
            with writer.block(f"if {elements}:"):
                self._trace(identity, "1+")
            with writer.block("else:"):
                self._trace(identity, "0")
        if block.body:
            item = writer.fresh("item")
            with writer.block(f"for {item} in {elements}:"), self.roots.item(block.item, item):
                self._blocks(block.body, f"{identity}.body", (*items, block.item))
        with writer.block(f"if {too_many}:"):
            writer.line("too_many_iterations()")

    def _trace(self, identity: str, outcome: str) -> None:
        if self.traced:
            name = f"e{len(self.names)}"
            self.names[name] = TraceEvent(identity, outcome)
            self.writer.line(f"trace.append({name})")

    def _count(self, block: AnyBlock, items: tuple[str, ...]) -> None:
        """Count the work of a block; without a loop no action does more than its text is long."""
        if self.counts_work:
            self.writer.line(f"work += {block_work(block, self._scope(items))}")
            with self.writer.block("if work > meter.stop:"):
                self.writer.line("meter.checkpoint(work)")

    def _scope(self, items: tuple[str, ...]) -> frozenset[str]:
        return frozenset((*CONTEXT_NAMES, *items))

    def _message(self, text: str, at: str) -> Operand:
        with self.writer.place(at):
            return self.emitter.emit_template(parse_template(text))

    def value(self, value: object, items: tuple[str, ...]) -> Operand:
        """Write the code of a value position."""
        match value:
            case dict():
                pairs = [f"{key!r}: {self.fresh_value(item, items)}" for key, item in value.items()]
                return Operand(f"{{{', '.join(pairs)}}}", "object")
            case list():
                return Operand(f"[{', '.join(self.fresh_value(item, items) for item in value)}]", "array")
            case str():
                meaning = read_value(value, self._scope(items))
                if isinstance(meaning, Text):
                    return self.emitter.emit_template(meaning.template)
                return self.emitter.emit(meaning)
            case None | bool() | int() | float():
                return constant(value)
            case _:
                raise AssertionError(value)

    def bounded_value(self, value: object, items: tuple[str, ...]) -> Operand:
        """Write the code of a value position that may hold many strings.

        Each string is bounded; where there are many, so is their sum, or a short definition could hand out
        gigabytes.
        """
        made = self.value(value, items)
        if _strings(value) <= _FEW_STRINGS:
            return made
        name = self.writer.fresh()
        self.writer.line(f"{name} = copy_made({made.code}, meter)")
        return Operand(name, made.kind)

    def fresh_value(self, value: object, items: tuple[str, ...]) -> str:
        """Code of a value position, as a value that nothing else holds."""
        return self.emitter.escape(self.bounded_value(value, items))


_FEW_STRINGS: Final = 8


def _strings(value: object) -> int:
    """How many strings, expressions or texts, a value position holds."""
    if isinstance(value, dict | list):
        return sum(map(_strings, value.values() if isinstance(value, dict) else value))
    return int(isinstance(value, str))


def _writes(blocks: Sequence[AnyBlock]) -> bool:
    """Whether any of ``blocks`` updates the state."""
    return any(
        isinstance(block, UpdateBlock)
        or (isinstance(block, BranchBlock) and (_writes(block.then) or _writes(block.else_ or ())))
        or (isinstance(block, LoopBlock) and _writes(block.body))
        for block in blocks
    )
