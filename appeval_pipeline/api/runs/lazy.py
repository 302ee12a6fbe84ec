"""Runs whose machinery is loaded when the first is asked for: importing Dagster takes seconds."""

from __future__ import annotations

import threading

from appeval_pipeline.api.models.runs import RunAnswer
from appeval_pipeline.api.runs.protocol import RunOrder, Runs
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Store


class LazyRuns:
    """As :class:`appeval_pipeline.api.runs.dagster_runs.DagsterRuns`, made when it is needed."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._lock = threading.Lock()
        self._made: Runs | None = None

    def start(self, order: RunOrder) -> RunAnswer:
        """Start a run."""
        return self._runs().start(order)

    def read(self, run_id: str) -> RunAnswer | None:
        """A run, whoever started it."""
        return self._runs().read(run_id)

    def close(self) -> None:
        """End what was started, if anything was."""
        with self._lock:
            if self._made is not None:
                self._made.close()

    def _runs(self) -> Runs:
        with self._lock:
            if self._made is None:
                from appeval_pipeline.api.runs.dagster_runs import DagsterRuns

                self._made = DagsterRuns(self._settings, self._store)
            return self._made
