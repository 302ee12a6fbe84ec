"""Which values a search tries for the parameters of an action, in a state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any, Final, TypeAlias

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.parameters import violation
from appeval_pipeline.appdef.schema import ActionDefinition, BranchBlock, ParamSpec, StateField, ValidateBlock
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.agents.calling import State
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.tree import Literal, walk

MAX_VALUES: Final = 40
"""Values that are tried for one parameter in one state."""

MAX_CALLS: Final = 2_000
"""Calls that are tried in one state."""

MAX_TEXT: Final = 200
"""Characters of a text in the state that is worth trying."""


MOST_JUDGED: Final = 10_000
"""Values of which it is remembered whether a parameter accepts them."""

_Distinct: TypeAlias = dict[Hashable, Any]
"""Values without repetitions, in order, each by what tells it from others: 1, 1.0 and true are three."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What may be called in a state; ``is_complete`` is false if a limit left some out."""

    calls: tuple[ToolCall, ...]
    is_complete: bool


class Candidates:
    """The calls that a search tries: every action with every combination of values worth trying.

    Values of a parameter come from the task, where it names some; else from the parameter's enum; else from
    its bounds, from the constants of conditions in the logic and of the goal, and from the state: its
    numbers, its texts, the ids of agents, and its keys but for the names of fields. A parameter that may be
    left out is given only values that the task or an enum names.
    """

    def __init__(self, app: AppDefinition, task: EvaluationTask) -> None:
        self._app = app
        self._task = task
        self._fields = set(_field_names(app.state_schema))
        constants = [*_constants(task.goal_condition), *_constants_of_logic(app)]
        self._everywhere = _distinct([*constants, *task.agent_ids])
        self._parameters = [
            [_Parameter(action, name, spec, task) for name, spec in action.parameters.items()]
            for action in app.actions
        ]

    def calls(self, state: State) -> Calls:
        """What is worth calling in ``state``; always the same, in the order of the definition."""
        held = _held([state["per_agent"], state["shared"]])
        found = self._everywhere | _distinct(value for value in held if value not in self._fields)
        complete = True
        choices: list[list[list[Any]]] = []
        for parameters in self._parameters:
            choices.append([])
            for parameter in parameters:
                values, all_of_them = parameter.values(found)
                complete = complete and all_of_them
                choices[-1].append(values)
        counts = [prod(map(len, of_action)) for of_action in choices]
        shares = _shares(counts, MAX_CALLS)
        calls = [
            _call(action, combination)
            for action, of_action, share in zip(self._app.actions, choices, shares, strict=True)
            for combination in islice(product(*of_action), share)
        ]
        return Calls(tuple(calls), complete and shares == counts)


_LEFT_OUT: Final = object()


class _Parameter:
    """A parameter of an action, and the values to try for it."""

    def __init__(self, action: ActionDefinition, name: str, spec: ParamSpec, task: EvaluationTask) -> None:
        self._name = name
        self._spec = spec
        self._fitting: dict[Hashable, bool] = {}
        self._is_optional = not spec.required or spec.default is not None
        bounds = (spec.min_value, spec.max_value)
        self._bounds = _distinct(bound for bound in bounds if bound is not None)
        named = task.candidate_values.get(f"{action.name}.{name}", task.candidate_values.get(name))
        listed = self._listed() if named is None else named
        self._always = None if listed is None else self._tried(_distinct(listed))

    def values(self, found: _Distinct) -> tuple[list[Any], bool]:
        """The values to try, and whether these are all that there are.

        Args:
            found: The values in a state, and those that are worth trying in any.
        """
        return self._tried(self._bounds | found) if self._always is None else self._always

    def _listed(self) -> Sequence[Any] | None:
        """What the definition leaves to try, whatever the state; None where the state matters."""
        if self._spec.enum is not None:
            return self._spec.enum
        if self._spec.type == "boolean":
            return (False, True)
        return () if self._is_optional else None

    def _tried(self, values: _Distinct) -> tuple[list[Any], bool]:
        fitting = [value for key, value in values.items() if self._fits(key, value)]
        tried = fitting[:MAX_VALUES]
        return ([_LEFT_OUT, *tried] if self._is_optional else tried), len(tried) == len(fitting)

    def _fits(self, key: Hashable, value: Any) -> bool:
        """Whether the parameter accepts a value; most are met again in other states."""
        known = self._fitting.get(key)
        if known is None:
            known = violation(self._name, self._spec, value) is None
            if len(self._fitting) < MOST_JUDGED:
                self._fitting[key] = known
        return known


def _call(action: ActionDefinition, values: Sequence[Any]) -> ToolCall:
    given = dict(zip(action.parameters, values, strict=True))
    if _LEFT_OUT in values:
        given = {name: value for name, value in given.items() if value is not _LEFT_OUT}
    return ToolCall(action.name, given)


def _shares(counts: Sequence[int], most: int) -> list[int]:
    """How many calls each action gets of ``most``: all that it has, or as many as any other.

    An action of many parameters would leave none to those after it.
    """
    shares = [0] * len(counts)
    left = most
    by_count = sorted(range(len(counts)), key=lambda place: counts[place])
    for rank, place in enumerate(by_count):
        shares[place] = min(counts[place], left // (len(counts) - rank))
        left -= shares[place]
    return shares


def _distinct(values: Iterable[Any]) -> _Distinct:
    return {value if type(value) is str else (type(value), repr(value)): value for value in values}


def _constants(expression: str) -> Iterator[Any]:
    for node in walk(parse(expression)):
        if isinstance(node, Literal) and node.value is not None:
            yield node.value


def _constants_of_logic(app: AppDefinition) -> Iterator[Any]:
    for action in app.actions:
        for placed in walk_blocks(action):
            if isinstance(placed.block, ValidateBlock | BranchBlock):
                yield from _constants(placed.block.condition)


def _field_names(fields: Iterable[StateField]) -> Iterator[str]:
    for field in fields:
        yield field.name
        yield from _field_names(field.properties or ())


def _held(values: Iterable[Any]) -> Iterator[Any]:
    """Every key, text and number in ``values``, the outer ones first."""
    pending = list(values)
    while pending:
        inner: list[Any] = []
        for value in pending:
            if isinstance(value, dict):
                yield from value
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(value)
            elif isinstance(value, str):
                if len(value) <= MAX_TEXT:
                    yield value
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield value
        pending = inner
