from pathlib import Path

from appeval_pipeline.defs.metadata import agent_metadata, markdown_table, result_metadata
from appeval_pipeline.store.rows import Input, PartitionResult, QualityDimensionRow
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.agent_samples import agents, evaluated


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


def test_agents_are_shown_with_each_task_and_what_could_not_be_tried() -> None:
    lost = dict.fromkeys(
        ("trial_count", "infra_errors", "goals_reached", "goal_rate", "optimal_actions", "optimal_is_exact")
    )
    result = agents(
        samples.definition(),
        evaluated("pay", "oracle", efficiency_ratio=1.0, validation_errors=0, logic_errors=0),
        evaluated(
            "pay",
            "llm:a",
            model="a",
            trial_count=4,
            goal_rate=0.5,
            goal_rate_low=0.15,
            goal_rate_high=0.85,
            efficiency_ratio=0.375,
            validation_errors=2,
            logic_errors=1,
            cost_usd=0.25,
        ),
        evaluated("rob", "llm:a", model="a", goal_rate=0.0, optimal_actions=None, cost_usd=0.5),
        evaluated("find", "oracle", optimal_is_exact=False, optimal_actions=3),
        evaluated("lose", "oracle", optimal_is_exact=False, optimal_actions=None),
        evaluated("pay", "llm:b", model="b", status="error", error="no key", **lost),
    )
    shown = {name: getattr(value, "value", value) for name, value in agent_metadata(result).items()}
    table = str(shown.pop("evaluations")).splitlines()
    assert table[0].startswith("| task | agent | reached | 95% interval | trials | fewest actions |")
    assert table[2:] == [
        "| pay | oracle | 100% | 25%–100% | 1 | 2 | 1.00 | 0 |",
        "| pay | llm:a | 50% | 15%–85% | 4 | 2 | 0.38 | 3 |",
        "| rob | llm:a | 0% | 25%–100% | 1 | cannot be reached | – | 0 |",
        "| find | oracle | 100% | 25%–100% | 1 | ≤ 3 | – | 0 |",
        "| lose | oracle | 100% | 25%–100% | 1 | no plan found | – | 0 |",
    ]
    assert str(shown.pop("not_evaluated")).splitlines()[2:] == ["| pay | llm:b | error | no key |"]
    assert shown == {"tasks": 4, "agents": "oracle, llm:a, llm:b", "cost_usd": 0.75}


def test_a_version_without_tasks_says_so() -> None:
    assert agent_metadata(agents(samples.definition())) == {"tasks": 0, "agents": "none"}
