"""What always holds of comparing versions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.evaluation import detect_regressions, load_scenario
from appeval_pipeline.evaluation.scenarios import Scenario
from appeval_pipeline_tests.data.shipped import ENTRIES, app_of, key, scenarios_of

from .wallet import edited


@pytest.mark.parametrize("entry", ENTRIES, ids=key)
def test_a_shipped_app_is_the_same_as_itself_under_another_number(entry: CatalogueEntry) -> None:
    version = app_of(entry)
    # Scenarios for this version alone would not be compared.
    scenarios = [scenario.model_copy(update={"applies_to": None}) for scenario in scenarios_of(entry)]
    again = version.model_copy(update={"version": 99})
    report = detect_regressions(version, again, scenarios, time_it=False)
    assert report.is_empty
    assert report.not_compared == ()


steps = st.lists(
    st.fixed_dictionaries(
        {
            "agent": st.sampled_from(("ann", "bob", "cy", "mallory")),
            "action": st.sampled_from(("pay", "look", "steal")),
            "params": st.fixed_dictionaries(
                {}, optional={"to": st.sampled_from(("ann", "bob", "cy")), "amount": st.integers(0, 150)}
            ),
            "expect": st.fixed_dictionaries({"success": st.booleans()}),
        }
    ),
    min_size=1,
    max_size=12,
)


def scenario_of(calls: list[dict[str, Any]]) -> Scenario:
    return load_scenario(
        {"name": "Any", "app_id": "wallet", "setup": {"agents": ["ann", "bob", "cy"]}, "steps": calls}
    )


MORE_IDS = (
    "      - {type: update, target: agent.balance",
    "      - {type: validate, condition: \"generate_id() != ''\", errorMessage: never}\n"
    "      - {type: update, target: agent.balance",
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_whatever_is_called_other_ids_are_no_difference(calls: list[dict[str, Any]]) -> None:
    report = detect_regressions(edited(version=1), edited(MORE_IDS), [scenario_of(calls)], time_it=False)
    assert report.is_empty


FEE = ("operation: subtract, value: params.amount", "operation: subtract, value: params.amount + 1")


@settings(max_examples=60, deadline=None)
@given(steps)
def test_a_fee_shows_at_every_payment_that_goes_through_in_both_and_nowhere_else(
    calls: list[dict[str, Any]],
) -> None:
    scenario = scenario_of([{**call, "expect": {}} for call in calls])
    old, new = edited(version=1), edited(FEE)
    report = detect_regressions(old, new, [scenario], time_it=False)
    assert {change.action for change in report.output_changes} <= {"pay"}
    for change in report.output_changes:
        # A look at a balance that is another one by then is a consequence, and so is a later balance.
        assert change.path in ("data.left", f"{calls[int(change.step.split()[1]) - 1]['agent']}.balance")
        assert isinstance(change.old, int)
        assert change.new == change.old - 1
