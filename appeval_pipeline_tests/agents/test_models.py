"""Asking a model, through the real litellm and past it, at a service that misbehaves."""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import threading
import traceback
from dataclasses import replace

import pytest

from appeval_pipeline.agents import Tool, Usage
from appeval_pipeline.agents.models import ModelReply, ModelSettings, RequestedCall, check_model
from appeval_pipeline.agents.models.failures import retry_after_s
from appeval_pipeline.agents.models.library import load_litellm
from appeval_pipeline.agents.models.redaction import redact, secrets_of
from appeval_pipeline.agents.models.threads import in_daemon_thread
from appeval_pipeline.errors import ModelError, SettingsError
from appeval_pipeline_tests.agents.asking import HELLO, Asked
from appeval_pipeline_tests.agents.conftest import Serve
from appeval_pipeline_tests.agents.scripted_server import Answer, call, completion, error

PRESS = Tool("press", "Press the button.", {"type": "object", "properties": {}})
FINE = completion("Hello to you")
KEY = "sk-live-0123456789abcdef"


@pytest.fixture(params=["scripted", "gpt-4o-mini"], ids=["as it is", "through litellm"])
def name(request: pytest.FixtureRequest) -> str:
    """Of a model: litellm knows how to ask the second one."""
    return str(request.param)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_an_answer_comes_with_its_tokens(serve: Serve, name: str) -> None:
    server = serve(completion("Hello to you", usage=(31, 4)))
    reply = Asked(server.url, {"model": name}).complete(seed=7)
    assert (reply.content, reply.tool_calls, reply.finish_reason) == ("Hello to you", (), "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (31, 4)
    assert server.requests == [
        {
            "model": name,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
            ],
            "seed": 7,
            "temperature": 0.0,
        }
    ]


def test_calls_come_as_the_model_wrote_them(serve: Serve, name: str) -> None:
    server = serve(completion(None, call("press", "{no", "a"), call("hold", {"s": 1}, "b")))
    reply = Asked(server.url, {"model": name}).complete(tools=[PRESS])
    assert reply.content == ""
    assert reply.tool_calls == (RequestedCall("a", "press", "{no"), RequestedCall("b", "hold", '{"s": 1}'))
    assert server.requests[0]["tools"] == [PRESS.to_dict()]


def test_arguments_that_are_no_text_are_read_as_json(serve: Serve) -> None:
    asked_for = {"id": "a", "type": "function", "function": {"name": "press", "arguments": {"s": 1}}}
    reply = Asked(serve(completion(None, asked_for)).url).complete(tools=[PRESS])
    assert reply.tool_calls == (RequestedCall("a", "press", '{"s": 1}'),)


def test_the_provider_before_a_name_is_none_of_the_service_s_business(serve: Serve) -> None:
    server = serve(FINE)
    Asked(server.url, {"model": "openai/whatever"}).complete()
    assert server.requests[0]["model"] == "whatever"


