"""A small app and its scenario, and how to compare it with what an author made of it."""

from __future__ import annotations

from itertools import count

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.evaluation import RegressionReport, Scenario, detect_regressions, load_scenario

WALLET = """
app_id: wallet
name: Wallet
description: Pay others.
category: payment
version: 1
state_schema:
  - {name: balance, type: number, default: 100, description: Money.}
  - {name: payments, type: array, default: [], maxItems: 50, description: Payments made.}
  - {name: total, type: number, default: 0, perAgent: false, description: Paid by all.}
initial_config: {fee: 0}
actions:
  - name: pay
    description: Pay another agent.
    parameters:
      to: {type: string, required: true, description: Who gets it.}
      amount: {type: number, required: true, minValue: 1, maxValue: 1000, description: How much.}
      note: {type: string, maxLength: 20, description: What for.}
    returns: {id: {type: string}, left: {type: number}}
    logic:
      - {type: validate, condition: "agents[params.to] != null", errorMessage: "Unknown ${params.to}"}
      - {type: validate, condition: params.amount <= agent.balance, errorMessage: You lack the money}
      - {type: update, target: agent.balance, operation: subtract, value: params.amount}
      - {type: update, target: "agents[params.to].balance", operation: add, value: params.amount}
      - {type: update, target: shared.total, operation: add, value: params.amount}
      - type: update
        target: agent.payments
        operation: append
        value: {id: generate_id(), to: params.to, amount: params.amount, note: params.note}
      - {type: notify, to: params.to, message: "${agent.name} paid you", data: {id: "agent.payments[-1].id"}}
      - {type: return, value: {id: "agent.payments[-1].id", left: agent.balance}}
  - name: look
    description: Look at what one has.
    tool_type: read
    returns: {balance: {type: number}, last: {type: string}}
    logic:
      - type: branch
        condition: len(agent.payments) == 0
        then: [{type: return, value: {balance: agent.balance, last: "'none'"}}]
      - {type: return, value: {balance: agent.balance, last: "agent.payments[-1].id"}}
"""

SCENARIO = """
name: Paying
app_id: wallet
setup: {agents: [ann, bob, cy]}
steps:
  - {name: Ann pays Bob, agent: ann, action: pay, params: {to: bob, amount: 10}, expect: {data: {left: 90}}}
  - name: Ann pays too much
    agent: ann
    action: pay
    params: {to: bob, amount: 500}
    expect: {success: false}
  - {name: Bob looks, agent: bob, action: look}
  - {name: Bob pays Cy, agent: bob, action: pay, params: {to: cy, amount: 5}}
  - {name: Bob looks again, agent: bob, action: look}
assertions: [ann.balance == 90]
"""


def edited(*edits: tuple[str, str], version: int = 2) -> AppDefinition:
    """The wallet with texts of its definition replaced, as its next version."""
    text = WALLET
    for old, new in (*edits, ("version: 1", f"version: {version}")):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return load_app(text)


def scenario(*edits: tuple[str, str]) -> Scenario:
    text = SCENARIO
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return load_scenario(text)


def compared(*edits: tuple[str, str]) -> RegressionReport:
    """The wallet against an edited one, on its scenario; untimed."""
    return detect_regressions(load_app(WALLET), edited(*edits), [scenario()], time_it=False)


def steady_timer() -> int:
    """A clock to which every call takes a microsecond."""
    return next(_TICKS)


_TICKS = count(step=1_000)
