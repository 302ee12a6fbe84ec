"""The catalogue: which files are versions, and what breaks its rules."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath

import pytest

from appeval_pipeline.appdef.catalogue import (
    Catalogue,
    CatalogueEntry,
    load_version,
    parse_partition_key,
    partition_key,
    scan,
    scenario_paths,
)
from appeval_pipeline.errors import CatalogueError, DefinitionError

APP = {
    "app_id": "shop",
    "name": "Shop",
    "category": "shopping",
    "actions": [{"name": "go", "logic": [{"type": "return", "value": {}}]}],
}


def put(data: Path, *paths: str, text: str | None = None) -> Path:
    for path in paths:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_text(json.dumps(APP) if text is None else text)
    return data


def keys(catalogue: Catalogue) -> list[str]:
    return [entry.partition_key for entry in catalogue.entries]


def problems(catalogue: Catalogue) -> dict[str, str]:
    return {str(problem.path): problem.message for problem in catalogue.problems}


def test_versions_come_in_natural_order_with_gaps(tmp_path: Path) -> None:
    names = ["v10.yaml", "v2.yaml", "v1.json", "v9.yaml"]
    put(tmp_path, *(f"apps/shop/{name}" for name in names), "apps/bank/v3.yaml", "benchmarks/aa/v1.yaml")
    catalogue = scan(tmp_path)
    assert keys(catalogue) == ["aa@1", "bank@3", "shop@1", "shop@2", "shop@9", "shop@10"]
    assert catalogue.problems == ()
    assert catalogue.entries[0].root == "benchmarks"
    assert catalogue.entries[2].path == PurePosixPath("apps/shop/v1.json")


def test_the_baseline_is_the_greatest_version_below(tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, *(f"apps/shop/v{n}.yaml" for n in (2, 5, 10)), "apps/bank/v1.yaml"))
    found = {version: catalogue.baseline("shop", version) for version in (1, 2, 3, 5, 10, 99)}
    assert {key: entry and entry.version for key, entry in found.items()} == {
        1: None, 2: None, 3: 2, 5: 2, 10: 5, 99: 10,
    }  # fmt: skip
    assert catalogue.baseline("nobody", 5) is None


@pytest.mark.parametrize(
    "name",
    ["v0.yaml", "v01.yaml", "v-1.yaml", "V1.yaml", "v1.0.yaml", "version1.yaml", "1.yaml", "v.yaml",
     "v1 .yaml", "v1 copy.yaml", "copy of v1.yaml", "notes.json", "v١.yaml"],
)  # fmt: skip
def test_other_definition_files_are_problems(name: str, tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, f"apps/shop/{name}", "apps/shop/v1.yaml"))
    assert keys(catalogue) == ["shop@1"]
    assert problems(catalogue) == {
        f"apps/shop/{name}": f"'{name}' is no version; expected v<N>.yaml or .json"
    }


@pytest.mark.parametrize(
    "name",
    [".v1.yaml.swp", ".v2.yaml", "v1.yaml~", "#v1.yaml#", ".#v1.yaml", "~v1.yaml", "v1.yaml.bak",
     "v1.yaml.tmp", "4913", ".DS_Store", "Thumbs.db", "README.md", "v2.yaml.orig", "v2.txt"],
)  # fmt: skip
def test_what_editors_leave_behind_is_passed_over(name: str, tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, f"apps/shop/{name}", "apps/shop/v1.yaml"))
    assert (keys(catalogue), catalogue.problems) == (["shop@1"], ())


@pytest.mark.parametrize("name", ["Shop", "s", "my-shop", "1shop", "a" * 51, "shöp", "s hop"])
def test_a_folder_that_is_no_app_id_is_a_problem(name: str, tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, f"apps/{name}/v1.yaml"))
    assert keys(catalogue) == []
    assert problems(catalogue) == {f"apps/{name}": f"'{name}' is no app id"}


def test_an_app_id_under_both_roots_is_a_problem(tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, "apps/shop/v1.yaml", "benchmarks/shop/v2.yaml"))
    assert keys(catalogue) == ["shop@1"]
    assert problems(catalogue) == {"benchmarks/shop": "App 'shop' stands under both roots"}


def test_a_version_given_twice_is_a_problem(tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, "apps/shop/v1.json", "apps/shop/v1.yaml"))
    assert keys(catalogue) == ["shop@1"]
    assert problems(catalogue) == {"apps/shop/v1.yaml": "Version 1 is also defined by 'v1.json'"}


def test_path_rules_hold_inside_the_roots_only(tmp_path: Path) -> None:
    put(tmp_path, "v1.yaml", "other/Shop/x.yaml", "apps/loose.yaml", "apps/.git/v1.yaml", "apps/shop/v1.yaml")
    put(tmp_path, "apps/shop/scenarios/any name.yaml", "apps/shop/tasks/x.yaml", "apps/shop/old/v7.yaml")
    catalogue = scan(tmp_path)
    assert (keys(catalogue), catalogue.problems) == (["shop@1"], ())


def test_a_folder_named_like_a_version_is_none(tmp_path: Path) -> None:
    (tmp_path / "apps/shop/v1.yaml").mkdir(parents=True)
    assert keys(scan(tmp_path)) == []


def test_no_data_directory_is_an_error_and_no_roots_are_an_empty_catalogue(tmp_path: Path) -> None:
    assert keys(scan(tmp_path)) == []
    with pytest.raises(CatalogueError, match="does not exist"):
        scan(tmp_path / "missing")


def test_unknown_apps_and_versions_name_those_there_are(tmp_path: Path) -> None:
    catalogue = scan(put(tmp_path, "apps/shop/v1.yaml", "apps/shop/v3.yaml", "apps/bank/v1.yaml"))
    assert catalogue.entry("shop", 3).version == 3
    with pytest.raises(CatalogueError, match="There is no app 'shoop'; known apps: bank, shop"):
        catalogue.entry("shoop", 1)
    with pytest.raises(CatalogueError, match="App 'shop' has no version 2; known versions: 1, 3"):
        catalogue.entry("shop", 2)


def load(data: Path, **changes: object) -> object:
    text = json.dumps({**APP, **changes})
    put(data, "apps/shop/v2.json", text=text)
    (entry,) = scan(data).entries
    loaded = load_version(data, entry)
    assert loaded.file_sha256 == hashlib.sha256(text.encode()).hexdigest()
    return loaded.app.version


def test_the_path_gives_the_effective_version(tmp_path: Path) -> None:
    assert load(tmp_path) == 2
    assert load(tmp_path, version=2) == 2
    assert load(tmp_path, version=None) == 2


def test_the_effective_version_does_not_move_the_hash(tmp_path: Path) -> None:
    put(tmp_path, "apps/shop/v1.json", "apps/shop/v2.json")
    first, second = (load_version(tmp_path, entry) for entry in scan(tmp_path).entries)
    assert (first.app.version, second.app.version) == (1, 2)
    assert first.app.definition_hash == second.app.definition_hash


@pytest.mark.parametrize(
    ("changes", "location", "message"),
    [
        ({"version": 3}, "version", "The path says 2, the file says 3"),
        ({"version": 1}, "version", "The path says 2, the file says 1"),
        ({"app_id": "bank"}, "app_id", "The path says shop, the file says bank"),
    ],
)
def test_a_file_that_contradicts_its_path_is_a_definition_error(
    changes: dict[str, object], location: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DefinitionError) as caught:
        load(tmp_path, **changes)
    (fault,) = caught.value.faults
    assert (fault.location, fault.message) == (location, message)
    assert "apps/shop/v2.json" in str(caught.value)


@pytest.mark.parametrize("version", ["2", 2.5, True, [2], 0])
def test_a_version_that_is_no_integer_is_a_definition_error(version: object, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError):
        load(tmp_path, version=version)


def test_an_app_id_in_camel_case_is_compared_too(tmp_path: Path) -> None:
    app = {key: value for key, value in APP.items() if key != "app_id"}
    put(tmp_path, "apps/shop/v1.json", text=json.dumps({**app, "appId": "bank"}))
    with pytest.raises(DefinitionError, match="The path says shop, the file says bank"):
        load_version(tmp_path, scan(tmp_path).entries[0])


@pytest.mark.parametrize("text", ["", "not: [valid", "[1]", "app_id: shop\n", "{", "\x00"])
def test_a_file_that_is_no_definition_names_itself(text: str, tmp_path: Path) -> None:
    put(tmp_path, "apps/shop/v1.yaml", text=text)
    with pytest.raises(DefinitionError, match=r"apps/shop/v1\.yaml"):
        load_version(tmp_path, scan(tmp_path).entries[0])


def test_a_file_that_is_gone_is_a_definition_error(tmp_path: Path) -> None:
    entry = CatalogueEntry("shop", 1, "apps", PurePosixPath("apps/shop/v1.yaml"))
    with pytest.raises(DefinitionError, match="cannot be read"):
        load_version(tmp_path, entry)


def test_scenarios_are_found_sorted_without_droppings(tmp_path: Path) -> None:
    folder = "benchmarks/shop/scenarios"
    put(
        tmp_path,
        *(f"{folder}/{name}" for name in ("b.yaml", "a.json", ".c.yaml", "d.yaml~", "e.md", "#f.yaml")),
    )
    assert scenario_paths(tmp_path, "shop", "benchmarks") == (
        PurePosixPath(folder, "a.json"),
        PurePosixPath(folder, "b.yaml"),
    )
    assert scenario_paths(tmp_path, "shop", "apps") == ()


def test_partition_keys_name_app_and_version() -> None:
    assert partition_key("shop", 12) == "shop@12"
    assert parse_partition_key("shop@12") == ("shop", 12)


@pytest.mark.parametrize(
    "key", ["shop", "shop@", "@1", "shop@0", "shop@01", "shop@1.0", "Shop@1", "shop@1\n", "a@b"]
)
def test_what_names_no_version_is_refused(key: str) -> None:
    with pytest.raises(CatalogueError, match="names no app version"):
        parse_partition_key(key)
