"""Starting runs over HTTP: what is asked for, what is answered, and who has to wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context

from .conftest import BASE_URL
from .fake_runs import FakeRuns

APPS = "/api/v1/app-definitions"


def post(client: TestClient, path: str, status: int) -> Any:
    response = client.post(path)
    assert response.status_code == status, response.text
    return response.json()


def test_a_run_is_accepted_and_can_be_followed(client: TestClient, runs: FakeRuns) -> None:
    response = client.post(f"{APPS}/counter/evaluate?version=2")
    assert response.status_code == 202
    assert response.json()["run_id"] == "run-1"
    assert response.headers["location"] == "/api/v1/runs/run-1"
    (order,) = runs.orders
    assert order.partition_key == "counter@2"
    assert order.always == ("scenario_runs", "coverage_reports", "edge_case_reports")
    assert order.if_stale == ("app_definitions", "quality_scores", "regression_reports")
    followed = client.get(response.headers["location"]).json()
    assert (followed["state"], followed["partition_keys"]) == ("succeeded", ["counter@2"])
    assert followed["ended_at"] == "2026-01-02T12:00:00Z"


def test_who_waits_gets_the_result(client: TestClient) -> None:
    answer = post(client, f"{APPS}/counter/evaluate?version=1&wait=true", 200)
    assert answer["run"]["state"] == "succeeded"
    assert (answer["scenarios"]["passed"], answer["scenarios"]["total"]) == (1, 1)
    assert answer["coverage"]["action_coverage"] == 100.0
    answer = post(client, "/api/v1/benchmarks/bench_tally/run?wait=true", 200)
    assert answer["benchmark"]["status"] == "measured"


def test_who_waits_long_enough_is_told_to_look_later(client: TestClient, runs: FakeRuns) -> None:
    runs.looks = 10_000
    response = client.post(f"{APPS}/counter/evaluate?version=1&wait=true&timeout_s=1")
    assert (response.status_code, response.json()["state"]) == (202, "starting")
    assert response.headers["location"] == "/api/v1/runs/run-1"


def test_who_waits_is_answered_when_the_server_ends(
    client: TestClient, context: Context, runs: FakeRuns
) -> None:
    runs.looks = 10_000
    context.ending.set()
    response = client.post(f"{APPS}/counter/evaluate?version=1&wait=true&timeout_s=60")
    assert (response.status_code, response.json()["state"]) == (202, "starting")


@pytest.mark.parametrize("timeout", ["0", "601", "x"])
def test_the_wait_is_bounded(client: TestClient, timeout: str) -> None:
    post(client, f"{APPS}/counter/evaluate?wait=true&timeout_s={timeout}", 422)


def test_without_a_version_the_latest_file_is_evaluated(client: TestClient, runs: FakeRuns) -> None:
    post(client, f"{APPS}/counter/evaluate", 202)
    post(client, f"{APPS}/counter/benchmark", 202)
    assert [order.partition_key for order in runs.orders] == ["counter@3", "counter@3"]
    assert runs.orders[1].always == ("benchmark_results",)


def test_a_second_run_of_a_version_is_409_with_the_first(client: TestClient, runs: FakeRuns) -> None:
    runs.under_way["counter@2"] = "the-first"
    problem = post(client, f"{APPS}/counter/benchmark?version=2", 409)
    assert (problem["type"], problem["run_id"]) == ("urn:appeval:problem:run-under-way", "the-first")
    post(client, f"{APPS}/counter/benchmark?version=1", 202)


def test_too_many_runs_are_429(client: TestClient, runs: FakeRuns) -> None:
    runs.is_busy = True
    response = client.post(f"{APPS}/counter/evaluate?version=1")
    assert (response.status_code, response.headers["retry-after"]) == (429, "10")
    assert response.json()["type"] == "urn:appeval:problem:too-many-runs"


def test_only_reference_apps_are_benchmarks(client: TestClient, runs: FakeRuns) -> None:
    assert post(client, "/api/v1/benchmarks/counter/run", 404)["known"] == ["bench_tally"]
    post(client, "/api/v1/benchmarks/bench_tally/run", 202)
    assert runs.orders[0].partition_key == "bench_tally@1"


def test_what_has_no_file_cannot_be_evaluated(client: TestClient) -> None:
    assert post(client, f"{APPS}/counter/evaluate?version=7", 404)["known"] == ["1", "2", "3"]


def test_an_unknown_run_is_404(client: TestClient) -> None:
    assert client.get("/api/v1/runs/none").json()["type"] == "urn:appeval:problem:unknown-run"


def test_the_runs_end_with_the_server(context: Context, runs: FakeRuns) -> None:
    with TestClient(create_app(context), base_url=BASE_URL):
        assert not runs.is_closed
    assert runs.is_closed


def test_a_broken_data_directory_is_a_problem(context: Context, tmp_path: Path) -> None:
    gone = Context(tmp_path / "gone", context.store, context.runs)
    with TestClient(create_app(gone), base_url=BASE_URL) as client:
        found = post(client, f"{APPS}/counter/evaluate", 503)
    assert found["type"] == "urn:appeval:problem:set-up-wrongly"
    assert "does not exist" in found["detail"]
