"""Does the pipeline keep up with thousands of versions? ``python -m benchmarks.pipeline``.

A made-up catalogue goes through all assets in one run of a process, and so does the same graph with empty
bodies: the same assets, partitions and checks, the same executor and configuration of Dagster, but each asset
returns a bare ``MaterializeResult``, and each check a bare pass.

The empty graph runs twice: as Dagster runs it, and with the way to write Dagster's files that `appeval run`
has (`patient_commits`). What is above the latter is what evaluating, storing and showing results costs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import dagster as dg
from rich.console import Console
from rich.table import Table

from appeval_pipeline import launch
from appeval_pipeline.dagster_home import prepare_dagster_home
from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.app_version_asset import WRITE_POOL
from appeval_pipeline.defs.checks import BARS
from appeval_pipeline.defs.jobs import RANGE_END_TAG, RANGE_START_TAG
from appeval_pipeline.defs.partitions import app_versions
from appeval_pipeline.defs.sqlite_files import patient_commits
from appeval_pipeline.settings import Settings
from benchmarks.generated import SCENARIOS, write_catalogue
from benchmarks.measuring import machine

APPS = 10
KINDS = ("ours", "empty", "patient")
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True)
class Measured:
    """One run in a process of its own.

    Attributes:
        elapsed_s: Wall time, without importing Dagster.
        cpu_s: Processor time of the same; a busy machine changes it less.
        again_s: Wall time of a second run with nothing changed; None where there is none.
        events: In Dagster's log of the run.
        peak_mb: Most memory that the process held.
    """

    elapsed_s: float
    cpu_s: float
    again_s: float | None
    events: int
    peak_mb: float


class Watch:
    """Wall and processor time since it was made, in seconds."""

    def __init__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        wall, cpu = self._started
        return time.perf_counter() - wall, time.process_time() - cpu


def empty_graph() -> dg.Definitions:
    """The assets and checks with nothing in them."""

    def emptied(asset: dg.AssetsDefinition) -> dg.AssetsDefinition:
        (spec,) = asset.specs

        @dg.asset(
            name=spec.key.to_user_string(),
            deps=spec.deps,
            partitions_def=app_versions,
            group_name=spec.group_name,
            code_version=spec.code_version,
            backfill_policy=asset.backfill_policy,
            pool=WRITE_POOL,
        )
        def empty() -> dg.MaterializeResult[None]:
            return dg.MaterializeResult()

        return empty

    @dg.multi_asset_check(specs=[bar.spec for bar in BARS], can_subset=True)
    def checks() -> Iterator[dg.AssetCheckResult]:
        for bar in BARS:
            yield dg.AssetCheckResult(asset_key=bar.key.asset_key, check_name=bar.name, passed=True)

    assets = [emptied(asset) for asset in app_assets]
    job = dg.define_asset_job("all_empty", selection=dg.AssetSelection.assets(*assets))
    return dg.Definitions(assets=assets, asset_checks=[checks], jobs=[job], executor=dg.in_process_executor)


def run_empty(home: Path, keys: list[str]) -> Measured:
    """The empty graph on these partitions, as `appeval run` would run it."""
    prepare_dagster_home(home)
    watch = Watch()
    with dg.DagsterInstance.from_config(str(home)) as instance:
        instance.add_dynamic_partitions(str(app_versions.name), keys)
        result = (
            empty_graph()
            .resolve_job_def("all_empty")
            .execute_in_process(
                instance=instance,
                tags={RANGE_START_TAG: keys[0], RANGE_END_TAG: keys[-1]},
                run_config=QUIET,
            )
        )
        assert result.success
        return Measured(*watch.read(), None, count_events(instance), peak_mb())


def run_ours(directory: Path) -> Measured:
    """`appeval run` on the catalogue in ``directory``, and once more."""
    settings = Settings.model_validate(
        {
            "data_dir": directory / "data",
            "store": directory / "appeval.duckdb",
            "dagster_home": directory / "home",
        }
    )
    watch = Watch()
    summary = launch.run(settings)
    elapsed, cpu = watch.read()
    assert not summary.errors, summary.errors
    assert len(summary.run_ids) == 1
    started = time.perf_counter()
    assert launch.run(settings).evaluated_count == 0
    again = time.perf_counter() - started
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        return Measured(elapsed, cpu, again, count_events(instance), peak_mb())


def count_events(instance: dg.DagsterInstance) -> int:
    """The events of the instance's only run."""
    (run,) = instance.get_runs()
    return len(instance.all_logs(run.run_id))


