"""What the Dagster UI shows of results: tables in Markdown, schemas, links."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import dagster as dg

from appeval_pipeline.appdef.catalogue import ROOTS, SUFFIXES
from appeval_pipeline.store import table_columns
from appeval_pipeline.store.rows import (
    AgentEvaluationRow,
    AnyResult,
    AppVersionRow,
    BenchmarkActionRow,
    BenchmarkResultRow,
    CoverageGapRow,
    CoverageReportRow,
    EdgeCaseReportRow,
    EdgeCaseResultRow,
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    RegressionChangeRow,
    RegressionReportRow,
    RegressionTimingRow,
    Row,
    ScenarioFailureRow,
    ScenarioRunRow,
)
from appeval_pipeline.store.writing import ASSET_TABLES

RowType = TypeVar("RowType", bound=Row)

BAR_WIDTH = 20
SHOWN_ROWS = 20
SHOWN_CHARACTERS = 24
"""Of a value in a table: the UI breaks lines at spaces only, and cuts what is too wide."""


def table_metadata(asset_key: str) -> dict[str, object]:
    """Metadata of the asset itself: its table's name and columns, and the other tables it fills."""
    table, *others = ASSET_TABLES[asset_key]
    columns = [
        dg.TableColumn(name=column.name, type=column.type, description=column.comment)
        for column in table_columns()[table]
    ]
    metadata: dict[str, object] = {
        "dagster/table_name": table,
        "dagster/column_schema": dg.TableSchema(columns=columns),
    }
    if others:
        metadata["further_tables"] = ", ".join(others)
    return metadata


def result_metadata(result: AnyResult, data_dir: Path, store: str) -> dict[str, object]:
    """Metadata of one partition's materialization: what every asset shows, below what is its own.

    Args:
        result: What is stored of the partition.
        data_dir: The data directory, for links to the files.
        store: The store's path.
    """
    row_counts = Counter(row.TABLE for row in result.rows)
    files = [source.key for source in result.inputs if source.kind == "file"]
    metadata: dict[str, object] = {}
    definition = _definition_file(result, data_dir) if isinstance(result, PartitionResult) else None
    if definition is not None:
        metadata["definition_file"] = dg.MetadataValue.path(str(definition))
    scenario_folder = next((data_dir / name for name in files if Path(name).parent.name == "scenarios"), None)
    if scenario_folder is not None:
        metadata["scenario_folder"] = dg.MetadataValue.path(str(scenario_folder.parent))
    if files:
        metadata["files"] = dg.MetadataValue.md("\n".join(f"* `{name}`" for name in files))
    metadata["rows_by_table"] = dg.MetadataValue.md(markdown_table(("table", "rows"), row_counts.items()))
    return {
        **metadata,
        "dagster/partition_row_count": len(result.rows),
        "store": dg.MetadataValue.path(store),
        "data_version": result.data_version,
    }


def _definition_file(result: PartitionResult, data_dir: Path) -> Path | None:
    """The file of the version, if it is there: a landed version may have lost it."""
    paths = (
        data_dir / root / result.app_id / f"v{result.version}{suffix}"
        for root in ROOTS
        for suffix in SUFFIXES
    )
    return next((path for path in paths if path.is_file()), None)


def definition_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``app_definitions`` shows of one version."""
    (row,) = rows_of(result, AppVersionRow)
    metadata: dict[str, object] = {"status": row.status, "landed": row.landed, "warnings": row.warning_count}
    if row.name:
        metadata["app"] = row.name
    if row.action_count is not None:
        metadata["actions"] = row.action_count
    if row.error:
        metadata["error"] = dg.MetadataValue.md(f"```\n{row.error}\n```")
    if row.violation:
        metadata["violation"] = row.violation
    if row.definition_hash:
        metadata["definition_hash"] = row.definition_hash
    return metadata


def quality_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``quality_scores`` shows of one version: the dimensions as a table, and the suggestions."""
    (score,) = rows_of(result, QualityScoreRow)
    metadata: dict[str, object] = {"status": score.status}
    if score.overall_score is None:
        metadata["error"] = score.error or score.status
        return metadata
    dimensions = rows_of(result, QualityDimensionRow)
    suggestions = rows_of(result, QualitySuggestionRow)
    metadata["overall_score"] = _rounded(score.overall_score)
    metadata["level"] = score.level or ""
    metadata["dimensions"] = dg.MetadataValue.md(
        markdown_table(
            ("dimension", "score", ""),
            [(row.dimension, f"{row.score:.1f}", _bar(row.score)) for row in dimensions],
        )
    )
    if suggestions:
        metadata["suggestions"] = dg.MetadataValue.md(
            markdown_table(
                ("dimension", "where", "what to do"),
                [(row.dimension, row.location, row.message) for row in suggestions[:SHOWN_ROWS]],
            )
        )
    return metadata


