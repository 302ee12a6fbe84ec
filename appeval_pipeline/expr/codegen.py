"""Checked syntax tree to Python source, one statement an operation.

The source holds nothing of the input's text but constants, escaped by ``repr``, and names made up here.
Each operation that can fail stands on a line of its own, and `Writer.sites` says which place in the input
a line came from: a failure is traced back by its line number, which costs nothing where nothing fails.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Final, Protocol

from appeval_pipeline.expr import operators, values
from appeval_pipeline.expr.functions import FUNCTIONS, Function, check_call, length
from appeval_pipeline.expr.limits import MAX_NUMBER
from appeval_pipeline.expr.templates import Template, concat
from appeval_pipeline.expr.tree import (
    ArrayLiteral,
    BinaryOperator,
    Call,
    Chain,
    Expression,
    Field,
    Index,
    Literal,
    Name,
    ObjectLiteral,
    Path,
    Step,
    Unary,
)
from appeval_pipeline.expr.values import LONG
from appeval_pipeline.expr.writing import MISSING, Kind, Operand, Writer, constant

RUNTIME: Final[Mapping[str, object]] = {
    "__builtins__": {},
    "MISSING": MISSING,
    "SCALARS": values.SCALARS,
    "concat": concat,
    "copy_made": values.copy_made,
    "dict": dict,
    "equal": values.equal,
    "expected_boolean": operators.expected_boolean,
    "field": operators.field,
    "index": operators.index,
    "int": int,
    "len": len,
    "length": length,
    "list": list,
    "negate": operators.negate,
    "negation": operators.negation,
    "op_add": operators.add,
    "op_divide": operators.divide,
    "op_greater": operators.greater,
    "op_greater_equal": operators.greater_equal,
    "op_less": operators.less,
    "op_less_equal": operators.less_equal,
    "op_multiply": operators.multiply,
    "op_subtract": operators.subtract,
    "op_unequal": operators.unequal,
    "repr": repr,
    "show": values.show,
    "str": str,
    "type": type,
    "undefined": operators.undefined,
    **{f"fn_{name}": function.call for name, function in FUNCTIONS.items()},
}
"""The only names that generated code can reach."""

_ARITHMETIC: Final[Mapping[BinaryOperator, str]] = {"+": "op_add", "-": "op_subtract", "*": "op_multiply"}
_ORDER: Final[Mapping[BinaryOperator, str]] = {
    "<": "op_less", "<=": "op_less_equal", ">": "op_greater", ">=": "op_greater_equal",
}  # fmt: skip


class Roots(Protocol):
    """What the names of an expression mean in generated code."""

    def variable(self, writer: Writer, name: Name) -> Operand:
        """The value of a variable."""

    def path(self, emitter: Emitter, path: Path) -> tuple[Operand, tuple[Step, ...]] | None:
        """The value of the first steps of a path that has a meaning of its own, and the steps left."""


class Emitter:
    """Writes the code of expressions; ``meter`` and ``context`` are local names of that code."""

    def __init__(self, writer: Writer, roots: Roots) -> None:
        self.writer = writer
        self.roots = roots

    def emit(self, node: Expression) -> Operand:
        """Write the code that evaluates ``node``."""
        match node:
            case Literal(value):
                return constant(value)
            case Name():
                return self.roots.variable(self.writer, node)
            case ArrayLiteral(items):
                operands = [self.emit(item) for item in items]
                return self._set(f"[{', '.join(o.code for o in operands)}]", "array", operands)
            case ObjectLiteral(entries):
                pairs = [(key, self.emit(value)) for key, value in entries]
                code = ", ".join(f"{key!r}: {operand.code}" for key, operand in pairs)
                return self._set(f"{{{code}}}", "object", [operand for _, operand in pairs])
            case Path():
                return self._path(node)
            case Call():
                return self._call(node)
            case Unary(operator, operand, column):
                return self._unary(operator, self.emit(operand), column)
            case Chain():
                return self._chain(node)

    def escape(self, operand: Operand) -> str:
        """Code of ``operand`` as a value that nothing else holds."""
        if not operand.aliases or operand.kind in ("null", "boolean", "number", "string"):
            return operand.code
        name = operand.code
        copied = self.writer.fresh()
        self.writer.line(f"{copied} = {name} if type({name}) in SCALARS else copy_made({name}, meter)")
        return copied

    def emit_template(self, template: Template) -> Operand:
        """Write the code that fills in an interpolated text."""
        codes = []
        for part in template:
            if isinstance(part, str):
                codes.append(repr(part))
            else:
                outer, self.writer.column_offset = self.writer.column_offset, part.offset
                codes.append(self._shown(self.emit(part.expression), part.expression.column))
                self.writer.column_offset = outer
        if len(template) == 1 and isinstance(template[0], str):
            return constant(template[0])
        result = self.writer.fresh()
        self.writer.line(f"{result} = concat(meter, {', '.join(codes)})")
        return Operand(result, "string")

    def _shown(self, operand: Operand, column: int) -> str:
        """Code of ``operand`` as interpolation prints it."""
        if operand.kind == "string":
            return operand.code
        text, code = self.writer.fresh(), operand.code
        if operand.constant:
            self.writer.line(f"{text} = show({code}, meter)", column)
        else:
            fast = f"{code} if type({code}) is str else repr({code}) if type({code}) is int"
            self.writer.line(f"{text} = {fast} else show({code}, meter)", column)
        return text

    def emit_boolean(self, node: Expression) -> str:
        """Write the code of a condition; the name of a local that is True or False."""
        return self._boolean(self.emit(node), node.column)

    def steps(self, operand: Operand, steps: tuple[Step, ...]) -> Operand:
        """Write the code that walks ``steps`` from ``operand``."""
        for step in steps:
            operand = self._step(operand, step)
        return operand

    def key(self, step: Step) -> Operand:
        """The operand of a step's key: a constant string for ``.name``."""
        return constant(step.name) if isinstance(step, Field) else self.emit(step.index)

    def _set(self, code: str, kind: Kind | None = None, parts: list[Operand] | None = None) -> Operand:
        name = self.writer.fresh()
        self.writer.line(f"{name} = {code}")
        return Operand(
            name,
            kind,
            aliases=any(part.aliases for part in parts or ()),
            changes=any(part.changes for part in parts or ()),
        )

    def _path(self, node: Path) -> Operand:
        special = self.roots.path(self, node)
        if special is not None:
            return self.steps(*special)
        return self.steps(self.emit(node.base), node.steps)

    def _step(self, operand: Operand, step: Step) -> Operand:
        writer, result = self.writer, self.writer.fresh()
        match step:
            case Field(name, column):
                if operand.kind == "object":
                    writer.line(f"{result} = {operand.code}.get({name!r})")
                else:
                    code = operand.code if not operand.constant else f"({operand.code})"
                    fast = f"{code}.get({name!r}) if type({code}) is dict"
                    writer.line(f"{result} = {fast} else field({code}, {name!r})", column)
            case Index(key, column):
                position = _literal_position(key)
                slow = f"index({operand.code}, {self.emit(key).code})"
                if position is None or operand.constant:
                    writer.line(f"{result} = {slow}", column)
                else:
                    code, needed = operand.code, position + 1 if position >= 0 else -position
                    fast = f"{code}[{position}] if type({code}) is list and len({code}) >= {needed}"
                    writer.line(f"{result} = {fast} else {slow}", column)
        return Operand(result, None, aliases=True, changes=operand.changes)

    def _call(self, node: Call) -> Operand:
        function = check_call(node.function, len(node.arguments), node.column)
        arguments = [self.emit(argument) for argument in node.arguments]
        codes = [argument.code for argument in arguments]
        result = self.writer.fresh()
        if node.function == "len" and arguments[0].kind is None:
            code = codes[0]
            self.writer.line(
                f"{result} = len({code}) if type({code}) is list or type({code}) is str else length({code})",
                node.column,
            )
        elif node.function == "round" and len(arguments) == 1 and not arguments[0].constant:
            code = codes[0]
            self.writer.line(f"{result} = {code} if type({code}) is int else fn_round({code})", node.column)
        else:
            leading = {"nothing": [], "meter": ["meter"], "context": ["context"]}[function.needs]
            self.writer.line(f"{result} = fn_{function.name}({', '.join(leading + codes)})", node.column)
        aliases = _may_alias(function, arguments)
        changes = aliases and any(argument.changes for argument in arguments)
        return Operand(result, function.gives, aliases=aliases, changes=changes)

    def _unary(self, operator: str, operand: Operand, column: int) -> Operand:
        if operator == "-":
            if operand.constant and operand.kind == "number":
                return Operand(f"(-{operand.code})", "number", constant=True)
            result = self.writer.fresh()
            self.writer.line(f"{result} = negate({operand.code})", column)
            return Operand(result, "number")
        if operand.kind == "boolean":
            return self._set(f"not {operand.code}", "boolean")
        result = self.writer.fresh()
        self.writer.line(f"{result} = negation({operand.code})", column)
        return Operand(result, "boolean")

    def _boolean(self, operand: Operand, column: int) -> str:
        if operand.kind not in ("boolean", None):
            self.writer.line(f"expected_boolean({operand.code})", column)
        elif operand.kind is None:
            with self.writer.block(f"if {operand.code} is not True and {operand.code} is not False:"):
                self.writer.line(f"expected_boolean({operand.code})", column)
        return operand.code

    def _chain(self, node: Chain) -> Operand:
        if node.operators[0] in ("||", "&&"):
            return self._logical(node.operators[0], node.operands)
        result = self.emit(node.operands[0])
        for operator, right, column in zip(node.operators, node.operands[1:], node.columns, strict=True):
            result = self._binary(operator, result, self.emit(right), column)
        return result

    def _logical(self, operator: BinaryOperator, operands: tuple[Expression, ...]) -> Operand:
        result = self.writer.fresh()
        self.writer.line(f"{result} = {self.emit_boolean(operands[0])}")
        header = f"if {result}:" if operator == "&&" else f"if not {result}:"
        for operand in operands[1:]:
            # Grouping from the left, a later operand runs only if the result so far has not decided.
            with self.writer.block(header):
                self.writer.line(f"{result} = {self.emit_boolean(operand)}")
        return Operand(result, "boolean")

    def _binary(self, operator: BinaryOperator, left: Operand, right: Operand, column: int) -> Operand:
        writer, result = self.writer, self.writer.fresh()
        a, b = left.code, right.code
        if operator in ("==", "!="):
            return self._equality(operator, left, right, column)
        if operator in _ORDER:
            checks = _int_checks(left, right)
            slow = f"{_ORDER[operator]}({a}, {b}, meter)"
            fast = f"{a} {operator} {b} if {checks} else {slow}" if checks else slow
            writer.line(f"{result} = {fast}", column)
            return Operand(result, "boolean")
        if operator == "/":
            writer.line(f"{result} = op_divide({a}, {b})", column)
            return Operand(result, "number")
        checks = _int_checks(left, right)
        function = _ARITHMETIC[operator]
        slow = f"{function}({a}, {b}, meter)" if operator == "+" else f"{function}({a}, {b})"
        if checks:
            bounds = f"-{MAX_NUMBER} <= ({result} := {a} {operator} {b}) <= {MAX_NUMBER}"
            with writer.block(f"if not ({checks} and {bounds}):"):
                writer.line(f"{result} = {slow}", column)
        else:
            writer.line(f"{result} = {slow}", column)
        numeric = operator != "+" or "number" in (left.kind, right.kind)
        kind: Kind | None = "number" if numeric else "string" if "string" in (left.kind, right.kind) else None
        return Operand(result, kind)

    def _equality(self, operator: BinaryOperator, left: Operand, right: Operand, column: int) -> Operand:
        if left.constant and not right.constant:
            left, right = right, left
        if left.constant:
            left = self._set(left.code, left.kind)
        a, b = left.code, right.code
        negated = operator == "!="
        if right.constant and right.kind in ("null", "boolean"):
            return self._set(f"{a} is {'not ' if negated else ''}{b}", "boolean")
        if "string" in (left.kind, right.kind) and (right.constant or "caller" in (a, b)):
            return self._set(f"{a} {operator} {b}", "boolean")
        result = self.writer.fresh()
        slow = f"op_unequal({a}, {b}, meter)" if negated else f"equal({a}, {b}, meter)"
        self.writer.line(
            f"{result} = {a} {operator} {b} if type({a}) is str and len({a}) < {LONG} else {slow}", column
        )
        return Operand(result, "boolean")


