"""What may be spent on how far states are from a goal."""

from __future__ import annotations

from appeval_pipeline.agents import Budget
from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents.distances import Distances
from appeval_pipeline_tests.evaluation.agents.tills import TILL, make_task


class Clock:
    """Tells a later time each time it is asked, once it ticks."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.tick_s = 0.0

    def __call__(self) -> float:
        self.now_s += self.tick_s
        return self.now_s


def test_the_searches_after_the_first_share_their_time() -> None:
    engine, clock = Engine(load_app(TILL)), Clock()
    distances = Distances(engine, make_task("bob.coins >= 100"), Budget(max_time_s=5.0), clock)
    start = engine.initial_state(["ann", "bob"])
    assert distances.plan(start).is_exact
    clock.tick_s = 1.0
    for coins in range(20, 40):
        distances.plan(
            {**start, "per_agent": {**start["per_agent"], "ann": {"coins": coins, "locked": False}}}
        )
    # Each of 20 searches looks at the clock twice at least; one that began within the time may end beyond it.
    assert clock.now_s <= 5 + 1 + 20 * 3