def scenario_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``scenario_runs`` shows of one version: a table of scenarios, and one of failures."""
    runs = rows_of(result, ScenarioRunRow)
    failures = rows_of(result, ScenarioFailureRow)
    metadata: dict[str, object] = {
        "scenarios_passed": sum(1 for run in runs if run.passed),
        "scenarios_total": len(runs),
    }
    if runs:
        metadata["scenarios"] = dg.MetadataValue.md(
            markdown_table(
                ("scenario", "status", "steps passed", "file"),
                [(run.scenario_name, run.status, _steps(run), Path(run.file_path).name) for run in runs],
            )
        )
    problems = [(run.scenario_name, "", run.error) for run in runs if run.error]
    problems += [(failure.scenario_name, failure.step_name, failure.error) for failure in failures]
    if problems:
        metadata["failures"] = dg.MetadataValue.md(markdown_table(("scenario", "step", "why"), problems))
    return metadata


def coverage_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``coverage_reports`` shows of one version: the coverages as a table, and the gaps."""
    (report,) = rows_of(result, CoverageReportRow)
    metadata: dict[str, object] = {"status": report.status}
    if report.branch_coverage is None:
        return {**metadata, "error": report.error or report.status}
    shares = {
        "actions": report.action_coverage,
        "blocks": report.block_coverage,
        "branches": report.branch_coverage,
        "paths": report.path_coverage,
    }
    metadata["branch_coverage"] = _rounded(report.branch_coverage)
    metadata["coverage"] = dg.MetadataValue.md(
        markdown_table(
            ("of", "percent", ""),
            [(name, f"{share:.1f}", _bar(share)) for name, share in shares.items() if share is not None],
        )
    )
    gaps = [(gap.location, gap.message, gap.recommendation) for gap in rows_of(result, CoverageGapRow)]
    return {**metadata, **listed("gaps", ("where", "what is missing", "what to do"), gaps)}


def edge_case_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``edge_case_reports`` shows of one version: the shares, and the cases to look at."""
    (report,) = rows_of(result, EdgeCaseReportRow)
    metadata: dict[str, object] = {"status": report.status}
    if report.edge_case_coverage is None or report.edge_case_robustness is None:
        return {**metadata, "error": report.error or report.status}
    cases = rows_of(result, EdgeCaseResultRow)
    metadata["edge_case_coverage"] = _rounded(report.edge_case_coverage)
    metadata["edge_case_robustness"] = _rounded(report.edge_case_robustness)
    metadata["cases"] = len(cases)
    fragile = [(*_case(case), case.expected, case.outcome, case.call) for case in cases if not case.is_robust]
    missing = [(*_case(case), case.expected) for case in cases if case.covered_by == "[]"]
    header = ("action", "case", "of", "expected")
    return {
        **metadata,
        **listed("misbehaving", (*header, "outcome", "call"), fragile),
        **listed("met_by_no_scenario", header, missing),
    }


def _case(case: EdgeCaseResultRow) -> tuple[str, str, str]:
    return case.action, case.kind, case.parameter or ""


def benchmark_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``benchmark_results`` shows of one version: its figures, and the latencies by action."""
    (row,) = rows_of(result, BenchmarkResultRow)
    metadata: dict[str, object] = {"status": row.status}
    if row.error:
        return {**metadata, "error": row.error}
    figures = {
        "avg_action_latency_ms": row.avg_action_latency_ms,
        "p50_action_latency_ms": row.p50_action_latency_ms,
        "p95_action_latency_ms": row.p95_action_latency_ms,
        "p99_action_latency_ms": row.p99_action_latency_ms,
        "p50_multiple": row.p50_multiple,
        "actions_per_second": row.actions_per_second,
        "sample_count": row.sample_count,
        "scenario_pass_rate": row.scenario_pass_rate,
        "edge_case_coverage": row.edge_case_coverage,
        "quality_score": row.quality_score,
    }
    metadata.update({name: _rounded(figure) for name, figure in figures.items() if figure is not None})
    actions = rows_of(result, BenchmarkActionRow)
    slowest = max((action.p50_latency_ms for action in actions), default=1.0) or 1.0
    rows = [
        (
            action.action,
            f"{action.p50_latency_ms * 1000:.1f}",
            f"{action.p95_latency_ms * 1000:.1f}",
            f"{action.p50_multiple:.2f}",
            _bar(100 * action.p50_latency_ms / slowest),
        )
        for action in actions
    ]
    return {**metadata, **listed("latency_by_action", ("action", "p50 µs", "p95 µs", "multiple", ""), rows)}


