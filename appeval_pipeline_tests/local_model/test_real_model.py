"""The real model, served on loopback."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from appeval_pipeline.errors import SettingsError
from appeval_pipeline.local_model import local_url, reachable_or_serving, running_server, serving
from appeval_pipeline.local_model.serving import STOP_S
from appeval_pipeline_tests.local_model.ports import free_port, is_free

pytestmark = pytest.mark.local_llm

ACTION = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "action": {"const": "transfer"},
                "to": {"enum": ["alice", "bob"]},
                "amount": {"type": "integer", "minimum": 1, "maximum": 99},
            },
            "required": ["action", "to", "amount"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"action": {"const": "respond"}, "text": {"type": "string", "maxLength": 40}},
            "required": ["action", "text"],
            "additionalProperties": False,
        },
    ]
}


def ask(url: str, path: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def complete(url: str, text: str, **extra: object) -> str:
    body = {"model": "local", "messages": [{"role": "user", "content": text}], "max_tokens": 48, **extra}
    content = ask(url, "/chat/completions", body)["choices"][0]["message"]["content"]
    assert isinstance(content, str)
    return content


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as started:
        yield started


def test_it_says_which_model_it_is(url: str) -> None:
    assert [model["id"] for model in ask(url, "/models")["data"]] == ["SmolLM2-135M-Instruct.Q4_1"]
    assert local_url(url) == url


def test_an_answer_keeps_to_the_schema_asked_for(url: str) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "action", "schema": ACTION, "strict": True}}
    for seed in (1, 2, 3):
        answer = complete(url, "Send 5 to bob.", response_format=form, seed=seed, temperature=0.8)
        faults = [
            fault.message for fault in jsonschema.Draft202012Validator(ACTION).iter_errors(json.loads(answer))
        ]
        assert faults == [], answer


QUESTION = "Name three things that one can buy in a shop, and say why."


def test_the_same_seed_gives_the_same_answer_whatever_was_asked_before(url: str) -> None:
    afresh: dict[str, Any] = {"cache_prompt": False}
    cold = complete(url, QUESTION, seed=7, temperature=0, **afresh)
    warm = complete(url, QUESTION, seed=7, temperature=1.0, **afresh)
    complete(url, QUESTION + " Be brief.", seed=3, temperature=0)
    assert complete(url, QUESTION, seed=7, temperature=0, **afresh) == cold
    assert complete(url, QUESTION, seed=7, temperature=1.0, **afresh) == warm
    assert complete(url, QUESTION, seed=8, temperature=1.0, **afresh) != warm


def test_the_same_requests_one_after_the_other_get_the_same_answers_from_each_new_server() -> None:
    def answers() -> list[str]:
        with serving() as fresh:
            first = complete(fresh, QUESTION, seed=7, temperature=1.0)
            return [first, *(complete(fresh, f"{QUESTION} {first}", seed=seed) for seed in (7, 8))]

    assert answers() == answers()


def test_what_does_not_fit_into_the_context_is_refused(url: str) -> None:
    assert [model["meta"]["n_ctx"] for model in ask(url, "/models")["data"]] == [8192]
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(url, "/completions", {"prompt": " wallet" * 9000, "max_tokens": 1})
    with refused.value as error:
        assert error.code == 400


def test_it_ends_with_the_context_and_leaves_the_port_free() -> None:
    port = free_port()
    with serving(port) as url:
        assert url == f"http://127.0.0.1:{port}/v1"
        assert local_url(url) == url
        with pytest.raises(SettingsError, match="Cannot listen"), serving(port):
            pass
        stopping = time.monotonic()
    assert time.monotonic() - stopping < STOP_S  # nobody had to kill it
    assert is_free(port)
    with serving(port) as again:
        assert again == url


def test_without_a_running_server_one_is_started_for_the_time() -> None:
    if local_url() is not None:
        pytest.fail("A model runs at the default port already; end it")
    with reachable_or_serving() as url:
        assert local_url(url) == url
        with reachable_or_serving(url) as same:
            assert same == url
    assert local_url(url) is None


def test_a_file_that_is_no_model_is_told_from_a_server_that_does_not_start(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_text("This is no model.")
    with (
        pytest.raises(SettingsError, match=r"(?s)did not start.*wrong\.gguf"),
        running_server(model_file=wrong),
    ):
        pass


def test_the_server_ends_when_the_process_that_started_it_is_killed() -> None:
    program = (
        "from appeval_pipeline.local_model import serving\n"
        "with serving() as url:\n"
        "    print(url, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        assert local_url(url) == url
        owner.kill()
        owner.wait()
    deadline = time.monotonic() + 30
    while local_url(url) is not None:
        assert time.monotonic() < deadline, "The server outlived its owner by 30 s"
        time.sleep(0.05)
