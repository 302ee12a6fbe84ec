"""Which values a search tries for the parameters of an action, in a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any, Final

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
        self._constants = _distinct([*_constants(task.goal_condition), *_constants_of_logic(app)])

    def calls(self, state: State) -> Calls:
        """What is worth calling in ``state``; always the same, in the order of the definition."""
        held = _distinct(_held([state["per_agent"], state["shared"]]))
        found = [value for value in held if value not in self._fields]
        complete = True
        choices: list[list[list[Any]]] = []
        for action in self._app.actions:
            choices.append([])
            for name, spec in action.parameters.items():
                values, all_of_them = self._values(action, name, spec, found)
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

    def _values(
        self, action: ActionDefinition, name: str, spec: ParamSpec, found: Sequence[Any]
    ) -> tuple[list[Any], bool]:
        """The values to try, and whether these are all that there are."""
        named = self._task.candidate_values
        given = named.get(f"{action.name}.{name}", named.get(name))
        optional = not spec.required or spec.default is not None
        values: Iterable[Any]
        if given is not None:
            values = given
        elif spec.enum is not None:
            values = spec.enum
        elif spec.type == "boolean":
            values = (False, True)
        elif optional:
            values = ()
        else:
            bounds = [bound for bound in (spec.min_value, spec.max_value) if bound is not None]
            values = [*bounds, *self._constants, *self._task.agent_ids, *found]
        fitting = [value for value in _distinct(values) if violation(name, spec, value) is None]
        tried = fitting[:MAX_VALUES]
        return ([_LEFT_OUT, *tried] if optional else tried), len(tried) == len(fitting)


_LEFT_OUT: Final = object()


def _call(action: ActionDefinition, values: Sequence[Any]) -> ToolCall:
    given = zip(action.parameters, values, strict=True)
    return ToolCall(action.name, {name: value for name, value in given if value is not _LEFT_OUT})


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


def _distinct(values: Iterable[Any]) -> list[Any]:
    """The values without repetitions, in order; 1, 1.0 and true are three."""
    return list({(type(value), repr(value)): value for value in values}.values())


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
            if isinstance(value, Mapping):
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
