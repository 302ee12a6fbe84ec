"""What the API needs of whatever runs the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from appeval_pipeline.api.models.runs import RunAnswer


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What a run is to make of one app version.

    Attributes:
        always: Assets to make even if they are up to date.
        if_stale: Further assets to make if they are new or stale; all others are left alone.
    """

    app_id: str
    version: int
    always: tuple[str, ...]
    if_stale: tuple[str, ...]

    @property
    def partition_key(self) -> str:
        """``<app_id>@<version>``."""
        return f"{self.app_id}@{self.version}"


class RunUnderWay(Exception):
    """A run is at work on this app version already."""

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id)
        self.run_id = run_id


class TooManyRuns(Exception):
    """As many runs as may be are at work; each is a process of its own."""


class Runs(Protocol):
    """Starts runs and knows all there are; its methods may block."""

    def start(self, order: RunOrder) -> RunAnswer:
        """Start a run and return at once.

        Raises:
            RunUnderWay: One is at work on this version.
            TooManyRuns: As many as may be are at work on others.
            CatalogueError: There is no file of this version.
            SettingsError, StoreError: Dagster or the store cannot be used.
        """
        ...

    def read(self, run_id: str) -> RunAnswer | None:
        """A run, whoever started it; None if there is none of this id."""
        ...

    def close(self) -> None:
        """End the runs that were started here, and let go of what is open."""
        ...
