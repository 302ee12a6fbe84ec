"""A bank in which each kind of gap can be planted, and calls of it."""

from __future__ import annotations

from typing import Any

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import ActionResult, Engine
from appeval_pipeline.evaluation.coverage import CoverageReport, Gap, analyze_coverage
from appeval_pipeline_tests.engine.apps import Json, branch, give, loop, make_app, update, validate

NUMBER = {"type": "number", "default": 0}
NUMBERS = {"type": "array", "default": []}

BANK = load_app(
    {
        "app_id": "a_bank",
        "name": "Bank",
        "category": "payment",
        "version": 3,
        "state_schema": [
            {"name": "balance", "type": "number", "default": 100},
            {"name": "note", "type": "string"},
        ],
        "actions": [
            {
                "name": "deposit",
                "parameters": {"amount": NUMBER},
                "logic": [
                    validate("params.amount > 0"),
                    update("agent.balance", "add", "params.amount"),
                    give(),
                ],
            },
            {
                "name": "transfer",
                "parameters": {"amount": NUMBER},
                "logic": [
                    validate("params.amount <= agent.balance"),
                    branch("params.amount > 50", [update("agent.balance", "subtract", 1)]),
                ],
            },
            {
                "name": "close",
                "parameters": {"code": {"type": "string", "required": True}},
                "logic": [give(), update("agent.balance", "set", 0)],
            },
            {
                "name": "audit",
                "parameters": {"limit": NUMBER, "xs": NUMBERS, "ys": NUMBERS},
                "logic": [
                    validate("params.limit > 0"),
                    branch(
                        "params.limit > 10",
                        [
                            loop(
                                "params.xs",
                                "x",
                                branch(
                                    "x > 0",
                                    [update("agent.balance", "add", "x")],
                                    [validate("x == 0")],
                                ),
                            )
                        ],
                    ),
                    loop("params.ys", "y", update("agent.balance", "add", "y")),
                    give(),
                ],
            },
        ],
    }
)


class Runs:
    """Calls of an app, each from its first state, and what they covered so far."""

    def __init__(self, app: AppDefinition = BANK) -> None:
        self.app = app
        self.engine = Engine(app)
        self.results: list[ActionResult] = []

    def call(self, action: str, **params: Any) -> Runs:
        state = self.engine.initial_state(["alice"])
        self.results.append(self.engine.execute("alice", action, params, state, trace=True))
        return self

    def report(self) -> CoverageReport:
        return analyze_coverage(self.app, self.results)


def go_app(*logic: Json, **keys: Any) -> AppDefinition:
    """An app with the one action ``go``, which takes numbers a, b and zero and arrays xs and ys.

    All but zero have a default.
    """
    specs = {"a": NUMBER, "b": NUMBER, "xs": NUMBERS, "ys": NUMBERS, "zero": {"type": "number"}}
    return make_app(list(logic), specs, state_schema=[{"name": "n", "type": "number"}], **keys)


def places(gaps: tuple[Gap, ...]) -> list[tuple[str, str | None]]:
    return [(gap.location, gap.arm) for gap in gaps]


def percentages(report: CoverageReport) -> tuple[float, float, float, float]:
    return (
        report.action_coverage,
        report.block_coverage,
        report.branch_coverage,
        report.path_coverage,
    )