def _literal_position(key: Expression) -> int | None:
    """The whole number that an index is written as, if it is."""
    match key:
        case Literal(bool()):
            return None
        case Literal(int(position)):
            return position
        case Unary("-", Literal(int(position))) if not isinstance(position, bool):
            return -position
        case _:
            return None


def _may_alias(function: Function, arguments: list[Operand]) -> bool:
    return function.gives is None and any(argument.aliases for argument in arguments)


def _int_checks(left: Operand, right: Operand) -> str:
    """A test that both operands are integers; empty where one surely is none."""
    tests = []
    for operand in (left, right):
        if operand.kind not in (None, "number"):
            return ""
        if operand.constant:
            if "." in operand.code or "e" in operand.code:
                return ""
        else:
            tests.append(f"type({operand.code}) is int")
    return " and ".join(tests)


def compile_source(
    writer: Writer, filename: str, function: str, names: Mapping[str, object] | None = None
) -> types.FunctionType:
    """Compile what ``writer`` holds; the function named ``function`` in it.

    The code runs with the names of `RUNTIME` and ``names`` alone: no builtins, no imports.
    """
    code = compile(writer.source(), filename, "exec")
    namespace: dict[str, object] = {**RUNTIME, **(names or {})}
    exec(code, namespace)  # noqa: S102 - our own generated code; the input is in it as constants only
    compiled = namespace[function]
    assert isinstance(compiled, types.FunctionType)
    return compiled
