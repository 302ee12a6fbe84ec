"""Edits of landed versions, which change nothing that is stored but the violation."""

from pathlib import Path

from appeval_pipeline.store import Store
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate, needs_of


def test_an_edited_baseline_leaves_the_report_of_the_next_version_as_it_is(
    tmp_path: Path, database: Store
) -> None:
    data_dir = tmp_path / "data"
    catalogues.add_scenario(data_dir)
    for version in (1, 2):
        catalogues.add_version(data_dir, version=version)
    evaluate(data_dir, database)
    catalogues.add_version(data_dir, version=1, name="Edited")
    assert evaluate(data_dir, database) == {"counter@1": ("app_definitions",)}
    catalogues.add_version(data_dir, version=1)
    assert evaluate(data_dir, database) == {"counter@1": ("app_definitions",)}
    assert needs_of(data_dir, database) == {}
