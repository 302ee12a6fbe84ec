"""What matches what, by the table of the spec."""

from __future__ import annotations

import pytest

from appeval_pipeline.evaluation.scenarios.matching import check_matchers, mismatches
from appeval_pipeline.expr.writing import MISSING


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        (0.3, 0.1 + 0.2),
        (1, 1 + 9e-10),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}),
        ([1, {"a": 1}], [1, {"a": 1, "b": 2}]),
        (None, None),
        ({"$type": "string"}, "x"),
        ({"$type": "null"}, None),
        ({"$exists": True}, None),
        ({"$exists": False}, MISSING),
        ({"$regex": "^tx-"}, "tx-1"),
        ({"$gt": 0}, 0.5),
        ({"$gte": 1, "$lt": 2}, 1),
        ({"$lte": "b"}, "a"),
        ({"$approx": 100}, 100.00005),
        ({"$approx": [100, 5]}, 104),
        ({"$in": [1, "x"]}, "x"),
    ],
)
def test_matches(expected: object, actual: object) -> None:
    assert list(mismatches(expected, actual, "data")) == []


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        (1, 1 + 1e-8, "data is 1.00000001, expected 1"),
        (1, True, "data is true, expected 1"),
        (1, "1", "data is '1', expected 1"),
        (None, MISSING, "data is missing, expected null"),
        ({"a": 1}, {"b": 1}, "data.a is missing, expected 1"),
        ({"a": 1}, None, 'data is null, expected {"a": 1}'),
        ([1], [1, 2], "data has 2 elements, expected 1"),
        ([1, 2], [2, 1], "data[0] is 2, expected 1"),
        ({"$type": "string"}, 1, "data is 1, expected $type 'string'"),
        ({"$exists": False}, None, "data is null, expected $exists false"),
        ({"$exists": True}, MISSING, "data is missing, expected $exists true"),
        ({"$regex": "^tx-"}, 5, "data is 5, expected $regex '^tx-'"),
        ({"$gt": 0}, 0, "data is 0, expected $gt 0"),
        ({"$gt": 0}, "a", "data is 'a', expected $gt 0"),
        ({"$gt": 0}, True, "data is true, expected $gt 0"),
        ({"$approx": 100}, 101, "data is 101, expected $approx 100"),
        ({"$approx": [100, 5]}, 106, "data is 106, expected $approx [100, 5]"),
        ({"$in": [1, 2]}, 3, "data is 3, expected $in [1, 2]"),
        ({"a": {"$exists": True}}, {}, "data.a is missing, expected $exists true"),
    ],
)
def test_differs(expected: object, actual: object, reason: str) -> None:
    assert reason in [mismatch.reason for mismatch in mismatches(expected, actual, "data")]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"$foo": 1}, "Unknown matcher '$foo'"),
        ({"$gt": 1, "a": 2}, "either matchers ($…) or keys, not both"),
        ({"a": [{"$type": "text"}]}, "Matcher $type expects one of null, boolean"),
        ({"$regex": "("}, "Matcher $regex expects a regular expression"),
        ({"$exists": 1}, "Matcher $exists expects true or false"),
        ({"$in": 1}, "Matcher $in expects an array"),
        ({"$approx": "1"}, "Matcher $approx expects a number"),
    ],
)
def test_bad_matchers_are_named(expected: object, message: str) -> None:
    assert any(message in problem for _, problem in check_matchers(expected, "data"))
