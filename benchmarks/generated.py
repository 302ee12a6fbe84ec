"""Made-up catalogues of any size: wallets whose versions differ in limits, texts, actions and bugs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

SCENARIOS = 5
"""Scenario files an app."""


def write_catalogue(data_dir: Path, apps: int, versions: int) -> list[str]:
    """Write ``apps`` apps of ``versions`` versions each, with their scenarios.

    Returns:
        The partition keys, in natural order.
    """
    keys = []
    for number in range(apps):
        app_id = f"wallet_{number:03d}"
        folder = data_dir / "apps" / app_id
        (folder / "scenarios").mkdir(parents=True)
        for name, scenario in _scenarios(app_id).items():
            _write(folder / "scenarios" / f"{name}.yaml", scenario)
        for version in range(1, versions + 1):
            _write(folder / f"v{version}.yaml", definition(app_id, number, version))
            keys.append(f"{app_id}@{version}")
    return keys


def definition(app_id: str, number: int, version: int) -> dict[str, Any]:
    """A wallet of three to five actions.

    From version to version a limit rises and texts change; every third version can give money back, every
    fifth lists payments, and every tenth has a bug: it forgets to check the balance.
    """
    actions = [_balance(), _deposit(1_000 + version), _pay(version, checked=version % 10 != 0)]
    if version % 3 == 0:
        actions.append(_give_back())
    if version % 5 == 0:
        actions.append(_history())
    return {
        "app_id": app_id,
        "name": f"Wallet {number}",
        "description": f"Wallets of cents, as version {version} has them.",
        "category": "payment",
        "state_schema": [
            {"name": "balance", "type": "number", "default": 0, "description": "Cents in the wallet."},
            {
                "name": "payments",
                "type": "array",
                "default": [],
                "maxItems": 100,
                "description": "Payments that the agent made, oldest first.",
            },
        ],
        "actions": actions,
    }


def _balance() -> dict[str, Any]:
    return {
        "name": "check_balance",
        "description": "Tell the caller how much money is in their wallet.",
        "tool_type": "read",
        "returns": {"balance": {"type": "number", "description": "Cents."}},
        "logic": [{"type": "return", "value": {"balance": "agent.balance"}}],
    }


def _deposit(most: int) -> dict[str, Any]:
    return {
        "name": "deposit",
        "description": "Put money into the caller's own wallet.",
        "parameters": {
            "amount": {
                "type": "number",
                "description": "How much, in cents.",
                "required": True,
                "minValue": 1,
                "maxValue": most,
            }
        },
        "returns": {"new_balance": {"type": "number", "description": "The caller's cents afterwards."}},
        "logic": [
            {
                "type": "validate",
                "condition": "params.amount == round(params.amount)",
                "errorMessage": "amount must be a whole number of cents",
            },
            {"type": "update", "target": "agent.balance", "operation": "add", "value": "params.amount"},
            {"type": "return", "value": {"new_balance": "agent.balance"}},
        ],
    }


def _pay(version: int, *, checked: bool) -> dict[str, Any]:
    guards = [
        ("params.to != agent.id", "You cannot pay yourself"),
        ("agents[params.to] != null", "Unknown recipient '${params.to}'"),
        ("params.amount <= agent.balance", "Insufficient funds: your balance is ${agent.balance}"),
    ]
    full = {
        "type": "branch",
        "condition": "len(agent.payments) >= 100",
        "then": [
            {
                "type": "update",
                "target": "agent.payments",
                "operation": "remove",
                "value": "agent.payments[0]",
            }
        ],
    }
    payment = {"id": "generate_id()", "to": "params.to", "amount": "params.amount", "at": "timestamp()"}
    return {
        "name": "pay",
        "description": "Send money to another agent, who is told of it.",
        "parameters": {
            "to": {"type": "string", "description": "Id of the agent who gets it.", "required": True},
            "amount": {
                "type": "number",
                "description": "How much, in cents.",
                "required": True,
                "minValue": 1,
                "maxValue": 500 + version,
            },
        },
        "returns": {
            "payment_id": {"type": "string", "description": "Id of the stored payment."},
            "new_balance": {"type": "number", "description": "The caller's cents afterwards."},
        },
        "logic": [
            *(
                {"type": "validate", "condition": condition, "errorMessage": message}
                for condition, message in (guards if checked else guards[:2])
            ),
            full,
            {"type": "update", "target": "agent.balance", "operation": "subtract", "value": "params.amount"},
            {
                "type": "update",
                "target": "agents[params.to].balance",
                "operation": "add",
                "value": "params.amount",
            },
            {"type": "update", "target": "agent.payments", "operation": "append", "value": payment},
            {
                "type": "notify",
                "to": "params.to",
                "message": f"${{agent.name}} sent you ${{params.amount}} cents{' today' * (version % 2)}",
            },
            {
                "type": "return",
                "value": {"payment_id": "agent.payments[-1].id", "new_balance": "agent.balance"},
            },
        ],
    }


def _give_back() -> dict[str, Any]:
    return {
        "name": "give_back",
        "description": "Return the amount of the last payment to oneself.",
        "returns": {"new_balance": {"type": "number", "description": "The caller's cents afterwards."}},
        "logic": [
            {
                "type": "validate",
                "condition": "len(agent.payments) > 0",
                "errorMessage": "There is no payment to give back",
            },
            {
                "type": "update",
                "target": "agent.balance",
                "operation": "add",
                "value": "agent.payments[-1].amount",
            },
            {
                "type": "update",
                "target": "agent.payments",
                "operation": "remove",
                "value": "agent.payments[-1]",
            },
            {"type": "return", "value": {"new_balance": "agent.balance"}},
        ],
    }


def _history() -> dict[str, Any]:
    return {
        "name": "list_payments",
        "description": "List the caller's payments, oldest first.",
        "tool_type": "read",
        "returns": {"payments": {"type": "array", "description": "The payments."}},
        "logic": [{"type": "return", "value": {"payments": "agent.payments"}}],
    }


def _scenarios(app_id: str) -> dict[str, dict[str, Any]]:
    pay = {"to": "bob", "amount": 20}
    calls: dict[str, list[dict[str, Any]]] = {
        "balance": [_step("check_balance", {}, data={"balance": 100})],
        "deposits": [
            _step("deposit", {"amount": 50}, data={"new_balance": 150}, state={"ann.balance": 150}),
            _step("deposit", {"amount": 50}, data={"new_balance": 200}, state={"ann.balance": 200}),
            _step("deposit", {"amount": 0.5}, error="at least 1"),
        ],
        "payments": [
            _step("pay", pay, data={"new_balance": 80}, state={"ann.balance": 80, "bob.balance": 20}),
            _step("pay", pay, data={"new_balance": 60}, state={"ann.balance": 60, "bob.balance": 40}),
            _step("check_balance", {}, data={"balance": 60}),
        ],
        "refusals": [
            _step("pay", {"to": "ann", "amount": 1}, error="yourself"),
            _step("pay", {"to": "nobody", "amount": 1}, error="Unknown"),
            _step("pay", {"to": "bob", "amount": 400}, error="Insufficient"),
        ],
        "bad_input": [
            _step("deposit", {"amount": -1}, error="amount"),
            _step("deposit", {"amount": "ten"}, error="amount"),
            _step("pay", {"to": "bob"}, error="amount"),
        ],
    }
    return {name: _scenario(app_id, name, steps) for name, steps in calls.items()}


def _scenario(app_id: str, name: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    balances = {"ann": {"balance": 100}, "bob": {"balance": 0}}
    return {
        "name": name.replace("_", " ").capitalize(),
        "app_id": app_id,
        "description": "Ann has a dollar, and Bob has none.",
        "setup": {"agents": ["ann", "bob"], "initial_state": {"per_agent": balances}},
        "steps": steps,
        "assertions": ["ann.balance + bob.balance >= 100"],
    }


def _step(
    action: str, params: dict[str, Any], *, error: str = "", **expected: dict[str, Any]
) -> dict[str, Any]:
    expect = {"success": False, "error_contains": error} if error else {"success": True, **expected}
    return {"agent": "ann", "action": action, "params": params, "expect": expect}


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True), encoding="utf-8")
