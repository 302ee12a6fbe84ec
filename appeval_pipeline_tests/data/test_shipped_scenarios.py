"""The scenarios that ship: they pass, reach everything, and would notice what goes wrong."""

import copy
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.appdef.catalogue import CatalogueEntry, parse_partition_key
from appeval_pipeline.appdef.schema import BranchBlock, LoopBlock, ValidateBlock
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.scenarios import Scenario, run_scenario
from appeval_pipeline_tests.data.shipped import (
    CATALOGUE,
    DATA,
    ENTRIES,
    PLANTED_FAILURES,
    REFERENCES,
    SOUND,
    app_of,
    key,
    scenarios_of,
)

CASES = [(entry, scenario) for entry in SOUND for scenario in scenarios_of(entry)]
CASE_NAMES = [f"{entry.partition_key}: {scenario.name}" for entry, scenario in CASES]

SEED_SCENARIO_SHA256 = "ea4db5e090a6805a1033ac254897655000d9ddce90072311b34ec750ca019c46"
"""Of the `payment_transfer` example of ADR-021, from its first comment to its last line."""


def test_the_payment_transfer_scenario_is_the_text_of_adr_021() -> None:
    written = (DATA / "apps/paypal/scenarios/payment_transfer.yaml").read_bytes()
    assert hashlib.sha256(written).hexdigest() == SEED_SCENARIO_SHA256


@pytest.mark.parametrize(("entry", "scenario"), CASES, ids=CASE_NAMES)
def test_a_shipped_scenario_passes(entry: CatalogueEntry, scenario: Scenario) -> None:
    result = run_scenario(app_of(entry), scenario)
    assert [failure.to_dict() for failure in result.failures] == []
    assert result.passed


@pytest.mark.parametrize("version", PLANTED_FAILURES)
def test_exactly_the_scenarios_that_a_planted_break_concerns_fail(version: str) -> None:
    entry = CATALOGUE.entry(*parse_partition_key(version))
    results = [run_scenario(app_of(entry), scenario) for scenario in scenarios_of(entry)]
    assert {result.scenario_name for result in results if not result.passed} == PLANTED_FAILURES[version]


def test_paypal_has_the_seeds_scenario_and_at_least_three_more() -> None:
    assert {entry.partition_key for entry in ENTRIES if len(scenarios_of(entry)) >= 4} >= {
        "paypal@1",
        "paypal@2",
    }


@pytest.mark.parametrize(("entry", "scenario"), CASES, ids=CASE_NAMES)
def test_every_step_that_succeeds_is_held_to_more_than_that(
    entry: CatalogueEntry, scenario: Scenario
) -> None:
    for step in scenario.steps:
        expect = step.expect
        says = (expect.data, expect.state, expect.observations, expect.error, expect.error_contains)
        assert any(says), step.name


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_scenarios_of_a_reference_app_reach_every_arm_of_its_logic(entry: CatalogueEntry) -> None:
    app = app_of(entry)
    reached = {
        (event.block, event.outcome)
        for scenario in scenarios_of(entry)
        for step in run_scenario(app, scenario).steps
        for event in step.trace
    }
    assert possible_outcomes(app) - reached == set()


def possible_outcomes(app: AppDefinition) -> set[tuple[str, str]]:
    outcomes: set[tuple[str, str]] = set()
    for action in app.actions:
        for placed in walk_blocks(action):
            names: tuple[str, ...] = ()
            match placed.block:
                case ValidateBlock():
                    names = ("pass", "fail")
                case BranchBlock():
                    names = ("then", "else")
                case LoopBlock():
                    names = ("0", "1+")
                case _:
                    pass
            outcomes |= {(placed.id, name) for name in names}
    return outcomes


def pass_all(definition: dict[str, Any], scenarios: Iterable[Scenario]) -> bool:
    engine = Engine(load_app(definition))
    return all(run_scenario(engine, scenario).passed for scenario in scenarios)


@pytest.mark.parametrize("entry", SOUND, ids=key)
def test_scenarios_notice_when_any_block_is_taken_out(entry: CatalogueEntry) -> None:
    scenarios = scenarios_of(entry)
    unnoticed = [
        place for place, mutant in without_each_block(app_of(entry).to_dict()) if pass_all(mutant, scenarios)
    ]
    assert unnoticed == []


OPPOSITES = {" <= ": " < ", " < ": " <= ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "}


@pytest.mark.parametrize("entry", SOUND, ids=key)
def test_scenarios_notice_when_any_comparison_is_off_by_its_border(entry: CatalogueEntry) -> None:
    scenarios = scenarios_of(entry)
    unnoticed = [
        place
        for place, mutant in with_each_comparison_changed(app_of(entry).to_dict())
        if pass_all(mutant, scenarios)
    ]
    assert unnoticed == []


Definition = dict[str, Any]


def without_each_block(definition: Definition) -> Iterator[tuple[str, Definition]]:
    for place, path, index in block_places(definition):
        mutant = copy.deepcopy(definition)
        del block_list(mutant, path)[index]
        yield place, mutant


def with_each_comparison_changed(definition: Definition) -> Iterator[tuple[str, Definition]]:
    for place, path, index in block_places(definition):
        condition = block_list(definition, path)[index].get("condition", "")
        for operator, opposite in OPPOSITES.items():
            if operator in condition:
                mutant = copy.deepcopy(definition)
                block_list(mutant, path)[index]["condition"] = condition.replace(operator, opposite, 1)
                yield f"{place}: {operator} to {opposite}", mutant


BlockPath = tuple[str | int, ...]


def block_places(definition: Definition) -> Iterator[tuple[str, BlockPath, int]]:
    """Every block: a name for it, the path of the list that it stands in, its index there."""
    for number in range(len(definition["actions"])):
        yield from _block_places(definition, ("actions", number, "logic"))


def _block_places(definition: Definition, path: BlockPath) -> Iterator[tuple[str, BlockPath, int]]:
    for index, block in enumerate(block_list(definition, path)):
        yield f"{'.'.join(map(str, path))}[{index}] {block['type']}", path, index
        for arm in ("then", "else", "body"):
            if arm in block:
                yield from _block_places(definition, (*path, index, arm))


def block_list(definition: Definition, path: BlockPath) -> list[Definition]:
    found: Any = definition
    for step in path:
        found = found[step]
    blocks: list[Definition] = found
    return blocks
