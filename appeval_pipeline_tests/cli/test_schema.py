"""``appeval schema``: what editors are told must hold for every file that ships."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from appeval_pipeline.appdef.documents import read_document

from .conftest import Appeval

DATA = Path(__file__).parents[2] / "data"
APPS = sorted(DATA.glob("*/*/v*.yaml"))
TASKS = sorted(DATA.glob("*/*/tasks/*.yaml"))
SCENARIOS = sorted(DATA.glob("*/*/scenarios/*.yaml"))


@pytest.mark.parametrize(("kind", "paths"), [("app", APPS), ("scenario", SCENARIOS), ("task", TASKS)])
def test_the_schema_accepts_what_ships_and_refuses_unknown_keys(
    appeval: Appeval, kind: str, paths: list[Path], data: Path
) -> None:
    result = appeval("schema", kind)
    assert result.returncode == 0
    validator = jsonschema.Draft202012Validator(json.loads(result.stdout))
    validator.check_schema(validator.schema)
    assert len(paths) >= 4
    for path in paths:
        document = read_document(path).data
        assert [error.message for error in validator.iter_errors(document)] == [], path
        assert isinstance(document, dict)
        assert not validator.is_valid({**document, "nonsense": 1})


def test_properties_may_be_a_list_or_a_mapping(appeval: Appeval, data: Path) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(appeval("schema", "app").stdout))
    app = {
        "app_id": "ab",
        "name": "A",
        "category": "custom",
        "actions": [{"name": "go"}],
        "state_schema": [{"name": "p", "type": "object", "properties": {"x": {"type": "number"}}}],
    }
    assert validator.is_valid(app)
    app["state_schema"][0]["properties"] = [{"name": "x", "type": "number"}]  # type: ignore[index]
    assert validator.is_valid(app)
    app["state_schema"][0]["properties"] = "x"  # type: ignore[index]
    assert not validator.is_valid(app)
