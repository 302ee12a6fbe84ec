"""Every error is a problem document that tells programs its kind and people what would be accepted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context
from appeval_pipeline.api.guarding import MAX_BODY_BYTES
from appeval_pipeline.api.models.runs import RunAnswer
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.store import Database

from .conftest import BASE_URL
from .fake_runs import FakeRuns

APPS = "/api/v1/app-definitions"
TOKEN = "a-token-of-the-tests"


def problem(response: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    document: dict[str, Any] = response.json()
    assert (document["type"], document["status"]) == (f"urn:appeval:problem:{kind}", status)
    assert document["detail"]
    return document


@pytest.mark.parametrize("path", ["", "/versions", "/quality", "/coverage", "/compare/1"])
def test_an_unknown_app_is_404_and_names_those_there_are(client: TestClient, path: str) -> None:
    found = problem(client.get(f"{APPS}/nobody{path}"), 404, "unknown-app")
    assert found["known"] == ["bench_tally", "counter"]
    assert found["detail"] == "There is no app 'nobody'; known apps: bench_tally, counter"
    assert found["instance"] == f"{APPS}/nobody{path}"


@pytest.mark.parametrize("action", ["test", "evaluate", "benchmark"])
def test_an_unknown_app_cannot_act(client: TestClient, action: str) -> None:
    call = {"agent_id": "alice", "action": "increase"}
    problem(client.post(f"{APPS}/nobody/{action}", json=call), 404, "unknown-app")


@pytest.mark.parametrize("path", ["?version=9", "/quality?version=9", "/compare/9", "/compare/1?with=9"])
def test_an_unknown_version_is_404_and_names_those_there_are(client: TestClient, path: str) -> None:
    assert problem(client.get(f"{APPS}/counter{path}"), 404, "unknown-version")["known"] == ["1", "2", "3"]


def test_a_long_name_is_not_said_back(client: TestClient) -> None:
    found = problem(client.get(f"{APPS}/{'x' * 5000}"), 404, "unknown-app")
    assert len(found["detail"]) < 400
    assert len(found["instance"]) <= 200


@pytest.mark.parametrize("version", ["x", "0", "1.5", "2147483648", ""])
def test_a_version_that_is_none_is_422(client: TestClient, version: str) -> None:
    found = problem(client.get(f"{APPS}/counter/quality?version={version}"), 422, "invalid-request")
    assert [fault["location"] for fault in found["errors"]] == ["query.version"]


def test_unknown_paths_and_methods_are_problems_too(client: TestClient) -> None:
    problem(client.get("/api/v1/nothing"), 404, "unknown-route")
    problem(client.get(f"{APPS}/"), 404, "unknown-route")
    response = client.delete(APPS)
    problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == "GET"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'{"agent_id": "alice", "action": NaN}',
        b'{"agent_id": "\\ud800", "action": "x"}',
        b'{"agent_id": "\xff", "action": "x"}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut off", "null", "NaN", "surrogate", "no UTF-8", "deep"],
)
def test_a_body_that_is_no_call_is_422(client: TestClient, body: bytes) -> None:
    response = client.post(f"{APPS}/counter/test", content=body, headers={"Content-Type": "application/json"})
    problem(response, 422, "invalid-request")


@pytest.mark.parametrize(
    ("headers", "was"),
    [
        ({"Content-Type": "application/x-www-form-urlencoded"}, "'application/x-www-form-urlencoded'"),
        ({"Content-Type": "text/plain"}, "'text/plain'"),
        ({}, "missing"),
    ],
)
def test_a_body_of_another_type_is_422_and_the_type_is_named(
    client: TestClient, headers: dict[str, str], was: str
) -> None:
    body = '{"agent_id": "alice", "action": "increase"}'
    found = problem(
        client.post(f"{APPS}/counter/test", content=body, headers=headers), 422, "invalid-request"
    )
    assert found["detail"] == f"body: the header Content-Type is {was}; accepted is application/json"
    assert found["errors"][0]["location"] == "body"


def test_a_body_that_says_it_is_too_large_is_413_before_it_is_read(client: TestClient) -> None:
    sent: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        sent.append(b"x")
        yield b"x"

    async def post() -> httpx.Response:
        headers = {"Content-Type": "application/json", "Content-Length": str(MAX_BODY_BYTES + 1)}
        # Unlike the test client, this one sends a body only as far as the application asks for it.
        transport = httpx.ASGITransport(client.app)
        async with httpx.AsyncClient(transport=transport, base_url=str(client.base_url)) as lazy:
            return await lazy.post(f"{APPS}/counter/evaluate", content=body(), headers=headers)

    problem(asyncio.run(post()), 413, "body-too-large")
    assert sent == []


def test_a_body_in_chunks_is_counted(client: TestClient) -> None:
    def body() -> Iterator[bytes]:
        for _ in range(30):
            yield b" " * 100_000

    response = client.post(
        f"{APPS}/counter/test", content=body(), headers={"Content-Type": "application/json"}
    )
    problem(response, 413, "body-too-large")


def test_no_store_is_503(tmp_path: Path, data_dir: Path) -> None:
    context = Context(data_dir, SharedStore(Database(tmp_path / "none.duckdb")), FakeRuns())
    with TestClient(create_app(context), base_url=BASE_URL) as client:
        assert "appeval run" in problem(client.get(APPS), 503, "store-unavailable")["detail"]


class BrokenRuns(FakeRuns):
    def read(self, run_id: str) -> RunAnswer | None:
        raise RuntimeError("a secret of the inside")


def test_what_was_not_foreseen_is_500_and_tells_nothing_of_the_inside(context: Context) -> None:
    broken = Context(context.data_dir, context.store, BrokenRuns())
    with TestClient(create_app(broken), base_url=BASE_URL, raise_server_exceptions=False) as client:
        response = client.get("/api/v1/runs/any")
    problem(response, 500, "internal-error")
    assert "secret" not in response.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "[::1", "0.0.0.0"])
def test_on_loopback_other_host_names_are_refused(client: TestClient, host: str) -> None:
    problem(client.get(APPS, headers={"Host": host}), 421, "wrong-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_the_names_of_loopback_are_accepted(client: TestClient, host: str) -> None:
    assert client.get(APPS, headers={"Host": host}).status_code == 200


def test_beyond_loopback_every_host_name_is_accepted(context: Context) -> None:
    app = create_app(context, token=SecretStr(TOKEN), host="0.0.0.0")
    headers = {"Host": "appeval.example", "Authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=BASE_URL) as client:
        assert client.get(APPS, headers=headers).status_code == 200


@pytest.fixture
def guarded(context: Context) -> Iterator[TestClient]:
    with TestClient(create_app(context, token=SecretStr(TOKEN)), base_url=BASE_URL) as client:
        yield client


@pytest.mark.parametrize("given", [None, "", f"Basic {TOKEN}", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x"])
@pytest.mark.parametrize("path", [APPS, "/api/v1/runs/x", "/nothing", "/docsx"])
def test_without_the_token_nothing_is_told(guarded: TestClient, given: str | None, path: str) -> None:
    response = guarded.get(path, headers={} if given is None else {"Authorization": given})
    problem(response, 401, "unauthorized")
    assert response.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in response.text


def test_with_the_token_all_is_open(guarded: TestClient) -> None:
    assert guarded.get(APPS, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get(APPS, headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


def test_what_describes_the_api_needs_no_token(guarded: TestClient) -> None:
    assert guarded.get("/docs").status_code == 200
    document = guarded.get("/openapi.json").json()
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://[::1"])
def test_pages_of_other_sites_may_neither_read_nor_act(
    client: TestClient, runs: FakeRuns, origin: str
) -> None:
    headers = {"Origin": origin}
    response = client.get(APPS, headers=headers)
    problem(response, 403, "foreign-origin")
    assert not [name for name in response.headers if name.startswith("access-control")]
    problem(client.post(f"{APPS}/counter/evaluate", headers=headers), 403, "foreign-origin")
    assert runs.orders == []


def test_the_server_s_own_page_may_act(client: TestClient) -> None:
    response = client.post(f"{APPS}/counter/evaluate?version=1", headers={"Origin": BASE_URL})
    assert response.status_code == 202
