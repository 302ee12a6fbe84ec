"""What a version changes against another."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from appeval_pipeline.api.models.base import Answer, FromJson, Json, Source
from appeval_pipeline.api.models.results import Names, Scores


class Change(Answer):
    """One difference."""

    change: str = Field(description="`new_failure`, `fixed_test`, `interface_change` or `output_change`")
    severity: str | None = Field(description="`breaking`, `warning` or `compatible`, where it has one")
    kind: str | None
    location: str
    path: str | None
    message: str
    old: Json
    new: Json


class Timing(Answer):
    """The latency of one action in both versions, in milliseconds; low and high enclose the ratio."""

    action: str
    pair_count: int
    old_median_ms: float
    new_median_ms: float
    ratio: float
    low: float
    high: float
    is_significant: bool


class ComparisonAnswer(Answer):
    """What `new_version` changes against `old_version`."""

    app_id: str
    old_version: int
    new_version: int
    origin: Literal["stored", "computed"] = Field(
        description="`stored`: the report that the pipeline made. `computed`: made for this answer from the "
        "stored definitions and the scenario files as they are now, without timing"
    )
    status: str = Field(description="`compared`, `not_evaluated` or `error`")
    is_breaking: bool | None = Field(description="Whether a scenario fails that passed")
    is_empty: bool | None = Field(description="Whether nothing changed")
    new_failures: Names
    fixed_tests: Names
    still_failing: Names
    not_compared: Names
    not_timed: Names
    output_change_count: int | None
    output_changes_left_out: int | None
    interface_breaking_count: int | None
    interface_warning_count: int | None
    interface_compatible_count: int | None
    quality_score_delta: float | None
    dimension_changes: Scores
    latency_change_pct: float | None = Field(description="Positive is slower; null where it was not timed")
    throughput_change_pct: float | None = Field(description="Positive is faster; null where it was not timed")
    significant_actions: Annotated[list[str], FromJson]
    changes: list[Change] = Field(description="The first thousand")
    timings: list[Timing]
    error: str | None
    sources: list[Source] = Field(
        description="Of a stored report the report; of a computed one the two definitions"
    )
