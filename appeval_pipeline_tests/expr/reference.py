"""A reference evaluator: slow, plain, written from the language's text alone.

It walks trees, and knows nothing of how the project evaluates them. An error is a `Failure` with the
message that the language gives it; of failures that the language has no words for it knows only that
they are failures.
"""

from __future__ import annotations

from typing import Any

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
)

VERBS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


class Failure(Exception):
    """The expression fails; the message is None where the language does not word it."""

    def __init__(self, message: str | None) -> None:
        super().__init__(message)
        self.message = message


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def same(left: Any, right: Any) -> bool:
    if kind_of(left) != kind_of(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict):
        return set(left) == set(right) and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def boolean(value: Any) -> bool:
    if value is True or value is False:
        return bool(value)
    raise Failure(f"Expected boolean, got {kind_of(value)}")


def bounded(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > 2**63:
        raise Failure("Number out of range")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise Failure("Number out of range")
    return value


def evaluate(node: Expression, variables: dict[str, Any]) -> Any:
    """The value of ``node``.

    Raises:
        Failure: It has none.
    """
    match node:
        case Literal(value):
            return value
        case Name(name):
            if name not in variables:
                raise Failure(f"Variable '{name}' is not defined")
            return variables[name]
        case ArrayLiteral(items):
            return [evaluate(item, variables) for item in items]
        case ObjectLiteral(entries):
            return {key: evaluate(value, variables) for key, value in entries}
        case Unary("!", operand):
            return not boolean(evaluate(operand, variables))
        case Unary(_, operand):
            value = evaluate(operand, variables)
            if kind_of(value) != "number":
                raise Failure(None)
            return -value
        case Path(base, steps):
            value = evaluate(base, variables)
            for step in steps:
                if isinstance(step, Field):
                    value = read_field(value, step.name)
                else:
                    value = read_index(value, evaluate(step.index, variables))
            return value
        case Chain(operators, operands):
            value = evaluate(operands[0], variables)
            if operators[0] in ("&&", "||"):
                return logic(operators[0], value, operands, variables)
            for operator, operand in zip(operators, operands[1:], strict=True):
                value = binary(operator, value, evaluate(operand, variables))
            return value
        case Call(name, arguments):
            return call(name, [evaluate(argument, variables) for argument in arguments])


def logic(operator: str, first: Any, operands: tuple[Expression, ...], variables: dict[str, Any]) -> bool:
    value = boolean(first)
    for operand in operands[1:]:
        if value is (operator == "||"):
            continue
        value = boolean(evaluate(operand, variables))
    return value


def binary(operator: str, left: Any, right: Any) -> Any:
    if operator == "==":
        return same(left, right)
    if operator == "!=":
        return not same(left, right)
    kinds = (kind_of(left), kind_of(right))
    numbers, strings = kinds == ("number", "number"), kinds == ("string", "string")
    if operator in ("<", "<=", ">", ">="):
        if not (numbers or strings):
            raise Failure(f"Cannot compare {kinds[0]} and {kinds[1]}")
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]
    if operator == "+" and strings:
        return left + right
    if not numbers:
        raise Failure(f"Cannot {VERBS[operator]} {kinds[0]} and {kinds[1]}")
    if operator == "+":
        return bounded(left + right)
    if operator == "-":
        return bounded(left - right)
    if operator == "*":
        return bounded(left * right)
    if right == 0:
        raise Failure("Division by zero")
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return bounded(left // right)
    return bounded(left / right)


def read_field(value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, dict):
        return value.get(name)
    raise Failure(None)


def read_index(value: Any, key: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, list) and kind_of(key) == "number" and key == int(key):
        if -len(value) <= key < len(value):
            return value[int(key)]
        raise Failure(f"Index {int(key)} out of range")
    raise Failure(None)


def call(name: str, arguments: list[Any]) -> Any:
    first = arguments[0]
    kind = kind_of(first)
    match name:
        case "len" if kind in ("array", "string", "object"):
            return len(first)
        case "contains" if kind == "array":
            return any(same(item, arguments[1]) for item in first)
        case "contains" if kind in ("string", "object") and isinstance(arguments[1], str):
            return arguments[1] in first
        case "lower" if kind == "string":
            return first.lower()
        case "upper" if kind == "string":
            return first.upper()
        case "trim" if kind == "string":
            return first.strip()
        case "abs" if kind == "number":
            return abs(first)
        case "min" | "max":
            kinds = {kind_of(argument) for argument in arguments}
            if kinds not in ({"number"}, {"string"}):
                raise Failure(None)
            return min(arguments) if name == "min" else max(arguments)
        case "bool" if kind == "boolean":
            return first
        case "bool" if kind == "number":
            return first != 0
        case "bool" if first in ("true", "false"):
            return first == "true"
        case "num" if kind == "number":
            return first
        case "str" if kind == "string":
            return first
        case "str" if kind in ("null", "boolean"):
            return {None: "null", True: "true", False: "false"}[first]
        case _:
            raise Failure(None)
