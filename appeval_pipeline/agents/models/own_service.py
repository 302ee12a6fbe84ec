"""A service of one's own that speaks as OpenAI's does, asked without litellm.

That takes a fraction of the processor's time and no thread, which is what many trials at once wait for where
the service itself is quick.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from ssl import SSLContext

_REFUSED: Final = 400


class _Function(BaseModel):
    name: Any = None
    arguments: Any = None


class _Call(BaseModel):
    function: _Function
    id: Any = None


class _Message(BaseModel):
    content: Any = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: Any = None


class _Usage(BaseModel):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class ChatCompletion(BaseModel):
    """What is read of an answer; other parts may be there."""

    choices: list[_Choice]
    usage: _Usage | None = None


class RefusedError(Exception):
    """The service answered, and not with a completion.

    Attributes:
        headers: Of its answer, with names in lower case.
    """

    def __init__(self, message: str, status_code: int, headers: Mapping[str, str]) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.headers = headers


class LostError(Exception):
    """There was no answer, or none that can be read: another time there may be."""


async def ask_own_service(
    api_base: str, api_key: str, question: Mapping[str, Any], timeout_s: float
) -> ChatCompletion:
    """Ask once.

    A question has a connection of its own: one that is kept would belong to the event loop that it was made
    in, and every evaluation has its own.

    Args:
        question: The request, as it is sent.
        timeout_s: For each part of an answer that arrives.

    Raises:
        RefusedError: The service says that it will not, or cannot.
        LostError: There was no answer, or it is no chat completion.
    """
    import httpx

    address = f"{api_base.rstrip('/')}/chat/completions"
    keys = {"Authorization": f"Bearer {api_key}"}
    try:
        async with httpx.AsyncClient(
            verify=_certificates(), follow_redirects=True, timeout=timeout_s
        ) as client:
            answer = await client.post(address, json=question, headers=keys)
    except httpx.RequestError as failure:
        raise LostError(f"no connection: {failure or type(failure).__name__}") from None
    if answer.status_code >= _REFUSED:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        raise RefusedError(_told(answer.text) or answer.reason_phrase, answer.status_code, headers)
    try:
        return ChatCompletion.model_validate(json.loads(answer.content))
    except ValidationError:
        raise LostError("the answer has no message") from None
    except (ValueError, RecursionError):
        raise LostError("the answer is no JSON") from None


def _told(refusal: str) -> str:
    """What the service said, where it said so as OpenAI's does."""
    try:
        message = json.loads(refusal)["error"]["message"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return refusal
    return message if isinstance(message, str) else refusal


@cache
def _certificates() -> SSLContext:
    """Whom to trust: reading these takes longer than a question."""
    import httpx

    return httpx.create_ssl_context()
