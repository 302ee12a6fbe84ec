"""A database that is loaded once and written in many episodes: what an episode touches is copied for it.

Records are kept as JSON, so that nothing an episode does can reach another's. Two records are the same where
tau-bench's hash of them is: 1 and 1.0 differ, the order of keys does not count, that of lists does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self, TypeAlias

import orjson

from appeval_pipeline.agents.handing import apart
from appeval_pipeline.errors import TauBenchError


@dataclass(frozen=True, slots=True, order=True)
class RecordKey:
    """Which record: the table's name, and the record's id."""

    table: str
    record: str


class _Absent:
    __slots__ = ()

    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final = _Absent()
"""Stands for a record, or a field of one, that is not there."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a record.

    Attributes:
        value: As it is now; ABSENT where it was deleted.
        form: Its text in the hash; empty where it was deleted.
    """

    value: Any
    form: str


Changes: TypeAlias = Mapping[RecordKey, Changed]
"""The records that are not as loaded."""


def hash_form(value: object) -> object:
    """A JSON value as nested tuples, what is in dictionaries sorted by key: tau-bench hashes its ``str``."""
    if isinstance(value, dict):
        return tuple((key, hash_form(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple(hash_form(item) for item in value)
    return value


def hash_text(value: object) -> str:
    """A JSON value's part in the text that is hashed."""
    return repr(hash_form(value))


def same(one: object, other: object) -> bool:
    """Whether two values hash to the same; what is absent is the same as nothing else."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return hash_text(one) == hash_text(other)


class Table(dict[str, Any]):
    """The records of one table in one episode: to whoever reads or writes it, a dictionary.

    A record is stored JSON until somebody asks for it, and from then on the episode's own copy. Nothing that
    dictionaries have may get past that: ``__iter__`` is our own since the interpreter's short cuts, for
    ``dict(table)`` and the like, are taken only without one.
    """

    __slots__ = ("_lent", "_looked_at", "_only_read", "_stored")

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        super().__init__(stored)
        self._stored = stored
        self._looked_at: dict[str, bytes] = {}
        """Whatever was handed out or set before it was last asked what was written, as it was then."""
        self._lent: dict[str, None] = {}
        """Whatever was handed out or set since."""
        self._only_read: list[str] = []
        """What the last look found as it is stored, and no look before had seen."""

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if type(value) is bytes:
            value = orjson.loads(value)
            super().__setitem__(key, value)
        self._lent[key] = None
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._lent[key] = None

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._lent[key] = None

    def __iter__(self) -> Iterator[str]:
        return super().__iter__()

    # These are written in terms of the above; a dictionary's are not.
    get = Mapping.get  # type: ignore[assignment]
    items = Mapping.items  # type: ignore[assignment]
    values = Mapping.values  # type: ignore[assignment]
    __eq__ = Mapping.__eq__
    __ne__ = object.__ne__
    setdefault = MutableMapping.setdefault
    update = MutableMapping.update
    clear = MutableMapping.clear

    def pop(self, key: str, *default: Any) -> Any:
        """Take a record out."""
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take the last record out."""
        if not self:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self))
        return key, self.pop(key)

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(dict(self))

    def take_written(self) -> list[str]:
        """The ids of the records that were changed since this was last asked."""
        written = []
        looked_at = self._looked_at
        self._only_read = []
        for key in self._lent:
            now = _as_json(super().get(key, ABSENT))
            is_new = key not in looked_at
            before = self._stored.get(key, _GONE) if is_new else looked_at[key]
            if now == before:
                if is_new and b"null" not in now:
                    self._only_read.append(key)
            elif not same(_from_json(now), _from_json(before)):
                written.append(key)
            looked_at[key] = now
        self._lent.clear()
        return written

    def forget_only_read(self) -> None:
        """Nobody has a hold of what the last step only read: it is as stored, until it is asked for again."""
        for key in self._only_read:
            del self._looked_at[key]
        self._only_read = []

    def differing(self) -> Iterator[tuple[str, Any]]:
        """Each record that is not as stored, with what it is now."""
        for key in {**self._looked_at, **self._lent}:
            now = super().get(key, ABSENT)
            before = self._stored.get(key, _GONE)
            if _as_json(now) == before and (b"null" not in before or _is_finite(now)):
                continue
            if not same(now, _from_json(before)):
                yield key, now


