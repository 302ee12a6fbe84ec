"""Mistakes that an author might make in the reference apps: their scenarios fail for each of them."""

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation.scenarios import run_scenario
from appeval_pipeline_tests.data.shipped import CATALOGUE, DATA, scenarios_of

MISTAKES = [
    ("bench_counter", "minValue: 0", "minValue: 1"),
    ("bench_counter", "default: 1\n", "default: 0\n"),
    ("bench_counter", "operation: subtract\n        value: agent.count", "operation: set\n        value: 0"),
    ("bench_wallet", "target: agents[params.to].balance", "target: agent.balance"),
    ("bench_wallet", "slice(agent.transactions, -round(params.limit))", "slice(agent.transactions, 0)"),
    ("bench_wallet", "value: agent.transactions[0]", "value: agent.transactions[-1]"),
    ("bench_wallet", "to: params.to\n        message", "to: agent.id\n        message"),
    ("bench_inventory", "available: item.available - params.quantity", "available: item.available"),
    ("bench_inventory", "buyer: agent.id\n", "buyer: item.seller\n"),
    ("bench_inventory", "agents[reservation.buyer].received", "agent.received"),
    ("bench_inventory", "|| reservation.buyer == agent.id", "|| reservation.buyer != agent.id"),
    ("bench_inventory", "shared.units / max(1, len(shared.items))", "shared.units / len(shared.items)"),
    (
        "bench_inventory",
        "operation: subtract\n                value: item.available",
        "operation: add\n                value: 0",
    ),
    ("bench_messaging", "target: agents[person].inbox", "target: agent.inbox"),
    ("bench_messaging", "recipients: 1 + len(params.cc)", "recipients: len(params.cc)"),
    ("bench_messaging", "to: message.from", "to: message.to"),
    ("bench_messaging", "!contains(agents[person].blocked", "!contains(agent.blocked"),
    ("bench_messaging", 'condition: "!params.blocked"', "condition: params.blocked"),
    ("bench_messaging", "maxLength: 500", "maxLength: 501"),
    ("bench_workflow", "rejections >= config.max_rejections", "rejections > config.max_rejections"),
    ("bench_workflow", "enum: [approve, reject]", "enum: [approve, reject, maybe]"),
    ("bench_workflow", "agents[shared.tasks[params.task_id].assignee].finished", "agent.finished"),
    ("bench_workflow", "contains(shared.todo, params.task_id) || ", ""),
    ("bench_workflow", "(len(shared.done) + shared.archived)", "len(shared.done)"),
    (
        "bench_workflow",
        "shared.tasks[earlier].finished_at != null",
        "contains(shared.done, earlier)",
    ),
    ("bench_workflow", "priority != 'high'", "priority == 'low'"),
]


@pytest.mark.parametrize(("app_id", "right", "wrong"), MISTAKES)
def test_scenarios_notice_a_mistake(app_id: str, right: str, wrong: str) -> None:
    entry = CATALOGUE.entry(app_id, 1)
    text = (DATA / entry.path).read_text(encoding="utf-8")
    assert right in text
    mutant = load_app(text.replace(right, wrong, 1))
    assert not all(run_scenario(mutant, scenario).passed for scenario in scenarios_of(entry))
