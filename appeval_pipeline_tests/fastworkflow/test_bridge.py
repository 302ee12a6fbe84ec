"""The bridge between a blocking thread and an event loop; needs no FastWorkflow."""

from __future__ import annotations

import asyncio

import pytest

from appeval_pipeline.agents import Observation, Reply
from appeval_pipeline.agents.fastworkflow.bridge import Bridge, Ended, Failed, Question
from appeval_pipeline.agents.models import Message, ModelReply

SECONDS = 5.0


def test_requests_are_answered_in_turn() -> None:
    def work(bridge: Bridge) -> None:
        said = bridge.ask_model((Message("user", "What now?"),)).content
        bridge.act(Reply(f"{said}, {bridge.act(Reply(said)).content}"))

    async def run() -> None:
        bridge = Bridge()
        bridge.start(work)
        assert await bridge.next_request() == Question((Message("user", "What now?"),))
        bridge.answer(ModelReply("Wait"))
        assert await bridge.next_request() == Reply("Wait")
        bridge.answer(Observation("please"))
        assert await bridge.next_request() == Reply("Wait, please")
        bridge.end()
        assert bridge.join(SECONDS)

    asyncio.run(run())


def test_what_the_thread_raises_is_told() -> None:
    def work(bridge: Bridge) -> None:
        raise ValueError("broken")

    async def run() -> None:
        bridge = Bridge()
        bridge.start(work)
        request = await bridge.next_request()
        assert isinstance(request, Failed)
        assert str(request.failure) == "broken"
        assert bridge.join(SECONDS)

    asyncio.run(run())


def test_the_end_goes_past_a_library_that_catches_every_exception() -> None:
    ended = []

    def work(bridge: Bridge) -> None:
        while True:
            try:
                bridge.act(Reply("Again"))
            except Exception:  # noqa: BLE001 - as libraries do
                continue
            except Ended:
                ended.append(True)
                raise

    async def run() -> None:
        bridge = Bridge()
        bridge.start(work)
        await bridge.next_request()
        bridge.end()
        bridge.end()
        assert bridge.join(SECONDS)

    asyncio.run(run())
    assert ended == [True]


@pytest.mark.parametrize("closes_first", [True, False])
def test_a_thread_whose_loop_is_closed_ends(closes_first: bool) -> None:
    async def begin() -> Bridge:
        bridge = Bridge()
        if not closes_first:
            bridge.start(lambda bridge: _reply_for_ever(bridge))
            await bridge.next_request()
        return bridge

    bridge = asyncio.run(begin())
    if closes_first:
        bridge.start(lambda bridge: _reply_for_ever(bridge))
    else:
        bridge.answer(Observation("Nobody asks any more"))
    assert bridge.join(SECONDS)


def _reply_for_ever(bridge: Bridge) -> None:
    while True:
        bridge.act(Reply("Hello?"))
