"""The state of runs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path

from appeval_pipeline.api.context import ContextOf
from appeval_pipeline.api.models.runs import RunAnswer
from appeval_pipeline.api.problems import ApiProblem, Kind, shortened
from appeval_pipeline.api.routes.described import UNKNOWN

router = APIRouter(prefix="/api/v1/runs", tags=["runs"])


@router.get("/{run_id}", operation_id="getRun", responses=UNKNOWN, summary="State of a run")
def get_run(
    context: ContextOf, run_id: Annotated[str, Path(description="As the answer to its start has it")]
) -> RunAnswer:
    """How far a run is, what it has stored, and what failed; whoever started it."""
    run = context.runs.read(run_id)
    if run is None:
        detail = f"Dagster knows no run '{shortened(run_id)}'"
        raise ApiProblem(HTTPStatus.NOT_FOUND, Kind.UNKNOWN_RUN, detail)
    return run
