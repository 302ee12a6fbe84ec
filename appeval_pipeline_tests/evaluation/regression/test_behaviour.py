"""What a new version does otherwise, told apart, each cause once."""

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.errors import AppEvalError, ComparisonError
from appeval_pipeline.evaluation import RegressionReport, detect_regressions, load_scenario

from .wallet import WALLET, compared, edited, scenario

CREDIT = 'target: "agents[params.to].balance"'
NOTIFY = (
    '      - {type: notify, to: params.to, message: "${agent.name} paid you", '
    'data: {id: "agent.payments[-1].id"}}\n'
)
FUNDS = "errorMessage: You lack the money"


def outputs(report: RegressionReport) -> list[tuple[str, str, str, object, object]]:
    return [
        (change.step, change.path, change.kind, change.old, change.new) for change in report.output_changes
    ]


def nothing_else(report: RegressionReport) -> bool:
    return not (report.failures or report.interface_changes or report.fixed_tests or report.still_failing)


def test_crediting_the_wrong_agent_shows_where_it_happens_and_not_after() -> None:
    report = compared((CREDIT, "target: \"agents['cy'].balance\""))
    # Bob's look at his balance differs, too, but as a consequence; his payment to Cy credits Cy.
    assert outputs(report) == [
        ("Ann pays Bob", "bob.balance", "changed", 110, 100),
        ("Ann pays Bob", "cy.balance", "changed", 100, 110),
    ]
    assert {change.aspect for change in report.output_changes} == {"state"}
    assert nothing_else(report)


def test_telling_the_wrong_agent_shows_whom() -> None:
    report = compared(("{type: notify, to: params.to", "{type: notify, to: agent.id"))
    assert outputs(report) == [
        ("Ann pays Bob", "observations[0].to", "changed", "bob", "ann"),
        ("Bob pays Cy", "observations[0].to", "changed", "cy", "bob"),
    ]
    assert nothing_else(report)


def test_a_dropped_notification_is_one_observation_less() -> None:
    report = compared((NOTIFY, ""))
    assert [(change.step, change.aspect, change.path, change.kind) for change in report.output_changes] == [
        ("Ann pays Bob", "observations", "observations[0]", "removed"),
        ("Bob pays Cy", "observations", "observations[0]", "removed"),
    ]
    old = report.output_changes[0].old
    assert isinstance(old, dict)
    assert (old["to"], old["message"], report.output_changes[0].new) == ("bob", "ann paid you", None)
    assert nothing_else(report)


def test_a_changed_error_text_is_that_alone() -> None:
    report = compared((FUNDS, "errorMessage: Not enough money"))
    assert [change.to_dict() for change in report.output_changes] == [
        {
            "scenario": "Paying",
            "step": "Ann pays too much",
            "action": "pay",
            "aspect": "error",
            "path": "error",
            "kind": "changed",
            "old": "You lack the money",
            "new": "Not enough money",
        }
    ]
    assert nothing_else(report)


def test_a_removed_result_is_missed_in_the_data_and_in_the_interface() -> None:
    report = compared(
        ("returns: {id: {type: string}, left: {type: number}}", "returns: {left: {type: number}}"),
        ('value: {id: "agent.payments[-1].id", left', "value: {left"),
    )
    assert [(change.step, change.path, change.kind) for change in report.output_changes] == [
        ("Ann pays Bob", "data.id", "removed"),
        ("Bob pays Cy", "data.id", "removed"),
    ]
    [change] = report.interface_changes
    assert (change.kind, change.severity, change.location) == (
        "result_removed",
        "breaking",
        "actions.pay.returns.id",
    )
    assert report.breaks_interface
    assert not report.is_breaking


def test_a_newly_required_parameter_breaks_the_interface_and_every_call_without_it() -> None:
    report = compared(("note: {type: string,", "note: {type: string, required: true,"))
    assert report.is_breaking
    [change] = report.interface_changes
    assert (change.kind, change.severity, change.location) == (
        "parameter_required",
        "breaking",
        "actions.pay.parameters.note",
    )
    assert [failure.step for failure in report.failures] == [
        "Ann pays Bob",
        "Bob pays Cy",
        "assertion: ann.balance == 90",
    ]
    # That a call which is refused anyway is refused for another reason is told, and no more than that.
    assert outputs(report) == [
        ("Ann pays too much", "error", "changed", "You lack the money", "Parameter 'note' is required")
    ]


RECEIPT_FIRST = (
    "        value: {id: generate_id(), to: params.to",
    "        value: {receipt: generate_id(), id: generate_id(), to: params.to",
)


def test_one_id_more_is_one_difference_although_all_ids_after_it_are_others() -> None:
    report = compared(RECEIPT_FIRST)
    assert [(change.step, change.path, change.kind) for change in report.output_changes] == [
        ("Ann pays Bob", "ann.payments[0].receipt", "added"),
        ("Bob pays Cy", "bob.payments[0].receipt", "added"),
    ]
    assert nothing_else(report)


