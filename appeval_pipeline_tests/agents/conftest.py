from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

import pytest

from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer

Serve: TypeAlias = Callable[..., ScriptedServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts services that give the answers they are told to."""
    with ExitStack() as stack:

        def start(*script: Answer) -> ScriptedServer:
            return stack.enter_context(ScriptedServer(script).running())

        yield start
