"""``appeval new``: what it writes works, and it writes over nothing."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result
from typer.testing import CliRunner

from appeval_pipeline.appdef import load_app
from appeval_pipeline.appdef.documents import read_document
from appeval_pipeline.cli.main import app
from appeval_pipeline.cli.schema import Kind
from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.starter import SchemaKind


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which commands run."""
    monkeypatch.delenv("APPEVAL_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_what_is_written_passes_and_its_task_can_be_done(here: Path) -> None:
    """The tutorial's test has the pipeline evaluate it, too."""
    made = invoke("new", "gift_shop")
    assert made.exit_code == 0, made.output
    assert "appeval check data/apps/gift_shop\n" in made.stdout
    assert "  appeval run --app gift_shop\n" in made.stdout

    checked = invoke("check", "data/apps/gift_shop", "--min-quality", "90", "--json")
    assert checked.exit_code == 0, checked.output
    [check] = json.loads(checked.stdout)
    assert check["quality"]["overall_score"] == 100
    assert check["warnings"] == check["suite_warnings"] == []
    assert check["coverage"]["action_coverage"] == 100
    assert [one["passed"] for one in check["scenarios"]] == [True]

    tried = invoke("agent", "gift_shop", "--agent", "oracle", "--json")
    assert tried.exit_code == 0, tried.output
    [task] = json.loads(tried.stdout)
    assert (task["goal_rate"]["value"], task["optimal_actions"], task["optimal_is_exact"]) == (1, 2, True)


def test_every_file_meets_the_schema_that_its_first_line_names(here: Path) -> None:
    written = json.loads(invoke("new", "gift_shop", "--dir", "mine", "--json").stdout)["files"]
    assert len(written) == 6
    for name in written[:3]:
        path = here / name
        first = path.read_text().splitlines()[0]
        _, _, relative = first.partition("# yaml-language-server: $schema=")
        schema = json.loads((path.parent / relative).read_text())
        jsonschema.Draft202012Validator(schema).validate(read_document(path).data)
        assert (path.parent / relative).resolve() in [(here / one).resolve() for one in written[3:]]


def test_elsewhere_the_next_steps_say_where(here: Path) -> None:
    made = invoke("new", "shop", "--dir", "mine")
    assert "  APPEVAL_DATA_DIR=mine appeval run --app shop\n" in made.stdout
    made = invoke("new", "shop", "--dir", "my $apps")
    assert "  APPEVAL_DATA_DIR='my $apps' appeval run --app shop\n" in made.stdout
    assert "  appeval check 'my $apps/apps/shop'\n" in made.stdout
    assert not (here / "data").exists()


@pytest.mark.parametrize("root", ["apps", "benchmarks"])
def test_nothing_is_written_over(here: Path, root: str) -> None:
    (here / "data" / root / "shop").mkdir(parents=True)
    result = invoke("new", "shop")
    assert isinstance(result.exception, CatalogueError)
    assert f"There is 'data/{root}/shop' already" in str(result.exception)
    assert [path for path in here.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["Shop", "s", "1shop", "my-shop", "../shop", "s" * 51, "shop ", ""])
def test_a_name_that_cannot_be_used_is_refused_with_the_rule(here: Path, name: str) -> None:
    result = invoke("new", name)
    assert isinstance(result.exception, CatalogueError)
    assert "accepted are 2 to 50 characters" in str(result.exception)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("name", ["null", "yes", "true", "a_", "starter_app", "s" * 50])
def test_names_that_yaml_takes_for_something_else_work(here: Path, name: str) -> None:
    invoke("new", name)
    assert load_app(here / "data" / "apps" / name / "v1.yaml").app_id == name
    assert invoke("check", f"data/apps/{name}").exit_code == 0


def test_the_schemas_are_written_again_and_the_apps_left_alone(here: Path) -> None:
    invoke("new", "shop")
    schema = here / "data" / "schemas" / "task.schema.json"
    new = schema.read_text()
    schema.write_text("old")
    definition = here / "data" / "apps" / "shop" / "v1.yaml"
    definition.write_text("mine")
    printed = invoke("schema", "--output", "data/schemas")
    assert printed.stdout.splitlines()[-1] == "data/schemas/task.schema.json"
    assert (schema.read_text(), definition.read_text()) == (new, "mine")


def test_the_command_knows_the_kinds_of_schemas() -> None:
    assert [kind.value for kind in Kind] == [kind.value for kind in SchemaKind]
