"""Failure modes found in an action's logic, and the guards that exclude them (2.1, error handling).

Each case is a list of blocks, one a line in a short hand, and the modes that are expected, each
``kind: subject`` with ``ok`` where a guard excludes it and ``FAILS`` where none does:

    check C              a validate block with the condition C
    set|add|… T = V      an update
    return V, notify V   a return block with one key; a notify with data
    if C / else / end    a branch
    each I in C / end    a loop
    error                an error block
"""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation.quality.guards import analyse

PARAMETERS: dict[str, Any] = {
    "to": {"type": "string", "required": True, "minLength": 1},
    "sku": {"type": "string", "required": True, "minLength": 1},
    "tag": {"type": "string", "required": True, "minLength": 1},
    "size": {"type": "string", "required": True, "enum": ["small", "large"]},
    "amount": {"type": "number", "required": True, "minValue": 0},
    "signed": {"type": "number", "required": True, "maxValue": 1000},
    "capped": {"type": "number", "required": True, "minValue": 0, "maxValue": 50},
    "parts": {"type": "number", "required": True, "minValue": 0},
    "share": {"type": "number", "required": True, "minValue": 1},
    "position": {"type": "number", "required": True, "minValue": 0},
    "lines": {"type": "array", "required": True, "maxLength": 10},
    "limit": {"type": "number"},
    "code": {"type": "string"},
}
STATE: list[dict[str, Any]] = [
    {"name": "balance", "type": "number", "default": 0},
    {"name": "limit", "type": "number", "default": 0},
    {"name": "tags", "type": "array", "default": []},
    {"name": "cart", "type": "string", "default": ""},
    {"name": "items", "type": "object", "default": {}, "perAgent": False},
    {"name": "counts", "type": "object", "default": {}, "perAgent": False},
    {"name": "queue", "type": "array", "default": [], "perAgent": False},
    {"name": "rate", "type": "number", "default": 1, "perAgent": False},
    {
        "name": "prices",
        "type": "object",
        "perAgent": False,
        "properties": [{"name": "small", "type": "number"}, {"name": "large", "type": "number"}],
    },
]


def blocks_of(script: str) -> list[dict[str, Any]]:
    """The logic blocks that a case's short hand stands for."""
    top: list[dict[str, Any]] = []
    lists = [top]
    for line in filter(None, map(str.strip, script.splitlines())):
        word, _, rest = line.partition(" ")
        match word:
            case "check":
                lists[-1].append({"type": "validate", "condition": rest, "errorMessage": "no"})
            case "check!":
                condition, _, message = rest.partition(" :: ")
                lists[-1].append({"type": "validate", "condition": condition, "errorMessage": message})
            case "return":
                lists[-1].append({"type": "return", "value": {"it": rest}})
            case "notify":
                lists[-1].append({"type": "notify", "to": "agent.id", "message": "m", "data": {"it": rest}})
            case "error":
                lists[-1].append({"type": "error", "message": "no"})
            case "if":
                branch: dict[str, Any] = {"type": "branch", "condition": rest, "then": []}
                lists[-1].append(branch)
                lists.append(branch["then"])
            case "else":
                lists.pop()
                lists[-1][-1]["else"] = []
                lists.append(lists[-1][-1]["else"])
            case "each":
                item, _, collection = rest.partition(" in ")
                loop: dict[str, Any] = {"type": "loop", "collection": collection, "item": item, "body": []}
                lists[-1].append(loop)
                lists.append(loop["body"])
            case "end":
                lists.pop()
            case _:
                target, _, value = rest.partition(" = ")
                lists[-1].append({"type": "update", "target": target, "operation": word, "value": value})
    assert len(lists) == 1, "a branch or loop is not ended"
    return top


