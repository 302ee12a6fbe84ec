"""What compiled actions call: failures, parameters, updates, observations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NoReturn

from appeval_pipeline.appdef.parameters import pattern_mismatch, violation
from appeval_pipeline.appdef.schema import ParamSpec
from appeval_pipeline.appdef.targets import Shape
from appeval_pipeline.engine.journal import APPENDED, REMOVED, REPLACED, Entry
from appeval_pipeline.engine.result import ErrorKind
from appeval_pipeline.errors import ExpressionError, StateError
from appeval_pipeline.expr.limits import (
    MAX_LOOP_ITERATIONS,
    MAX_STATE_BYTES,
    TEXT_UNIT,
    LimitExceeded,
    Meter,
)
from appeval_pipeline.expr.operators import add_numbers
from appeval_pipeline.expr.values import SCALARS, copy_input, copy_plain, equal, json_size, type_name
from appeval_pipeline.expr.writing import MISSING

Note = Callable[[Entry], None]

_LARGE: Final = 1_000
"""Bytes of JSON from which measuring is work worth counting."""


class ActionFailed(Exception):
    """An action ends without success."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message


def invalid(message: str) -> NoReturn:
    raise ActionFailed("validation", message)


def fail(message: str) -> NoReturn:
    raise ActionFailed("logic", message)


# Parameters


def unknown_parameter(given: Mapping[str, object], known: Collection[str]) -> NoReturn:
    name = next(name for name in given if name not in known)
    accepted = ", ".join(known) or "none"
    raise ActionFailed("parameters", f"Unknown parameter '{name}'; accepted: {accepted}")


def missing_parameter(name: str) -> NoReturn:
    raise ActionFailed("parameters", f"Parameter '{name}' is required")


def checked_parameter(name: str, spec: ParamSpec, value: object) -> object:
    """``value``, which is not null, as the action may use it: checked, and copied where it is a container."""
    try:
        value = copy_input(value, f"Parameter '{name}'")
    except StateError as error:
        raise ActionFailed("parameters", str(error)) from None
    problem = violation(name, spec, value)
    if problem is not None:
        raise ActionFailed("parameters", problem)
    return value


_SHORT: Final = 100
"""Characters of a text of which it is worth remembering whether it matches a pattern."""


def matches(pattern: str, value: str) -> bool:
    """Whether a short text matches a pattern; else `checked_parameter` decides, and words the error."""
    return len(value) <= _SHORT and _matches(pattern, value)


@lru_cache(maxsize=4096)
def _matches(pattern: str, value: str) -> bool:
    return pattern_mismatch(pattern, value) is None


# Updates


def no_place(container: object, path: str) -> NoReturn:
    """``container``, in which ``path`` should be, is no object."""
    if container is None:
        raise ExpressionError(f"Path '{path}' does not exist")
    kind = type_name(container)
    article = "an" if kind == "array" else "a"
    raise ExpressionError(f"Path '{path}' does not exist: it leads through {article} {kind}")


def unknown_agent(agent_id: object) -> NoReturn:
    shown = f"'{agent_id}'" if type(agent_id) is str else type_name(agent_id)
    raise ExpressionError(f"Unknown agent {shown}")


def slot(container: object, key: object, path: str) -> Any:
    """The key of an element that an update may write: checked, an array's counted from the start."""
    if type(container) is dict:
        if type(key) is not str:
            raise ExpressionError(f"Cannot index object with {type_name(key)}")
        return key
    if type(container) is list:
        if type(key) is float and key.is_integer():
            key = int(key)
        if type(key) is not int:
            raise ExpressionError(f"Cannot index array with {type_name(key)}")
        if not -len(container) <= key < len(container):
            raise ExpressionError(f"Index {key} out of range")
        return key % len(container)
    no_place(container, path)


def undeclared(name: object, path: str, declared: Collection[str]) -> NoReturn:
    known = ", ".join(declared) or "none"
    raise ExpressionError(f"'{name}' is not declared in '{path}'; declared there: {known}")


def virtual_id() -> NoReturn:
    raise ExpressionError("Cannot update 'id': it is the agent's id")


def check_shape(value: object, path: str, shape: Shape) -> None:
    """Fail if ``value`` is an object with keys, at any depth, that ``shape`` does not have."""
    if type(value) is dict:
        for key, item in value.items():
            check_key(key, item, path, shape)


def check_key(key: str, value: object, path: str, shape: Shape) -> None:
    """Fail if ``shape`` does not have ``key``, or ``value`` does not have its shape."""
    if key not in shape:
        undeclared(key, path, shape)
    inner = shape[key]
    if inner is not None:
        check_shape(value, path, inner)


def old_value(container: Any, key: Any) -> object:
    """What stands under ``key`` now; MISSING if nothing does."""
    return container.get(key, MISSING) if type(container) is dict else container[key]


