"""The reward and its parts."""

from typing import Any

import pytest

from appeval_pipeline.taubench import Verdict, judge
from appeval_pipeline.taubench.records import Changes, Database

DATABASE = Database(
    {
        "orders": {
            "#1": {"status": "pending", "items": [{"id": "a", "price": 2}], "paid": [5]},
            "#2": {"status": "delivered"},
        },
        "users": {"ann": {"name": "Ann"}},
    }
)


def changed(*updates: tuple[str, str, dict[str, Any] | None]) -> Changes:
    episode = DATABASE.open()
    for table, record, fields in updates:
        if fields is None:
            del episode.data[table][record]
        else:
            episode.data[table].setdefault(record, {}).update(fields)
    return episode.changes()


def held(expected: Changes, actual: Changes) -> Verdict:
    return judge(DATABASE, expected, actual, (), ())


CANCELLED = changed(("orders", "#1", {"status": "cancelled"}))


def test_the_same_changes_are_worth_1() -> None:
    verdict = held(CANCELLED, changed(("orders", "#1", {"status": "cancelled"})))
    assert verdict == Verdict((), {})
    assert verdict.reward == 1.0
    assert verdict.to_dict() == {
        "database_equal": True,
        "differences": [],
        "outputs_found": True,
        "outputs": {},
    }


def test_a_change_that_was_not_made_tells_the_fields() -> None:
    verdict = held(CANCELLED, {})
    assert verdict.reward == 0.0
    assert verdict.to_dict()["differences"] == [
        {
            "table": "orders",
            "record": "#1",
            "fields": [{"path": "status", "expected": "cancelled", "actual": "pending"}],
        }
    ]


def test_a_change_too_many_tells_the_fields() -> None:
    verdict = held({}, changed(("users", "ann", {"name": "Anna", "city": "Rome"})))
    assert verdict.to_dict()["differences"] == [
        {
            "table": "users",
            "record": "ann",
            "fields": [
                {"path": "name", "expected": "Ann", "actual": "Anna"},
                {"path": "city", "actual": "Rome"},
            ],
        }
    ]


def test_differences_are_told_as_deep_as_they_are() -> None:
    expected = changed(("orders", "#1", {"items": [{"id": "b", "price": 2.0}], "paid": [5, 6]}))
    actual = changed(("orders", "#1", {"items": [{"id": "b", "price": 2}], "paid": [5]}))
    [difference] = held(expected, actual).differences
    assert [(field.path, field.expected, field.actual) for field in difference.fields] == [
        ("items[0].price", 2.0, 2),
        ("paid", [5, 6], [5]),
    ]


def test_records_that_are_new_or_gone_are_told_whole() -> None:
    verdict = held(changed(("orders", "#3", {"status": "new"})), changed(("orders", "#2", None)))
    assert [difference.to_dict() for difference in verdict.differences] == [
        {
            "table": "orders",
            "record": "#2",
            "fields": [{"path": "", "expected": {"status": "delivered"}}],
        },
        {"table": "orders", "record": "#3", "fields": [{"path": "", "expected": {"status": "new"}}]},
    ]


def test_a_record_gone_as_expected_is_equal() -> None:
    assert held(changed(("orders", "#2", None)), changed(("orders", "#2", None))).reward == 1.0


@pytest.mark.parametrize(
    ("output", "reply", "found"),
    [
        ("10", "There are 10 of them.", True),
        ("10", "There are 100 of them.", True),  # as in tau-bench
        ("1095.5", "It costs $1,095.50.", True),
        ("1,095.5", "It costs $1,095.50.", False),  # commas are dropped from what is said only
        ("Chicago", "in CHICAGO", True),
        ("10", "There are nine.", False),
    ],
)
def test_an_output_is_found_in_what_was_said(output: str, reply: str, found: bool) -> None:
    verdict = judge(DATABASE, {}, {}, (output,), ("Hello.", reply))
    assert verdict.outputs == {output: found}
    assert verdict.reward == float(found)


def test_every_output_has_to_be_said_but_not_at_once() -> None:
    assert judge(DATABASE, {}, {}, ("a", "b"), ("a", "b")).reward == 1.0
    assert judge(DATABASE, {}, {}, ("ab",), ("a", "b")).reward == 0.0
    assert judge(DATABASE, {}, {}, ("a", "z"), ("a", "b")).to_dict()["outputs"] == {"a": True, "z": False}
    assert judge(DATABASE, {}, {}, ("a",), ()).reward == 0.0


def test_both_parts_are_kept_when_both_fail() -> None:
    verdict = judge(DATABASE, CANCELLED, {}, ("10",), ())
    assert (verdict.database_equal, verdict.outputs_found) == (False, False)
