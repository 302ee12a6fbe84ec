"""Which call of a trial stands for which expected change of the database.

Only what shows in the end counts: what was done in another way, or was put right again, is no deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.taubench.playing import Play, Played
from appeval_pipeline.taubench.records import ABSENT, RecordKey, same

Match = Literal["done", "no_need", "other_arguments", "other_tool", "refused", "nothing"]
"""What became of an expected change.

* ``done``: the call was made, or another that leaves the records alike.
* ``no_need``: it was not made, but the records are as they must be in the end.
* ``other_arguments``: the tool was called, but not so; it may have refused.
* ``other_tool``: something else was done to the record, or attempted with a tool that there is not.
* ``refused``: the call was made just so, but by then it was refused, or changed nothing.
* ``nothing``: there is no such call.
"""


@dataclass(frozen=True, slots=True)
class Pairing:
    """An expected change, and the call that stands for it; None if nothing does, or nothing need."""

    expected: Played
    made: Played | None
    match: Match


@dataclass(frozen=True, slots=True)
class Alignment:
    """All expected changes in their order, and the changes that nobody expected."""

    pairings: tuple[Pairing, ...]
    extra: tuple[Played, ...]

    @property
    def done(self) -> int:
        """How many expected changes were made."""
        return sum(pairing.match == "done" for pairing in self.pairings)

    @property
    def needed(self) -> int:
        """How many had to be."""
        return sum(pairing.match != "no_need" for pairing in self.pairings)


_Fit: TypeAlias = Callable[[Played, Played], bool]


def same_call(one: Played, other: Played) -> bool:
    """Whether tool and arguments are the same."""
    return one.call.name == other.call.name and same(dict(one.call.arguments), dict(other.call.arguments))


def differing_arguments(expected: JsonObject, actual: JsonObject) -> tuple[str, ...]:
    """The names of the arguments that are not the same, or that only one side has."""
    names = {**expected, **actual}
    return tuple(name for name in names if not same(expected.get(name, ABSENT), actual.get(name, ABSENT)))


def _just_so(expected: Played, made: Played) -> bool:
    return bool(made.written) and same_call(expected, made)


def _just_so_in_vain(expected: Played, made: Played) -> bool:
    return not made.written and same_call(expected, made)


def _same_record(expected: Played, made: Played) -> bool:
    return bool(expected.targets & made.targets)


def _same_tool_and_record(expected: Played, made: Played) -> bool:
    return expected.call.name == made.call.name and _same_record(expected, made)


def _same_tool(expected: Played, made: Played) -> bool:
    return expected.call.name == made.call.name and bool(made.written)


def _same_tool_in_vain(expected: Played, made: Played) -> bool:
    return expected.call.name == made.call.name and made.answer.error_kind is not None


def _no_tool_for_the_record(expected: Played, made: Played) -> bool:
    named = made.call.arguments.values()
    return made.answer.error_kind == "unknown_tool" and any(key.record in named for key in expected.targets)


_CERTAIN: Final[Sequence[_Fit]] = (_just_so, Played.comes_to_the_same_as)
_DEVIATIONS: Final[Sequence[tuple[Match, _Fit]]] = (
    ("other_arguments", _same_tool_and_record),
    ("other_tool", _same_record),
    ("refused", _just_so_in_vain),
    ("other_arguments", _same_tool),
    ("other_arguments", _same_tool_in_vain),
    ("other_tool", _no_tool_for_the_record),
)
"""The closest first."""


def align(expected: Play, made: Play, differing: Set[RecordKey]) -> Alignment:
    """Pair what was expected with what was done.

    Args:
        differing: The records that are not as they must be in the end.
    """
    pairs = _Pairs(list(expected.writes), list(made.calls))
    for fit in _CERTAIN:
        pairs.pair("done", fit)
    pairs.drop_what_does_not_show(differing)
    for match, fit in _DEVIATIONS:
        pairs.pair(match, fit)
    return pairs.alignment()


class _Pairs:
    """What is paired so far, and what is left."""

    def __init__(self, expected: list[Played], calls: list[Played]) -> None:
        self._open = expected
        self._calls = calls
        self._paired: list[Pairing] = []

    def pair(self, match: Match, fit: _Fit) -> None:
        """Give each open one the fitting call that differs in the fewest arguments, and take both out."""
        for wanted in tuple(self._open):
            fitting = [call for call in self._calls if fit(wanted, call)]
            if fitting:
                closest = min(fitting, key=partial(_distance, wanted))
                self._calls.remove(closest)
                self._close(Pairing(wanted, closest, match))

    def drop_what_does_not_show(self, differing: Set[RecordKey]) -> None:
        """What is as it must be in the end is no longer needed, and what does not show then was not done."""
        for wanted in tuple(self._open):
            if not wanted.targets & differing:
                self._close(Pairing(wanted, None, "no_need"))
        self._calls = [call for call in self._calls if not call.written or call.keys & differing]

    def alignment(self) -> Alignment:
        nothing = [Pairing(wanted, None, "nothing") for wanted in self._open]
        ordered = sorted([*self._paired, *nothing], key=lambda pairing: pairing.expected.place)
        return Alignment(tuple(ordered), tuple(call for call in self._calls if call.written))

    def _close(self, pairing: Pairing) -> None:
        self._open.remove(pairing.expected)
        self._paired.append(pairing)


def _distance(wanted: Played, call: Played) -> tuple[int, int]:
    return len(differing_arguments(wanted.call.arguments, call.call.arguments)), call.place
