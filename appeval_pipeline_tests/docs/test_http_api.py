"""`docs/http-api.md`: its commands are answered as the page says, and its tables are complete."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context
from appeval_pipeline.api.problems import Kind
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.store import Database
from appeval_pipeline_tests.api.fake_runs import FakeRuns
from appeval_pipeline_tests.data.shipped import DATA
from appeval_pipeline_tests.docs.page import Fenced, Table, codes, read_page

PATH = Path(__file__).parents[2] / "docs" / "http-api.md"
PAGE = read_page(PATH)
BLOCKS = [part for part in PAGE if isinstance(part, Fenced)]
EXAMPLES = [(asked.text, answered.text) for asked, answered in pairwise(BLOCKS) if answered.kind == "json"]
(ROUTES, PROBLEMS) = (part for part in PAGE if isinstance(part, Table))


@pytest.fixture
def client(shipped_store: Path) -> Iterator[TestClient]:
    context = Context(DATA, SharedStore(Database(shipped_store)), FakeRuns())
    with TestClient(create_app(context), base_url="http://127.0.0.1:8000") as client:
        yield client


def send(client: TestClient, command: str) -> httpx.Response:
    """What ``curl`` would send."""
    curl, silent, *arguments = shlex.split(command.replace("\\\n", ""))
    assert (curl, silent) == ("curl", "-s")
    method, url, headers, body = None, "", {}, None
    while arguments:
        match arguments.pop(0):
            case "-X":
                method = arguments.pop(0)
            case "-H":
                name, _, value = arguments.pop(0).partition(": ")
                headers[name] = value
            case "-d":
                body = arguments.pop(0)
            case address:
                url = address
    return client.request(method or ("POST" if body else "GET"), url, headers=headers, content=body)


def assert_shown(shown: object, actual: object, place: str = "$") -> None:
    """What is shown is there; ``…`` stands for anything."""
    if isinstance(shown, dict):
        assert isinstance(actual, dict), place
        for key, value in shown.items():
            assert key in actual, f"{place}.{key}"
            assert_shown(value, actual[key], f"{place}.{key}")
    elif shown != "…":
        assert shown == actual, place


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=["quality", "compare", "test", "run", "problem"])
def test_the_server_answers_as_the_page_says(client: TestClient, command: str, shown: str) -> None:
    assert_shown(json.loads(shown), send(client, command).json())


def test_the_routes_are_those_of_the_openapi_document(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    routes = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert {codes(row["route"])[0] for row in ROUTES.rows} == routes


def test_every_kind_of_problem_is_in_the_table() -> None:
    told = {code for row in PROBLEMS.rows for code in codes(row["type, after `urn:appeval:problem:`"])}
    assert told == set(Kind) - {Kind.OTHER}
