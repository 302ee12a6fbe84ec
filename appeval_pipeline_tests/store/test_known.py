"""Figures and engines that are not made twice."""

from dataclasses import replace
from pathlib import Path

import pytest

from appeval_pipeline.errors import DefinitionError
from appeval_pipeline.evaluation.known import KnownFigures, KnownQuality
from appeval_pipeline.store import Store, query
from appeval_pipeline.store.known import read_figures, read_qualities
from appeval_pipeline.store.recording import record_benchmark, record_regression
from appeval_pipeline.store.recording.engines import Engines
from appeval_pipeline.store.results import read_versions
from appeval_pipeline.store.scenario_files import applying, read_suites
from appeval_pipeline.store.sources import read_comparands
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import evaluating


@pytest.fixture
def data_dir(tmp_path: Path, database: Store) -> Path:
    data = tmp_path / "data"
    catalogues.add_version(data, version=1)
    catalogues.add_version(data, version=2, template=catalogues.DEFINITION.replace("Raises the count", "Ups"))
    catalogues.add_version(data, version=3, template=catalogues.INVALID_DEFINITION)
    catalogues.add_scenario(data)
    catalogues.add_scenario(data, file="wrong.yaml", count=9)
    evaluating.evaluate(data, database)
    return data


def test_stored_figures_are_those_that_another_evaluation_would_find(data_dir: Path, database: Store) -> None:
    keys = ["counter@1", "counter@2", "counter@3", "counter@4"]
    figures = read_figures(database, keys)
    assert figures.keys() == {"counter@1", "counter@2"}
    assert figures["counter@1"].scenario_pass_rate == 0.5
    versions = read_versions(database, keys)
    suites = read_suites(data_dir, list(versions.values()))
    for key, known in figures.items():
        files = applying(suites[key], versions[key].version)
        repeated = record_benchmark(versions[key], files, (), known, "2026-01-02")
        found = record_benchmark(versions[key], files, (), None, "2026-01-02")
        assert repeated.data_version == found.data_version
    for comparand in read_comparands(database, data_dir, ["counter@2"]):
        assert comparand.known is not None
        found_again = record_regression(replace(comparand, known=None))
        assert record_regression(comparand).data_version == found_again.data_version


def test_the_rows_repeat_what_is_stored(data_dir: Path, database: Store) -> None:
    rows = query(
        database,
        "SELECT b.quality_score = q.overall_score, b.edge_case_coverage = e.edge_case_coverage"
        " FROM benchmark_results AS b JOIN quality_scores AS q USING (partition_key)"
        " JOIN edge_case_reports AS e USING (partition_key) WHERE b.status = 'measured'",
    ).rows
    assert rows == ((True, True), (True, True))


def test_a_version_without_scenarios_has_figures_without_a_pass_rate(tmp_path: Path, database: Store) -> None:
    catalogues.add_version(tmp_path / "data", "lonely")
    evaluating.evaluate(tmp_path / "data", database)
    quality = read_qualities(database, ["lonely@1"])["lonely@1"]
    assert isinstance(quality, KnownQuality)
    assert read_figures(database, ["lonely@1"]) == {"lonely@1": KnownFigures(quality, None, 0.0)}


def definition(name: str) -> str:
    return (
        f'{{"app_id":"ab","name":"{name}","category":"custom","actions":[{{"name":"go","logic":'
        '[{"type":"return","value":{"x":"1"}}]}]}'
    )


def test_engines_are_kept_until_there_are_too_many() -> None:
    texts = [definition(name) for name in ("One", "Two", "Six")]
    engines = Engines(most_characters=2 * len(texts[0]))
    first, second = map(engines.of, texts[:2])
    assert engines.of(texts[0]) is first
    engines.of(texts[2])
    assert engines.of(texts[0]) is first
    assert engines.of(texts[1]) is not second


def test_a_definition_that_cannot_run_has_no_engine() -> None:
    with pytest.raises(DefinitionError):
        Engines().of("{}")
