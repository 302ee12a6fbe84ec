"""A service on loopback, with OpenAI's chat completion API, that says what it is told to and misbehaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"


@dataclass(frozen=True)
class Answer:
    """How a request is answered.

    Attributes:
        missing_bytes: How many bytes of the body are announced and never sent.
        delay_s: Seconds before the answer.
        hangs: Whether there is no answer before the test ends.
        among: How many requests must wait for an answer at the same time before this one is given; where
            they do not come, it is given late.
    """

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    missing_bytes: int = 0
    delay_s: float = 0
    hangs: bool = False
    among: int = 1


def call(name: str, arguments: object, call_id: str = "call_a") -> dict[str, Any]:
    """A call of a tool; arguments that are no text are written as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def completion(
    content: str | None = None,
    *calls: Mapping[str, Any],
    usage: tuple[int, int] | None = (100, 10),
    finish_reason: str | None = None,
    model: str = MODEL,
) -> Answer:
    """What a model says, with the tokens of prompt and answer."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    reason = finish_reason or ("tool_calls" if calls else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if usage:
        prompt, answer = usage
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": answer,
            "total_tokens": prompt + answer,
        }
    return Answer(body=json.dumps(body))


def error(status: int, message: str = "out of order", **headers: str) -> Answer:
    """A refusal; ``retry_after="1"`` is sent as ``Retry-After: 1``."""
    body = json.dumps({"error": {"message": message, "type": "server_error", "code": None}})
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # many trials may knock at once


class ScriptedServer:
    """Gives the answers in order; the last one again and again.

    Attributes:
        requests: The bodies of all requests so far.
        keys: The bearer tokens that came with them.
        most_waiting: How many requests have waited for their answers at the same time.
    """

    def __init__(self, script: Sequence[Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.most_waiting = 0
        self._script = list(script)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._more = threading.Condition(self._lock)
        self._waiting = 0
        self._server = _Server(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator[ScriptedServer]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _next(self, body: dict[str, Any], key: str) -> Answer:
        with self._lock:
            place = min(len(self.requests), len(self._script) - 1)
            self.requests.append(body)
            self.keys.append(key)
            return self._script[place]

    def _wait_for_others(self, among: int) -> None:
        with self._more:
            self._waiting += 1
            self.most_waiting = max(self.most_waiting, self._waiting)
            self._more.notify_all()
            self._more.wait_for(lambda: self.most_waiting >= among, timeout=10)
            self._waiting -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = scripted._next(body, self.headers.get("Authorization", "").removeprefix("Bearer "))
                if answer.hangs:
                    scripted._over.wait(10)
                    return
                scripted._over.wait(answer.delay_s)
                scripted._wait_for_others(answer.among)
                payload = answer.body.encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload) + answer.missing_bytes))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        return Handler
