"""The cases that follow from what a parameter's spec says, each with a value that meets it.

What a value is expected to come to is not written down by kind: the spec itself decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from appeval_pipeline.appdef.parameters import kind_of
from appeval_pipeline.appdef.schema import ParamSpec
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.evaluation.edge_cases.examples import accepts, candidate_values
from appeval_pipeline.evaluation.edge_cases.report import Kind
from appeval_pipeline.evaluation.edge_cases.texts import MAX_TEXT_LENGTH, matching_texts
from appeval_pipeline.expr.limits import MAX_NUMBER

MISSING: Final = object()
"""Stands for a parameter that is left out."""

UNFOUND: Final = object()
"""Stands for a value that was not found."""

Measure = Literal["missing", "null", "type", "value", "length", "longer", "pattern", "enum"]

_OTHER_TYPE: Final[dict[str, Any]] = {
    "string": 1,
    "number": "1",
    "boolean": "true",
    "array": {},
    "object": [],
}
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ValueCase:
    """A predicate on what a call gives for one parameter.

    Attributes:
        measure, wanted: The predicate: what is looked at, and the number that it has to be, if it is one.
        value: What meets it: a value, `MISSING` or `UNFOUND`.
        is_valid: Whether the spec accepts what meets it.
    """

    kind: Kind
    measure: Measure
    wanted: float | int | None
    value: Any
    is_valid: bool

    def meets(self, spec: ParamSpec, value: object) -> bool:
        """Whether ``value``, or `MISSING`, is such a case; whether it is accepted is asked elsewhere."""
        if self.measure == "missing" or value is MISSING:
            return self.measure == "missing" and value is MISSING
        if self.measure == "null" or value is None:
            return self.measure == "null" and value is None
        if self.measure == "type":
            return _type_of(value) != spec.type
        return _type_of(value) == spec.type and self._meets_of_type(spec, value)

    def _meets_of_type(self, spec: ParamSpec, value: Any) -> bool:
        match self.measure:
            case "value":
                return _is_close(value, self.wanted)
            case "length":
                return len(value) == self.wanted
            case "longer":
                return len(value) > (self.wanted or 0)
            case "pattern":
                return _breaks(spec, value, "pattern")
            case _:
                return _breaks(spec, value, "enum")


def value_cases(name: str, spec: ParamSpec) -> list[ValueCase]:
    """The cases of one parameter; of those that ask for the same, the first."""
    found: dict[tuple[Measure, float | int | None], ValueCase] = {}
    for case in _cases(name, spec):
        found.setdefault((case.measure, case.wanted), case)
    return list(found.values())


def _cases(name: str, spec: ParamSpec) -> Iterator[ValueCase]:
    is_optional = accepts(name, spec, None)
    if spec.required:
        yield ValueCase("required_missing", "missing", None, MISSING, is_optional)
    yield ValueCase("null", "null", None, None, is_optional)
    yield ValueCase("wrong_type", "type", None, _OTHER_TYPE[spec.type], is_valid=False)
    yield from _value_bounds(name, spec)
    yield from _length_bounds(name, spec)
    if spec.type == "string":
        yield ValueCase("empty_string", "length", 0, "", accepts(name, spec, ""))
        if spec.max_length is not None:
            long = _text(name, spec, 2 * spec.max_length + 1, is_valid=False)
            yield ValueCase("over_long_string", "longer", spec.max_length, long, is_valid=False)
    if spec.pattern is not None:
        yield ValueCase(
            "pattern_violation", "pattern", None, _breaking(name, spec, "pattern"), is_valid=False
        )
    if spec.enum is not None:
        value = _breaking(name, spec, "enum")
        yield ValueCase("enum_violation", "enum", None, value, is_valid=False)


def _value_bounds(name: str, spec: ParamSpec) -> Iterator[ValueCase]:
    bounds: tuple[tuple[float | int | None, tuple[Kind, Kind, Kind], int], ...] = (
        (spec.min_value, ("below_min", "at_min", "above_min"), -1),
        (spec.max_value, ("below_max", "at_max", "above_max"), 1),
    )
    for bound, kinds, outside in bounds:
        if bound is None:
            continue
        for kind, step in zip(kinds, (-1, 0, 1), strict=True):
            value = _moved(bound, step)
            is_valid = accepts(name, spec, value)
            # Beside a bound there may be nothing: another bound, an enum, or no number of the language.
            is_number = isinstance(value, float) or -MAX_NUMBER <= value <= MAX_NUMBER
            if is_number and is_valid == (step != outside) and (step == 0 or value != bound):
                yield ValueCase(kind, "value", value, value, is_valid)


def _moved(bound: float | int, step: int) -> float | int:
    """What is just below (-1) or above (1) the bound, or the bound itself (0)."""
    if isinstance(bound, int) or bound.is_integer():
        return bound + step
    return round(bound + step / 100, 12)


def _length_bounds(name: str, spec: ParamSpec) -> Iterator[ValueCase]:
    bounds: tuple[tuple[int | None, tuple[Kind, Kind, Kind], int], ...] = (
        (spec.min_length, ("below_min_length", "at_min_length", "above_min_length"), -1),
        (spec.max_length, ("below_max_length", "at_max_length", "above_max_length"), 1),
    )
    for bound, kinds, outside in bounds:
        if bound is None:
            continue
        for kind, step in zip(kinds, (-1, 0, 1), strict=True):
            length = bound + step
            is_valid = step != outside
            if length < 0 or (is_valid and not _may_be_long(spec, length)):
                continue
            value = _text(name, spec, length, is_valid) if spec.type == "string" else _array(spec, length)
            yield ValueCase(kind, "length", length, value, is_valid)


def _may_be_long(spec: ParamSpec, length: int) -> bool:
    """Whether the bounds and the enum leave room for a value of ``length``."""
    if spec.enum is not None:
        return any(isinstance(option, str | list) and len(option) == length for option in spec.enum)
    return (spec.min_length or 0) <= length and (spec.max_length is None or length <= spec.max_length)


def _text(name: str, spec: ParamSpec, length: int, is_valid: bool) -> object:
    """A text of ``length`` characters; if it ``is_valid``, one that is accepted."""
    if length > MAX_TEXT_LENGTH:
        return UNFOUND
    if not is_valid:
        # Of the right pattern, if there is one: nothing but the length should be wrong.
        return (
            next(iter(matching_texts(spec.pattern, length)), "a" * length) if spec.pattern else "a" * length
        )
    options = [option for option in spec.enum or () if isinstance(option, str) and len(option) == length]
    texts = (*options, "a" * length, *(matching_texts(spec.pattern, length) if spec.pattern else ()))
    return next((text for text in texts if accepts(name, spec, text)), UNFOUND)


def _array(spec: ParamSpec, length: int) -> object:
    if length > MAX_TEXT_LENGTH:
        return UNFOUND
    options = (option for option in spec.enum or () if isinstance(option, list) and len(option) == length)
    return next(options, ["a"] * length)


def _breaking(name: str, spec: ParamSpec, key: Literal["pattern", "enum"]) -> object:
    """A value that is refused for its pattern, or its enum, alone."""
    others = spec.model_copy(update={"pattern": None, "enum": None, "required": True, "default": None})
    tried = [_beside(value) for value in candidate_values(name, spec)] if key == "pattern" else []
    tried += candidate_values(name, others, ["?", "a a", "é"])
    if key == "enum" and spec.pattern is not None:
        tried += matching_texts(spec.pattern)
    return next((value for value in tried if value is not None and _breaks(spec, value, key)), UNFOUND)


def _beside(value: object) -> object:
    """A text that ends in a character that patterns seldom take."""
    return f"{value[:-1]}?" if isinstance(value, str) and value else None


def _breaks(spec: ParamSpec, value: object, key: Literal["pattern", "enum"]) -> bool:
    """Whether ``value`` fits all of the spec but its pattern, or all but its enum.

    The empty string does not count: it is a case of its own.
    """
    rest = {"enum": None} if key == "enum" else {"pattern": None, "enum": None}
    only = {} if key == "enum" else {"enum": None}
    return (
        value != ""
        and accepts("", spec.model_copy(update=rest), value)
        and not accepts("", spec.model_copy(update=only), value)
    )


def _type_of(value: object) -> str:
    try:
        return kind_of(value)
    except ExpressionError:
        return "none of the language"


def _is_close(value: float | int, wanted: float | int | None) -> bool:
    if wanted is None:
        return False
    try:
        return value == wanted or abs(value - wanted) <= _TOLERANCE
    except OverflowError:
        return False
