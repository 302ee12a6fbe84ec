from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.store import Database, Store, table_columns
from appeval_pipeline.store.export import Format, export
from appeval_pipeline.store.export.csv_files import FORMULA, neutralised
from appeval_pipeline.store.rows import QualitySuggestionRow
from appeval_pipeline_tests.store.export import results


def records(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline=""), strict=True))


def suggestion_texts(database: Store, out: Path, *texts: str) -> list[str]:
    rows = [
        results.row(QualitySuggestionRow, "wallet", 1, position=place, message=text)
        for place, text in enumerate(texts)
    ]
    results.store(database, results.result("quality_scores", "wallet", 1, *rows))
    export(database, out, [Format.csv])
    return [record["message"] for record in records(out / "quality_suggestions.csv")]


@pytest.fixture(scope="module")
def exported(filled: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("csv")
    export(filled, out, [Format.csv])
    return out


def test_v21_07_02_the_csv_export_is_one_file_a_table_that_spreadsheets_read(exported: Path) -> None:
    left_out = {"asset_lineage", "latest_quality", "metric_lineage", "run_failures", "schema_migrations"}
    assert {path.stem for path in exported.iterdir()} == set(table_columns()) - left_out
    for path in exported.iterdir():
        text = path.read_bytes().decode("utf-8")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        assert header == [column.name for column in table_columns()[path.stem]]
        assert rows
        assert all(len(row) == len(header) for row in rows)
        assert text.endswith("\r\n")
        assert text.startswith(",".join(header) + "\r\n")


def test_numbers_times_and_truth_values_are_plain(exported: Path) -> None:
    (_, second) = records(exported / "quality_scores.csv")[1:]
    assert (second["overall_score"], second["version"]) == ("85.0", "2")
    assert second["materialized_at"] == "2026-01-02T12:00:00Z"
    (report,) = [row for row in records(exported / "regression_reports.csv") if row["version"] == "2"]
    assert (report["latency_change_pct"], report["is_breaking"]) == ("-4.2", "true")


def test_a_json_cell_is_its_text_and_a_negative_number_stays_one(exported: Path) -> None:
    assert [row["new"] for row in records(exported / "regression_changes.csv")] == ["[]", "-1.5"]
    assert records(exported / "scenario_failures.csv")[0]["expected"] == '{"data.total": 5}'


def test_null_and_the_empty_text_differ_in_their_quotes(database: Store, out: Path) -> None:
    suggestion_texts(database, out, "")
    line = (out / "quality_suggestions.csv").read_bytes().decode().split("\r\n")[1]
    assert line.endswith(',0,"","","",')  # position, dimension, location, message; the gain is null


def test_what_a_spreadsheet_would_run_gets_an_apostrophe(database: Store, out: Path) -> None:
    formulas = (
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =cmd|'/c calc'!A1",
        "\u00a0=1",
        "\u200b=1",
        "\ufeff=1",
        "\x00=1",
        "\uff1d1+1",
        "\uff0b1",
        "\uff0d1",
        "\uff20SUM(1)",
        "'=1",
        "\tplain",
    )
    assert suggestion_texts(database, out, *formulas) == [f"'{text}" for text in formulas]


def test_other_texts_come_back_as_they_were(database: Store, out: Path) -> None:
    texts = ["transfer", "a=1", "1-2", 'say "x", then\r\ny', "it's", "é, ü; 日本"]
    assert suggestion_texts(database, out, *texts) == texts


@given(st.text(alphabet=st.sampled_from("'=+-@ \t\n＝a1")) | st.text())
def test_taking_one_apostrophe_from_a_neutralised_text_gives_the_text_back(text: str) -> None:
    cell = neutralised(text)
    restored = cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
    assert restored == text
