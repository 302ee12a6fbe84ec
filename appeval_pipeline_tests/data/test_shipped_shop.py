"""What stays true in the reference shop whatever the agents do."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.data.shipped import app

AGENTS = ("alice", "bob", "carol")
CALLERS = st.sampled_from((*AGENTS, *AGENTS, "mallory"))
SKUS = st.sampled_from(("TEA", "CUP", "POT", "tea", None))
QUANTITIES = st.one_of(
    st.integers(-1, 20), st.sampled_from((0.5, 2.0, 10_000, 10_001, "7", None, True)), st.integers(0, 2**70)
)
RESERVATIONS = st.sampled_from(("R1", "R2", "R3", "R4", "R0", "", None))
OUTCOMES = st.sampled_from(("shipped", "shipped", "released", "lost"))
Call = tuple[str, str, dict[str, Any]]
State = dict[str, Any]

SHOP = Engine(app("bench_inventory"))


def calls(**params: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(params)


shop_calls = st.lists(
    st.one_of(
        st.tuples(CALLERS, st.just("add_item"), calls(sku=SKUS, name=st.just("Thing"), quantity=QUANTITIES)),
        st.tuples(CALLERS, st.just("restock"), calls(sku=SKUS, quantity=QUANTITIES)),
        st.tuples(CALLERS, st.just("reserve"), calls(sku=SKUS, quantity=QUANTITIES)),
        st.tuples(
            CALLERS, st.just("close_reservation"), calls(reservation_id=RESERVATIONS, outcome=OUTCOMES)
        ),
        st.tuples(CALLERS, st.just("remove_item"), calls(sku=SKUS)),
        st.tuples(CALLERS, st.just("check_stock"), calls(sku=SKUS)),
    ),
    max_size=30,
)


@settings(max_examples=120, deadline=None)
@given(shop_calls)
def test_stock_reservations_and_totals_agree(calls: list[Call]) -> None:
    session = SHOP.session(AGENTS)
    put_in = taken_out = reserved = 0
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        after = session.state
        assert result.error_kind not in ("expression", "limit")
        assert result.success or after == before
        if result.success:
            match action:
                case "add_item" | "restock":
                    put_in += params["quantity"] or 0
                case "reserve":
                    reserved += 1
                case "remove_item":
                    taken_out += item(before, params["sku"])["available"]
                    assert item(after, params["sku"]) == {}
                case "check_stock":
                    assert after == before
        shared = after["shared"]
        received = sum(state["received"] for state in after["per_agent"].values())
        assert shared["units"] == put_in - taken_out - received
        assert shared["units"] == sum(item["available"] for item in shared["items"]) + sum(
            reservation["quantity"] for reservation in shared["reservations"]
        )
        assert all(item["available"] >= 0 for item in shared["items"])
        assert shared["reservations_made"] == reserved
        assert len({item["sku"] for item in shared["items"]}) == len(shared["items"])
        for reservation in shared["reservations"]:
            assert item(after, reservation["sku"])["seller"] == reservation["seller"]


@settings(max_examples=120, deadline=None)
@given(shop_calls)
def test_a_reservation_is_stored_told_and_gone_once_closed(calls: list[Call]) -> None:
    session = SHOP.session(AGENTS)
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        if not result.success or result.data is None:
            continue
        after = session.state
        if action == "reserve":
            made = after["shared"]["reservations"][-1]
            assert made["id"] == result.data["reservation_id"]
            assert (made["sku"], made["buyer"], made["quantity"]) == (
                params["sku"],
                agent,
                params["quantity"],
            )
            assert item(after, params["sku"])["available"] == result.data["available"]
            [told] = result.observations
            assert (told["agent_id"], told["data"]["reservation_id"]) == (made["seller"], made["id"])
        if action == "close_reservation":
            [closed] = [
                one for one in before["shared"]["reservations"] if one["id"] == params["reservation_id"]
            ]
            left = [one for one in before["shared"]["reservations"] if one != closed]
            assert after["shared"]["reservations"] == left
            gained = {
                name: after["per_agent"][name]["received"] - before["per_agent"][name]["received"]
                for name in AGENTS
            }
            shipped = closed["quantity"] if params["outcome"] == "shipped" else 0
            assert gained == {name: shipped if name == closed["buyer"] else 0 for name in AGENTS}
            freed = item(after, closed["sku"])["available"] - item(before, closed["sku"])["available"]
            assert freed == closed["quantity"] - shipped


def item(state: State, sku: str) -> dict[str, Any]:
    """The item of this code, or an empty one."""
    return next((one for one in state["shared"]["items"] if one["sku"] == sku), {})