def test_a_schema_is_handed_on(serve: Serve, name: str) -> None:
    server = serve(completion('{"x": 1}'))
    Asked(server.url, {"model": name, "max_completion_tokens": 50}).complete(schema={"type": "object"})
    [request] = server.requests
    assert request["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert request["max_tokens"] == 50


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_service_that_is_out_of_order_is_asked_again(serve: Serve, name: str, status: int) -> None:
    server = serve(error(status), FINE)
    asked = Asked(server.url, {"model": name})
    assert asked.complete().content == "Hello to you"
    assert len(server.requests) == 2
    [wait] = asked.waits
    assert 0.5 <= wait <= 1


@pytest.mark.parametrize(
    "broken",
    [
        Answer(body=FINE.body, missing_bytes=40),
        Answer(body="<html>Bad gateway</html>"),
        Answer(body="[]"),
        Answer(body='{"choices": []}'),
    ],
    ids=["cut", "no JSON", "no object", "no choice"],
)
def test_an_answer_that_cannot_be_read_is_asked_for_again(serve: Serve, name: str, broken: Answer) -> None:
    server = serve(broken, FINE)
    assert Asked(server.url, {"model": name}).complete().content == "Hello to you"
    assert len(server.requests) == 2


def test_a_service_that_stays_out_of_order_is_given_up_after_three_more_tries(serve: Serve) -> None:
    server = serve(error(500, "on fire"))
    asked = Asked(server.url)
    with pytest.raises(
        ModelError, match=r"model scripted gave no answer after 4 tries: on fire \(status 500\)$"
    ) as caught:
        asked.complete()
    assert (caught.value.tries, len(server.requests)) == (4, 4)
    first, second, third = asked.waits
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_final(serve: Serve, name: str, status: int) -> None:
    server = serve(error(status, "certainly not"), FINE)
    asked = Asked(server.url, {"model": name})
    with pytest.raises(ModelError, match=rf"after 1 try: certainly not \(status {status}\)$"):
        asked.complete()
    assert (len(server.requests), asked.waits) == (1, [])


def test_a_conversation_that_is_too_long_is_not_sent_again(serve: Serve, name: str) -> None:
    server = serve(error(400, "This model's maximum context length is 8 tokens"))
    with pytest.raises(ModelError, match=r"after 1 try: .*maximum context length"):
        Asked(server.url, {"model": name}).complete()
    assert len(server.requests) == 1


@pytest.mark.parametrize(("asked_for", "least"), [("7", 7), ("0.5", 0.5), ("3600", 60)])
def test_a_service_is_given_the_time_that_it_asks_for(
    serve: Serve, name: str, asked_for: str, least: float
) -> None:
    server = serve(error(429, retry_after=asked_for), FINE)
    asked = Asked(server.url, {"model": name})
    asked.complete()
    [wait] = asked.waits
    assert least <= wait <= least + 0.5


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT", "date": "Thu, 01 Jan 2026 00:00:15 GMT"}, 45),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:00 GMT", "date": "Thu, 01 Jan 2026 00:00:15 GMT"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT"}, None),
        ({"retry-after": "soon", "date": "Thu, 01 Jan 2026 00:00:15 GMT"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_a_date_to_ask_again_is_held_against_the_clock_of_the_service(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after_s(headers) == seconds


def test_a_service_that_hangs_is_left_and_asked_again(serve: Serve, name: str) -> None:
    server = serve(Answer(hangs=True))
    with pytest.raises(ModelError, match="after 2 tries: "):
        Asked(server.url, {"model": name, "timeout_s": 0.15, "max_retries": 1}).complete()
    assert len(server.requests) == 2


def test_a_service_that_is_not_there_is_tried_four_times(name: str) -> None:
    asked = Asked(f"http://127.0.0.1:{closed_port()}/v1", {"model": name})
    with pytest.raises(
        ModelError,
        match=r"after 4 tries: (Connection error|no connection: All .* failed)\.?$",
    ):
        asked.complete()
    assert len(asked.waits) == 3


def test_a_key_in_a_refusal_is_not_handed_on(
    serve: Serve, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = "hunter2hunter2"
    message = f"Incorrect API key provided: {KEY}; also {other}"
    server = serve(error(401, message))
    environ = {"OPENAI_API_KEY": KEY, "PROXY_PASSWORD": other}
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
        Asked(server.url, {"model": name}, environ=environ).complete()
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert "Incorrect API key provided: [redacted]" in str(caught.value)
    assert KEY not in told
    assert other not in told
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        f"bad key {KEY}",
        f"Authorization: Bearer {KEY}",
        f"GET http://user:{KEY}@host/v1",
        f"?api_key={KEY}&x=1",
        "AIzaSyA-0123456789abcdefg",
        "gsk_0123456789abcdef",
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str) -> None:
    assert "0123456789" not in redact(text)
    assert "[redacted]" in redact(text)


def test_only_variables_that_are_named_like_secrets_are_secrets() -> None:
    environ = {"A_KEY": "abcdefghij", "TOKENS": "12345678", "HOME": "/home/somebody", "SHORT_KEY": "abc"}
    assert secrets_of(environ) == ("abcdefghij", "12345678")


def test_a_text_is_told_in_one_line_of_bounded_length() -> None:
    assert redact("a\n b") == "a b"
    assert len(redact("x" * 10_000)) == 500


def test_the_cost_of_a_known_model_is_that_of_the_price_list(serve: Serve) -> None:
    listed = load_litellm().model_cost["gpt-4o-mini"]
    server = serve(completion("Hi", usage=(1000, 200), model="gpt-4o-mini"))
    usage = Asked(server.url, {"model": "gpt-4o-mini"}).complete().usage
    by_hand = 1000 * listed["input_cost_per_token"] + 200 * listed["output_cost_per_token"]
    assert by_hand > 0
    assert usage == Usage(1000, 200, pytest.approx(by_hand))


def test_the_cost_of_an_unknown_model_is_unknown(serve: Serve) -> None:
    assert Asked(serve(FINE).url).complete().usage == Usage(100, 10, None)


def test_prices_may_be_given(serve: Serve) -> None:
    prices = {"input_cost_per_token": 0.01, "output_cost_per_token": 0.5}
    assert Asked(serve(FINE).url, prices).complete().usage == Usage(100, 10, pytest.approx(1.0 + 5.0))


def test_what_is_not_reported_is_not_known(serve: Serve) -> None:
    server = serve(completion("Hi", usage=None))
    assert Asked(server.url, {"model": "gpt-4o-mini"}).complete().usage == Usage(0, 0, None)


@pytest.mark.parametrize("usage", [(-5, 2), (5, -2), (10**30, 1)])
def test_tokens_that_cannot_be_are_not_believed(serve: Serve, usage: tuple[int, int]) -> None:
    server = serve(completion("Hi", usage=usage))
    prices = {"input_cost_per_token": 0.01, "output_cost_per_token": 0.5}
    assert Asked(server.url, prices).complete().usage == Usage(0, 0, None)


def test_a_service_of_ones_own_needs_no_key_and_is_given_the_one_there_is(serve: Serve, name: str) -> None:
    server = serve(FINE)
    Asked(server.url, {"model": name}).complete()
    Asked(server.url, {"model": name}, environ={"OPENAI_API_KEY": KEY}).complete()
    assert server.keys == ["none", KEY]


def test_a_missing_key_is_told_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match=r"'gpt-4o-mini' of openai takes a key, .*set OPENAI_API_KEY"):
        check_model(ModelSettings("gpt-4o-mini"))
    check_model(ModelSettings("gpt-4o-mini", api_base="http://127.0.0.1:1/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    check_model(ModelSettings("gpt-4o-mini"))


def test_a_model_that_nobody_knows_needs_a_provider() -> None:
    with pytest.raises(
        SettingsError, match="not known where the model 'nonsense' is: expected provider/name"
    ):
        check_model(ModelSettings("nonsense"))


@pytest.mark.parametrize(
    ("provider", "hint"),
    [
        ("opnai", "did you mean 'openai'?"),
        ("nosuch", "expected one of litellm's, such as openai or anthropic"),
    ],
)
def test_a_provider_that_there_is_not_is_told_before_the_run(provider: str, hint: str) -> None:
    with pytest.raises(SettingsError) as refused:
        check_model(ModelSettings("whatever", provider, "http://127.0.0.1:1/v1"))
    assert str(refused.value) == f"There is no provider '{provider}'; {hint}"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"timeout_s": 0}, "timeout_s is 0, expected more than 0"),
        ({"max_retries": -1}, "max_retries is -1, expected at least 0"),
        ({"max_completion_tokens": 0}, "max_completion_tokens is 0"),
        ({"input_cost_per_token": 0.1}, "a price, at least 0, of both"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        ModelSettings("gpt-4o-mini", **given)  # type: ignore[arg-type]


def test_a_service_of_another_kind_needs_its_key_at_any_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="set MISTRAL_API_KEY"):
        check_model(ModelSettings("mistral/mistral-small", api_base="http://127.0.0.1:1/v1"))


def test_a_model_that_takes_no_tools_is_not_asked_with_any() -> None:
    with pytest.raises(ModelError, match="takes no tools; ask it in schema mode"):
        Asked("http://127.0.0.1:1", {"model": "ollama/llama3"}).complete(tools=[PRESS])


def in_fresh_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_agents_are_imported_without_litellm() -> None:
    code = (
        "import sys, appeval_pipeline.agents, appeval_pipeline.agents.llm, appeval_pipeline.agents.models\n"
        "print(sorted({'litellm', 'openai', 'httpx', 'aiohttp'} & set(sys.modules)))"
    )
    assert in_fresh_process(code) == "[]"


def test_a_missing_library_is_told_in_one_line() -> None:
    code = (
        "import sys; sys.modules['litellm'] = None\n"
        "from appeval_pipeline.agents.models import ModelSettings, check_model\n"
        "from appeval_pipeline.errors import SettingsError\n"
        "try: check_model(ModelSettings('gpt-4o-mini'))\n"
        "except SettingsError as error: print(error)"
    )
    told = in_fresh_process(code)
    assert told.endswith('which is not installed: pip install -c constraints.txt -e ".[llm]"')


def test_litellm_is_loaded_without_a_word_and_without_the_network() -> None:
    code = (
        "import sys\n"
        "def refuse(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'): raise SystemExit(f'{event} {arguments}')\n"
        "sys.addaudithook(refuse)\n"
        "from appeval_pipeline.agents.models.library import load_litellm\n"
        "load_litellm()"
    )
    assert in_fresh_process(code) == ""


def test_many_questions_are_asked_at_once(serve: Serve, name: str) -> None:
    load_litellm()
    server = serve(replace(FINE, among=10))
    model = Asked(server.url, {"model": name}).model

    async def ask_all() -> list[ModelReply]:
        return await asyncio.gather(*(model.complete(HELLO) for _ in range(10)))

    assert {reply.content for reply in asyncio.run(ask_all())} == {"Hello to you"}
    assert server.most_waiting == 10


def test_nobody_waits_for_a_call_that_was_abandoned() -> None:
    over, ended = threading.Event(), threading.Event()

    def work() -> None:
        over.wait(60)
        ended.set()

    async def abandon() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await in_daemon_thread(work)

    asyncio.run(abandon())
    assert not ended.is_set()
    over.set()


def test_a_failed_call_fails_whoever_waits() -> None:
    def fail() -> None:
        raise OSError("the wire is cut")

    with pytest.raises(OSError, match="the wire is cut"):
        asyncio.run(in_daemon_thread(fail))