def modes_of(script: str) -> list[str]:
    app = load_app(
        {
            "app_id": "shop",
            "name": "Shop",
            "category": "shopping",
            "state_schema": STATE,
            "actions": [{"name": "act", "parameters": PARAMETERS, "logic": blocks_of(script)}],
        }
    )
    return [
        f"{mode.kind}: {mode.subject} {'ok' if mode.guarded else 'FAILS'}"
        for mode in analyse(app, app.actions[0], 0).modes
    ]


KEYS = {
    "a read under a key of the caller": ("return agents[params.to].balance", "key: agents[params.to] FAILS"),
    "a validate for the same key": (
        "check agents[params.to] != null\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "the other way round": (
        "check null != agents[params.to]\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "a validate for another key": (
        "check agents[params.sku] != null\nreturn agents[params.to].balance",
        "key: agents[params.to] FAILS",
    ),
    "a validate for the key in another container": (
        "check contains(shared.counts, params.sku)\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] FAILS",
    ),
    "a validate of the key alone": (
        "check params.to != agent.id && len(params.to) > 2\nreturn agents[params.to].balance",
        "key: agents[params.to] FAILS",
    ),
    "contains of container and key": (
        "check contains(shared.items, params.sku)\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] ok",
    ),
    "a validate that asks for the opposite": (
        "check agents[params.to] == null\nreturn agents[params.to].balance",
        "key: agents[params.to] FAILS",
    ),
    "not null, negated": (
        "check !(agents[params.to] == null)\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "a validate after use": (
        "notify agents[params.to].balance\ncheck agents[params.to] != null\nreturn 1",
        "key: agents[params.to] FAILS",
    ),
    "the key of the caller's own entry": (
        "check params.to == agent.id\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "a key that is written out": ("return shared.items.apple.stock + agents['bob'].balance", ""),
    "a key out of the state": ("return shared.items[agent.cart].stock", ""),
    "the caller's own state": ("return agents[agent.id].balance", ""),
    "a key made from a parameter": (
        "return shared.items[lower(params.sku)].stock",
        "key: shared.items[lower(params.sku)] FAILS",
    ),
    "an update beneath a key": (
        "set shared.items[params.sku].stock = 5",
        "key: shared.items[params.sku] FAILS",
    ),
    "an update beneath a key that was checked": (
        "check shared.items[params.sku] != null\nset shared.items[params.sku].stock = 5",
        "key: shared.items[params.sku] ok",
    ),
    "set may make the last key": ("set shared.counts[params.sku] = 5", ""),
    "add may not": ("add shared.counts[params.sku] = 5", "key: shared.counts[params.sku] FAILS"),
    "set of an agent's entry may not": (
        "set agents[params.to] = {balance: 1}",
        "key: agents[params.to] FAILS",
    ),
    "what was set is there": (
        "set shared.counts[params.sku] = 5\nadd shared.counts[params.sku] = 1",
        "key: shared.counts[params.sku] ok",
    ),
    "either there or made": (
        """
        if shared.counts[params.sku] == null
          set shared.counts[params.sku] = 0
        end
        add shared.counts[params.sku] = 1
        """,
        "key: shared.counts[params.sku] ok",
    ),
    "a lookup may be compared with null": ("return shared.items[params.sku] == null", ""),
    "a lookup in arithmetic": (
        "return shared.counts[params.sku] + 1",
        "key: shared.counts[params.sku] FAILS",
    ),
    "a closed object with all that the enum allows": ("return shared.prices[params.size] * 2", ""),
    "a deeper path that is there": (
        "check agents[params.to].balance != null\nreturn agents[params.to].balance",
        "key: agents[params.to] ok | key: agents[params.to] ok",
    ),
    "a property with a given value": (
        "check shared.items[params.sku].owner == agent.id\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] ok | key: shared.items[params.sku] ok",
    ),
    "a property that is not a given value": (
        "check shared.items[params.sku].owner != agent.id\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] FAILS | key: shared.items[params.sku] FAILS",
    ),
    "ordering fails on null itself, and what follows is safe": (
        "check shared.items[params.sku].stock > 0\nreturn shared.items[params.sku].name",
        "key: shared.items[params.sku] FAILS | key: shared.items[params.sku] ok",
    ),
    "a branch that tells the key apart": (
        """
        if shared.items[params.sku].owner == agent.id
          return shared.items[params.sku].stock
        else
          error
        end
        """,
        "key: shared.items[params.sku] ok | key: shared.items[params.sku] ok",
    ),
    "an element of the caller's list": (
        "each line in params.lines\nadd shared.items[line.sku].stock = line.count\nend",
        "key: shared.items[line.sku] FAILS",
    ),
    "an element that is checked in the loop": (
        """
        each line in params.lines
          check shared.items[line.sku] != null
          add shared.items[line.sku].stock = line.count
        end
        """,
        "key: shared.items[line.sku] ok",
    ),
    "an element that was checked in the iteration before": (
        """
        each line in params.lines
          add shared.items[line.sku].stock = line.count
          check shared.items[line.sku] != null
        end
        """,
        "key: shared.items[line.sku] FAILS",
    ),
    "all elements checked first": (
        """
        each line in params.lines
          check shared.items[line.sku] != null
        end
        each one in params.lines
          add shared.items[one.sku].stock = one.count
        end
        """,
        "key: shared.items[one.sku] ok",
    ),
    "some elements checked first": (
        """
        each line in params.lines
          if line.count > 0
            check shared.items[line.sku] != null
          end
        end
        each line in params.lines
          add shared.items[line.sku].stock = line.count
        end
        """,
        "key: shared.items[line.sku] FAILS",
    ),
    "elements of another list checked first": (
        """
        each line in shared.queue
          check shared.items[line.sku] != null
        end
        each line in params.lines
          add shared.items[line.sku].stock = line.count
        end
        """,
        "key: shared.items[line.sku] FAILS",
    ),
    "in the message of the validate that guards it": (
        "check! shared.items[params.sku] != null :: no ${shared.items[params.sku].name}",
        "key: shared.items[params.sku] FAILS",
    ),
    "two keys in one path": (
        "check shared.items[params.sku] != null\nreturn shared.items[params.sku].by[params.to].count",
        "key: shared.items[params.sku] ok | key: shared.items[params.sku].by[params.to] FAILS",
    ),
}

SHORT_CIRCUIT = {
    "and shields its right side": (
        "return agents[params.to] != null && agents[params.to].balance > 0",
        "key: agents[params.to] ok",
    ),
    "and does not shield its left side": (
        "return agents[params.to].balance > 0 && agents[params.to] != null",
        "key: agents[params.to] FAILS",
    ),
    "or shields its right side": (
        "return agents[params.to] == null || agents[params.to].balance > 0",
        "key: agents[params.to] ok",
    ),
    "or does not make it so afterwards": (
        "check agents[params.to] != null || params.amount > 5\nreturn agents[params.to].balance",
        "key: agents[params.to] FAILS",
    ),
    "and makes all so afterwards": (
        "check params.amount > 5 && agents[params.to] != null\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "both sides of an or say it": (
        """
        check agents[params.to] != null && params.amount > 5 || agents[params.to] != null && params.amount < 2
        return agents[params.to].balance
        """,
        "key: agents[params.to] ok",
    ),
    "neither of an or": (
        "check !(agents[params.to] == null || params.amount > 5)\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "an optional parameter that is checked where it is given": (
        """
        check params.code == null || shared.items[params.code] != null
        if params.code != null
          return shared.items[params.code].stock
        end
        """,
        "key: shared.items[params.code] ok",
    ),
    "an optional parameter that is used where it is not given": (
        """
        check params.code == null || shared.items[params.code] != null
        if params.code == null
          return shared.items[params.code].stock
        end
        """,
        "key: shared.items[params.code] FAILS",
    ),
    "compared with true": (
        "check contains(shared.items, params.sku) == true\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] ok",
    ),
    "compared with false": (
        "check contains(shared.items, params.sku) == false\nreturn shared.items[params.sku].stock",
        "key: shared.items[params.sku] FAILS",
    ),
}

BRANCHES = {
    "the then arm knows": (
        "if agents[params.to] != null\nreturn agents[params.to].balance\nend",
        "key: agents[params.to] ok",
    ),
    "the else arm knows the opposite": (
        "if agents[params.to] == null\nerror\nelse\nreturn agents[params.to].balance\nend",
        "key: agents[params.to] ok",
    ),
    "after an arm that always ends": (
        "if agents[params.to] == null\nerror\nend\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "after an arm that returns": (
        "if agents[params.to] == null\nreturn 0\nend\nreturn agents[params.to].balance",
        "key: agents[params.to] ok",
    ),
    "after an arm that goes on": (
        "if agents[params.to] == null\nadd agent.balance = 1\nend\nreturn agents[params.to].balance",
        "key: agents[params.to] FAILS",
    ),
    "a guard in one arm only": (
        """
        if params.amount > 5
          check agents[params.to] != null
        end
        return agents[params.to].balance
        """,
        "key: agents[params.to] FAILS",
    ),
    "a guard in both arms": (
        """
        if params.amount > 5
          check agents[params.to] != null
        else
          if agents[params.to] == null
            error
          end
        end
        return agents[params.to].balance
        """,
        "key: agents[params.to] ok",
    ),
    "a guard in one arm, the other ends": (
        """
        if params.amount > 5
          check agents[params.to] != null
        else
          error
        end
        return agents[params.to].balance
        """,
        "key: agents[params.to] ok",
    ),
    "a guard around nested blocks": (
        """
        check agents[params.to] != null
        if params.amount > 5
          each tag in agent.tags
            notify agents[params.to].balance
          end
        end
        """,
        "key: agents[params.to] ok",
    ),
    "a guard in a loop that may not run": (
        """
        each tag in agent.tags
          check agents[params.to] != null
        end
        return agents[params.to].balance
        """,
        "key: agents[params.to] FAILS",
    ),
    "blocks that are never reached": ("error\nreturn agents[params.to].balance", ""),
}

SUBTRACTIONS = {
    "unguarded": (
        "subtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "at most the balance": (
        "check params.amount <= agent.balance\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "less than the balance": (
        "check agent.balance > params.amount\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "the difference is not negative": (
        "check agent.balance - params.amount >= 0\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "a branch that refuses": (
        "if agent.balance < params.amount\nerror\nend\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "the wrong way round": (
        "check params.amount >= agent.balance\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "both sides are read, but the failure is not excluded": (
        "check params.amount != agent.balance\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "only one side is read": (
        "check agent.balance > 0\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "another agent's balance": (
        """
        check agents[params.to] != null
        check agent.balance >= params.amount
        subtract agents[params.to].balance = params.amount
        """,
        "key: agents[params.to] ok | subtraction: agents[params.to].balance - params.amount FAILS",
    ),
    "the caller's balance, spelled otherwise": (
        "check agents[agent.id].balance >= params.amount\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "set to a difference": (
        "check agent.balance >= params.amount\nset agent.balance = agent.balance - params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "a difference that is returned": (
        "return agent.balance - params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "a difference of what the caller gives": ("return params.amount - params.share", ""),
    "a length less one": ("return len(agent.tags) - 1", ""),
    "taking away nothing": ("return agent.balance - 0", ""),
    "a difference that is compared": ("return agent.balance - params.amount > agent.limit", ""),
    "a difference that is held up by max": ("return max(0, agent.balance - params.amount)", ""),
    "a difference whose sign is dropped": ("return abs(agent.balance - params.amount)", ""),
    "at most what is there": (
        "subtract agent.balance = min(agent.balance, params.amount)",
        "subtraction: agent.balance - min(agent.balance, params.amount) ok",
    ),
    "a count goes down by one": (
        "check agent.balance > 0\nsubtract agent.balance = 1",
        "subtraction: agent.balance - 1 ok",
    ),
    "a count goes down by two": (
        "check agent.balance > 0\nsubtract agent.balance = 2",
        "subtraction: agent.balance - 2 FAILS",
    ),
    "a fixed amount": (
        "check agent.balance >= 2.5\nsubtract agent.balance = 2.5",
        "subtraction: agent.balance - 2.5 ok",
    ),
    "with a fee on top": (
        "check params.amount + 2 <= agent.balance\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "with a fee that was forgotten": (
        "check params.amount <= agent.balance\nsubtract agent.balance = params.amount + 2",
        "subtraction: agent.balance - (params.amount + 2) FAILS",
    ),
    "a product, in any order": (
        """
        check shared.rate * params.amount <= agent.balance
        subtract agent.balance = params.amount * shared.rate
        """,
        "subtraction: agent.balance - params.amount * shared.rate ok",
    ),
    "over a third number": (
        """
        check params.amount <= agent.limit
        check agent.limit <= agent.balance
        subtract agent.balance = params.amount
        """,
        "subtraction: agent.balance - params.amount ok",
    ),
    "by the greatest value that the spec admits": (
        "check agent.balance >= 50\nsubtract agent.balance = params.capped",
        "subtraction: agent.balance - params.capped ok",
    ),
    "less than the greatest value that the spec admits": (
        "check agent.balance >= 49\nsubtract agent.balance = params.capped",
        "subtraction: agent.balance - params.capped FAILS",
    ),
    "twice, checked once": (
        """
        check params.amount <= agent.balance
        subtract agent.balance = params.amount
        subtract agent.balance = params.amount
        """,
        "subtraction: agent.balance - params.amount ok | subtraction: agent.balance - params.amount FAILS",
    ),
    "twice, checked for both": (
        """
        check params.amount + params.capped <= agent.balance
        subtract agent.balance = params.amount
        subtract agent.balance = params.capped
        """,
        "subtraction: agent.balance - params.amount ok | subtraction: agent.balance - params.capped ok",
    ),
    "after it was set": (
        "check params.amount <= agent.balance\nset agent.balance = 5\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "after all was replaced": (
        """
        check params.amount <= agent.balance
        merge agent = {balance: 0}
        subtract agent.balance = params.amount
        """,
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "after it was set to what is taken": (
        "set agent.balance = params.amount\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "after more was added": (
        "check params.amount <= agent.balance\nadd agent.balance = 5\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "after something else was written": (
        "check params.amount <= agent.balance\nset agent.limit = 5\nsubtract agent.balance = params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "after another agent was given more, who may be the caller": (
        """
        check agents[params.to] != null && params.amount <= agent.balance
        add agents[params.to].balance = params.amount
        subtract agent.balance = params.amount
        """,
        "key: agents[params.to] ok | subtraction: agent.balance - params.amount ok",
    ),
    "after something was taken from another agent, who may be the caller": (
        """
        check agents[params.to] != null && params.amount <= agent.balance
        check agents[params.to].balance >= params.amount
        subtract agents[params.to].balance = params.amount
        subtract agent.balance = params.amount
        """,
        "key: agents[params.to] ok | key: agents[params.to] ok | "
        "subtraction: agents[params.to].balance - params.amount ok | "
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "after something was taken from another agent, who is not the caller": (
        """
        check agents[params.to] != null && params.amount <= agent.balance && params.to != agent.id
        check agents[params.to].balance >= params.amount
        subtract agents[params.to].balance = params.amount
        subtract agent.balance = params.amount
        """,
        "key: agents[params.to] ok | key: agents[params.to] ok | "
        "subtraction: agents[params.to].balance - params.amount ok | "
        "subtraction: agent.balance - params.amount ok",
    ),
    "after another agent was given an amount that may be negative": (
        """
        check agents[params.to] != null && params.signed <= agent.balance
        add agents[params.to].balance = params.signed
        subtract agent.balance = params.signed
        """,
        "key: agents[params.to] ok | subtraction: agent.balance - params.signed FAILS",
    ),
    "in a loop, checked before it": (
        """
        check params.amount <= agent.balance
        each tag in agent.tags
          subtract agent.balance = params.amount
        end
        """,
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "in a loop, checked in it": (
        """
        each tag in agent.tags
          check params.amount <= agent.balance
          subtract agent.balance = params.amount
        end
        """,
        "subtraction: agent.balance - params.amount ok",
    ),
    "after a loop that takes away": (
        """
        check params.amount <= agent.balance
        each tag in agent.tags
          set agent.balance = 0
        end
        subtract agent.balance = params.amount
        """,
        "subtraction: agent.balance - params.amount FAILS",
    ),
    "adding a negative number": ("add agent.balance = -5", "subtraction: agent.balance - 5 FAILS"),
    "adding what is negated": (
        "check agent.balance >= params.amount\nadd agent.balance = -params.amount",
        "subtraction: agent.balance - params.amount ok",
    ),
    "in a chain": (
        "check agent.balance >= params.amount\nreturn agent.balance - params.amount - agent.limit",
        "subtraction: agent.balance - params.amount ok | "
        "subtraction: agent.balance - params.amount - agent.limit FAILS",
    ),
}

DIVISIONS = {
    "by a parameter": ("return agent.balance / params.parts", "division: params.parts FAILS"),
    "by a parameter that is not zero": (
        "check params.parts != 0\nreturn agent.balance / params.parts",
        "division: params.parts ok",
    ),
    "by a parameter that is positive": (
        "check params.parts > 0\nreturn agent.balance / params.parts",
        "division: params.parts ok",
    ),
    "by a parameter that is not negative": (
        "check params.parts >= 0\nreturn agent.balance / params.parts",
        "division: params.parts FAILS",
    ),
    "zero is refused": (
        "if params.parts == 0\nerror\nend\nreturn agent.balance / params.parts",
        "division: params.parts ok",
    ),
    "by a parameter whose spec excludes zero": ("return agent.balance / params.share", ""),
    "by a number": ("return agent.balance / 4", ""),
    "by zero": ("return agent.balance / 0", "division: 0 FAILS"),
    "by a length": ("return agent.balance / len(agent.tags)", "division: len(agent.tags) FAILS"),
    "by a length that was checked": (
        "check len(agent.tags) > 0\nreturn agent.balance / len(agent.tags)",
        "division: len(agent.tags) ok",
    ),
    "by a number that is held up by max": ("return agent.balance / max(1, params.parts)", ""),
    "shielded in the expression": (
        "return params.parts != 0 && agent.balance / params.parts > 2",
        "division: params.parts ok",
    ),
    "by state": ("return 5 / shared.rate", "division: shared.rate FAILS"),
    "by state that was written since": (
        "check shared.rate != 0\nset shared.rate = params.parts\nreturn 5 / shared.rate",
        "division: shared.rate FAILS",
    ),
    "by a difference": (
        "check params.parts != params.amount\nreturn 6 / (params.amount - params.parts)",
        "division: params.amount - params.parts ok",
    ),
    "in a condition": (
        "check 10 / params.parts > 2\nreturn 1",
        "division: params.parts FAILS",
    ),
    "an optional divisor, checked where it is given": (
        """
        check params.limit == null || params.limit > 0
        if params.limit != null
          return 100 / params.limit
        end
        """,
        "division: params.limit ok",
    ),
}

REMOVALS = {
    "unguarded": ("remove agent.tags = params.tag", "removal: params.tag in agent.tags FAILS"),
    "contained": (
        "check contains(agent.tags, params.tag)\nremove agent.tags = params.tag",
        "removal: params.tag in agent.tags ok",
    ),
    "something else is contained": (
        "check contains(agent.tags, params.sku)\nremove agent.tags = params.tag",
        "removal: params.tag in agent.tags FAILS",
    ),
    "contained elsewhere": (
        "check contains(shared.queue, params.tag)\nremove agent.tags = params.tag",
        "removal: params.tag in agent.tags FAILS",
    ),
    "removed twice": (
        """
        check contains(agent.tags, params.tag)
        remove agent.tags = params.tag
        remove agent.tags = params.tag
        """,
        "removal: params.tag in agent.tags ok | removal: params.tag in agent.tags FAILS",
    ),
    "still there after an append": (
        "check contains(agent.tags, params.tag)\nappend agent.tags = 'x'\nremove agent.tags = params.tag",
        "removal: params.tag in agent.tags ok",
    ),
    "just appended": (
        "append agent.tags = params.tag\nremove agent.tags = params.tag",
        "removal: params.tag in agent.tags ok",
    ),
    "an element by its position": ("remove agent.tags = agent.tags[0]", ""),
    "what a loop takes from it": (
        "each tag in agent.tags\nremove agent.tags = tag\nend",
        "removal: tag in agent.tags ok",
    ),
    "what a loop takes from elsewhere": (
        "each tag in shared.queue\nremove agent.tags = tag\nend",
        "removal: tag in agent.tags FAILS",
    ),
    "a loop that takes out others too": (
        """
        each tag in agent.tags
          if tag != params.tag
            remove agent.tags = tag
          end
          set agent.tags = []
        end
        """,
        "removal: tag in agent.tags FAILS",
    ),
}

INDEXES = {
    "unguarded": ("return agent.tags[params.position]", "index: agent.tags[params.position] FAILS"),
    "below the length": (
        "check params.position < len(agent.tags)\nreturn agent.tags[params.position]",
        "index: agent.tags[params.position] ok",
    ),
    "at most the length": (
        "check params.position <= len(agent.tags)\nreturn agent.tags[params.position]",
        "index: agent.tags[params.position] FAILS",
    ),
    "at most the length less one": (
        "check params.position <= len(agent.tags) - 1\nreturn agent.tags[params.position]",
        "index: agent.tags[params.position] ok",
    ),
    "below the length of another array": (
        "check params.position < len(shared.queue)\nreturn agent.tags[params.position]",
        "index: agent.tags[params.position] FAILS",
    ),
    "with no lower bound": (
        "check params.signed < len(agent.tags)\nreturn agent.tags[params.signed]",
        "index: agent.tags[params.signed] FAILS",
    ),
    "with a lower bound that counts from the end": (
        "check params.signed < len(agent.tags) && params.signed >= -len(agent.tags)\n"
        "return agent.tags[params.signed]",
        "index: agent.tags[params.signed] ok",
    ),
    "of a target": (
        "set agent.tags[params.position] = 'x'",
        "index: agent.tags[params.position] FAILS",
    ),
    "that is written out": ("return agent.tags[0]", ""),
    "after the array became shorter": (
        """
        check params.position < len(agent.tags)
        remove agent.tags = agent.tags[0]
        return agent.tags[params.position]
        """,
        "index: agent.tags[params.position] FAILS",
    ),
    "even where null would do": (
        "return agent.tags[params.position] == 'x'",
        "index: agent.tags[params.position] FAILS",
    ),
}

CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "key": KEYS,
        "short circuit": SHORT_CIRCUIT,
        "branch": BRANCHES,
        "subtraction": SUBTRACTIONS,
        "division": DIVISIONS,
        "removal": REMOVALS,
        "index": INDEXES,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("script", "expected"), CASES.values(), ids=CASES)
def test_a_mode_counts_as_guarded_only_where_every_path_excludes_it(script: str, expected: str) -> None:
    assert " | ".join(modes_of(script)) == expected
