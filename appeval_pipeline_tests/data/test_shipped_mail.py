"""What stays true in the reference mail app whatever the agents do."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.data.shipped import app

AGENTS = ("alice", "bob", "carol")
CALLERS = st.sampled_from((*AGENTS, *AGENTS, "mallory"))
NAMES = st.sampled_from((*AGENTS, *AGENTS, "mallory", "", None, 7))
TEXTS = st.sampled_from(("Hello", "?", "", None, "a" * 501))
COPIES = st.one_of(st.none(), st.lists(st.one_of(st.sampled_from(AGENTS), NAMES), max_size=3))
MESSAGES = st.one_of(st.integers(1, 12).map(lambda number: f"M{number}"), st.sampled_from(("M0", "", None)))
LIMITS = st.sampled_from((None, 1, 2, 100, 101, 0, 0.5, 1.0))
Call = tuple[str, str, dict[str, Any]]

MAIL = Engine(app("bench_messaging"))


def calls(**params: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(params)


sending = st.tuples(CALLERS, st.just("send_message"), calls(to=NAMES, text=TEXTS, cc=COPIES))
mail_calls = st.lists(
    st.one_of(
        sending,
        sending,
        st.tuples(CALLERS, st.just("read_inbox"), calls(limit=LIMITS)),
        st.tuples(CALLERS, st.just("mark_read"), calls(message_id=MESSAGES)),
        st.tuples(CALLERS, st.just("delete_message"), calls(message_id=MESSAGES)),
        st.tuples(
            CALLERS,
            st.just("block_sender"),
            calls(sender=NAMES, blocked=st.sampled_from((True, False, False, None))),
        ),
    ),
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(mail_calls)
def test_every_inbox_holds_what_was_sent_to_it_and_not_deleted(calls: list[Call]) -> None:
    session = MAIL.session(AGENTS)
    inboxes: dict[str, list[str]] = {name: [] for name in AGENTS}
    unread: dict[str, list[str]] = {name: [] for name in AGENTS}
    blocked: dict[str, set[str]] = {name: set() for name in AGENTS}
    sent = 0
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        after = session.state
        assert result.error_kind not in ("expression", "limit")
        assert result.success or after == before
        if result.success and result.data is not None:
            match action:
                case "send_message":
                    sent += 1
                    recipients = [params["to"], *(params["cc"] or [])]
                    assert result.data == {"message_id": f"M{sent}", "recipients": len(recipients)}
                    assert [told["agent_id"] for told in result.observations] == recipients
                    for name in recipients:
                        assert agent not in blocked[name]
                        assert after["per_agent"][name]["inbox"][-1]["text"] == params["text"]
                        assert after["per_agent"][name]["inbox"][-1]["from"] == agent
                        inboxes[name].append(f"M{sent}")
                        unread[name].append(f"M{sent}")
                case "read_inbox":
                    shown = [message["id"] for message in result.data["messages"]]
                    assert shown == inboxes[agent][-int(params["limit"] or 20) :]
                    assert result.data["total"] == len(inboxes[agent])
                case "mark_read":
                    first_time = params["message_id"] in unread[agent]
                    assert len(result.observations) == int(first_time)
                    unread[agent] = [one for one in unread[agent] if one != params["message_id"]]
                case "delete_message":
                    inboxes[agent].remove(params["message_id"])
                    unread[agent] = [one for one in unread[agent] if one != params["message_id"]]
                case "block_sender" if params["blocked"] is False:
                    blocked[agent].discard(params["sender"])
                case "block_sender":
                    blocked[agent].add(params["sender"])
        for name, state in after["per_agent"].items():
            assert [message["id"] for message in state["inbox"]] == inboxes[name]
            assert state["unread"] == unread[name]
            assert sorted(state["blocked"]) == sorted(blocked[name])
        assert after["shared"]["sent"] == sent
