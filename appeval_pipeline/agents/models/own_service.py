"""A service of one's own that speaks as OpenAI's does, asked by OpenAI's client.

Beside litellm's way of asking it this one takes a fraction of the processor's time and no thread, which is
what many trials at once wait for where the service itself is quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from appeval_pipeline.agents.models.failures import judge_status
from appeval_pipeline.agents.models.retrying import FailedTry

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import APIStatusError
    from openai.types.chat import ChatCompletion

_PATH: Final = "/chat/completions"


async def ask_own_service(
    api_base: str, api_key: str, question: Mapping[str, Any], timeout_s: float, secrets: Sequence[str]
) -> ChatCompletion | FailedTry:
    """Ask once.

    A question has a connection of its own: one that is kept would belong to the event loop that it was made
    in, and every evaluation has its own.

    Args:
        question: The request as it is sent, unchecked: OpenAI's client would look through every key of every
            tool for files to send, which takes longer than all the rest.
        secrets: What is not to be told of a failure.

    Returns:
        The answer, which may lack anything; the client does not check it.
    """
    import httpx
    import openai
    from openai.types.chat import ChatCompletion

    connections = httpx.AsyncClient(verify=_certificates(), follow_redirects=True, timeout=timeout_s)
    async with openai.AsyncOpenAI(
        base_url=api_base, api_key=api_key, http_client=connections, max_retries=0, timeout=timeout_s
    ) as client:
        try:
            return await client.post(_PATH, cast_to=ChatCompletion, body=question)
        except openai.APIStatusError as failure:
            headers = {name.lower(): value for name, value in failure.response.headers.items()}
            return judge_status(_told(failure), failure.status_code, headers, secrets)
        except openai.APIConnectionError as failure:
            return FailedTry(str(failure), may_pass=True)
        except ValueError:
            return FailedTry("the answer is no JSON", may_pass=True)


def _told(failure: APIStatusError) -> str:
    """What the service said, where it said so as OpenAI's does."""
    body = failure.body
    message = body.get("message") if isinstance(body, Mapping) else None
    return message if isinstance(message, str) else failure.message


@cache
def _certificates() -> SSLContext:
    """Whom to trust: reading these takes longer than a question."""
    import httpx

    return httpx.create_ssl_context()
