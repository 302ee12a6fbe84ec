"""The definitions that ship: they load, and keep the rules of the folders."""

from pathlib import Path

import pytest

from appeval_pipeline.appdef import check_app
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline_tests.data.shipped import CATALOGUE, DATA, ENTRIES, REFERENCES, app, app_of, key


def test_the_catalogue_has_no_problems() -> None:
    assert CATALOGUE.problems == ()


def test_the_apps_of_the_skeleton_ship() -> None:
    shipped = {entry.partition_key for entry in ENTRIES}
    assert {"paypal@1", "paypal@2", "bench_wallet@1", "bench_counter@1"} <= shipped


@pytest.mark.parametrize("entry", ENTRIES, ids=key)
def test_a_shipped_app_loads_without_errors(entry: CatalogueEntry) -> None:
    assert app_of(entry).app_id == entry.app_id


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_checks_find_nothing_in_a_reference_app(entry: CatalogueEntry) -> None:
    assert check_app(app_of(entry)) == ()


@pytest.mark.parametrize(
    ("app_id", "category", "actions"),
    [
        ("paypal", "payment", 5),
        ("bench_counter", "custom", 2),
        ("bench_inventory", "shopping", 6),
        ("bench_messaging", "communication", 5),
        ("bench_wallet", "payment", 4),
        ("bench_workflow", "custom", 8),
    ],
)
def test_apps_have_the_category_and_actions_that_they_are_known_by(
    app_id: str, category: str, actions: int
) -> None:
    assert (app(app_id).category, len(app(app_id).actions)) == (category, actions)


def test_paypal_offers_the_actions_that_its_scenarios_and_readers_expect() -> None:
    names = ["check_balance", "transfer", "request_money", "pay_request", "view_transactions"]
    assert [action.name for action in app("paypal", 1).actions] == names
    assert [action.name for action in app("paypal", 2).actions] == names


def test_paypal_2_accepts_every_call_that_paypal_1_declares() -> None:
    for action in app("paypal", 1).actions:
        newer = app("paypal", 2).action(action.name)
        assert newer is not None
        for name, spec in action.parameters.items():
            without_texts = {"description": None}
            assert newer.parameters[name].model_copy(update=without_texts) == spec.model_copy(
                update=without_texts
            )
        added = newer.parameters.keys() - action.parameters.keys()
        assert not any(newer.parameters[name].required for name in added)


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.yaml")), ids=lambda path: str(path.relative_to(DATA)))
def test_every_file_begins_with_a_comment_that_says_what_it_is_for(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
