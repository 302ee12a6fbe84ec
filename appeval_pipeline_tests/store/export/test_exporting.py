from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export, exporting
from appeval_pipeline_tests.store.export import results
from appeval_pipeline_tests.store.export.filling import fill


def test_all_formats_are_the_default_and_what_was_written_is_told(filled: Database, out: Path) -> None:
    written = export(filled, out)
    assert [one.format for one in written] == list(Format)
    listed = {path for one in written for path in one.files}
    assert listed == set(out.iterdir())
    for one in written:
        assert one.size == sum(path.stat().st_size for path in one.files) > 0


def test_other_files_are_left_alone_and_own_files_replaced(filled: Database, out: Path) -> None:
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    (out / "appeval.json").write_text("old")
    export(filled, out, [Format.json])
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "appeval.json").read_text().startswith('{\n"format_version": 1,')
    assert sorted(path.name for path in out.iterdir()) == ["appeval.json", "notes.txt"]


def test_after_a_failure_the_directory_is_as_it_was(
    filled: Database, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(task: exporting.Task) -> None:
        (task.folder / "report.html").write_text("<html>")
        raise OSError(28, "No space left on device")

    out.mkdir()
    (out / "appeval.json").write_text("old")
    monkeypatch.setattr(exporting, "WRITERS", {**exporting.WRITERS, Format.html: half})
    with pytest.raises(OSError, match="No space left"):
        export(filled, out)
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("appeval.json", "old")]


def test_a_directory_in_a_files_place_stops_before_anything_is_replaced(filled: Database, out: Path) -> None:
    (out / "report.html").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        export(filled, out)
    assert [path.name for path in out.iterdir()] == ["report.html"]


def test_files_can_be_read_by_whoever_can_read_others_of_the_user(filled: Database, out: Path) -> None:
    export(filled, out, [Format.json, Format.parquet])
    (out / "usual").touch()
    usual = (out / "usual").stat().st_mode
    assert {path.stat().st_mode for path in out.iterdir()} == {usual}


def test_an_export_while_a_result_is_written_waits_for_nobody(database: Database, out: Path) -> None:
    fill(database)

    def write_and_export(connection: duckdb.DuckDBPyConnection) -> None:
        export(database, out, [Format.json])

    database.write(write_and_export)
    assert (out / "appeval.json").is_file()


@pytest.mark.parametrize("prepared", [False, True])
def test_without_results_there_is_nothing_to_export(database: Database, out: Path, prepared: bool) -> None:
    if prepared:
        database.prepare()
    with pytest.raises(StoreError, match="run `appeval run` first"):
        export(database, out)
    assert not out.exists()


def test_a_store_with_a_quote_in_its_path_is_fine(tmp_path: Path, out: Path) -> None:
    database = Database(tmp_path / "it's" / "a.duckdb")
    results.store(database, results.definition("wallet", 1))
    export(database, out, [Format.parquet])
    assert (out / "app_versions.parquet").is_file()


def test_a_view_of_the_store_reaches_no_file(database: Database, tmp_path: Path, out: Path) -> None:
    results.store(database, results.definition("wallet", 1))
    (tmp_path / "secret.txt").write_text("secret")

    def plant(connection: duckdb.DuckDBPyConnection) -> None:
        text = f"(SELECT content FROM read_text('{tmp_path / 'secret.txt'}'))"
        connection.execute(f"CREATE OR REPLACE VIEW metrics AS SELECT *, {text} AS unit FROM quality_scores")

    database.write(plant)
    with pytest.raises(StoreError, match="cannot be exported: Permission Error"):
        export(database, out, [Format.csv])
    assert list(out.iterdir()) == []