def measured(value: object, meter: Meter | None) -> int:
    """The size of ``value`` as JSON; measuring a large one is work, where work is counted."""
    size = json_size(value)
    if meter is not None and size > _LARGE:
        meter.charge(size // TEXT_UNIT)
    return size


def change_in_size(container: Any, key: Any, old: object, new: object, meter: Meter | None) -> int:
    """Bytes by which setting ``key`` changes the state's JSON; call it before the change."""
    if old is MISSING:
        return json_size(key) + 1 + measured(new, meter) + (1 if container else 0)
    return measured(new, meter) - measured(old, meter)


def check_size(state: object) -> int:
    """The size of ``state`` as JSON, in bytes.

    Raises:
        StateError: More than 1 MB.
    """
    size = json_size(state)
    if size > MAX_STATE_BYTES:
        raise StateError(f"state: {size} bytes as JSON; at most {MAX_STATE_BYTES} are accepted")
    return size


def full(path: str, most: int) -> NoReturn:
    raise ExpressionError(f"Array '{path}' holds at most {most} item{'' if most == 1 else 's'}")


def no_array(verb: str, value: object, path: str) -> NoReturn:
    preposition = {"append": "to", "remove": "from"}[verb]
    raise ExpressionError(f"Cannot {verb} {preposition} {type_name(value)} '{path}'")


def remove_element(array: list[object], value: object, path: str, note: Note, meter: Meter) -> int:
    """Take out the first element equal to ``value``; the change in bytes.

    Raises:
        ExpressionError: There is none.
    """
    meter.charge(len(array))
    for position, element in enumerate(array):
        if equal(element, value, meter):
            note((array, REMOVED, (position, element)))
            del array[position]
            return -measured(element, meter) - (1 if array else 0)
    raise ExpressionError(f"Value not found in '{path}'")


def merge(
    target: object, value: object, path: str, note: Note, shape: Shape | None, meter: Meter | None
) -> int:
    """Put the keys of ``value``, which nothing else holds, into ``target``; the change in bytes."""
    if type(target) is not dict:
        raise ExpressionError(f"Cannot merge into {type_name(target)} '{path}'")
    if type(value) is not dict:
        raise ExpressionError(f"Cannot merge {type_name(value)} into '{path}'; expected an object")
    grown = 0
    for key, item in value.items():
        if shape is not None:
            check_key(key, item, path, shape)
        old = target.get(key, MISSING)
        grown += change_in_size(target, key, old, item, meter)
        note((target, key, old))
        target[key] = item
    return grown


def replace(
    target: dict[str, object],
    value: object,
    path: str,
    note: Note,
    shape: Shape | None,
    meter: Meter | None,
) -> int:
    """Give an agent's or the shared state the content of ``value``; the change in bytes."""
    if type(value) is not dict:
        raise ExpressionError(f"Cannot set the state '{path}' to {type_name(value)}; expected an object")
    if shape is not None:
        check_shape(value, path, shape)
    grown = measured(value, meter) - measured(target, meter)
    note((target, REPLACED, dict(target)))
    target.clear()
    target.update(value)
    return grown


# Reading, observing, looping


def agent_field(state: dict[str, object], agent_id: object, key: object) -> object:
    """``agent[key]`` with the virtual ``id`` and ``name``."""
    if key == "id":
        return agent_id
    if type(key) is not str:
        raise ExpressionError(f"Cannot index object with {type_name(key)}")
    value = state.get(key)
    return agent_id if value is None and key == "name" else value


DROPPED: Final[dict[str, Any]] = {}
"""Stands for an observation beyond the limit, until the result counts them."""


def first_elements(collection: list[Any] | dict[str, Any], meter: Meter) -> list[Any]:
    """What a loop over ``collection`` walks at most: the first elements, or keys."""
    if type(collection) is list and len(collection) <= MAX_LOOP_ITERATIONS:
        return collection
    elements = list(islice(collection, MAX_LOOP_ITERATIONS))
    meter.charge(len(elements) // TEXT_UNIT)
    return elements


def snapshot(collection: list[Any] | dict[str, Any], meter: Meter) -> list[Any]:
    """The `first_elements` as they are now: later updates do not change them."""
    elements = first_elements(collection, meter)
    meter.charge(len(elements))
    return [item if type(item) in SCALARS else _copied(item, meter) for item in elements]


def _copied(value: Any, meter: Meter) -> Any:
    meter.charge(len(value))
    if type(value) is list:
        return [item if type(item) in SCALARS else _copied(item, meter) for item in value]
    return {key: item if type(item) in SCALARS else _copied(item, meter) for key, item in value.items()}


def no_collection(value: object) -> NoReturn:
    raise ExpressionError(f"Cannot loop over {type_name(value)}; expected array or object")


def too_many_iterations() -> NoReturn:
    raise LimitExceeded("Loop iteration limit exceeded")


RUNTIME: Final[Mapping[str, object]] = {
    "APPENDED": APPENDED,
    "add_numbers": add_numbers,
    "agent_field": agent_field,
    "change_in_size": change_in_size,
    "check_shape": check_shape,
    "checked_parameter": checked_parameter,
    "copy_plain": copy_plain,
    "fail": fail,
    "first_elements": first_elements,
    "full": full,
    "invalid": invalid,
    "json_size": json_size,
    "matches": matches,
    "measured": measured,
    "merge": merge,
    "missing_parameter": missing_parameter,
    "no_array": no_array,
    "no_collection": no_collection,
    "no_place": no_place,
    "DROPPED": DROPPED,
    "old_value": old_value,
    "remove_element": remove_element,
    "replace": replace,
    "slot": slot,
    "snapshot": snapshot,
    "too_many_iterations": too_many_iterations,
    "undeclared": undeclared,
    "unknown_agent": unknown_agent,
    "unknown_parameter": unknown_parameter,
    "virtual_id": virtual_id,
}
