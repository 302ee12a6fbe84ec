from __future__ import annotations

import pytest

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.evaluation import Scenario, load_scenario

PURSE = """
app_id: purse
name: Purse
category: payment
state_schema:
  - {name: coins, type: number, default: 10}
actions:
  - name: spend
    parameters: {amount: {type: number, required: true}}
    logic:
      - {type: validate, condition: params.amount <= agent.coins, errorMessage: Not enough}
      - {type: update, target: agent.coins, operation: subtract, value: params.amount}
      - {type: return, value: {left: agent.coins}}
  - name: count
    logic:
      - {type: return, value: {coins: agent.coins}}
"""

SPENDING = """
name: Spending
app_id: purse
setup: {agents: [ann]}
steps:
  - {agent: ann, action: spend, params: {amount: 3}, expect: {data: {left: 7}}}
  - {agent: ann, action: count, expect: {data: {coins: 7}}}
"""


@pytest.fixture(scope="session")
def purse() -> AppDefinition:
    """Coins to spend and to count."""
    return load_app(PURSE)


@pytest.fixture(scope="session")
def spending() -> Scenario:
    """Spends once, then counts."""
    return load_scenario(SPENDING)
