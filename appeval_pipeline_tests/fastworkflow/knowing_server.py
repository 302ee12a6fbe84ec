"""A service on loopback that knows what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer, completion


class KnowingServer(ScriptedServer):
    """Asks a function for its answers."""

    def __init__(self, answer: Callable[[str, str], str]) -> None:
        super().__init__([])
        self._answer = answer

    def _next(self, body: dict[str, Any], key: str) -> Answer:
        with self._lock:
            self.requests.append(body)
            messages = body["messages"]
            return completion(self._answer(messages[0]["content"], messages[-1]["content"]))
