"""Starting a run for a request, and waiting for it as long as was asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final

import anyio
import anyio.to_thread
from fastapi import Query, Response

from appeval_pipeline.api.context import Context
from appeval_pipeline.api.models.runs import RunAnswer
from appeval_pipeline.api.problems import ApiProblem, Kind
from appeval_pipeline.api.reading import unknown_app, unknown_version
from appeval_pipeline.api.runs.protocol import RunOrder, RunUnderWay, TooManyRuns
from appeval_pipeline.appdef.catalogue import ROOTS, CatalogueEntry
from appeval_pipeline.store.freshness import storable_catalogue

MAX_WAIT_S: Final = 600

Wait = Annotated[bool, Query(description="Wait for the run and answer with its result")]
WaitAtMost = Annotated[
    int, Query(ge=1, le=MAX_WAIT_S, description="How many seconds to wait; after that the answer is 202")
]


def find_entry(
    data_dir: Path, app_id: str, version: int | None, *, roots: Sequence[str] = ROOTS
) -> CatalogueEntry:
    """The file of a version, or of the app's latest one.

    Raises:
        ApiProblem: 404, there is none.
    """
    entries = [entry for entry in storable_catalogue(data_dir).entries if entry.root in roots]
    versions = {entry.version: entry for entry in entries if entry.app_id == app_id}
    if not versions:
        raise unknown_app(app_id, sorted({entry.app_id for entry in entries}))
    if version is not None and version not in versions:
        raise unknown_version(app_id, version, sorted(versions))
    return versions[max(versions) if version is None else version]


async def start_run(context: Context, order: RunOrder, wait_s: int | None) -> RunAnswer:
    """Start a run, and look at it until it has ended, or for ``wait_s`` seconds; at once if None.

    Raises:
        ApiProblem: 409, a run is at work on this version; 429, too many are at work on others.
    """
    try:
        run = await anyio.to_thread.run_sync(context.runs.start, order, limiter=context.run_limiter)
    except RunUnderWay as other:
        raise ApiProblem(
            HTTPStatus.CONFLICT,
            Kind.RUN_UNDER_WAY,
            f"Run {other.run_id} is at work on {order.partition_key}; GET /api/v1/runs/{other.run_id}",
            run_id=other.run_id,
        ) from None
    except TooManyRuns:
        raise ApiProblem(
            HTTPStatus.TOO_MANY_REQUESTS,
            Kind.TOO_MANY_RUNS,
            "As many runs as may be are at work; try again when one has ended",
            headers={"Retry-After": "10"},
        ) from None
    deadline = time.monotonic() + (wait_s or 0)
    while not (run.state.has_ended or context.ending.is_set() or time.monotonic() >= deadline):
        await anyio.sleep(context.poll_s)
        seen = await anyio.to_thread.run_sync(context.runs.read, run.run_id, limiter=context.run_limiter)
        run = seen or run
    return run


def accepted(run: RunAnswer) -> Response:
    """The answer 202, which says where to look."""
    return Response(
        run.model_dump_json(),
        status_code=HTTPStatus.ACCEPTED,
        media_type="application/json",
        headers={"Location": f"/api/v1/runs/{run.run_id}"},
    )
