"""``appeval why``: the tree of a metric, and the difference between two versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appeval_pipeline.cli.main import app
from appeval_pipeline.store import Database
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a counter, the second of which counts down."""
    folder = tmp_path_factory.mktemp("why")
    data = folder / "data"
    catalogues.add_version(data, version=1, name="Counter")
    template = catalogues.DEFINITION.replace("operation: add", "operation: subtract")
    catalogues.add_version(data, version=2, name="Counter", template=template)
    catalogues.add_scenario(data)
    path = folder / "appeval.duckdb"
    evaluate(data, Database(path))
    return path


def why(store: Path, *arguments: str) -> Result:
    environment = {"APPEVAL_STORE": str(store), "NO_COLOR": "1"}
    return CliRunner().invoke(app, ["why", *arguments], env=environment)


def lines(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [line.strip(" │├└─") for line in result.stdout.splitlines()]


def test_a_comparison_names_its_baseline_and_tells_nothing_twice(store: Path) -> None:
    told = lines(why(store, "counter", "2", "regression.new_failures"))
    assert told[0] == "regression.new_failures of counter@2 = 1 count"
    baseline = told.index("baseline counter@1 (upstream_version)")
    assert told[baseline + 1].startswith("app_definitions of counter@1 data version ")
    assert told.count("app_definitions of counter@2 … as above") == 2
    files = [line.split()[1] for line in told if line.startswith("file ")]
    assert files == ["apps/counter/v2.yaml", "apps/counter/scenarios/counting.yaml", "apps/counter/v1.yaml"]
    assert told.count("1 file as above") == 2


def test_a_version_without_a_metric_is_no_experiment(store: Path) -> None:
    refused = why(store, "counter", "2")
    assert refused.exit_code == 2
    told = " ".join(refused.stderr.replace("│", " ").split())
    assert "it is missing: as in `appeval why counter 2 quality.overall`" in told


def test_hashes_are_short_unless_asked_for(store: Path) -> None:
    def sha256(*arguments: str) -> str:
        told = lines(why(store, "counter", "1", "quality.overall", *arguments))
        (line,) = (line for line in told if line.startswith("file apps/counter/v1.yaml"))
        return line.rpartition(" ")[2]

    assert len(sha256()) == 12
    assert len(sha256("--full")) == 64
    assert sha256("--full").startswith(sha256())


def test_json_is_the_tree(store: Path) -> None:
    tree = json.loads(why(store, "counter", "1", "quality.overall", "--json").stdout)
    (scores,) = tree["inputs"]
    assert (tree["kind"], scores["kind"], scores["key"]) == ("metric", "asset", "quality_scores")
    assert {node["kind"] for node in scores["inputs"]} == {"asset", "code", "config"}


def test_a_difference_is_told_in_words(store: Path) -> None:
    told = lines(why(store, "counter", "2", "scenarios.passed", "--against", "1"))
    assert told == [
        "scenarios.passed of counter, in count: 1 in version 1 → 0 in version 2 (-1)",
        "",
        "What changed",
        "changed  definition apps/counter/v1.yaml → apps/counter/v2.yaml: 1 place",
        'actions.increase.logic[0].operation: "add" → "subtract"',
        "",
        "The same for both",
        "code appeval-pipeline",
        "code evaluator",
        "config engine.limits",
        "scenario apps/counter/scenarios/counting.yaml",
    ]
    assert lines(why(store, "counter", "2", "scenarios.passed", "--against", "baseline")) == told
    document = json.loads(why(store, "counter", "2", "scenarios.passed", "--against", "1", "--json").stdout)
    assert (document["difference"], document["changed"][0]["kind"]) == (-1, "definition")


@pytest.mark.parametrize("version", ["first", "9" * 5000])
def test_a_version_that_is_none_is_refused(store: Path, version: str) -> None:
    result = why(store, "counter", "2", "scenarios.passed", "--against", version)
    assert result.exit_code == 2
    assert "accepted are a number and" in " ".join(result.stderr.replace("│", " ").split())
