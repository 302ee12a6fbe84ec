"""One action on a given state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine

PATH = "/api/v1/app-definitions/counter/test"
CALL = {"agent_id": "alice", "action": "increase", "params": {"amount": 2}}


def call(client: TestClient, body: object, status: int = 200, query: str = "?version=1") -> Any:
    response = client.post(PATH + query, json=body)
    assert response.status_code == status, response.text
    return response.json()


def test_the_answer_is_the_engine_s(client: TestClient, data_dir: Path) -> None:
    state = {"per_agent": {"alice": {}}, "shared": {"count": 5}}
    answer = call(client, {**CALL, "state": state, "trace": True})
    engine = Engine(load_app(data_dir / "apps" / "counter" / "v1.yaml"))
    expected = engine.execute("alice", "increase", {"amount": 2}, state, trace=True).to_dict()
    del expected["duration_ms"]
    assert expected.items() <= answer.items()
    assert answer["data"] == {"count": 7}
    assert answer["state_after"]["shared"] == {"count": 7}
    assert (answer["version"], answer["source"]["partition_key"]) == (1, "counter@1")


def test_without_a_state_all_fields_have_their_defaults(client: TestClient) -> None:
    answer = call(client, {**CALL, "agents": ["bob"]})
    assert answer["state_after"] == {"per_agent": {"alice": {}, "bob": {}}, "shared": {"count": 2}}
    assert answer["trace"] == []


def test_fields_that_a_state_lacks_have_their_defaults(client: TestClient) -> None:
    answer = call(client, {**CALL, "state": {"per_agent": {"alice": {}}}})
    assert answer["data"] == {"count": 2}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"action": "nothing"}, "unknown_action"),
        ({"agent_id": "eve", "state": {}}, "unknown_agent"),
        ({"params": {"amount": 0}}, "parameters"),
        ({"params": {"amount": "x"}}, "parameters"),
    ],
)
def test_a_refusal_by_the_app_is_an_answer(client: TestClient, change: dict[str, Any], kind: str) -> None:
    answer = call(client, {**CALL, **change})
    assert (answer["success"], answer["error_kind"], answer["data"]) == (False, kind, None)


def test_nothing_is_stored(client: TestClient, store_path: Path) -> None:
    before = store_path.stat()
    call(client, CALL)
    after = store_path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize(
    ("change", "location"),
    [
        ({"params": [1]}, "body.params"),
        ({"state": {"per_agent": {"alice": 1}}}, "body.state.per_agent.alice"),
        ({"state": {"other": {}}}, "body.state.other"),
        ({"seed": -1}, "body.seed"),
        ({"unknown": 1}, "body.unknown"),
        ({"agent_id": None}, "body.agent_id"),
    ],
)
def test_an_invalid_call_is_refused_with_the_field(
    client: TestClient, change: dict[str, Any], location: str
) -> None:
    problem = call(client, {**CALL, **change}, 422)
    assert [fault["location"] for fault in problem["errors"]] == [location]


def test_a_state_of_more_than_a_megabyte_is_413(client: TestClient) -> None:
    state = {"per_agent": {}, "shared": {"text": "x" * 1_000_001}}
    problem = call(client, {**CALL, "state": state}, 413)
    assert problem["type"] == "urn:appeval:problem:state-too-large"
    assert "1,000,000" in problem["detail"]


def test_a_state_nested_without_end_is_refused(client: TestClient) -> None:
    nested = "[" * 250 + "]" * 250
    body = '{"agent_id": "alice", "action": "increase", "state": {"shared": {"x": ' + nested + "}}}"
    headers = {"Content-Type": "application/json"}
    response = client.post(PATH + "?version=1", content=body, headers=headers)
    assert response.status_code == 422, response.text


def test_a_version_without_a_definition_cannot_run(client: TestClient) -> None:
    problem = call(client, CALL, 409, query="")
    assert problem["type"] == "urn:appeval:problem:not-runnable"
    assert "counter@3" in problem["detail"]


def test_more_calls_than_work_at_a_time_all_get_their_answer(client: TestClient) -> None:
    with ThreadPoolExecutor(12) as pool:
        answers = list(
            pool.map(lambda number: call(client, {**CALL, "params": {"amount": number}}), range(1, 25))
        )
    assert [answer["data"]["count"] for answer in answers] == list(range(1, 25))
