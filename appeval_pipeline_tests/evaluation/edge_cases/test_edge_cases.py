"""Complete lists of cases, shares counted by hand, and calls that can be made again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.engine import Access, ActionResult, Engine, ExecutionContext
from appeval_pipeline.evaluation import EdgeCaseReport, StepResult, edge_cases
from appeval_pipeline.evaluation.edge_cases.running import AGENTS, OUTSIDER
from appeval_pipeline_tests.data.shipped import ENTRIES, key
from appeval_pipeline_tests.data.shipped import app_of as shipped
from appeval_pipeline_tests.evaluation.coverage.test_properties import apps
from appeval_pipeline_tests.evaluation.edge_cases.apps import PAY, app_of, number, run, update, validate

CASES_OF_PAY = [
    ("no_such_action", "unknown_action", None, "unknown_action"),
    ("act", "unknown_agent", None, "unknown_agent"),
    ("act", "unknown_parameter", None, "parameters"),
    ("act", "required_missing", "amount", "parameters"),
    ("act", "null", "amount", "parameters"),
    ("act", "wrong_type", "amount", "parameters"),
    ("act", "below_min", "amount", "parameters"),
    ("act", "at_min", "amount", "accepted"),
    ("act", "above_min", "amount", "accepted"),
    ("act", "below_max", "amount", "accepted"),
    ("act", "at_max", "amount", "accepted"),
    ("act", "above_max", "amount", "parameters"),
    ("act", "null", "note", "accepted"),
    ("act", "wrong_type", "note", "parameters"),
    ("act", "below_max_length", "note", "accepted"),
    ("act", "at_max_length", "note", "accepted"),
    ("act", "above_max_length", "note", "parameters"),
    ("act", "empty_string", "note", "accepted"),
    ("act", "over_long_string", "note", "parameters"),
    ("act", "validate_fails", "act.logic[0]", "validation"),
]

OK = {"success": True}
FAILS = {"success": False}


def listed(report: EdgeCaseReport) -> list[tuple[str, str, str | None, str]]:
    return [(case.action, case.kind, case.parameter, case.expected) for case in report.cases]


def covered(report: EdgeCaseReport) -> dict[tuple[str, str | None], tuple[str, ...]]:
    return {(case.kind, case.parameter): case.covered_by for case in report.cases if case.covered_by}


def outcomes(report: EdgeCaseReport) -> dict[tuple[str, str | None], str]:
    return {(case.kind, case.parameter): case.outcome for case in report.cases}


def test_every_case_of_an_app_is_listed() -> None:
    report = edge_cases(PAY)
    assert listed(report) == CASES_OF_PAY
    assert (report.unsolved, report.capped) == ((), False)


def test_without_scenarios_nothing_is_covered_and_all_is_run() -> None:
    report = edge_cases(PAY)
    assert report.edge_case_coverage == 0
    assert report.edge_case_robustness == 100
    assert outcomes(report)["at_min", "amount"] == "success"
    assert outcomes(report)["at_max", "amount"] == "validation"


def test_coverage_is_the_share_of_cases_that_steps_with_an_expectation_meet() -> None:
    result = run(
        PAY,
        {"name": "one", "params": {"amount": 1}, "expect": OK},
        {"name": "eleven", "params": {"amount": 11}, "expect": FAILS},
        {"name": "none", "expect": FAILS},
        {"name": "nine", "params": {"amount": 9, "note": ""}, "expect": {"error": "no", **FAILS}},
        {"name": "text", "params": {"amount": "1"}},
    )
    report = edge_cases(PAY, [result])
    assert covered(report) == {
        ("at_min", "amount"): ("all: one",),
        ("above_max", "amount"): ("all: eleven",),
        ("required_missing", "amount"): ("all: none",),
        ("below_max", "amount"): ("all: nine",),
        ("empty_string", "note"): ("all: nine",),
        ("validate_fails", "act.logic[0]"): ("all: nine",),
    }
    assert report.edge_case_coverage == 100 * 6 / 20


def test_a_step_that_is_refused_meets_the_case_that_it_is_refused_for_only() -> None:
    result = run(PAY, {"name": "both", "params": {"amount": None, "note": "long"}, "expect": FAILS})
    assert covered(edge_cases(PAY, [result])) == {("null", "amount"): ("all: both",)}


def test_a_step_whose_call_never_came_to_its_parameters_meets_nothing_of_them() -> None:
    result = run(
        PAY,
        {"agent": "zoe", "params": {"amount": 1}, "expect": FAILS},
        {"action": "other", "params": {"amount": 1}, "expect": FAILS},
        {"params": {"amount": 1, "more": 1}, "expect": FAILS},
    )
    assert covered(edge_cases(PAY, [result])) == {
        ("unknown_agent", None): ("all: Step 1",),
        ("unknown_action", None): ("all: Step 2",),
        ("unknown_parameter", None): ("all: Step 3",),
    }


def test_steps_without_a_scenario_count_too_and_each_once() -> None:
    [step] = run(PAY, {"name": "one", "params": {"amount": 1}, "expect": OK}).steps
    assert covered(edge_cases(PAY, [step, step])) == {("at_min", "amount"): ("one",)}


def test_an_expectation_that_did_not_hold_is_one() -> None:
    result = run(PAY, {"params": {"amount": 1}, "expect": FAILS})
    assert not result.passed
    assert edge_cases(PAY, [result]).edge_case_coverage == 5


def test_dividing_by_a_callers_zero_is_not_robust() -> None:
    app = app_of(
        [update("agent.share", "set", "12 / params.by")],
        {"by": {"type": "number", "required": True, "minValue": 0, "maxValue": 4}},
        state_schema=[number("share")],
    )
    report = edge_cases(app)
    # Unknown action, agent and parameter; missing, null, type; -1, 0, 1; 3, 4, 5.
    assert len(report.cases) == 12
    assert [(case.kind, case.outcome) for case in report.cases if not case.is_robust] == [
        ("at_min", "expression")
    ]
    assert report.edge_case_robustness == 100 * 11 / 12


def test_an_unguarded_key_is_not_robust() -> None:
    to = {"to": {"type": "string", "required": True}}
    state = [number("balance")]
    add = update("agents[params.to].balance", "add", 1)
    careless = edge_cases(app_of([add], to, state_schema=state))
    assert outcomes(careless)["empty_string", "to"] == "expression"
    # Unknown action, agent and parameter; missing, null, type, empty.
    assert careless.edge_case_robustness == 100 * 6 / 7
    careful = edge_cases(app_of([validate("agents[params.to] != null"), add], to, state_schema=state))
    assert outcomes(careful)["empty_string", "to"] == "validation"
    assert careful.edge_case_robustness == 100


def test_arithmetic_on_an_optional_parameter_is_not_robust_without_it() -> None:
    app = app_of(
        [update("agent.x", "add", "params.n")], {"n": {"type": "number"}}, state_schema=[number("x")]
    )
    assert outcomes(edge_cases(app))["null", "n"] == "expression"


def test_a_restricted_app_has_agents_without_access() -> None:
    app = app_of([], access_type="role_restricted", allowed_roles=["clerk"])
    report = edge_cases(app)
    assert listed(report) == [
        ("no_such_action", "unknown_action", None, "unknown_action"),
        ("act", "unknown_agent", None, "unknown_agent"),
        ("act", "no_access", None, "access"),
        ("act", "unknown_parameter", None, "parameters"),
    ]
    assert report.edge_case_robustness == 100
    met = run(app, {"expect": FAILS})
    assert covered(edge_cases(app, [met])) == {("no_access", None): ("all: Step 1",)}


def test_an_arm_that_no_input_takes_is_listed_and_not_counted() -> None:
    app = app_of([validate("params.n < 5 || params.n >= 5")], {"n": {"type": "number", "required": True}})
    report = edge_cases(app)
    [unsolved] = report.unsolved
    assert (unsolved.action, unsolved.kind, unsolved.parameter) == ("act", "validate_fails", "act.logic[0]")
    assert unsolved.message == "`act`: no input was found for validate_fails of `act.logic[0]`"
    # Unknown action, agent and parameter; missing, null, type.
    assert len(report.cases) == 6


def test_a_step_that_takes_an_unsolved_arm_is_an_input_for_it() -> None:
    app = app_of(
        [validate("params.code != 'x' + str(7 * 6) + 'y'")], {"code": {"type": "string", "required": True}}
    )
    assert [case.kind for case in edge_cases(app).unsolved] == ["validate_fails"]
    silent = run(app, {"params": {"code": "x42y"}})
    assert [case.kind for case in edge_cases(app, [silent]).unsolved] == ["validate_fails"]
    report = edge_cases(app, [run(app, {"params": {"code": "x42y"}, "expect": FAILS})])
    assert report.unsolved == ()
    assert report.cases[-1].call == {"agent": "ann", "action": "act", "params": {"code": "x42y"}}
    assert (report.cases[-1].outcome, report.cases[-1].is_robust) == ("validation", True)


@pytest.mark.parametrize(
    ("logic", "parameters", "arm"),
    [
        ([validate("params.n != 37")], {"n": {"type": "number", "required": True}}, "act.logic[0]"),
        ([validate("params.n < config.most")], {"n": {"type": "number"}}, "act.logic[0]"),
        ([validate("params.to != agent.id")], {"to": {"type": "string", "required": True}}, "act.logic[0]"),
        ([validate("trim(params.t) != ''")], {"t": {"type": "string", "required": True}}, "act.logic[0]"),
        (
            [
                {
                    "type": "branch",
                    "condition": "params.mode == 'deep'",
                    "then": [
                        {
                            "type": "loop",
                            "collection": "params.items",
                            "item": "one",
                            "body": [validate("one == 'a'")],
                        }
                    ],
                }
            ],
            {"mode": {"type": "string", "required": True}, "items": {"type": "array", "required": True}},
            "act.logic[0].then[0].body[0]",
        ),
        ([update("agent.x", "add", 1), validate("agent.x < 3")], {}, "act.logic[1]"),
        ([validate("agent.x <= shared.total")], {}, "act.logic[0]"),
        ([validate("len(agent.list) < 4"), update("agent.list", "append", 1)], {}, "act.logic[0]"),
    ],
    ids=["constant", "config", "oneself", "blank", "deep", "again", "state", "length"],
)
def test_failing_arms_are_found(logic: list[Any], parameters: dict[str, Any], arm: str) -> None:
    state = [
        number("x"),
        number("total", perAgent=False),
        {"name": "list", "type": "array", "default": []},
    ]
    app = app_of(logic, parameters, state_schema=state, initial_config={"most": 50})
    report = edge_cases(app)
    assert report.unsolved == ()
    [case] = [case for case in report.cases if case.kind == "validate_fails"]
    assert (case.parameter, case.outcome) == (arm, "validation")


def test_a_message_that_breaks_off_is_no_clean_refusal() -> None:
    app = app_of([validate("params.n < 5", "${params.n / 0}")], {"n": {"type": "number", "required": True}})
    assert outcomes(edge_cases(app))["validate_fails", "act.logic[0]"] == "expression"


@pytest.mark.parametrize("app", [PAY, *map(shipped, ENTRIES)], ids=["pay", *map(key, ENTRIES)])
def test_each_call_can_be_made_again_from_what_the_report_says(app: AppDefinition) -> None:
    check_calls(app)


def check_calls(app: AppDefinition) -> None:
    """That each call of the report comes to what the report says, and takes the arm that it is for."""
    engine = Engine(app)
    for case in edge_cases(engine).cases:
        result = replayed(engine, case.call)
        assert (result.error_kind or "success") == case.outcome, case
        if case.kind == "validate_fails":
            assert (case.parameter, "fail") in result.trace, case


def replayed(engine: Engine, call: dict[str, Any]) -> ActionResult:
    """Make ``call``, after what it says has to come before it."""
    state = engine.initial_state(AGENTS)
    before = call.get("before", [])
    for position, earlier in enumerate(before):
        result = execute(engine, earlier, state, position)
        assert result.success
        state = result.state_after
    for path, value in call.get("state", {}).items():
        owner, _, name = path.partition(".")
        (state["shared"] if owner == "shared" else state["per_agent"][owner])[name] = value
    return execute(engine, call, state, len(before))


def execute(engine: Engine, call: dict[str, Any], state: dict[str, Any], seed: int) -> ActionResult:
    context = ExecutionContext(seed=seed)
    return engine.execute(call["agent"], call["action"], call["params"], state, context, trace=True)


@settings(max_examples=40, deadline=None)
@given(apps)
def test_calls_of_any_logic_can_be_made_again(app: AppDefinition) -> None:
    check_calls(app)


@pytest.mark.parametrize("entry", ENTRIES, ids=key)
def test_the_report_is_always_the_same_and_plain_json(entry: CatalogueEntry) -> None:
    first, second = edge_cases(shipped(entry)).to_dict(), edge_cases(Engine(shipped(entry))).to_dict()
    assert first == second
    assert json.loads(json.dumps(first)) == first


def test_the_report_has_the_fields_of_the_spec() -> None:
    document = edge_cases(PAY).to_dict()
    assert list(document) == [
        "app_id",
        "version",
        "edge_case_coverage",
        "edge_case_robustness",
        "cases",
        "unsolved",
        "capped",
    ]
    assert list(document["cases"][0]) == [
        "action",
        "kind",
        "parameter",
        "call",
        "expected",
        "outcome",
        "covered_by",
    ]


STEPS = run(
    PAY,
    *[
        {"params": {"amount": amount, **more}, **expect}
        for amount in (0, 1, 2, 9, 10, 11, None, "1")
        for more in ({}, {"note": "abc"}, {"note": "abcd"}, {"odd": 1})
        for expect in ({}, {"expect": FAILS})
    ],
).steps


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(range(len(STEPS))), max_size=12), st.integers(0, 12))
def test_more_results_never_lower_coverage(chosen: list[int], kept: int) -> None:
    steps: list[StepResult] = [STEPS[position] for position in chosen]
    assert edge_cases(PAY, steps[:kept]).edge_case_coverage <= edge_cases(PAY, steps).edge_case_coverage


def test_an_outsider_has_a_state_and_no_access() -> None:
    app = app_of([], access_type="role_restricted", allowed_role_tags=["staff"])
    [case] = [case for case in edge_cases(app).cases if case.kind == "no_access"]
    assert (case.call["agent"], case.outcome) == (OUTSIDER, "access")
    context = ExecutionContext(roles={AGENTS[0]: Access.of(role_tags=["staff"])})
    state = Engine(app).initial_state([AGENTS[0]])
    assert Engine(app).execute(AGENTS[0], "act", {}, state, context).success
