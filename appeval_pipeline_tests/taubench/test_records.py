"""Copy-on-write data: a dictionary to its users, and exact about what was changed."""

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench.records import ABSENT, Database, RecordKey, hash_form, same

TABLES: dict[str, dict[str, Any]] = {
    "users": {
        "ann": {"name": "Ann", "cards": {"gift": 10.5, "visa": 0}, "orders": ["#1"]},
        "bob": {"name": "Bob", "cards": {}, "orders": []},
        "cat": {"name": "Cat", "cards": {"gift": 3}, "orders": ["#2", "#3"]},
    },
    "orders": {"#1": {"status": "pending", "items": [{"id": "a", "price": 1.0}]}},
}


def database() -> Database:
    return Database(TABLES)


def ann(table: str = "users", record: str = "ann") -> RecordKey:
    return RecordKey(table, record)


Use = Callable[[dict[str, Any]], object]
USES: dict[str, Use] = {
    "index": lambda users: users["ann"],
    "get": lambda users: users.get("ann"),
    "get what is missing": lambda users: users.get("dan", 5),
    "contains": lambda users: ("ann" in users, "dan" in users),
    "len": len,
    "keys": lambda users: list(users.keys()),
    "iterate": list,
    "reversed": lambda users: list(reversed(users)),
    "values": lambda users: list(users.values()),
    "items": lambda users: list(users.items()),
    "sorted": lambda users: sorted(users.items()),
    "dict": dict,
    "double star": lambda users: {**users},
    "union": lambda users: users | {"dan": 1},
    "union from the right": lambda users: {"dan": 1} | users,
    "copy": lambda users: users.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": json.dumps,
    "repr": repr,
    "equal": lambda users: (users == TABLES["users"], users != TABLES["users"], users == {}),
    "set": lambda users: users.__setitem__("ann", 1),
    "add": lambda users: users.__setitem__("dan", {"name": "Dan"}),
    "delete": lambda users: users.__delitem__("ann"),
    "delete and add": lambda users: (users.pop("ann"), users.__setitem__("ann", 1)),
    "pop": lambda users: users.pop("ann"),
    "pop what is missing": lambda users: users.pop("dan", None),
    "popitem": lambda users: users.popitem(),
    "setdefault": lambda users: (users.setdefault("ann", 1), users.setdefault("dan", 1)),
    "update": lambda users: users.update({"ann": 1}, bob=2),
    "union in place": lambda users: users.__ior__({"ann": 1}),
    "clear": lambda users: users.clear(),
    "change in place": lambda users: users["ann"]["cards"].update(gift=7),
    "change by values": lambda users: [user["orders"].append("#9") for user in users.values()],
    "change by items": lambda users: [user["cards"].clear() for _, user in users.items()],
    "change by copy": lambda users: users.copy()["ann"].pop("name"),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_table_does_what_a_dictionary_does(use: Use) -> None:
    plain = copy.deepcopy(TABLES["users"])
    table = database().open().data["users"]
    assert isinstance(table, dict)
    assert use(table) == use(plain)
    assert dict(table) == plain
    assert list(table) == list(plain)
    assert json.dumps(table) == json.dumps(plain)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_whatever_is_done_no_other_episode_sees_it_and_all_of_it_is_known(use: Use) -> None:
    base = database()
    episode = base.open()
    use(episode.data["users"])
    plain = copy.deepcopy(TABLES)
    use(plain["users"])
    changes = episode.changes()
    for key in {**TABLES["users"], **plain["users"]}:
        before, after = TABLES["users"].get(key, ABSENT), plain["users"].get(key, ABSENT)
        assert (RecordKey("users", key) in changes) == (not same(before, after)), key
    assert set(episode.take_written()) == set(changes)
    assert base.data_hash(changes) == hashlib.sha256(str(hash_form(plain)).encode()).hexdigest()
    assert base.open().data == TABLES
    assert base.open().changes() == {}


@pytest.mark.parametrize("missing", ["index", "delete", "pop"])
def test_what_is_missing_is_an_error_as_of_a_dictionary(missing: str) -> None:
    table = database().open().data["users"]
    with pytest.raises(KeyError, match="'dan'"):
        {"index": table.__getitem__, "delete": table.__delitem__, "pop": table.pop}[missing]("dan")


def test_an_empty_table_has_no_item_to_pop() -> None:
    with pytest.raises(KeyError, match="dictionary is empty"):
        Database({"users": {}}).open().data["users"].popitem()


def test_what_one_step_wrote_is_told_apart_from_the_next() -> None:
    episode = database().open()
    episode.data["users"]["ann"]["name"] = "Anna"
    assert episode.take_written() == (ann(),)
    assert episode.data["users"]["ann"]["name"] == "Anna"
    assert episode.take_written() == ()
    episode.data["users"]["ann"]["name"] = "Ann"
    assert episode.take_written() == (ann(),)
    assert episode.changes() == {}


@pytest.mark.parametrize("looked_before", [False, True])
def test_a_change_through_another_record_is_found_in_the_end(looked_before: bool) -> None:
    episode = database().open()
    users = episode.data["users"]
    if looked_before:
        assert users["ann"]["cards"]
        assert episode.take_written() == ()
    users["bob"]["cards"] = users["ann"]["cards"]
    episode.take_written()
    users["bob"]["cards"]["visa"] = 5
    assert set(episode.changes()) == {ann(), ann(record="bob")}


def test_a_record_added_and_deleted_again_is_no_change() -> None:
    episode = database().open()
    episode.data["users"]["dan"] = {}
    del episode.data["users"]["dan"]
    assert episode.take_written() == ()
    assert episode.changes() == {}


def test_changes_stay_as_they_are_while_the_episode_goes_on() -> None:
    episode = database().open()
    cards = episode.data["users"]["ann"]["cards"]
    cards["gift"] = 1
    changes = episode.changes()
    cards["gift"] = 2
    assert changes[ann()].value["cards"]["gift"] == 1


@pytest.mark.parametrize(
    "value", [float("nan"), "\ud800", 10**400, None, {1: 2}], ids=["nan", "surrogate", "huge", "null", "key"]
)
def test_what_json_has_not_is_a_change_like_any_other(value: object) -> None:
    base = Database({"users": {"ann": {"card": None}}})
    episode = base.open()
    episode.data["users"]["ann"]["card"] = value
    changed = value is not None
    assert set(episode.changes()) == ({ann()} if changed else set())
    if value == value:  # a step that sets nan where null was is not told; the judgement is
        assert set(episode.take_written()) == ({ann()} if changed else set())


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        (1, 1.0, False),
        (True, 1, False),
        ("1", 1, False),
        (0.0, -0.0, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ([], {}, True),
        ({"a": 1}, [["a", 1]], True),
        (None, "None", False),
        (ABSENT, ABSENT, True),
        (ABSENT, None, False),
        ({}, ABSENT, False),
    ],
)
def test_two_values_are_the_same_where_their_hashes_are(one: object, other: object, are_same: bool) -> None:
    assert same(one, other) is are_same


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False, width=16)
    | st.text("ab'\"é", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
TABLE = st.dictionaries(st.text("xyz", min_size=1, max_size=2), JSON, max_size=4)


@given(
    st.fixed_dictionaries({"one": TABLE, "two": TABLE}), st.fixed_dictionaries({"one": TABLE, "two": TABLE})
)
def test_the_hash_after_changes_is_the_hash_of_what_there_is(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> None:
    base = Database(before)
    episode = base.open()
    for name, table in episode.data.items():
        table.clear()
        table.update(copy.deepcopy(after[name]))
    expected = hashlib.sha256(str(hash_form(after)).encode()).hexdigest()
    assert base.data_hash(episode.changes()) == expected
    assert (episode.changes() == {}) == same(before, after)


@pytest.mark.parametrize("tables", [{"users": []}, {"users": {"ann": {1, 2}}}])
def test_what_is_no_table_of_json_records_is_refused(tables: Any) -> None:
    with pytest.raises(TauBenchError, match="The database is no JSON of records by table"):
        Database(tables)


def test_a_record_is_given_as_loaded() -> None:
    base = database()
    base.record(ann())["name"] = "changed"
    assert base.record(ann()) == TABLES["users"]["ann"]
    assert base.record(ann(record="dan")) is ABSENT
    assert ann() in base
    assert ann("cars") not in base
