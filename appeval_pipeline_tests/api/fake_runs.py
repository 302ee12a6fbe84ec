"""Runs that only pretend, for all that is not about Dagster."""

from __future__ import annotations

from datetime import UTC, datetime

from appeval_pipeline.api.models.runs import RunAnswer, RunState
from appeval_pipeline.api.runs.protocol import RunOrder, RunUnderWay, TooManyRuns

AT = datetime(2026, 1, 2, 12, tzinfo=UTC)


class FakeRuns:
    """Runs that end when they have been looked at so often.

    Attributes:
        orders: What was asked for.
        looks: How often a run is looked at before it has ended.
        under_way: A run id by the version that it works on.
        is_busy: Whether no further run may start.
    """

    def __init__(self, looks: int = 1) -> None:
        self.orders: list[RunOrder] = []
        self.looks = looks
        self.under_way: dict[str, str] = {}
        self.is_closed = False
        self.is_busy = False
        self._left: dict[str, int] = {}

    def start(self, order: RunOrder) -> RunAnswer:
        if order.partition_key in self.under_way:
            raise RunUnderWay(self.under_way[order.partition_key])
        if self.is_busy:
            raise TooManyRuns
        self.orders.append(order)
        run_id = f"run-{len(self.orders)}"
        self._left[run_id] = self.looks
        return self._answer(run_id)

    def read(self, run_id: str) -> RunAnswer | None:
        if run_id not in self._left:
            return None
        self._left[run_id] -= 1
        return self._answer(run_id)

    def close(self) -> None:
        self.is_closed = True

    def _answer(self, run_id: str) -> RunAnswer:
        order = self.orders[int(run_id.removeprefix("run-")) - 1]
        has_ended = self._left[run_id] <= 0
        return RunAnswer(
            run_id=run_id,
            state=RunState.SUCCEEDED if has_ended else RunState.STARTING,
            partition_keys=[order.partition_key],
            assets=list(order.always),
            created_at=AT,
            started_at=AT if has_ended else None,
            ended_at=AT if has_ended else None,
            materialized=[],
            failures=[],
        )
