"""Expressions and interpolated texts on their own: compile once, evaluate on any variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Final

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.codegen import Emitter, compile_source
from appeval_pipeline.expr.context import ExecutionContext
from appeval_pipeline.expr.functions import check_call
from appeval_pipeline.expr.limits import LimitExceeded, Meter
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.templates import Template, parse_template
from appeval_pipeline.expr.tree import Expression, Field, Index, Literal, Name, Path, Step, calls, names
from appeval_pipeline.expr.writing import Operand, Writer, constant, locate

_FILENAME: Final = "<appeval expression>"


class CompiledExpression:
    """An expression ready to run.

    Attributes:
        text: As written.
        tree: Its syntax tree.
    """

    __slots__ = ("_needs_context", "_needs_meter", "_run", "_writer", "text", "tree")

    def __init__(self, text: str, tree: Expression | None, writer: Writer) -> None:
        self.text = text
        self.tree = tree
        self._writer = writer
        self._run: Callable[..., object] = compile_source(writer, _FILENAME, "evaluate")
        source = writer.source().split("\n", 1)[1]
        self._needs_meter = "meter" in source
        self._needs_context = "context" in source

    def evaluate(self, variables: Mapping[str, object], context: ExecutionContext | None = None) -> object:
        """The value of the expression, a plain JSON value that nothing else holds.

        Args:
            variables: Plain JSON values by name; never changed.
            context: Source of ids and time; seeded with 0 and frozen by default.

        Raises:
            ExpressionError: With the language's message, and the column.
        """
        meter = Meter() if self._needs_meter else None
        if self._needs_context and context is None:
            context = ExecutionContext()
        try:
            return self._run(variables, meter, context)
        except ExpressionError as error:
            raise locate(error, self._writer.site_of(error, _FILENAME)) from None
        except LimitExceeded as error:
            raise ExpressionError(error.message) from None


class _Variables:
    """Names are looked up in the mapping that is handed in; an agent's also has ``.id`` and ``.name``."""

    def __init__(self, agents: Collection[str]) -> None:
        self._agents = agents

    def variable(self, writer: Writer, name: Name) -> Operand:
        result = writer.fresh()
        writer.line(f"{result} = variables.get({name.name!r}, MISSING)")
        with writer.block(f"if {result} is MISSING:"):
            writer.line(f"undefined({name.name!r})", name.column)
        return Operand(result, aliases=True)

    def path(self, emitter: Emitter, path: Path) -> tuple[Operand, tuple[Step, ...]] | None:
        agent = self._agent(path)
        if agent is None:
            return None
        name, steps = agent
        virtual = step_name(steps[0]) if steps else None
        if virtual == "id":
            return constant(name), steps[1:]
        if virtual == "name":
            own = emitter.steps(emitter.emit(Name(name)), steps[:1])
            result = emitter.writer.fresh()
            emitter.writer.line(f"{result} = {name!r} if {own.code} is None else {own.code}")
            return Operand(result, aliases=True), steps[1:]
        return None

    def _agent(self, path: Path) -> tuple[str, tuple[Step, ...]] | None:
        """The agent that a path starts at, and the steps from there."""
        if not isinstance(path.base, Name):
            return None
        if path.base.name in self._agents:
            return path.base.name, path.steps
        first = step_name(path.steps[0])
        if path.base.name == "agents" and first is not None and first in self._agents:
            return first, path.steps[1:]
        return None


def step_name(step: Step) -> str | None:
    """The key of a step that is written out, ``.x`` or ``["x"]``; else None."""
    match step:
        case Field(name) | Index(Literal(str(name))):
            return name
        case _:
            return None


def check_names(tree: Expression, known: Collection[str]) -> None:
    """Fail at the first name that is not ``known``, or call that does not fit.

    Raises:
        ExpressionError: ``Variable 'foo' is not defined``, ``Unknown function 'foo'`` or a wrong count of
            arguments, with the column.
    """
    for name in names(tree):
        if name.name not in known:
            raise ExpressionError(f"Variable '{name.name}' is not defined", column=name.column)
    check_calls(tree)


def check_calls(tree: Expression) -> None:
    """Fail at the first call of an unknown function, or with a wrong number of arguments."""
    for call in calls(tree):
        check_call(call.function, len(call.arguments), call.column)


def check_template(template: Template, known: Collection[str] | None) -> None:
    """Fail at the first fault of a placeholder, with its column in the whole text.

    Args:
        known: The variables that placeholders may refer to; None leaves unknown ones be.

    Raises:
        ExpressionError: As `check_names`.
    """
    for part in template:
        if isinstance(part, str):
            continue
        try:
            if known is None:
                check_calls(part.expression)
            else:
                check_names(part.expression, known)
        except ExpressionError as error:
            raise ExpressionError(error.message, column=part.offset + (error.column or 1)) from None


@lru_cache(maxsize=1024)
def _compile(text: str, known: frozenset[str] | None, agents: frozenset[str]) -> CompiledExpression:
    tree = parse(text)
    if known is None:
        check_calls(tree)
    else:
        check_names(tree, known)
    writer = Writer()
    with writer.block("def evaluate(variables, meter, context):"):
        emitter = Emitter(writer, _Variables(agents))
        writer.line(f"return {emitter.escape(emitter.emit(tree))}")
    return CompiledExpression(text, tree, writer)


def compile_expression(
    text: str, names: Collection[str] | None = None, *, agents: Collection[str] = ()
) -> CompiledExpression:
    """Compile an expression.

    Args:
        text: The expression.
        names: The variables it may refer to; None leaves unknown ones to `CompiledExpression.evaluate`.
        agents: Variables that are agents' states: these also have ``.id`` and ``.name``.

    Raises:
        ExpressionError: It is no expression, calls what does not exist, or names what is not in ``names``.
    """
    return _compile(text, None if names is None else frozenset(names), frozenset(agents))


@lru_cache(maxsize=1024)
def _compile_template(text: str) -> CompiledExpression:
    template: Template = parse_template(text)
    check_template(template, None)
    writer = Writer()
    with writer.block("def evaluate(variables, meter, context):"):
        emitter = Emitter(writer, _Variables(()))
        writer.line(f"return {emitter.emit_template(template).code}")
    return CompiledExpression(text, None, writer)


def interpolate(text: str, variables: Mapping[str, object], context: ExecutionContext | None = None) -> str:
    """``text`` with each ``${expression}`` replaced by its value, and ``$$`` by a dollar sign.

    Raises:
        ExpressionError: A placeholder cannot be parsed or evaluated.
    """
    return str(_compile_template(text).evaluate(variables, context))
