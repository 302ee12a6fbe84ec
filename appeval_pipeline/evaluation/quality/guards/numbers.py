"""Expression trees to polynomials, with the bounds that the definition itself gives."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition, ParamSpec
from appeval_pipeline.evaluation.quality.guards.polynomials import Atom, Polynomial
from appeval_pipeline.evaluation.quality.guards.terms import place_of, reads_of, text_of
from appeval_pipeline.expr.tree import Call, Chain, Expression, Field, Literal, Name, Path, Unary


class Numbers:
    """Reads canonical expressions of one action as polynomials, remembering each."""

    def __init__(self, app: AppDefinition, action: ActionDefinition) -> None:
        self._parameters = action.parameters
        self._config = (app.config_schema or {}).get("properties")
        self._known: dict[str, Polynomial] = {}

    def read(self, node: Expression) -> Polynomial:
        """``node`` as a polynomial; what is no sum or product is one atom."""
        text = text_of(node)
        result = self._known.get(text)
        if result is None:
            result = self._known[text] = self._read(node)
        return result

    def _read(self, node: Expression) -> Polynomial:
        match node:
            case Literal(bool()):
                return self._atom(node)
            case Literal(int() | float() as value):
                return Polynomial.constant(Fraction(str(value)))
            case Unary("-", operand):
                return self.read(operand).scaled(-1)
            case Chain(operators, operands) if operators[0] in ("+", "-"):
                total = self.read(operands[0])
                for operator, operand in zip(operators, operands[1:], strict=True):
                    total = total.plus(self.read(operand), 1 if operator == "+" else -1)
                return total
            case Chain(operators, operands) if operators[0] in ("*", "/"):
                return self._product(node, operators, operands)
            case _:
                return self._atom(node)

    def _product(
        self, node: Expression, operators: tuple[str, ...], operands: tuple[Expression, ...]
    ) -> Polynomial:
        product = self.read(operands[0])
        for operator, operand in zip(operators, operands[1:], strict=True):
            factor = self.read(operand)
            if operator == "/":
                value = factor.value
                if not value:
                    return self._atom(node)
                factor = Polynomial.constant(1 / value)
            step = product.times(factor)
            if step is None:
                return self._atom(node)
            product = step
        return product

    def _atom(self, node: Expression) -> Polynomial:
        lower, upper = self._bounds(node)
        at_most: tuple[Polynomial, ...] = ()
        at_least: tuple[Polynomial, ...] = ()
        match node:
            case Call("min", arguments):
                at_most = tuple(map(self.read, arguments))
            case Call("max", arguments):
                at_least = tuple(map(self.read, arguments))
            case _:
                pass
        place = place_of(node)
        return Polynomial.atom(Atom(text_of(node), place, reads_of(node), lower, upper, at_most, at_least))

    def _bounds(self, node: Expression) -> tuple[Fraction | None, Fraction | None]:
        match node:
            case Path(Name("params"), (Field(name),)) if name in self._parameters:
                return _spec_bounds(self._parameters[name])
            case Path(Name("config"), (Field(name),)) if isinstance(self._config, Mapping):
                return _schema_bounds(self._config.get(name))
            case Call("len"):
                return Fraction(0), None
            case Call("now"):
                return Fraction(1), None
            case Call("abs"):
                return Fraction(0), None
            case Call("round", (number, *_)):
                lower = self.read(number).lower()
                return (Fraction(0) if lower is not None and lower >= 0 else None), None
            case Call("min", arguments):
                lowers = [self.read(argument).lower() for argument in arguments]
                known = [bound for bound in lowers if bound is not None]
                return (min(known) if len(known) == len(lowers) else None), None
            case Call("max", arguments):
                lowers = [self.read(argument).lower() for argument in arguments]
                return max((bound for bound in lowers if bound is not None), default=None), None
            case _:
                return None, None


def _spec_bounds(spec: ParamSpec) -> tuple[Fraction | None, Fraction | None]:
    if spec.type != "number":
        return None, None
    options = [option for option in spec.enum or () if _is_number(option)]
    if options:
        fractions = [Fraction(str(option)) for option in options]
        return min(fractions), max(fractions)
    return _fraction(spec.min_value), _fraction(spec.max_value)


def _schema_bounds(schema: object) -> tuple[Fraction | None, Fraction | None]:
    """The bounds in a JSON Schema of a config value."""
    if not isinstance(schema, Mapping):
        return None, None
    return _fraction(schema.get("minimum")), _fraction(schema.get("maximum"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fraction(value: object) -> Fraction | None:
    return Fraction(str(value)) if _is_number(value) else None
