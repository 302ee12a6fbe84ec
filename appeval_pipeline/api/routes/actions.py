"""Running an action, the scenarios or the benchmark of an app."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Response

from appeval_pipeline.api import answers, reading
from appeval_pipeline.api.context import AppId, Context, ContextOf, WantedVersion
from appeval_pipeline.api.models.runs import BenchmarkOutcome, EvaluationOutcome, RunAnswer
from appeval_pipeline.api.models.trying import CallAnswer, CallRequest
from appeval_pipeline.api.routes.described import Responses, problems
from appeval_pipeline.api.runs.protocol import RunOrder
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.api.starting import Wait, WaitAtMost, accepted, find_entry, start_run
from appeval_pipeline.api.strict_json import StrictJsonRoute
from appeval_pipeline.api.trying import try_action
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.store.dependencies import (
    BENCHMARKS,
    COVERAGE,
    DEFINITIONS,
    EDGE_CASES,
    QUALITY,
    REGRESSIONS,
    SCENARIOS,
)

router = APIRouter(prefix="/api/v1/app-definitions/{app_id}", route_class=StrictJsonRoute)

_LOCATION: Final[dict[str, Any]] = {
    "Location": {"description": "Where the run's state is", "schema": {"type": "string"}}
}
STARTED: Final[Responses] = {
    200: {"description": "With `?wait=true`: the run has ended, and this is how things stand after it"},
    **problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS),
    202: {"model": RunAnswer, "description": "The run has been started", "headers": _LOCATION},
}


@router.post(
    "/test",
    operation_id="testAction",
    tags=["actions"],
    responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    summary="Run one action on a given state",
)
async def call_action(
    context: ContextOf, app_id: AppId, request: CallRequest, version: WantedVersion = None
) -> CallAnswer:
    """Runs on the stored definition, within the engine's limits, and stores nothing."""

    def tried() -> CallAnswer:
        return try_action(context.store.remembered(answers.definition, app_id, version), request)

    return await context.compute(tried)


@router.post(
    "/evaluate",
    operation_id="evaluate",
    tags=["runs"],
    response_model=EvaluationOutcome,
    responses=STARTED,
    summary="Run the test scenarios",
)
async def evaluate(
    context: ContextOf,
    app_id: AppId,
    version: WantedVersion = None,
    wait: Wait = False,
    timeout_s: WaitAtMost = 120,
) -> EvaluationOutcome | Response:
    """Starts a run that makes scenario runs, coverage and edge cases anew, and what is stale of definition,
    quality and regressions. Agents are not asked; nothing is timed but a stale comparison."""
    entry = await context.read(find_entry, context.data_dir, app_id, version)
    order = RunOrder(
        entry.app_id, entry.version, (SCENARIOS, COVERAGE, EDGE_CASES), (DEFINITIONS, QUALITY, REGRESSIONS)
    )
    run = await start_run(context, order, timeout_s if wait else None)
    if not (wait and run.state.has_ended):
        return accepted(run)
    return await context.read(_evaluated, context.store, run, entry)


@router.post(
    "/benchmark",
    operation_id="benchmark",
    tags=["runs"],
    response_model=BenchmarkOutcome,
    responses=STARTED,
    summary="Run the benchmark suite on it",
)
async def benchmark(
    context: ContextOf,
    app_id: AppId,
    version: WantedVersion = None,
    wait: Wait = False,
    timeout_s: WaitAtMost = 120,
) -> BenchmarkOutcome | Response:
    """Starts a run that measures the version anew; what the benchmark rests on is made if it is stale."""
    entry = await context.read(find_entry, context.data_dir, app_id, version)
    return await run_benchmark(context, entry, timeout_s if wait else None)


async def run_benchmark(
    context: Context, entry: CatalogueEntry, wait_s: int | None
) -> BenchmarkOutcome | Response:
    """Measure one version."""
    order = RunOrder(
        entry.app_id, entry.version, (BENCHMARKS,), (DEFINITIONS, QUALITY, SCENARIOS, EDGE_CASES)
    )
    run = await start_run(context, order, wait_s)
    if wait_s is None or not run.state.has_ended:
        return accepted(run)
    return await context.read(_benchmarked, context.store, run, entry)


def _evaluated(store: SharedStore, run: RunAnswer, entry: CatalogueEntry) -> EvaluationOutcome:
    with store.reader() as connection:
        return EvaluationOutcome(
            run=run,
            scenarios=reading.read_scenarios(connection, entry.app_id, entry.version),
            coverage=reading.read_coverage(connection, entry.app_id, entry.version),
        )


def _benchmarked(store: SharedStore, run: RunAnswer, entry: CatalogueEntry) -> BenchmarkOutcome:
    with store.reader() as connection:
        found = reading.read_benchmark(connection, entry.app_id, entry.version)
        return BenchmarkOutcome(run=run, benchmark=found)
