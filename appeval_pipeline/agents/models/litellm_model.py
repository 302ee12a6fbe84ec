"""Models of any provider, by litellm."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from appeval_pipeline.agents.models.failures import judge_failure
from appeval_pipeline.agents.models.library import is_loaded, load_litellm
from appeval_pipeline.agents.models.own_service import LostError, ask_own_service
from appeval_pipeline.agents.models.prices import usage_of
from appeval_pipeline.agents.models.protocol import Message, ModelReply
from appeval_pipeline.agents.models.redaction import redact, secrets_of
from appeval_pipeline.agents.models.replies import read_response
from appeval_pipeline.agents.models.retrying import FailedTry, Patience, Sleep, Try
from appeval_pipeline.agents.models.settings import ModelSettings
from appeval_pipeline.agents.models.threads import in_daemon_thread
from appeval_pipeline.agents.protocol import JsonObject, Tool
from appeval_pipeline.errors import ModelError, SettingsError

_NO_KEY: Final = "none"
"""OpenAI's client insists on a key; a service of one's own needs none."""


class LitellmModel:
    """Asks a model through litellm, again where the way to it failed, and counts what it took.

    litellm's blocking call runs in a thread a question. Its asynchronous one ties connections, and a worker
    for callbacks, to the first event loop that it meets, and every evaluation has a loop of its own. A
    service of one's own, to which litellm would hand questions on as they are, is asked without it.

    Args:
        sleep: Waits so many seconds between tries.
        chance: Spreads these waits.
        environ: Where keys are, so that they can be kept out of messages.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        sleep: Sleep = asyncio.sleep,
        chance: random.Random | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.name = settings.model
        self._settings = settings
        self._patience = Patience(settings.max_retries, sleep, chance or random.Random())
        self._environ = environ

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: JsonObject | None = None,
        seed: int | None = None,
    ) -> ModelReply:
        """Continue a conversation.

        Raises:
            ModelError: There was no answer, or the model takes no tools.
            SettingsError: litellm is not installed.
        """
        request = _Request(tuple(messages), tuple(tools), schema, seed)
        # Takes seconds, once, that are none of the service's. Once begun, the event loop's end waits for
        # it: an interpreter that ends in the midst of an import may hang.
        if not is_loaded():
            await asyncio.to_thread(load_litellm)
        tries = await self._patience.ask(lambda: self._ask(request))
        # Raised here, where no exception of litellm's is being handled: these quote what the service said.
        if isinstance(last := tries[-1], FailedTry):
            raise ModelError(self.name, last.what, len(tries))
        return last

    async def _ask(self, request: _Request) -> Try:
        try:
            # The client's own limit is for each part of an answer that arrives; this one is for all of it.
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._answer(request)
        except TimeoutError:
            return FailedTry(f"no answer within {self._settings.timeout_s:g} s", may_pass=True)
        except SettingsError:
            raise
        except LostError as failure:
            return FailedTry(redact(str(failure), secrets_of(self._environ)), may_pass=True)
        except Exception as failure:  # noqa: BLE001 - whatever is raised is told, and judged, by its status
            return judge_failure(failure, secrets_of(self._environ))

    async def _answer(self, request: _Request) -> Try:
        place = find_place(self._settings)
        if (missing := _missing(request, place.taken)) is not None:
            return FailedTry(missing, may_pass=False)
        question = self._question(request)
        response: Any
        if place.takes_questions_as_they_are:
            question["model"] = place.name
            address, timeout_s = self._settings.api_base or "", self._settings.timeout_s
            response = await ask_own_service(address, self._key_of_own_service(), question, timeout_s)
        else:
            arguments = question | self._manner(place)
            response = await in_daemon_thread(lambda: load_litellm().completion(**arguments))
        usage = usage_of(response, self._settings, load_litellm())
        try:
            return read_response(response, usage, len(request.messages))
        except (LookupError, AttributeError, TypeError):
            return FailedTry("the answer has no message", may_pass=True)

    def _question(self, request: _Request) -> dict[str, Any]:
        """What is sent, but for the model's name."""
        settings = self._settings
        question: dict[str, Any] = {
            "messages": [message.to_dict() for message in request.messages],
            "temperature": settings.temperature,
            "max_tokens": settings.max_completion_tokens,
            "seed": request.seed,
        }
        if request.tools:
            question["tools"] = [tool.to_dict() for tool in request.tools]
        if request.schema is not None:
            question["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "action", "schema": dict(request.schema)},
            }
        return {name: value for name, value in question.items() if value is not None}

    def _manner(self, place: Place) -> dict[str, Any]:
        """How litellm is to send it."""
        settings = self._settings
        manner: dict[str, Any] = {
            "model": settings.model,
            "custom_llm_provider": place.provider if place.is_own_service else settings.provider,
            "api_base": settings.api_base,
            "api_key": self._key_of_own_service() if place.is_own_service else None,
            "timeout": settings.timeout_s,
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": True,  # of seed and temperature: not every model takes them
        }
        return {name: value for name, value in manner.items() if value is not None}

    def _key_of_own_service(self) -> str:
        return self._environ.get("OPENAI_API_KEY") or _NO_KEY


