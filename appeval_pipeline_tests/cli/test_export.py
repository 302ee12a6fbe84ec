"""``appeval export`` of what the pipeline has stored."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

from appeval_pipeline.cli import export as command
from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format
from appeval_pipeline_tests.store.evaluating import evaluate

from .conftest import Appeval


def test_all_formats_are_exported(appeval: Appeval, data: Path, tmp_path: Path) -> None:
    evaluate(data, Database(tmp_path / ".appeval" / "appeval.duckdb"))
    result = appeval("export", "--output", "out")
    assert (result.returncode, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [line[0] for line in lines] == ["json", "csv", "parquet", "html", "junit"]
    assert lines[3][-1] == "out/report.html"
    out = tmp_path / "out"
    document = json.loads((out / "appeval.json").read_text())
    assert {row["app_id"] for row in document["tables"]["quality_scores"]} == {"tally", "score"}
    with (out / "metrics.csv").open(newline="") as file:
        metrics = {(row["app_id"], row["metric"]): row["value"] for row in csv.DictReader(file)}
    assert metrics["tally", "quality.overall"] == "100.0"
    assert "Tally" in (out / "report.html").read_text()
    assert ET.parse(out / "junit.xml").getroot().get("failures") == "0"

    chosen = appeval("export", "--format", "json", "--format", "html", "--output", str(tmp_path / "two"))
    assert chosen.returncode == 0
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["appeval.json", "report.html"]


def test_what_cannot_be_exported_is_one_clear_error(appeval: Appeval, data: Path, tmp_path: Path) -> None:
    for arguments, message in (
        (("export", "--output", "out"), "appeval run"),
        (("export", "--output", "out", "--format", "pdf"), "'pdf'"),
        (("export",), "--output"),
    ):
        result = appeval(*arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert message in result.stderr
        assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_a_file_is_left_alone(appeval: Appeval, data: Path, tmp_path: Path) -> None:
    evaluate(data, Database(tmp_path / ".appeval" / "appeval.duckdb"), only="tally@1")
    (tmp_path / "out").write_text("mine")
    result = appeval("export", "--output", "out")
    assert result.returncode == 2
    assert "out" in result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "out").read_text() == "mine"


def test_the_command_knows_the_formats_of_the_store() -> None:
    assert [one.value for one in command.Format] == [one.value for one in Format]
