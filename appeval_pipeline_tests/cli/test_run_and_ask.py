"""``appeval run``, then ``sql`` and ``why`` on what it stored, as a user runs them one after another."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
from pathlib import Path

from appeval_pipeline.version import EVALUATOR_VERSION

from .conftest import GOOD, Appeval, write_app

TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm"}
"""What makes a command think that it writes to a terminal."""


def test_from_files_to_answers(appeval: Appeval, appeval_process: Appeval, data: Path) -> None:
    first = appeval_process("run")
    assert first.returncode == 0, first.stderr
    assert first.stderr == "Evaluating 2 app versions, 0 up to date …\n"
    rows = [line.split() for line in first.stdout.splitlines()]
    assert ["tally@1", "100.0", "Excellent", "1/1", "pass", "100%"] in [row[:6] for row in rows]
    assert "2 evaluated, 0 up to date" in first.stdout

    path = data / "apps" / "tally" / "v1.yaml"
    path.write_text("# only a comment\n" + path.read_text())
    second = appeval("run")
    assert second.returncode == 0
    assert "Nothing to do: all 2 app versions are up to date." in second.stdout

    answer = appeval(
        "sql", "select app_id, version, level from quality_scores order by all", "--format", "json"
    )
    assert json.loads(answer.stdout) == [
        {"app_id": "score", "version": 1, "level": "Excellent"},
        {"app_id": "tally", "version": 1, "level": "Excellent"},
    ]
    answer = appeval("sql", "select metric, value from metrics where app_id = 'tally'", "--format", "csv")
    metrics = dict(csv.reader(io.StringIO(answer.stdout)))
    assert float(metrics["quality.overall"]) == 100
    assert float(metrics["scenarios.pass_rate"]) == 1
    odd = appeval("sql", "select 'nan'::double a, 1 a, 'ab'::blob b", "--format", "json")
    assert json.loads(odd.stdout) == [{"a": None, "a_2": 1, "b": "6162"}]
    table = appeval("sql", "select 1 as one, null as none")
    assert table.stdout.splitlines() == ["one  none", "  1      ", "(1 row)"]

    why = appeval("why", "tally", "1", "quality.overall", "--full").stdout
    sha256 = json.loads(
        appeval(
            "sql", "select file_sha256 from app_versions where app_id = 'tally'", "--format", "json"
        ).stdout
    )[0]["file_sha256"]
    for part in (
        "quality.overall of tally@1 = 100 points",
        "apps/tally/v1.yaml",
        sha256,
        f"evaluator {EVALUATOR_VERSION}",
        "run ",
    ):
        assert part in why

    write_app(data, "tally", 2, GOOD.replace("description: Add to the total.", ""))
    third = appeval("run", **TERMINAL)
    assert third.returncode == 0
    assert "1 evaluated, 2 up to date" in third.stdout
    assert ["tally@2"] in [line.split()[:1] for line in third.stdout.splitlines()]
    assert "quality_scores of 1 app version" in third.stderr
    assert " 8/9 " in third.stderr

    assert "quality" in appeval("run", **TERMINAL).stdout.splitlines()[0]
    for width, header in ((70, "p50 µs"), (62, "edges")):
        output = appeval("run", **{**TERMINAL, "COLUMNS": str(width)}).stdout
        narrow = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()[:4]
        assert all(len(line) <= width for line in narrow)
        assert narrow[0].split()[1:3] == ["score", "passed"]
        assert header in narrow[0]
        assert narrow[1].split()[:4] == ["score@1", "100.0", "1/1", "100%"]

    plain = appeval("run", "--json")
    summary = json.loads(plain.stdout)
    assert (summary["evaluated_count"], summary["fresh_count"], summary["changes"]) == (0, 3, [])
    assert [version["this_run"] for version in summary["versions"]] == ["fresh"] * 3


def test_a_broken_version_is_reported_and_does_not_stop_the_others(appeval: Appeval, data: Path) -> None:
    write_app(data, "broken", text=GOOD.replace("operation: add", "operation: plus"))
    result = appeval("run")
    assert result.returncode == 1
    assert "error broken@1 definition_is_valid" in result.stderr
    assert "'plus' is not accepted" in result.stderr
    assert ["tally@1", "100.0"] in [line.split()[:2] for line in result.stdout.splitlines()]


def test_errors_are_one_paragraph_without_a_traceback(
    appeval: Appeval, appeval_process: Appeval, data: Path
) -> None:
    for arguments, message in (
        (("sql", "select 1"), "appeval run"),
        (("why", "tally", "1", "quality.overall"), "appeval run"),
        (("run", "--app", "nobody"), "There is no app 'nobody'; known apps: score, tally"),
        (("sql", "drop table metrics"), "read-only"),
    ):
        result = appeval(*arguments)
        assert result.returncode == 2, arguments
        assert result.stderr.startswith("Error: ")
        assert message in result.stderr
        assert "Traceback" not in result.stderr
    result = appeval("run", APPEVAL_EXECUTOR="magic")
    assert result.returncode == 2
    assert "APPEVAL_EXECUTOR: 'magic' is unknown; accepted are in_process, multiprocess" in result.stderr
    unknown = appeval_process("sql", "nonsense")
    assert (unknown.returncode, unknown.stderr.startswith("Error: ")) == (2, True)
    assert "Traceback" not in unknown.stderr
    assert "Traceback" in appeval_process("--debug", "sql", "nonsense").stderr


def test_names_with_markup_in_them_are_printed_as_they_are(appeval: Appeval, data: Path) -> None:
    (data / "apps" / "[red]x").mkdir()
    result = appeval("run", "--app", "tally", APPEVAL_STORE=str(data.parent / "[bold]s[" / "a.duckdb"))
    assert result.returncode == 0, result.stderr
    assert "[bold]s[/a.duckdb" in result.stdout
    assert "apps/[red]x: '[red]x' is no app id" in result.stderr


def test_a_port_that_is_taken_is_an_error(appeval: Appeval, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = appeval("ui", "--port", str(server.getsockname()[1]))
    assert result.returncode == 2
    assert "Cannot listen on 127.0.0.1:" in result.stderr
