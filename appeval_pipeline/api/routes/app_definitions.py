"""Apps, their versions, and what is stored of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as PathParameter

from appeval_pipeline.api import answers
from appeval_pipeline.api.comparing import compute_comparison
from appeval_pipeline.api.context import MAX_VERSION, AppId, ContextOf, WantedVersion
from appeval_pipeline.api.models.base import MAX_ROWS
from appeval_pipeline.api.models.comparing import ComparisonAnswer
from appeval_pipeline.api.models.results import (
    AppDefinitionAnswer,
    AppList,
    CoverageAnswer,
    QualityAnswer,
    VersionList,
)
from appeval_pipeline.api.routes.described import UNKNOWN, problems

router = APIRouter(prefix="/api/v1/app-definitions", tags=["app definitions"])


@router.get("", operation_id="listAppDefinitions", responses=problems(), summary="List the apps")
def list_apps(
    context: ContextOf,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS, description="How many at most")] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_VERSION, description="How many to leave out")] = 0,
) -> AppList:
    """Every stored app with its versions, and how its latest version stands."""
    return context.store.remembered(answers.apps, limit, offset)


@router.get("/{app_id}", operation_id="getAppDefinition", responses=UNKNOWN, summary="One app version")
def get_app(context: ContextOf, app_id: AppId, version: WantedVersion = None) -> AppDefinitionAnswer:
    """The definition as it was evaluated, with the warnings of lint."""
    return context.store.remembered(answers.app, app_id, version)


@router.get(
    "/{app_id}/versions", operation_id="listVersions", responses=UNKNOWN, summary="The versions of an app"
)
def list_versions(
    context: ContextOf,
    app_id: AppId,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS, description="How many at most")] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_VERSION, description="How many to leave out")] = 0,
) -> VersionList:
    """Every stored version with its headline results, oldest first."""
    return context.store.remembered(answers.versions, app_id, limit, offset)


@router.get("/{app_id}/quality", operation_id="getQuality", responses=UNKNOWN, summary="Quality")
def get_quality(context: ContextOf, app_id: AppId, version: WantedVersion = None) -> QualityAnswer:
    """Score, level, dimensions with their details, and suggestions, the most useful first."""
    return context.store.remembered(answers.quality, app_id, version)


@router.get("/{app_id}/coverage", operation_id="getCoverage", responses=UNKNOWN, summary="Coverage")
def get_coverage(context: ContextOf, app_id: AppId, version: WantedVersion = None) -> CoverageAnswer:
    """How much of the logic the scenarios reach, and what they do not, with a recommendation for each."""
    return context.store.remembered(answers.coverage, app_id, version)


@router.get(
    "/{app_id}/compare/{version}",
    operation_id="compareVersions",
    responses=UNKNOWN,
    summary="What a version changes against another",
)
async def compare(
    context: ContextOf,
    app_id: AppId,
    version: Annotated[
        int, PathParameter(ge=1, le=MAX_VERSION, description="The version to start from", examples=[1])
    ],
    other: Annotated[
        int | None,
        Query(
            alias="with",
            ge=1,
            le=MAX_VERSION,
            description="The version to compare with it; the latest if not given",
        ),
    ] = None,
) -> ComparisonAnswer:
    """The stored report where there is one; else both stored definitions are compared on the spot.

    `origin` says which. A comparison on the spot runs the scenarios on both versions, but does not time them.
    """

    def compared() -> ComparisonAnswer:
        found = context.store.remembered(answers.comparison, app_id, version, other)
        if isinstance(found, ComparisonAnswer):
            return found
        return compute_comparison(context.data_dir, *found)

    return await context.compute(compared)
