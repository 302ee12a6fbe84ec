"""Runs of the pipeline, and what they came to."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from appeval_pipeline.api.models.base import Answer, Utc
from appeval_pipeline.api.models.results import BenchmarkAnswer, CoverageAnswer, ScenarioRuns


class RunState(StrEnum):
    """How far a run is."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def has_ended(self) -> bool:
        return self in (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELED)


class Materialized(Answer):
    """A result that a run has stored."""

    asset_key: str
    partition_key: str | None
    data_version: str | None
    at: Utc


class StepFailed(Answer):
    """What failed in a run."""

    step: str | None = Field(description="The asset; null if the run failed outside its steps")
    error: str


class RunAnswer(Answer):
    """A Dagster run, whoever started it."""

    run_id: str
    state: RunState
    partition_keys: list[str] = Field(
        description="The app versions that it works on", examples=[["paypal@2"]]
    )
    assets: list[str] = Field(description="What it was asked to make; empty for all")
    created_at: Utc
    started_at: Utc | None
    ended_at: Utc | None
    materialized: list[Materialized] = Field(description="What it has stored so far, the first thousand")
    failures: list[StepFailed]


class EvaluationOutcome(Answer):
    """A run of an app version's scenarios, and how they stand after it."""

    run: RunAnswer
    scenarios: ScenarioRuns | None = Field(description="Null if nothing is stored of them")
    coverage: CoverageAnswer | None


class BenchmarkOutcome(Answer):
    """A run of the benchmark, and what it measured."""

    run: RunAnswer
    benchmark: BenchmarkAnswer | None
