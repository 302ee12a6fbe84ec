"""The OpenAPI document, and the page that shows it."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from appeval_pipeline.api.models.examples import CALL, CALLED
from appeval_pipeline.api.models.trying import CallAnswer, CallRequest
from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.data.shipped import DATA

ROUTES = {
    ("get", "/api/v1/app-definitions"),
    ("get", "/api/v1/app-definitions/{app_id}"),
    ("get", "/api/v1/app-definitions/{app_id}/versions"),
    ("get", "/api/v1/app-definitions/{app_id}/quality"),
    ("get", "/api/v1/app-definitions/{app_id}/coverage"),
    ("post", "/api/v1/app-definitions/{app_id}/test"),
    ("post", "/api/v1/app-definitions/{app_id}/evaluate"),
    ("post", "/api/v1/app-definitions/{app_id}/benchmark"),
    ("get", "/api/v1/app-definitions/{app_id}/compare/{version}"),
    ("get", "/api/v1/benchmarks"),
    ("post", "/api/v1/benchmarks/{benchmark_id}/run"),
    ("get", "/api/v1/runs/{run_id}"),
}
"""As the specification has them."""


@pytest.fixture
def document(client: TestClient) -> Any:
    return client.get("/openapi.json").json()


def operations(document: Any) -> dict[tuple[str, str], Any]:
    return {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_the_document_has_the_routes_of_the_specification(document: Any) -> None:
    assert operations(document).keys() == ROUTES


def test_every_operation_has_a_name_a_tag_words_and_described_problems(document: Any) -> None:
    found = operations(document).values()
    assert len({operation["operationId"] for operation in found}) == len(ROUTES)
    for operation in found:
        assert operation["summary"]
        assert operation["description"]
        assert operation["tags"][0] in {tag["name"] for tag in document["tags"]}
        for status in ("401", "422", "503", "default"):
            content = operation["responses"][status]["content"]
            reference = {"$ref": "#/components/schemas/Problem"}
            assert content == {"application/problem+json": {"schema": reference}}
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_all_references_lead_somewhere(document: Any) -> None:
    names = set(re.findall(r'"#/components/schemas/(\w+)"', str(document).replace("'", '"')))
    assert names <= document["components"]["schemas"].keys()


@pytest.mark.parametrize("name", ["CallRequest", "CallAnswer", "QualityAnswer", "RunAnswer", "Problem"])
def test_examples_are_of_their_types(document: Any, name: str) -> None:
    (example,) = document["components"]["schemas"][name]["examples"]
    jsonschema.validate(example, {**document["components"]["schemas"][name], **document})


def test_the_example_of_a_call_comes_to_the_example_of_an_answer() -> None:
    call = CallRequest.model_validate(CALL)
    assert call.state is not None
    engine = Engine(load_app(DATA / "apps" / "paypal" / "v2.yaml"))
    result = engine.execute(call.agent_id, call.action, call.params, call.state.model_dump())
    shown = CallAnswer.model_validate(CALLED)
    assert shown.data is not None
    assert result.data is not None
    assert shown.data.items() <= result.data.items()
    assert result.observations[0]["message"] == "alice sent you $30"


def test_whoever_opens_the_address_alone_is_led_to_the_page(client: TestClient) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.url.path) == (200, "/docs")


def test_the_page_takes_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs").text
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(addresses) == 3
    for address in addresses:
        assert address.startswith("/static-offline-docs/")
        assert client.get(address).status_code == 200
    assert "http://" not in page
    assert "https://" not in page
