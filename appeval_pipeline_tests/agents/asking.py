"""Models at a scripted service, with waits that are noted and not waited."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from appeval_pipeline.agents.models import LitellmModel, Message, ModelReply, ModelSettings
from appeval_pipeline_tests.agents.scripted_server import MODEL

HELLO = (Message("system", "Be brief."), Message("user", "Hello"))
NO_KEYS: Mapping[str, str] = {}


@dataclass
class Asked:
    """A model at an address.

    Attributes:
        waits: Seconds that it would have waited before each further try.
    """

    url: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    @property
    def model(self) -> LitellmModel:
        given: dict[str, Any] = {"model": MODEL, "timeout_s": 5.0, **self.settings}
        settings = ModelSettings(api_base=self.url, **given)
        return LitellmModel(settings, sleep=self.sleep, chance=random.Random(1), environ=self.environ)

    def complete(self, **more: Any) -> ModelReply:
        return asyncio.run(self.model.complete(HELLO, **more))
