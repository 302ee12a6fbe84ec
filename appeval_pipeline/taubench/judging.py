"""tau-bench's reward, with its parts: is the database as it must be, and was all said that must be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.taubench.records import ABSENT, Changes, Database, RecordKey, same


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that is not as it must be.

    Attributes:
        path: Where in the record, e.g. ``payment_history[1].amount``; empty for the whole record.
        expected: What the expected actions make of it; ABSENT if nothing.
        actual: What it is; ABSENT if it is not there.
    """

    path: str
    expected: Any
    actual: Any

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON; what is absent is left out."""
        sides = {"expected": self.expected, "actual": self.actual}
        return {"path": self.path} | {name: value for name, value in sides.items() if value is not ABSENT}


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """A record that is not as it must be, and in what."""

    key: RecordKey
    fields: tuple[FieldDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "table": self.key.table,
            "record": self.key.record,
            "fields": [field.to_dict() for field in self.fields],
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial is worth, and why.

    Attributes:
        differences: How the database differs from what it must be; none if it is equal.
        outputs: Whether each required output was said.
    """

    differences: tuple[RecordDifference, ...]
    outputs: Mapping[str, bool]

    @property
    def database_equal(self) -> bool:
        return not self.differences

    @property
    def outputs_found(self) -> bool:
        return all(self.outputs.values())

    @property
    def reward(self) -> float:
        """1 if the database is equal and all outputs were said, else 0."""
        return float(self.database_equal and self.outputs_found)

    def to_dict(self) -> dict[str, Any]:
        return {
            "database_equal": self.database_equal,
            "differences": [difference.to_dict() for difference in self.differences],
            "outputs_found": self.outputs_found,
            "outputs": dict(self.outputs),
        }


def judge(
    database: Database, expected: Changes, actual: Changes, outputs: Sequence[str], replies: Sequence[str]
) -> Verdict:
    """Hold an episode against what was expected of it.

    Args:
        database: What both sets of changes are changes of.
        outputs: What must be said.
        replies: What the agent said to the user.
    """
    heard = [reply.lower().replace(",", "") for reply in replies]
    return Verdict(
        tuple(_differences(database, expected, actual)),
        # As tau-bench has it: commas are dropped from what was said, not from what is required; and "10" is
        # found in "100".
        {output: any(output.lower() in reply for reply in heard) for output in outputs},
    )


def _differences(database: Database, expected: Changes, actual: Changes) -> Iterator[RecordDifference]:
    for key in sorted({*expected, *actual}):
        wanted, made = expected.get(key), actual.get(key)
        if wanted is not None and made is not None and wanted.form == made.form:
            continue
        before = database.record(key) if wanted is None or made is None else ABSENT
        sides = (before if wanted is None else wanted.value, before if made is None else made.value)
        yield RecordDifference(key, tuple(field_differences(*sides)))


def field_differences(expected: Any, actual: Any, path: str = "") -> Iterator[FieldDifference]:
    """The fields of a record in which two states of it differ; the whole record where one is ABSENT."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in {**expected, **actual}:
            inner = f"{path}.{name}" if path else str(name)
            yield from field_differences(expected.get(name, ABSENT), actual.get(name, ABSENT), inner)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from field_differences(one, other, f"{path}[{index}]")
    elif not same(expected, actual):
        yield FieldDifference(path, expected, actual)
