"""What the Dagster UI shows of results: tables in Markdown, schemas, links."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import dagster as dg

from appeval_pipeline.store import table_columns
from appeval_pipeline.store.rows import (
    AppVersionRow,
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    Row,
    ScenarioFailureRow,
    ScenarioRunRow,
)
from appeval_pipeline.store.writing import ASSET_TABLES

RowType = TypeVar("RowType", bound=Row)

BAR_WIDTH = 20
SHOWN_SUGGESTIONS = 20


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


def result_metadata(result: PartitionResult, data_dir: Path) -> dict[str, object]:
    """Metadata of one partition's materialization: what every asset shows."""
    files = [source.key for source in result.inputs if source.kind == "file"]
    metadata: dict[str, object] = {
        "dagster/partition_row_count": len(result.rows),
        "data_version": result.data_version,
    }
    if files:
        metadata["files"] = dg.MetadataValue.md("\n".join(f"* `{name}`" for name in files))
        metadata["first_file"] = dg.MetadataValue.path(str(data_dir / files[0]))
    return metadata


def definition_metadata(result: PartitionResult) -> dict[str, object]:
    """What ``app_definitions`` shows of one version."""
    (row,) = rows_of(result, AppVersionRow)
    metadata: dict[str, object] = {"status": row.status, "landed": row.landed, "warnings": row.warning_count}
    if row.name:
        metadata["app"] = row.name
    if row.action_count is not None:
        metadata["actions"] = row.action_count
    if row.definition_hash:
        metadata["definition_hash"] = row.definition_hash
    if row.error:
        metadata["error"] = dg.MetadataValue.md(f"```\n{row.error}\n```")
    if row.violation:
        metadata["violation"] = row.violation
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
    metadata["overall_score"] = score.overall_score
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
                [(row.dimension, row.location, row.message) for row in suggestions[:SHOWN_SUGGESTIONS]],
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
                [(run.scenario_name, run.status, _steps(run), run.file_path) for run in runs],
            )
        )
    problems = [(run.scenario_name, "", run.error) for run in runs if run.error]
    problems += [(failure.scenario_name, failure.step_name, failure.error) for failure in failures]
    if problems:
        metadata["failures"] = dg.MetadataValue.md(markdown_table(("scenario", "step", "why"), problems))
    return metadata


def rows_of(result: PartitionResult, row_type: type[RowType]) -> list[RowType]:
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


def _bar(score: float) -> str:
    filled = round(score / 100 * BAR_WIDTH)
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def _steps(run: ScenarioRunRow) -> str:
    return "–" if run.steps_total is None else f"{run.steps_passed}/{run.steps_total}"
