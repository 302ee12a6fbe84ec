"""What stays true in the shipped apps whatever the agents do."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.data.shipped import app

AGENTS = ("alice", "bob", "carol")
NAMES = st.sampled_from((*AGENTS, "mallory"))
AMOUNTS = st.one_of(
    st.integers(-2, 400), st.sampled_from((0.5, 1_000_001, "7", None, True)), st.integers(0, 2**70)
)
Call = tuple[str, str, dict[str, Any]]

WALLET = Engine(app("bench_wallet"))
COUNTER = Engine(app("bench_counter"))
PAYPAL = (Engine(app("paypal", 1)), Engine(app("paypal", 2)))

wallet_calls = st.lists(
    st.one_of(
        st.tuples(NAMES, st.just("deposit"), st.fixed_dictionaries({"amount": AMOUNTS})),
        st.tuples(NAMES, st.just("transfer"), st.fixed_dictionaries({"to": NAMES, "amount": AMOUNTS})),
        st.tuples(NAMES, st.just("list_transactions"), st.fixed_dictionaries({"limit": AMOUNTS})),
        st.tuples(NAMES, st.just("check_balance"), st.just({})),
    ),
    max_size=15,
)
counter_calls = st.lists(
    st.one_of(
        st.tuples(NAMES, st.just("increment"), st.fixed_dictionaries({"amount": AMOUNTS})),
        st.tuples(NAMES, st.just("reset"), st.just({})),
    ),
    max_size=15,
)
paypal_calls = st.lists(
    st.one_of(
        st.tuples(NAMES, st.just("transfer"), st.fixed_dictionaries({"to": NAMES, "amount": AMOUNTS})),
        st.tuples(NAMES, st.just("request_money"), st.fixed_dictionaries({"from": NAMES, "amount": AMOUNTS})),
        st.tuples(NAMES, st.just("pay_request"), st.just({"request_id": "the latest"})),
    ),
    max_size=15,
)


def money(state: dict[str, Any]) -> float:
    return float(sum(agent["balance"] for agent in state["per_agent"].values()))


@settings(max_examples=60, deadline=None)
@given(wallet_calls)
def test_wallets_hold_what_was_deposited_and_store_every_id_they_return(calls: list[Call]) -> None:
    session = WALLET.session(AGENTS)
    deposited = 0
    for agent, action, params in calls:
        result = session.execute(agent, action, params)
        assert result.error_kind not in ("expression", "limit")
        wallets = session.state["per_agent"]
        if result.success and action == "deposit":
            deposited += params["amount"]
        if result.success and action in ("deposit", "transfer"):
            assert result.data is not None
            stored = wallets[agent]["transactions"][-1]
            assert stored["id"] == result.data["transaction_id"]
            assert stored["amount"] == params["amount"]
            assert wallets[agent]["balance"] == result.data["new_balance"]
        if result.success and action == "transfer":
            [observation] = result.observations
            assert observation["agent_id"] == params["to"]
            assert observation["data"]["transaction_id"] == stored["id"]
        assert money(session.state) == deposited
        assert all(wallet["balance"] >= 0 for wallet in wallets.values())


@settings(max_examples=60, deadline=None)
@given(counter_calls)
def test_the_total_is_the_sum_of_the_counts(calls: list[Call]) -> None:
    session = COUNTER.session(AGENTS)
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        after = session.state
        assert result.error_kind not in ("expression", "limit")
        counts = {name: state["count"] for name, state in after["per_agent"].items()}
        assert sum(counts.values()) == after["shared"]["total"]
        if not result.success:
            assert after == before
            continue
        assert result.data == {"count": counts[agent], "total": after["shared"]["total"]}
        if action == "reset":
            assert counts[agent] == 0
        else:
            amount = 1 if params["amount"] is None else params["amount"]
            assert counts[agent] == before["per_agent"][agent]["count"] + amount


@pytest.mark.parametrize("engine", PAYPAL, ids=("v1", "v2"))
@settings(max_examples=60, deadline=None)
@given(calls=paypal_calls)
def test_paypal_neither_makes_nor_loses_money(engine: Engine, calls: list[Call]) -> None:
    session = engine.session(AGENTS)
    for agent, action, params in calls:
        requests = session.state["per_agent"].get(agent, {}).get("requests")
        if action == "pay_request" and requests:
            params = {"request_id": requests[-1]["id"]}
        result = session.execute(agent, action, params)
        assert money(session.state) == pytest.approx(3000)
        assert all(wallet["balance"] >= 0 for wallet in session.state["per_agent"].values())
        if action == "pay_request" and result.success:
            assert session.state["per_agent"][agent]["requests"] == requests[:-1]
        if action == "request_money" and result.success:
            assert result.data is not None
            asked = session.state["per_agent"][params["from"]]["requests"][-1]
            assert (asked["id"], asked["from"]) == (result.data["request_id"], agent)