def peak_mb() -> float:
    """The most memory that this process has held so far."""
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(what: str, versions: int) -> Measured:
    """Measure in a fresh process, so that peaks and caches are its own."""
    output = subprocess.run(
        [sys.executable, "-m", "benchmarks.pipeline", "--only", what, "--versions", str(versions)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    ).stdout
    return Measured(**json.loads(output.splitlines()[-1]))


def measure(what: str, versions: int) -> Measured:
    """Measure one of `KINDS` in this process."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        keys = write_catalogue(directory / "data", APPS, versions // APPS)
        match what:
            case "ours":
                return run_ours(directory)
            case "patient":
                with patient_commits():
                    return run_empty(directory / "home", keys)
            case _:
                return run_empty(directory / "home", keys)


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=1_000, help=f"in {APPS} apps")
    parser.add_argument("--only", choices=KINDS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(asdict(measure(arguments.only, arguments.versions))))
        return
    many, few = arguments.versions, arguments.versions // 10
    found = {size: {kind: in_own_process(kind, size) for kind in KINDS} for size in (few, many)}
    title = f"{machine()}; {APPS} apps, {SCENARIOS} scenarios each"
    table = Table(
        "measure", "bar", *(f"{size:,} versions" for size in found), title=title, title_justify="left"
    )
    for row in rows(found):
        table.add_row(*row)
    Console(width=150).print(table)


def rows(found: dict[int, dict[str, Measured]]) -> Iterator[tuple[str, ...]]:
    """Name, bar, and the figure at either size."""

    def row(name: str, bar: str, figure: Callable[[dict[str, Measured]], str]) -> tuple[str, ...]:
        return name, bar, *map(figure, found.values())

    def times(kind: str) -> Callable[[dict[str, Measured]], str]:
        return lambda runs: f"{runs[kind].elapsed_s:.1f} s ({runs[kind].cpu_s:.1f} s of CPU)"

    def ratio(kind: str) -> Callable[[dict[str, Measured]], str]:
        return lambda runs: (
            f"{runs['ours'].elapsed_s / runs[kind].elapsed_s:.2f}"
            f" ({runs['ours'].cpu_s / runs[kind].cpu_s:.2f} of CPU)"
        )

    (few, first), (many, last) = found.items()
    growth = last["ours"].elapsed_s / first["ours"].elapsed_s
    yield row("all assets", "", times("ours"))
    yield row("the same graph, empty, as Dagster runs it", "", times("empty"))
    yield row("ratio", "≤ 1.5", ratio("empty"))
    yield row("the same, with patient commits", "", times("patient"))
    yield row("ratio", "", ratio("patient"))
    yield "growth of the time", f"≤ {many // few}×", "", f"{growth:.1f}×"
    yield row(
        "events (of the empty run)", "", lambda runs: f"{runs['ours'].events:,} ({runs['empty'].events:,})"
    )
    yield row(
        "peak memory (of the empty run)",
        "≤ 1,536 MB",
        lambda runs: f"{runs['ours'].peak_mb:.0f} MB ({runs['empty'].peak_mb:.0f} MB)",
    )
    yield row(
        "a second run with nothing changed", "≤ 15 s", lambda runs: f"{runs['ours'].again_s or 0:.1f} s"
    )


if __name__ == "__main__":
    main()
