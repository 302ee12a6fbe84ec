"""Values that a parameter accepts, and whole sets of parameters that an action accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeGuard, assert_never

from appeval_pipeline.appdef.parameters import violation
from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.errors import StateError
from appeval_pipeline.evaluation.edge_cases.texts import MAX_TEXT_LENGTH, matching_texts
from appeval_pipeline.expr.limits import MAX_NUMBER
from appeval_pipeline.expr.values import copy_input

MAX_CANDIDATES: Final = 24
"""Values that are tried for one parameter."""

_ELEMENT: Final = "a"
"""What arrays are filled with: nothing says what they hold."""


def accepts(name: str, spec: ParamSpec, value: object) -> bool:
    """Whether the engine takes ``value``, null if it is missing, for the parameter."""
    if value is None:
        return not spec.required or spec.default is not None
    try:
        copied = copy_input(value)
    except StateError:
        return False
    return violation(name, spec, copied) is None


def example_parameters(action: ActionDefinition, agents: Sequence[str] = ()) -> dict[str, Any] | None:
    """Parameters that ``action`` accepts: the required ones; None if none are found.

    Args:
        agents: Ids of agents, which come first where a text is asked for: that a parameter takes an id is
            nothing that a definition says.
    """
    return next(candidate_parameters(action, agents), None)


def candidate_parameters(action: ActionDefinition, agents: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Different sets of parameters that ``action`` accepts, simple ones first; always the same.

    After the example come those that differ from it in one parameter.
    """
    candidates = {name: candidate_values(name, spec, agents) for name, spec in action.parameters.items()}
    if not all(candidates.values()):
        return
    example = {name: values[0] for name, values in candidates.items() if values[0] is not None}
    yield example
    for name, values in candidates.items():
        for value in values[1:]:
            yield {**example, name: value}


def candidate_values(
    name: str, spec: ParamSpec, hints: Iterable[object] = (), most: int = MAX_CANDIDATES
) -> list[Any]:
    """Different values that the parameter accepts, at most ``most``.

    The first is null, which is as good as leaving the parameter out, where that is accepted.

    Args:
        hints: Values of any type that are worth trying first.
    """
    found: list[Any] = []
    known = set()
    for value in _values(spec, list(hints)):
        key = (type(value), repr(value))
        if key not in known and accepts(name, spec, value):
            known.add(key)
            found.append(value)
            if len(found) == most:
                break
    return found


def _values(spec: ParamSpec, hints: list[object]) -> Iterator[object]:
    yield None
    if spec.enum is not None:
        yield from islice(spec.enum, MAX_CANDIDATES)
    match spec.type:
        case "string":
            yield from _texts(spec, [hint for hint in hints if isinstance(hint, str)])
        case "number":
            yield from _numbers(spec, [hint for hint in hints if _is_number(hint)])
        case "boolean":
            yield from (True, False)
        case "array":
            yield from _arrays(spec, hints)
        case "object":
            yield {}
            yield from (hint for hint in hints if isinstance(hint, Mapping))
        case _:
            assert_never(spec.type)


def _texts(spec: ParamSpec, hints: list[str]) -> Iterator[str]:
    yield from hints[:2]
    if spec.pattern is not None:
        yield from matching_texts(spec.pattern)
    yield from ("a", " ")
    yield from hints[2 : MAX_CANDIDATES // 2]
    yield ""
    for length in _lengths(spec):
        yield from matching_texts(spec.pattern, length) if spec.pattern is not None else ()
        yield "a" * length
        yield " " * length
    yield from hints[MAX_CANDIDATES // 2 :]


def _numbers(spec: ParamSpec, hints: list[Any]) -> Iterator[int | float]:
    bounds = [bound for bound in (spec.min_value, spec.max_value) if _is_number(bound)]
    yield 1
    yield from bounds
    yield 0
    yield from (bound + 0.5 for bound in bounds)
    yield sum(bounds) / 2
    yield from (2, 0.5, -1)
    yield from hints
    yield from (100, 1_000_000, 1_000_000_000)


def _arrays(spec: ParamSpec, hints: list[object]) -> Iterator[list[object]]:
    yield []
    yield from ([hint] for hint in hints[:2])
    yield [_ELEMENT]
    yield [1]
    yield from ([hint] for hint in hints[2 : MAX_CANDIDATES // 2])
    for length in _lengths(spec):
        yield [_ELEMENT] * length
        yield [1] * length
    others: tuple[list[object], ...] = ([None], [{}], [_ELEMENT, _ELEMENT])
    yield from others


def _lengths(spec: ParamSpec) -> list[int]:
    """The bounds of its length, but for those that no value is made for."""
    bounds = (spec.min_length, spec.max_length)
    return [bound for bound in bounds if bound is not None and bound <= MAX_TEXT_LENGTH]


def _is_number(value: object) -> TypeGuard[int | float]:
    """Whether ``value`` is a number that the language has; others may be too large to count with."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and -MAX_NUMBER <= value <= MAX_NUMBER
    )
