"""The benchmark suite: the reference apps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from appeval_pipeline.api import answers
from appeval_pipeline.api.context import ContextOf
from appeval_pipeline.api.models.results import BenchmarkList
from appeval_pipeline.api.models.runs import BenchmarkOutcome
from appeval_pipeline.api.routes.actions import STARTED, run_benchmark
from appeval_pipeline.api.routes.described import problems
from appeval_pipeline.api.starting import Wait, WaitAtMost, find_entry
from appeval_pipeline.evaluation.suite import REFERENCE_ROOT

router = APIRouter(prefix="/api/v1/benchmarks", tags=["benchmarks"])

BenchmarkId = Annotated[str, Path(description="The reference app's id", examples=["bench_wallet"])]


@router.get("", operation_id="listBenchmarks", responses=problems(), summary="List the benchmarks")
def list_benchmarks(context: ContextOf) -> BenchmarkList:
    """The reference apps, each in its latest version, and what they gave when they were measured last."""
    return context.store.remembered(answers.benchmarks)


@router.post(
    "/{benchmark_id}/run",
    operation_id="runBenchmark",
    response_model=BenchmarkOutcome,
    responses=STARTED,
    summary="Run one benchmark",
)
async def run(
    context: ContextOf,
    benchmark_id: BenchmarkId,
    wait: Wait = False,
    timeout_s: WaitAtMost = 120,
) -> BenchmarkOutcome | Response:
    """Starts a run that measures the latest version of a reference app anew."""
    roots = (REFERENCE_ROOT,)
    entry = await context.read(find_entry, context.data_dir, benchmark_id, None, roots=roots)
    return await run_benchmark(context, entry, timeout_s if wait else None)