def test_ids_in_texts_and_keys_and_cut_short_are_no_difference() -> None:
    by_id = (
        "  - {name: total,",
        "  - {name: ledger, type: object, default: {}, perAgent: false}\n  - {name: total,",
    )
    logic = (
        "      - {type: notify",
        "      - {type: update, target: 'shared.ledger[agent.payments[-1].id]', operation: set, value: 1}\n"
        "      - {type: notify",
    )
    message = (
        'message: "${agent.name} paid you"',
        'message: "Payment ${upper(slice(agent.payments[-1].id, 0, 8))} by ${agent.name}"',
    )
    shifted = (
        "value: params.amount}\n      - type: update",
        "value: params.amount}\n"
        "      - {type: validate, condition: \"generate_id() != ''\", errorMessage: never}\n"
        "      - type: update",
    )
    old, new = edited(by_id, logic, message, version=1), edited(by_id, logic, message, shifted)
    assert detect_regressions(old, new, [scenario()], time_it=False).is_empty


def test_an_id_of_another_payment_is_a_difference() -> None:
    last = 'last: "agent.payments[-1].id"'
    steps = (
        "assertions: [ann.balance == 90]",
        "  - {agent: bob, action: pay, params: {to: cy, amount: 5}}\n"
        "  - {name: Then, agent: bob, action: look}",
    )
    report = detect_regressions(
        load_app(WALLET),
        edited((last, 'last: "agent.payments[0].id"'), RECEIPT_FIRST),
        [scenario(steps)],
        time_it=False,
    )
    assert [change.step for change in report.output_changes if change.path == "data.last"] == ["Then"]


def test_a_difference_of_a_later_step_is_found_although_states_have_come_apart() -> None:
    report = compared(
        (CREDIT, "target: \"agents['cy'].balance\""),
        (
            "      - {type: return, value: {balance: agent.balance, last",
            "      - {type: return, value: {balance: agent.balance + 1, last",
        ),
    )
    assert outputs(report)[2:] == [("Bob looks again", "data.balance", "changed", 105, 106)]


def test_fields_of_one_version_alone_are_told_once_and_keep_their_effect() -> None:
    report = compared(
        ("  - {name: total,", "  - {name: calls, type: number, default: 0}\n  - {name: total,"),
        (
            "      - {type: notify",
            "      - {type: update, target: agent.calls, operation: add, value: 1}\n      - {type: notify",
        ),
        ('last: "agent.payments[-1].id"', 'last: "agent.payments[-1].id", calls: agent.calls'),
        (CREDIT, "target: \"agents['cy'].balance\""),
    )
    assert [(change.kind, change.location) for change in report.interface_changes] == [
        ("state_field_added", "state_schema.calls")
    ]
    # The third step's look finds no payment; the last one counts Bob's call, on a state that came apart.
    assert outputs(report)[2:] == [("Bob looks again", "data.calls", "added", None, 1)]


def test_another_default_is_told_once() -> None:
    report = compared(("default: 100", "default: 1000"))
    assert [
        (change.kind, change.severity, change.old, change.new) for change in report.interface_changes
    ] == [("state_default_changed", "warning", 100, 1000)]
    assert [failure.step for failure in report.failures] == [
        "Ann pays Bob",
        "Ann pays too much",
        "assertion: ann.balance == 90",
    ]
    assert report.output_changes == ()


def test_a_fixed_scenario_is_told_and_one_that_still_fails() -> None:
    broken = edited(("subtract, value: params.amount", "subtract, value: 2 * params.amount"), version=1)
    hopeless = scenario(("name: Paying", "name: Hopeless"), ("[ann.balance == 90]", "[1 == 2]"))
    report = detect_regressions(broken, edited(), [scenario(), hopeless], time_it=False)
    assert (report.fixed_tests, report.still_failing) == (("Paying",), ("Hopeless",))
    assert (report.new_failures, report.failures) == ((), ())
    back = detect_regressions(edited(version=2), broken, [scenario(), hopeless], time_it=False)
    assert (back.new_failures, back.fixed_tests) == (("Paying",), ())
    # What failed before is no new failure, though its scenario has one.
    assert [failure.step for failure in back.failures if failure.scenario == "Hopeless"] == ["Ann pays Bob"]


def test_scenarios_for_one_version_alone_are_listed_and_not_run() -> None:
    later = scenario(("app_id: wallet", "app_id: wallet\napplies_to: '>=2'"), ("left: 90", "left: 0"))
    report = detect_regressions(load_app(WALLET), edited(), [later], time_it=False)
    assert report.not_compared == ("Paying",)
    assert report.is_empty


def test_a_setup_that_neither_version_accepts_fails_in_both() -> None:
    impossible = load_scenario(
        {
            "name": "Big",
            "app_id": "wallet",
            "setup": {"initial_state": {"shared": {"text": "x" * 1_100_000}}},
            "steps": [{"agent": "ann", "action": "look"}],
        }
    )
    report = detect_regressions(load_app(WALLET), edited(), [impossible], time_it=False)
    assert report.still_failing == ("Big",)
    assert report.is_empty


@pytest.mark.parametrize("stranger", ["definition", "scenario"])
def test_what_is_not_of_one_app_is_refused(stranger: str) -> None:
    new, tests = edited(), [scenario()]
    if stranger == "definition":
        new = new.model_copy(update={"app_id": "purse"})
    else:
        tests = [scenario(("app_id: wallet", "app_id: purse"))]
    with pytest.raises(ComparisonError, match="'purse'") as caught:
        detect_regressions(load_app(WALLET), new, tests, time_it=False)
    assert isinstance(caught.value, AppEvalError)
