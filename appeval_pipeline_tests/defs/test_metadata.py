from pathlib import Path

from appeval_pipeline.defs.metadata import markdown_table, result_metadata
from appeval_pipeline.store.rows import Input, PartitionResult, QualityDimensionRow
from appeval_pipeline_tests import catalogues


def test_the_text_of_a_cell_cannot_break_the_table() -> None:
    table = markdown_table(("a", "b"), [("x | y", "two\nlines"), ("<b>", 3)])
    assert table.splitlines() == ["| a | b |", "| --- | --- |", r"| x \| y | two lines |", "| &lt;b> | 3 |"]


def test_a_partition_links_to_its_files_and_counts_its_rows_by_table(tmp_path: Path) -> None:
    definition = catalogues.add_version(tmp_path, version=3)
    scenario = catalogues.add_scenario(tmp_path)
    dimension = QualityDimensionRow(
        app_id="counter", version=3, dimension="validation", score=75.0, details="{}"
    )
    source = Input(kind="file", key=str(scenario.relative_to(tmp_path)), version="0")
    result = PartitionResult("counter", 3, (dimension, dimension), (source,))
    metadata = result_metadata(result, tmp_path, "a.duckdb")
    shown = {name: getattr(value, "value", value) for name, value in metadata.items()}
    assert shown == {
        "definition_file": str(definition),
        "scenario_folder": str(scenario.parent),
        "files": "* `apps/counter/scenarios/counting.yaml`",
        "rows_by_table": "| table | rows |\n| --- | --- |\n| quality_dimensions | 2 |",
        "dagster/partition_row_count": 2,
        "store": "a.duckdb",
        "data_version": result.data_version,
    }
    definition.unlink()
    assert "definition_file" not in result_metadata(result, tmp_path, "a.duckdb")
