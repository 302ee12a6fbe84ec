"""What the definition says of an expression's type, and whose value it is."""

from __future__ import annotations

from dataclasses import dataclass

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition, StateField, ValueType
from appeval_pipeline.appdef.targets import find_field, parse_target
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.evaluation.quality.guards.terms import text_of
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
    Unary,
    children,
)

STATE_ROOTS = ("agent", "agents", "shared")


@dataclass(frozen=True, slots=True)
class Types:
    """Static types in one action, as far as they are declared."""

    app: AppDefinition
    action: ActionDefinition

    def field(self, node: Expression) -> StateField | None:
        """The schema field that a path names."""
        try:
            found = find_field(self.app, parse_target(text_of(node)))
        except ExpressionError:
            return None
        return found if isinstance(found, StateField) else None

    def of(self, node: Expression) -> ValueType | None:
        match node:
            case Literal(value):
                return _literal_type(value)
            case ArrayLiteral():
                return "array"
            case ObjectLiteral():
                return "object"
            case Path(Name("params"), (Field(name),)):
                spec = self.action.parameters.get(name)
                return spec.type if spec else None
            case Path(Name("agent"), (Field("id"),)):
                return "string"
            case Name("agents" | "agent" | "shared" | "params" | "config"):
                return "object"
            case Path(Name(root)) if root in STATE_ROOTS:
                field = self.field(node)
                return field.type if field else None
            case Call(function):
                known = FUNCTIONS.get(function)
                return known.gives if known else "string"
            case Unary("-"):
                return "number"
            case Unary():
                return "boolean"
            case Chain(operators, operands):
                if operators[0] == "+":
                    return next(filter(None, map(self.of, operands)), None)
                return "number" if operators[0] in ("-", "*", "/") else "boolean"
            case _:
                return None


def _literal_type(value: object) -> ValueType | None:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Items:
    """The loop items in scope, and what each walks over; the innermost of a name counts."""

    collections: tuple[tuple[str, Expression], ...] = ()

    def adding(self, name: str, collection: Expression) -> Items:
        return Items(((name, collection), *self.collections))

    def from_caller(self, node: Expression) -> bool:
        """Whether the caller chooses the value of ``node``.

        What is read from the state is not the caller's choice, even where the caller chose the key.
        """
        match node:
            case Name(name):
                return "params" in self.origins(name)
            case Path(base):
                return self.from_caller(base)
            case _:
                return any(map(self.from_caller, children(node)))

    def from_state(self, node: Expression) -> bool:
        """Whether ``node`` is a value out of the state."""
        match node:
            case Name(name):
                return bool(self.origins(name) & set(STATE_ROOTS))
            case Path(Name("agent"), (Field("id" | "name"),)):
                return False
            case Path(base):
                return self.from_state(base)
            case _:
                return False

    def origins(self, name: str) -> frozenset[str]:
        """The context variables that the variable ``name`` is, or walks over."""
        for position, (item, collection) in enumerate(self.collections):
            if item == name:
                outer = Items(self.collections[position + 1 :])
                return outer.roots(collection)
        return frozenset((name,))

    def roots(self, node: Expression) -> frozenset[str]:
        """The context variables that give ``node`` its value; keys of paths do not count."""
        match node:
            case Name(name):
                return self.origins(name)
            case Path(base):
                return self.roots(base)
            case _:
                return frozenset().union(*map(self.roots, children(node)))