@dataclass(frozen=True, slots=True)
class _Request:
    """A question."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    schema: JsonObject | None
    seed: int | None


def _missing(request: _Request, taken: Collection[str] | None) -> str | None:
    """What a model would have to take and does not, as far as litellm knows: it would drop it silently."""
    if taken is None:
        return None
    if request.tools and "tools" not in taken:
        return "it takes no tools; ask it in schema mode"
    if request.schema is not None and "response_format" not in taken:
        return "it takes no schema; ask it in tools mode"
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model is.

    Attributes:
        name: The model's, at its provider.
        is_own_service: Whether it is behind an address of the user's that speaks as OpenAI's does.
        is_listed: Whether litellm knows it by name, and what must be different in questions to it.
        taken: The parameters that it takes, as far as litellm knows; None if it does not.
    """

    name: str
    provider: str
    is_own_service: bool
    is_listed: bool
    taken: frozenset[str] | None

    @property
    def takes_questions_as_they_are(self) -> bool:
        """Whether litellm would change nothing about them."""
        return self.is_own_service and not self.is_listed


@lru_cache(maxsize=64)
def find_place(settings: ModelSettings) -> Place:
    """Where a model is; at an address of its own, any name will do. litellm searches long lists for it.

    Raises:
        SettingsError: It is not known where the model is, or litellm is not installed.
    """
    litellm = load_litellm()
    _check_provider(
        settings.provider,
        [*litellm.openai_compatible_providers, *(one.value for one in litellm.LlmProviders)],
    )
    try:
        found = litellm.get_llm_provider(
            model=settings.model, custom_llm_provider=settings.provider, api_base=settings.api_base
        )
        name, provider = str(found[0]), str(found[1])
    except litellm.exceptions.BadRequestError:
        if settings.api_base is None:
            raise SettingsError(
                f"It is not known where the model '{settings.model}' is: expected provider/name, such as "
                f"openai/{settings.model}, or a provider beside it, or the address of a service"
            ) from None
        name, provider = settings.model, "openai"
    taken = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider)
    return Place(
        name,
        provider,
        is_own_service=settings.api_base is not None and provider == "openai",
        is_listed=name in litellm.model_cost or f"openai/{name}" in litellm.model_cost,
        taken=None if taken is None else frozenset(taken),
    )


def _check_provider(provider: str | None, known: Sequence[str]) -> None:
    if provider is None or provider in known:
        return
    near = get_close_matches(provider, known, 1)
    hint = f"did you mean '{near[0]}'?" if near else "expected one of litellm's, such as openai or anthropic"
    raise SettingsError(f"There is no provider '{provider}'; {hint}")
