import pytest

from appeval_pipeline.evaluation.statistics import success_at_turn_by_task, success_within_turns_by_task

TURNS = [[3, None, 1, 3], [None, None], [2]]
"""The first task succeeds in three trials of four, at turns 3, 1 and 3."""


@pytest.mark.parametrize(
    ("k", "at", "within"),
    [
        (1, [1 / 4, 0, 0], [1 / 4, 0, 0]),
        (2, [0, 0, 1], [1 / 4, 0, 1]),
        (3, [2 / 4, 0, 0], [3 / 4, 0, 1]),
        (4, [0, 0, 0], [3 / 4, 0, 1]),
    ],
)
def test_success_at_a_turn_is_exact_and_within_turns_adds_up(
    k: int, at: list[float], within: list[float]
) -> None:
    assert success_at_turn_by_task(TURNS, k) == at
    assert success_within_turns_by_task(TURNS, k) == within


@pytest.mark.parametrize(("turns", "k"), [(TURNS, 0), ([], 1), ([[1], []], 1)])
def test_turns_count_from_one_and_need_trials(turns: list[list[int | None]], k: int) -> None:
    for by_task in (success_at_turn_by_task, success_within_turns_by_task):
        with pytest.raises(ValueError, match=r"count from 1|undefined"):
            by_task(turns, k)
