"""The work of the compiled actions, written by hand as a good Python programmer would."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

from appeval_pipeline.engine import ActionResult, ExecutionContext

_TRANSFER_PARAMETERS = frozenset({"to", "amount"})


class Wallet:
    """``bench_wallet`` by hand: the same checks, state and result object."""

    def __init__(self, state: dict[str, Any], context: ExecutionContext, max_transactions: int) -> None:
        self.state = state
        self.agents = state["per_agent"]
        self.context = context
        self.max_transactions = max_transactions

    def transfer(self, caller: str, params: dict[str, Any]) -> ActionResult:
        started = perf_counter()
        agent = self.agents.get(caller)
        if agent is None:
            return self._fail("unknown_agent", f"Unknown agent '{caller}'", started)
        if not _TRANSFER_PARAMETERS.issuperset(params):
            return self._fail("parameters", "Unknown parameter", started)
        to = params.get("to")
        if to is None:
            return self._fail("parameters", "Parameter 'to' is required", started)
        if not isinstance(to, str):
            return self._fail("parameters", "Parameter 'to' must be a string", started)
        if not 1 <= len(to) <= 64:
            return self._fail("parameters", "Parameter 'to' must have 1 to 64 characters", started)
        amount = params.get("amount")
        if amount is None:
            return self._fail("parameters", "Parameter 'amount' is required", started)
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not math.isfinite(amount):
            return self._fail("parameters", "Parameter 'amount' must be a number", started)
        if not 1 <= amount <= 1_000_000:
            return self._fail("parameters", "Parameter 'amount' must be from 1 to 1000000", started)
        if amount != round(amount):
            return self._fail("validation", f"amount must be a whole number of cents, got {amount}", started)
        if to == caller:
            return self._fail("validation", "You cannot send money to yourself", started)
        receiver = self.agents.get(to)
        if receiver is None:
            return self._fail("validation", f"Unknown recipient '{to}'", started)
        if amount > agent["balance"]:
            return self._fail("validation", "Insufficient funds", started)
        if len(agent["transactions"]) >= self.max_transactions:
            agent["transactions"].pop(0)
        agent["balance"] -= amount
        receiver["balance"] += amount
        transaction = {
            "id": self.context.next_id(),
            "to": to,
            "amount": amount,
            "timestamp": self.context.timestamp(),
        }
        agent["transactions"].append(transaction)
        observation = {
            "app_id": "bench_wallet",
            "agent_id": to,
            "message": f"{agent.get('name') or caller} sent you {amount} cents",
            "data": {"transaction_id": transaction["id"], "from": caller, "amount": amount},
        }
        data = {"transaction_id": transaction["id"], "new_balance": agent["balance"]}
        result = ActionResult(True, data, None, None, [observation], [], self._state)
        result.duration_ms = (perf_counter() - started) * 1000
        return result

    def _state(self) -> dict[str, Any]:
        return self.state

    def _fail(self, kind: Any, message: str, started: float) -> ActionResult:
        result = ActionResult(False, None, message, kind, [], [], self._state)
        result.duration_ms = (perf_counter() - started) * 1000
        return result


class Adder:
    """The loop of `LOOP_APP` by hand."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"per_agent": {"ann": {}}, "shared": {"total": 0}}

    def add_all(self, caller: str, params: dict[str, Any]) -> ActionResult:
        started = perf_counter()
        if caller not in self.state["per_agent"]:
            raise KeyError(caller)
        if params.keys() != {"numbers"} or not isinstance(params["numbers"], list):
            raise TypeError("numbers")
        shared = self.state["shared"]
        for number in params["numbers"]:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise TypeError("number")
            shared["total"] += number
        result = ActionResult(True, {"total": shared["total"]}, None, None, [], [], lambda: self.state)
        result.duration_ms = (perf_counter() - started) * 1000
        return result


LOOP_APP = """
app_id: adder
name: Adder
category: custom
state_schema:
  - {name: total, type: number, default: 0, perAgent: false}
actions:
  - name: add_all
    parameters: {numbers: {type: array, required: true}}
    logic:
      - type: loop
        collection: params.numbers
        item: number
        body:
          - {type: update, target: shared.total, operation: add, value: number}
      - {type: return, value: {total: shared.total}}
"""
