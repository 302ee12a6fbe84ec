"""kill -9 at random moments: each partition is the old one or the new one, and the next run does the rest."""

import subprocess
import sys

import pytest


def kill(what: str, kills: int) -> list[int]:
    """How many were killed at work, how many different mixtures of runs that left, and the mixtures."""
    process = subprocess.run(
        [sys.executable, "-m", "appeval_pipeline_tests.store.killing", what, str(kills)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert process.returncode == 0, process.stderr
    return list(map(int, process.stdout.split()))


def test_a_writer_killed_at_twenty_moments_leaves_whole_partitions() -> None:
    kills, *_, most_runs = kill("writers", 20)
    assert kills == 20
    assert most_runs > 1  # it was killed between the batches of a round, too


@pytest.mark.slow
def test_a_run_killed_at_twenty_moments_leaves_whole_partitions_and_the_next_one_does_the_rest() -> None:
    kills, *_, most_runs = kill("runs", 20)
    assert kills == 20
    assert most_runs > 1  # some died between two assets
