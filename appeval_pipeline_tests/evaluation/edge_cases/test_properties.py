"""What holds for every parameter: the cases say of a value what the engine makes of it."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef.parameters import check_parameters
from appeval_pipeline.appdef.schema import ParamSpec
from appeval_pipeline.evaluation import edge_cases
from appeval_pipeline.evaluation.edge_cases.derivation import UNFOUND, value_cases
from appeval_pipeline_tests.evaluation.edge_cases.apps import app_of, run

PATTERNS = ["^[a-c]{2,5}$", "x", "^T[0-9]+$", r"^\w+@\w+\.de$", "^(on|off)$", "", r"^[^\s]*$", r"\p{Greek}"]
NUMBERS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([2**63, -(2**63), 2**53, 1e16, 0.005, 1e-12]),
)
LENGTHS = st.one_of(st.none(), st.integers(0, 6), st.just(20_000))
TEXTS = st.sampled_from(["", "a", "ab", "T1", "on", "é"])


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """The keys of a spec that makes sense."""
    kind = draw(st.sampled_from(["string", "number", "boolean", "array", "object"]))
    spec: dict[str, Any] = {"type": kind, "required": draw(st.booleans())}
    if kind == "number":
        spec |= {"minValue": draw(NUMBERS), "maxValue": draw(NUMBERS)}
        spec["enum"] = draw(st.none() | st.lists(st.integers(-3, 3), min_size=1, max_size=3))
    if kind in ("string", "array"):
        spec |= {"minLength": draw(LENGTHS), "maxLength": draw(LENGTHS)}
    if kind == "string":
        spec |= {"pattern": draw(st.none() | st.sampled_from(PATTERNS))}
        spec["enum"] = draw(st.none() | st.lists(TEXTS, min_size=1, max_size=3))
        spec["default"] = draw(st.none() | TEXTS)
    spec = {name: value for name, value in spec.items() if value is not None}
    assume(not any(check_parameters("p", ParamSpec.model_validate(spec))))
    return spec


@settings(max_examples=100, deadline=None)
@given(specs())
def test_an_app_without_logic_behaves_in_every_case(spec: dict[str, Any]) -> None:
    report = edge_cases(app_of([], {"p": spec}))
    assert [case for case in report.cases if not case.is_robust] == []


@settings(max_examples=100, deadline=None)
@given(specs())
def test_a_step_that_makes_the_call_of_a_case_meets_it(spec: dict[str, Any]) -> None:
    app = app_of([], {"p": spec})
    made = edge_cases(app).cases
    steps = [
        {**{key: case.call[key] for key in ("agent", "action", "params")}, "expect": {"success": True}}
        for case in made
    ]
    report = edge_cases(app, [run(app, *steps, agents=["alice", "bob", "carol"])])
    assert [case for case in report.cases if not case.covered_by] == []
    assert report.edge_case_coverage == 100


@settings(max_examples=100, deadline=None)
@given(specs())
def test_a_value_meets_the_case_that_it_was_made_for(spec: dict[str, Any]) -> None:
    read = ParamSpec.model_validate(spec)
    for case in value_cases("p", read):
        assert case.value is UNFOUND or case.meets(read, case.value)
