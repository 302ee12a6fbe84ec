"""What all answers have in common: where they come from, and JSON that is stored as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

MAX_ROWS: Final = 1_000
"""Rows of any list in an answer; `appeval export` gives all."""


def _parsed(value: object) -> object:
    return orjson.loads(value) if isinstance(value, str) else value


def _in_utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


FromJson: Final = BeforeValidator(_parsed)
"""Of a field that the store keeps as JSON text."""
Json = Annotated[JsonValue, FromJson]
Utc = Annotated[datetime, AfterValidator(_in_utc)]
"""The store keeps times in UTC, without saying so."""


class Answer(BaseModel):
    """The base of all answers; made from rows by the names of their fields."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Source(Answer):
    """Where numbers come from: the result of an asset, and the run that made it."""

    asset_key: str = Field(examples=["quality_scores"])
    partition_key: str = Field(examples=["paypal@2"])
    data_version: str = Field(description="SHA-256 of the result's content")
    run_id: str = Field(description="The Dagster run")
    materialized_at: Utc = Field(description="When, in UTC")
