"""What every measurement needs: a timer, a quiet interpreter, and a piece of fixed work to compare with."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Timer = Callable[[], int]
"""Nanoseconds since some moment, never less than before; `time.perf_counter_ns` is one."""


@contextmanager
def collector_off() -> Iterator[None]:
    """No garbage is collected until the block ends.

    Else whichever call happens to fill the collector's threshold would be charged with going over the
    heap of the process, which has nothing to do with the app. What the app itself costs stays in: nearly
    all that an action makes is freed as soon as nobody needs it. Nothing is collected before either: with
    the collector off, garbage costs no time, and a full collection of a large process would take longer
    than what is measured.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def calibration_pass() -> int:
    """Fixed work of the kind that running an action is: dicts, calls, numbers and texts; about 3 µs.

    Its time says how fast this machine is at the moment. It is short and runs once at a time, so that it
    finds the processor's caches as an action does: a loop that stays in them slows down and speeds up by
    other factors than actions do. Any change here changes what the multiples mean.

    Returns:
        How many of its two payments were made: 1.
    """
    accounts: dict[str, dict[str, Any]] = {name: {"balance": 100.0, "log": []} for name in ("ann", "bob")}
    replies = [_pay(accounts, {"from": "ann", "to": "bob", "amount": amount}) for amount in (3, 6)]
    return sum("entry" in reply for reply in replies)


def _pay(accounts: dict[str, dict[str, Any]], params: dict[str, Any]) -> dict[str, Any]:
    amount = params.get("amount")
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not 1 <= amount <= 5:
        return {"error": f"amount must be from 1 to 5, got {amount}"}
    payer, payee = accounts[params["from"]], accounts[params["to"]]
    payer["balance"] = payer["balance"] - amount
    payee["balance"] = payee["balance"] + amount
    entry = {"id": f"{len(payer['log']):016x}", "to": params["to"], "amount": amount}
    payer["log"].append(entry)
    return {"entry": entry, "left": payer["balance"]}
