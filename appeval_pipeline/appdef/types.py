"""Which types an expression can have, as far as the definition tells, and what can never be evaluated.

A type is the set of kinds that a value may be of. Only what fails for every kind is reported: an expression
that may succeed is none of this module's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition, StateField
from appeval_pipeline.expr.compiled import step_name
from appeval_pipeline.expr.functions import FUNCTIONS
from appeval_pipeline.expr.tree import (
    ArrayLiteral,
    Call,
    Chain,
    Expression,
    Field,
    Literal,
    Name,
    ObjectLiteral,
    Path,
    Step,
    Unary,
)
from appeval_pipeline.expr.values import type_name

Kinds = frozenset[str]
ANY: Final[Kinds] = frozenset({"null", "boolean", "number", "string", "array", "object"})
NULL: Final[Kinds] = frozenset({"null"})
BOOLEAN: Final[Kinds] = frozenset({"boolean"})
NUMBER: Final[Kinds] = frozenset({"number"})
STRING: Final[Kinds] = frozenset({"string"})
ARRAY: Final[Kinds] = frozenset({"array"})
OBJECT: Final[Kinds] = frozenset({"object"})

_VERBS: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_SIZED: Final = ARRAY | STRING | OBJECT
_ACCEPTED: Final[Mapping[str, tuple[Kinds, str]]] = {
    "len": (_SIZED, "array, string or object"),
    "contains": (_SIZED, "array, string or object"),
    "lower": (STRING, "string"),
    "upper": (STRING, "string"),
    "trim": (STRING, "string"),
    "round": (NUMBER, "number"),
    "abs": (NUMBER, "number"),
    "slice": (ARRAY | STRING, "array or string"),
    "min": (NUMBER | STRING, "numbers or strings"),
    "max": (NUMBER | STRING, "numbers or strings"),
    "num": (NUMBER | STRING, "number or string"),
    "bool": (BOOLEAN | NUMBER | STRING, "boolean, number or string"),
}
"""What the first argument of a function may be."""


@dataclass(frozen=True, slots=True)
class Type:
    """What a value may be.

    Attributes:
        kinds: The kinds it may be of.
        properties: The types of an object's properties, as far as they are known.
        others: The type of an object's other properties.
    """

    kinds: Kinds
    properties: Mapping[str, Type] = field(default_factory=dict)
    others: Kinds = ANY


UNKNOWN: Final = Type(ANY)
Scope = Mapping[str, Type]
Report = Callable[[str, int], None]


def action_scope(app: AppDefinition, action: ActionDefinition) -> dict[str, Type]:
    """The types of the context variables of ``action``."""
    params = {
        name: Type(
            frozenset({spec.type}) if spec.required or spec.default is not None else NULL | {spec.type}
        )
        for name, spec in action.parameters.items()
    }
    own = {f.name: _field_type(f) for f in app.state_schema if app.is_per_agent(f)}
    name = own.get("name")
    # A field that no schema declares may be of any type, and so may the name that shows instead of the id.
    shown = (name.kinds - NULL) | STRING if name else STRING if app.state_schema else ANY - NULL
    with_virtuals = {**own, "id": Type(STRING), "name": Type(shown)}
    shared = {f.name: _field_type(f) for f in app.state_schema if not app.is_per_agent(f)}
    return {
        "params": Type(OBJECT, params, NULL),
        "agent": Type(OBJECT, own),
        "agents": Type(OBJECT, {}, OBJECT | NULL),
        "shared": Type(OBJECT, shared),
        "config": Type(OBJECT),
        ANY_AGENT: Type(OBJECT | NULL, with_virtuals),
    }


ANY_AGENT: Final = "agents[]"
"""The key in a scope, no name of the language, of what ``agents[…]`` gives."""


def _field_type(field: StateField) -> Type:
    kinds: Kinds = frozenset({field.type})
    if field.default is None:
        kinds |= NULL
    if field.properties is None:
        return Type(kinds)
    return Type(kinds, {inner.name: _property_type(inner) for inner in field.properties}, NULL)


def _property_type(field: StateField) -> Type:
    """A property may be missing whatever its default: defaults are given to whole fields only."""
    inner = _field_type(field)
    return Type(inner.kinds | NULL, inner.properties, inner.others)


def item_type(collection: Type) -> Type:
    """The type of the items of a loop over ``collection``."""
    return Type(STRING) if "array" not in collection.kinds else UNKNOWN


def describe(kinds: Kinds) -> str:
    """A kind to name in a message: the only one, or the first that is not null."""
    return min(kinds - NULL or kinds)


def infer(node: Expression, scope: Scope, report: Report) -> Type:
    """The type of ``node``; ``report`` gets the message and column of what can never be evaluated."""
    return _Inference(scope, report).infer(node)


class _Inference:
    def __init__(self, scope: Scope, report: Report) -> None:
        self.scope = scope
        self.report = report

    def infer(self, node: Expression) -> Type:
        match node:
            case Literal(value):
                return Type(frozenset({type_name(value)}))
            case Name(name):
                return self.scope.get(name, UNKNOWN)
            case ArrayLiteral(items):
                self._all(items)
                return Type(ARRAY)
            case ObjectLiteral(entries):
                properties = {key: self.infer(value) for key, value in entries}
                return Type(OBJECT, properties, NULL)
            case Path():
                return self._path(node)
            case Call():
                return self._call(node)
            case Unary("!", operand, column):
                self.boolean(operand, column)
                return Type(BOOLEAN)
            case Unary(_, operand, column):
                kinds = self.infer(operand).kinds
                if "number" not in kinds:
                    self.report(f"Cannot negate {describe(kinds)}", column)
                return Type(NUMBER)
            case Chain():
                return self._chain(node)

    def boolean(self, node: Expression, column: int) -> None:
        """``node`` must be a boolean."""
        kinds = self.infer(node).kinds
        if "boolean" not in kinds:
            self.report(f"Expected boolean, got {describe(kinds)}", column)

    def _all(self, nodes: Iterable[Expression]) -> list[Type]:
        return [self.infer(node) for node in nodes]

    def _path(self, node: Path) -> Type:
        current = self.infer(node.base)
        steps = node.steps
        if node.base == Name("agent") and "agent" in self.scope:
            # Only a path that starts at an agent has its virtual id and name.
            current = Type(OBJECT, self.scope[ANY_AGENT].properties)
        elif node.base == Name("agents") and "agents" in self.scope:
            self._check_key(current, steps[0])
            current, steps = self.scope[ANY_AGENT], steps[1:]
        for step in steps:
            current = self._step(current, step)
        return current

    def _check_key(self, container: Type, step: Step) -> None:
        """An index must be able to be a key of ``container``."""
        if isinstance(step, Field):
            return
        key = self.infer(step.index).kinds
        accepted = (NUMBER if "array" in container.kinds else frozenset()) | (
            STRING if "object" in container.kinds else frozenset()
        )
        if "null" not in container.kinds and accepted and not key & accepted:
            self.report(f"Cannot index {describe(container.kinds)} with {describe(key)}", step.column)

    def _step(self, container: Type, step: Step) -> Type:
        self._check_key(container, step)
        readable = OBJECT | NULL if isinstance(step, Field) else OBJECT | NULL | ARRAY
        if not container.kinds & readable:
            kind = describe(container.kinds)
            text = (
                f"Cannot read '{step.name}' of {kind}" if isinstance(step, Field) else f"Cannot index {kind}"
            )
            self.report(text, step.column)
            return UNKNOWN
        name = step_name(step)
        if "array" in container.kinds and not isinstance(step, Field):
            return UNKNOWN
        if "object" not in container.kinds:
            return Type(NULL)
        if name is None:
            return UNKNOWN
        found = container.properties.get(name, Type(container.others))
        kinds = found.kinds | NULL if "null" in container.kinds else found.kinds
        return Type(kinds, found.properties, found.others)

    def _call(self, node: Call) -> Type:
        arguments = self._all(node.arguments)
        accepted = _ACCEPTED.get(node.function)
        function = FUNCTIONS.get(node.function)
        if accepted is not None and arguments:
            kinds, words = accepted
            checked = arguments if node.function in ("min", "max") else arguments[:1]
            for argument in checked:
                if not argument.kinds & kinds:
                    kind = describe(argument.kinds)
                    self.report(f"Function '{node.function}' expects {words}, got {kind}", node.column)
        if function is not None and function.gives is not None:
            return Type(frozenset({function.gives}))
        if node.function == "slice" and arguments:
            return Type(arguments[0].kinds & (ARRAY | STRING) or ANY)
        if node.function in ("min", "max"):
            return Type(NUMBER | STRING)
        return UNKNOWN

    def _chain(self, node: Chain) -> Type:
        if node.operators[0] in ("&&", "||"):
            for operand in node.operands:
                self.boolean(operand, operand.column)
            return Type(BOOLEAN)
        left = self.infer(node.operands[0])
        for operator, operand, column in zip(node.operators, node.operands[1:], node.columns, strict=True):
            left = self._binary(operator, left, self.infer(operand), column)
        return left

    def _binary(self, operator: str, left: Type, right: Type, column: int) -> Type:
        if operator in ("==", "!="):
            return Type(BOOLEAN)
        accepted = NUMBER if operator in ("-", "*", "/") else NUMBER | STRING
        common = left.kinds & right.kinds & accepted
        is_order = operator not in _VERBS
        if not common:
            verb = "compare" if is_order else _VERBS[operator]
            self.report(f"Cannot {verb} {_worse(left, accepted)} and {_worse(right, accepted)}", column)
        if is_order:
            return Type(BOOLEAN)
        return Type(common or accepted)


def _worse(operand: Type, accepted: Kinds) -> str:
    """The kind of an operand to name: one that the operator accepts, if it has one."""
    return describe(operand.kinds & accepted or operand.kinds)
