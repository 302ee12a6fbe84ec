"""``appeval bench``: the benchmark suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from appeval_pipeline.cli.completion import complete_app
from appeval_pipeline.cli.exits import FAILED

if TYPE_CHECKING:
    from rich.table import Table

    from appeval_pipeline.evaluation import BenchmarkResult


def bench(
    apps: Annotated[
        list[str] | None,
        typer.Argument(
            help="Apps; without any, the reference apps in data/benchmarks.",
            metavar="APP",
            autocompletion=complete_app,
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the latest version of apps: latency, pass rate, edge cases, quality; stores nothing.

    Exits with 0 if every app passes all its scenarios with a quality above 80, else with 1.
    """
    from datetime import UTC, datetime

    from appeval_pipeline.appdef.catalogue import load_version
    from appeval_pipeline.cli.rendering import console, print_json
    from appeval_pipeline.evaluation import run_benchmark
    from appeval_pipeline.evaluation.suite import latest_versions, load_suite
    from appeval_pipeline.settings import load_settings

    data_dir = load_settings().data_dir
    results = []
    entries = latest_versions(data_dir, apps or ())
    with _progress(len(entries)) as show:
        for entry in entries:
            show(entry.app_id)
            app = load_version(data_dir, entry).app
            scenarios = load_suite(data_dir, entry.app_id, entry.root)
            timestamp = datetime.now(UTC).isoformat(timespec="seconds")
            results.append(run_benchmark(app, scenarios, timestamp=timestamp))
    if as_json:
        print_json([result.to_dict() for result in results])
    else:
        out = console()
        for made in _tables(results):
            out.print(made)
            out.print()
        for line in _environments(results):
            out.print(line, soft_wrap=True, markup=False)
    if not all(map(_is_model, results)):
        raise typer.Exit(FAILED)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr, on a terminal only, to be told of each app before it is measured.

    It is drawn then and at no other time: a thread that draws would be measured, too.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from appeval_pipeline.cli.rendering import console

    err = console(stderr=True)
    bar = Progress(
        TextColumn("measuring {task.description}", markup=False),
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        console=err,
        transient=True,
        auto_refresh=False,
        disable=not err.is_terminal or err.is_dumb_terminal,
    )
    task = bar.add_task("", total=total)
    done = 0

    def show(app_id: str) -> None:
        nonlocal done
        bar.update(task, description=app_id, completed=done, refresh=True)
        done += 1

    with bar:
        yield show


def _is_model(result: BenchmarkResult) -> bool:
    return result.scenario_pass_rate == 1 and result.quality_score > _QUALITY_ABOVE


_QUALITY_ABOVE: Final = 80.0

Cell = Callable[["BenchmarkResult"], float | None]

_LATENCY: Final[dict[str, tuple[Cell, str]]] = {
    "avg ms": (lambda result: result.avg_action_latency_ms, ".4f"),
    "p50 ms": (lambda result: result.p50_action_latency_ms, ".4f"),
    "p95 ms": (lambda result: result.p95_action_latency_ms, ".4f"),
    "p99 ms": (lambda result: result.p99_action_latency_ms, ".4f"),
    "actions/s": (lambda result: result.actions_per_second, ",.0f"),
    "samples": (lambda result: result.sample_count, ",.0f"),
}
_MULTIPLES: Final[dict[str, tuple[Cell, str]]] = {
    "avg": (lambda result: result.avg_multiple, ".2f"),
    "p50": (lambda result: result.p50_multiple, ".2f"),
    "p95": (lambda result: result.p95_multiple, ".2f"),
    "p99": (lambda result: result.p99_multiple, ".2f"),
    "loop ms": (lambda result: result.calibration_ms, ".5f"),
}
_CORRECTNESS: Final[dict[str, tuple[Cell, str]]] = {
    "scenarios passed": (lambda result: result.scenario_pass_rate, ".0%"),
    "edge cases covered": (lambda result: result.edge_case_coverage, ".1f"),
    "quality": (lambda result: result.quality_score, ".1f"),
}


def _tables(results: Sequence[BenchmarkResult]) -> list[Table]:
    from appeval_pipeline.cli.rendering import table

    dimensions = list(results[0].dimension_scores) if results else []
    by_dimension = {name: (_dimension(name), ".1f") for name in dimensions}
    tables = []
    for title, columns in (
        ("Latency of an action", _LATENCY),
        ("The same as a multiple of the calibration loop", _MULTIPLES),
        ("Correctness and quality, of 100", _CORRECTNESS),
        ("Quality by dimension, of 100", by_dimension),
    ):
        made = table("app", "version", *columns, title=title, numbers=("version", *columns))
        for result in results:
            cells = [_shown(value(result), form) for value, form in columns.values()]
            made.add_row(result.app_id, str(result.version), *cells)
        tables.append(made)
    made = table("app", "action", "samples", "p50 ms", "p95 ms", "p99 ms", "p50 multiple", title="By action")
    for column in made.columns[2:]:
        column.justify = "right"
    for result in results:
        for action in result.actions:
            latencies = (action.p50_latency_ms, action.p95_latency_ms, action.p99_latency_ms)
            made.add_row(
                result.app_id,
                action.action,
                f"{action.sample_count:,}",
                *(_shown(latency, ".4f") for latency in latencies),
                f"{action.p50_multiple:.2f}",
            )
        for name in result.untimed_actions:
            made.add_row(result.app_id, name, "0", "-", "-", "-", "-")
    return [*tables, made]


def _dimension(name: str) -> Cell:
    return lambda result: result.dimension_scores[name]


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _environments(results: Sequence[BenchmarkResult]) -> list[str]:
    """Where and when it was measured; once for all that were measured in the same place."""
    lines: dict[str, list[str]] = {}
    for result in results:
        place = ", ".join(f"{name} {value}" for name, value in result.environment.items())
        lines.setdefault(place, []).append(str(result.timestamp))
    return [f"Measured {min(times)} to {max(times)}: {place}" for place, times in lines.items()]
