from __future__ import annotations

import pytest

from appeval_pipeline.appdef import AppDefinition, load_app

WALLET = """
app_id: wallet
name: Wallet
category: payment
state_schema:
  - {name: balance, type: number, default: 10}
  - {name: transactions, type: array, default: []}
  - {name: fee, type: number, default: 1, perAgent: false}
initial_config: {currency: EUR}
actions:
  - name: transfer
    parameters:
      to: {type: string, required: true}
      amount: {type: number, required: true}
    logic:
      - {type: validate, condition: params.to != agent.id, errorMessage: Cannot transfer to yourself}
      - {type: validate, condition: params.amount <= agent.balance, errorMessage: Insufficient funds}
      - {type: update, target: agent.balance, operation: subtract, value: params.amount}
      - {type: update, target: "agents[params.to].balance", operation: add, value: params.amount}
      - type: update
        target: agent.transactions
        operation: append
        value: {id: generate_id(), amount: params.amount, currency: config.currency}
      - {type: notify, to: params.to, message: "You got $${params.amount}", data: {from: agent.id}}
      - {type: return, value: {new_balance: agent.balance, id: "agent.transactions[-1].id"}}
"""


@pytest.fixture(scope="session")
def wallet() -> AppDefinition:
    """Two agents start with 10 each; a transfer notifies the receiver."""
    return load_app(WALLET)