class Episode:
    """The database as one episode sees and changes it.

    Attributes:
        data: What tools are handed. They write in its tables, and never add one.
    """

    __slots__ = ("_tables", "data")

    def __init__(self, stored: Mapping[str, Mapping[str, bytes]]) -> None:
        self._tables = {name: Table(records) for name, records in stored.items()}
        self.data: dict[str, dict[str, Any]] = {**self._tables}

    def take_written(self) -> tuple[RecordKey, ...]:
        """The records that were changed since this was last asked: by one step, if asked after each."""
        written = tuple(
            RecordKey(name, record) for name, table in self._tables.items() for record in table.take_written()
        )
        if not written:
            # What was read can have become a part of another record only where one was written.
            for table in self._tables.values():
                table.forget_only_read()
        return written

    def changes(self) -> Changes:
        """All that is not as loaded, apart from the episode: what it does later changes nothing here."""
        return {
            RecordKey(name, record): _changed(value)
            for name, table in self._tables.items()
            for record, value in table.differing()
        }


class Database:
    """The records that every episode begins with.

    Args:
        tables: Plain JSON records by id, by table.

    Raises:
        TauBenchError: They are something else.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        try:
            self._stored = {
                name: {record: orjson.dumps(value) for record, value in records.items()}
                for name, records in tables.items()
            }
        except (AttributeError, TypeError) as error:
            raise TauBenchError(f"The database is no JSON of records by table: {error}") from error

    def __contains__(self, key: RecordKey) -> bool:
        return key.record in self._stored.get(key.table, ())

    def sizes(self) -> dict[str, int]:
        """How many records each table has."""
        return {name: len(records) for name, records in self._stored.items()}

    def record(self, key: RecordKey) -> Any:
        """A record as loaded, a copy; ABSENT where there is none."""
        stored = self._stored.get(key.table, {}).get(key.record)
        return ABSENT if stored is None else orjson.loads(stored)

    def open(self) -> Episode:
        """A fresh state of everything."""
        return Episode(self._stored)

    def data_hash(self, changes: Changes) -> str:
        """What tau-bench hashes the whole database to, after some changes: SHA-256, in hexadecimal.

        That is of the ``repr`` of its nested tuples, which is put together from that of each record. It is
        hashed in pieces: making room for megabytes takes longer than hashing them.
        """
        changed_tables = {key.table for key in changes}
        digest = hashlib.sha256(b"(")
        for number, name in enumerate(sorted(self._stored)):
            digest.update(b"%b(%b, " % (b", " if number else b"", repr(name).encode()))
            digest.update(self._table_text(name, changes) if name in changed_tables else self._texts[name])
            digest.update(b")")
        digest.update(b",)" if len(self._stored) == 1 else b")")
        return digest.hexdigest()

    @cached_property
    def _pairs(self) -> dict[str, dict[str, bytes]]:
        """The text of each record with its id, by table and id."""
        return {
            name: {
                record: _pair(record, hash_text(orjson.loads(records[record])).encode()) for record in records
            }
            for name, records in self._stored.items()
        }

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        return {name: self._table_text(name, {}) for name in self._stored}

    def _table_text(self, name: str, changes: Changes) -> bytes:
        pairs = dict(self._pairs[name])
        for key, changed in changes.items():
            if key.table == name and changed.value is ABSENT:
                del pairs[key.record]
            elif key.table == name:
                pairs[key.record] = _pair(key.record, changed.form.encode())
        return _tuple([pairs[record] for record in sorted(pairs)])


def _pair(key: str, text: bytes) -> bytes:
    """The ``repr`` of a tuple of a key and something whose ``repr`` is given."""
    return b"(%b, %b)" % (repr(key).encode(), text)


def _tuple(texts: Sequence[bytes]) -> bytes:
    """The ``repr`` of a tuple of things whose ``repr`` is given."""
    return b"(%b,)" % texts[0] if len(texts) == 1 else b"(%b)" % b", ".join(texts)


def _changed(value: Any) -> Changed:
    if value is ABSENT:
        return Changed(ABSENT, "")
    return Changed(apart(value), hash_text(value))


_GONE: Final = b""
"""Stands for the JSON of what is absent."""


def _as_json(value: object) -> bytes:
    if value is ABSENT:
        return _GONE
    try:
        return orjson.dumps(value)
    except TypeError:  # an agent may write what strict JSON has not: half of a surrogate pair, a huge number
        return json.dumps(value).encode()


def _is_finite(value: object) -> bool:
    """Whether a value has none of the numbers for which JSON, as orjson writes it, has null."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _from_json(text: bytes) -> Any:
    if text == _GONE:
        return ABSENT
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)
