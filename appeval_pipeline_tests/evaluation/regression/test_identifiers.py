"""Generated ids are found in texts, and stand for each other in order of first appearance."""

import pytest

from appeval_pipeline.engine import Engine, ExecutionContext
from appeval_pipeline.evaluation.regression.differences import differences, same
from appeval_pipeline.evaluation.regression.identifiers import (
    Mention,
    Pairing,
    RecordingContext,
    split_at_ids,
)

from .wallet import edited

A, B, C = "a1b2c3d4e5f60718", "0f1e2d3c4b5a6978", "1234567890abcdef"
KNOWN = {name[:8]: name for name in (A, B, C)}
Old, New = {A[:8]: A, B[:8]: B}, {C[:8]: C, B[:8]: B}


def test_a_recording_context_hands_out_the_ids_of_its_seed_and_remembers_them() -> None:
    context, plain = RecordingContext(5, {}), ExecutionContext(seed=5)
    session = Engine(edited()).session(["ann", "bob"], context=context)
    result = session.execute("ann", "pay", {"to": "bob", "amount": 1})
    assert context.issued == [plain.next_id()]
    assert result.data == {"id": context.issued[0], "left": 99}
    assert context.by_beginning == {context.issued[0][:8]: context.issued[0]}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("no id at all", ["no id at all"]),
        (A, ["", Mention(A, 16, False), ""]),
        (f"Order {A}, {B}.", ["Order ", Mention(A, 16, False), ", ", Mention(B, 16, False), "."]),
        (A[:8], ["", Mention(A, 8, False), ""]),
        (A[:7], [A[:7]]),
        (A[:11].upper(), ["", Mention(A, 11, True), ""]),
        (f"ff{A}{B}00", ["ff", Mention(A, 16, False), "", Mention(B, 16, False), "00"]),
        (f"{A[:9]}ffff", ["", Mention(A, 9, False), "ffff"]),
        ("ffffffffffffffff", ["ffffffffffffffff"]),
    ],
)
def test_texts_are_split_at_the_ids_in_them(text: str, parts: list[object]) -> None:
    assert split_at_ids(text, KNOWN) == parts


def test_ids_stand_for_each_other_from_their_first_appearance_on() -> None:
    pairing = Pairing(Old, New)
    assert same([A, f"paid {B}"], [C, f"paid {B}"], pairing)
    assert same({A: {"of": B}}, {C: {"of": B}}, pairing)
    assert not same(A, B, pairing)
    assert not same(B, C, pairing)
    assert not same(A, C[:8], pairing)


def test_values_that_differ_pair_no_ids() -> None:
    pairing = Pairing(Old, New)
    assert not same([A, 1], [B, 2], pairing)
    assert same(A, C, pairing)


def test_ids_of_a_state_that_both_start_from_stand_for_themselves() -> None:
    pairing = Pairing(Old, Old, shared=[A, B])
    assert same([A, B], [A, B], pairing)
    assert not same([A, B], [B, A], pairing)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"n": 1}, {"n": 1.0}, []),
        ({"n": 0.3}, {"n": 0.1 + 0.2}, []),
        ({"n": 1}, {"n": True}, ["x.n"]),
        ({"n": 2**62}, {"n": 2**62 + 1}, ["x.n"]),
        ({"a b": None}, {}, ['x["a b"]']),
        ([1, 2, 3], [2, 3], ["x[0]"]),
        ([1, 2, 3], [1, 9, 3], ["x[1]"]),
        ([1, 3], [1, 2, 3], ["x[1]"]),
        ([{"a": 1, "b": 2}], [{"a": 1, "b": 3, "c": None}], ["x[0].b", "x[0].c"]),
        ({"k": [1]}, {"k": {"0": 1}}, ["x.k"]),
        ({A: 1, "k": 2}, {"k": 2, C: 3}, [f"x.{A}"]),
        ({A: 1}, {C: 1, B: 2}, ['x["' + B + '"]']),
    ],
)
def test_differences_are_told_where_they_are(old: object, new: object, found: list[str]) -> None:
    assert [one.path for one in differences(old, new, "x", Pairing(Old, New))] == found