def regression_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``regression_reports`` shows of one version: the verdict, and every difference."""
    (report,) = rows_of(result, RegressionReportRow)
    metadata: dict[str, object] = {"status": report.status}
    if report.error:
        metadata["error"] = report.error
    if report.old_version is not None:
        metadata["baseline"] = f"{report.app_id}@{report.old_version}"
    if report.is_breaking is None:
        return metadata
    metadata["is_breaking"] = report.is_breaking
    figures = {
        "quality_score_delta": report.quality_score_delta,
        "latency_change_pct": report.latency_change_pct,
        "throughput_change_pct": report.throughput_change_pct,
    }
    metadata.update({name: _rounded(figure) for name, figure in figures.items() if figure is not None})
    changes = [
        (
            change.severity or "",
            change.change,
            change.location,
            change.message,
            f"{_clipped(change.old)} → {_clipped(change.new)}",
        )
        for change in rows_of(result, RegressionChangeRow)
    ]
    timings = [
        (
            timing.action,
            f"{timing.old_median_ms * 1000:.1f}",
            f"{timing.new_median_ms * 1000:.1f}",
            f"{timing.ratio:.3f} [{timing.low:.3f}, {timing.high:.3f}]",
            "significant" if timing.is_significant else "",
        )
        for timing in rows_of(result, RegressionTimingRow)
    ]
    return {
        **metadata,
        **listed("changes", ("severity", "change", "where", "what", "before → after"), changes),
        **listed("timing", ("action", "before µs", "after µs", "ratio [99.9% interval]", ""), timings),
    }


def agent_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``agent_evaluations`` shows of one version: each agent on each task, and what went wrong."""
    evaluations = rows_of(result, AgentEvaluationRow)
    tried = [row for row in evaluations if row.status == "evaluated"]
    metadata: dict[str, object] = {
        "tasks": len({row.file_path for row in evaluations}),
        "agents": ", ".join(dict.fromkeys(row.agent for row in evaluations)) or "none",
    }
    table = [
        (
            row.task,
            row.agent,
            _share(row.goal_rate),
            f"{_share(row.goal_rate_low)}–{_share(row.goal_rate_high)}",
            row.trial_count,
            _fewest(row),
            "–" if row.efficiency_ratio is None else f"{row.efficiency_ratio:.2f}",
            (row.validation_errors or 0) + (row.logic_errors or 0),
        )
        for row in tried
    ]
    header = ("task", "agent", "reached", "95% interval", "trials", "fewest actions", "efficiency", "errors")
    lost = [(row.task, row.agent, row.status, row.error) for row in evaluations if row.error]
    costs = [row.cost_usd for row in tried if row.model]
    if costs and None not in costs:
        metadata["cost_usd"] = sum(cost for cost in costs if cost is not None)
    return {
        **metadata,
        **listed("evaluations", header, table),
        **listed("not_evaluated", ("task", "agent", "status", "why"), lost),
    }


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _fewest(row: AgentEvaluationRow) -> str:
    if row.optimal_actions is None:
        return "cannot be reached" if row.optimal_is_exact else "no plan found"
    return f"{'' if row.optimal_is_exact else '≤ '}{row.optimal_actions}"


def listed(name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, object]:
    """A table under a name, if there is anything to list; long ones are cut, and say so."""
    if not rows:
        return {}
    table = markdown_table(header, rows[:SHOWN_ROWS])
    if len(rows) > SHOWN_ROWS:
        table += f"\n\n… and {len(rows) - SHOWN_ROWS} more"
    return {name: dg.MetadataValue.md(table)}


def rows_of(result: AnyResult, row_type: type[RowType]) -> list[RowType]:
    """The rows of one table."""
    return [row for row in result.rows if isinstance(row, row_type)]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; cell text cannot break it."""
    lines = [_line(header), _line(["---"] * len(header)), *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    return "| " + " | ".join(_cell(str(cell)) for cell in cells) + " |"


def _cell(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")


def _rounded(figure: float) -> float:
    """``figure`` to four significant digits; a count as it is."""
    return figure if isinstance(figure, int) else float(f"{figure:.4g}")


def _clipped(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def _bar(score: float) -> str:
    filled = round(score / 100 * BAR_WIDTH)
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def _steps(run: ScenarioRunRow) -> str:
    return "–" if run.steps_total is None else f"{run.steps_passed}/{run.steps_total}"
