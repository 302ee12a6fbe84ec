"""What is stored, over HTTP: the numbers of the store, and where each comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from appeval_pipeline.store import Database, query

APPS = "/api/v1/app-definitions"


def get(client: TestClient, path: str, status: int = 200) -> Any:
    response = client.get(path)
    assert response.status_code == status, response.text
    return response.json()


def value(store: Path, sql: str) -> Any:
    return query(Database(store), sql).rows[0][0]


def test_apps_are_listed_with_their_latest_version(client: TestClient, store_path: Path) -> None:
    answer = get(client, APPS)
    assert answer["total"] == 2
    assert [(app["app_id"], app["versions"]) for app in answer["items"]] == [
        ("bench_tally", [1]),
        ("counter", [1, 2, 3]),
    ]
    tally, counter = (app["latest"] for app in answer["items"])
    assert tally["overall_score"] == value(
        store_path, "SELECT overall_score FROM quality_scores WHERE app_id = 'bench_tally'"
    )
    assert (tally["scenarios_passed"], tally["scenarios_total"]) == (1, 1)
    assert {source["asset_key"] for source in tally["sources"]} == {
        *("app_definitions", "quality_scores", "scenario_runs", "coverage_reports", "edge_case_reports"),
        *("benchmark_results", "regression_reports"),
    }
    assert (counter["version"], counter["status"], counter["overall_score"]) == (3, "invalid", None)


def test_apps_come_in_pages(client: TestClient) -> None:
    first, second, third = (get(client, f"{APPS}?limit=1&offset={place}") for place in range(3))
    assert [page["items"][0]["app_id"] for page in (first, second)] == ["bench_tally", "counter"]
    assert (third["items"], third["total"]) == ([], 2)


def test_a_definition_is_as_it_was_stored(client: TestClient, store_path: Path) -> None:
    answer = get(client, f"{APPS}/counter?version=2")
    assert (answer["version"], answer["versions"], answer["name"]) == (2, [1, 2, 3], "Counter 2")
    assert answer["definition"]["actions"][0]["name"] == "increase"
    hash_ = value(store_path, "SELECT definition_hash FROM app_versions WHERE partition_key = 'counter@2'")
    assert answer["definition_hash"] == hash_
    assert answer["source"]["partition_key"] == "counter@2"
    latest = get(client, f"{APPS}/counter")
    assert (latest["version"], latest["status"], latest["definition"]) == (3, "invalid", None)
    assert "actions" in latest["error"]


def test_versions_are_listed_oldest_first(client: TestClient) -> None:
    answer = get(client, f"{APPS}/counter/versions")
    assert [item["version"] for item in answer["items"]] == [1, 2, 3]
    assert [item["old_version"] for item in answer["items"]] == [None, 1, 2]
    assert [
        item["version"] for item in get(client, f"{APPS}/counter/versions?limit=1&offset=1")["items"]
    ] == [2]


def test_quality_has_its_dimensions_details_and_suggestions(client: TestClient, store_path: Path) -> None:
    answer = get(client, f"{APPS}/counter/quality?version=2")
    rows = query(
        Database(store_path),
        "SELECT dimension, score FROM quality_dimensions WHERE partition_key = 'counter@2'",
    ).rows
    assert answer["dimension_scores"] == dict(rows)  # type: ignore[arg-type]
    assert answer["details"].keys() == answer["dimension_scores"].keys()
    assert answer["details"]["documentation"] == {"actions": 1, "described": 1, "undescribed": []}
    gains = [suggestion["gain"] for suggestion in answer["suggestions"]]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) > 0
    source = answer["source"]
    assert (source["asset_key"], source["partition_key"]) == ("quality_scores", "counter@2")
    assert source["run_id"] == "run-1"
    assert source["data_version"] == value(
        store_path, "SELECT data_version FROM quality_scores WHERE partition_key = 'counter@2'"
    )
    assert source["materialized_at"].endswith("Z")


def test_an_invalid_version_has_a_quality_that_says_so(client: TestClient) -> None:
    answer = get(client, f"{APPS}/counter/quality")
    assert (answer["version"], answer["status"], answer["overall_score"]) == (3, "not_evaluated", None)
    assert answer["error"] == "The version has no valid definition"


def test_coverage_lists_its_gaps(client: TestClient) -> None:
    answer = get(client, f"{APPS}/counter/coverage?version=1")
    assert (answer["action_coverage"], answer["paths_capped"]) == (100.0, False)
    assert answer["gap_count"] == len(answer["gaps"])
    assert len(answer["recommendations"]) <= len(answer["gaps"])


def test_the_comparison_with_the_baseline_is_the_stored_one(client: TestClient) -> None:
    answer = get(client, f"{APPS}/counter/compare/1?with=2")
    assert (answer["origin"], answer["old_version"], answer["new_version"]) == ("stored", 1, 2)
    assert (answer["is_breaking"], answer["new_failures"], answer["changes"]) == (False, [], [])
    assert [timing["action"] for timing in answer["timings"]] == ["increase"]
    assert [source["asset_key"] for source in answer["sources"]] == ["regression_reports"]


@pytest.mark.parametrize(("old", "new"), [(2, 1), (2, 2)])
def test_other_versions_are_compared_on_the_spot(client: TestClient, old: int, new: int) -> None:
    answer = get(client, f"{APPS}/counter/compare/{old}?with={new}")
    assert (answer["origin"], answer["old_version"], answer["new_version"]) == ("computed", old, new)
    assert (answer["status"], answer["is_empty"], answer["latency_change_pct"]) == ("compared", True, None)
    assert [source["asset_key"] for source in answer["sources"]] == ["app_definitions"] * 2


def test_a_version_without_a_definition_cannot_be_compared(client: TestClient) -> None:
    answer = get(client, f"{APPS}/counter/compare/1")
    assert (answer["new_version"], answer["status"], answer["is_breaking"]) == (3, "not_evaluated", None)


def test_benchmarks_are_the_reference_apps(client: TestClient, store_path: Path) -> None:
    answer = get(client, "/api/v1/benchmarks")
    assert [(item["benchmark_id"], item["version"]) for item in answer["items"]] == [("bench_tally", 1)]
    result = answer["items"][0]["result"]
    assert result["p50_action_latency_ms"] == value(
        store_path, "SELECT p50_action_latency_ms FROM benchmark_results WHERE app_id = 'bench_tally'"
    )
    assert [action["action"] for action in result["actions"]] == ["increase"]
    assert result["source"]["asset_key"] == "benchmark_results"
