"""What went wrong with a try, told from exceptions of litellm's and of services of one's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final

from appeval_pipeline.agents.models.protocol import UNREADABLE, ModelReply
from appeval_pipeline.agents.models.redaction import redact
from appeval_pipeline.agents.models.retrying import FailedTry, Try
from appeval_pipeline.agents.protocol import Usage

_TRACEBACK: Final = "Traceback (most recent call last)"
"""litellm puts its own into some messages."""

_NAMES: Final = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?::| -) )+")
"""Those of exceptions, which it puts before what happened, one for each layer."""

_STATUS_MAY_PASS: Final = frozenset((408, 409, 425, 429))
"""Beside 5xx: time-outs, conflicts of locks, too many requests."""


_READS_ARGUMENTS: Final = "_handle_invalid_parallel_tool_calls"
"""A function of litellm's that reads the arguments of calls, to look for several calls in one. What no JSON
reader takes without harm (nested a thousand deep, integers of thousands of digits) makes it fail."""


def judge_failure(failure: Exception, secrets: Sequence[str]) -> Try:
    """A failure that was raised, in words, and whether asking again makes sense.

    Lost connections and unreadable answers come as errors with status 500, too. Arguments that litellm fails
    at are what the model said, and so an answer: to ask again would be to overlook the model's fault.
    """
    text = str(getattr(failure, "message", "") or failure)
    if _READS_ARGUMENTS in text:
        return ModelReply(usage=Usage(cost_usd=None), finish_reason=UNREADABLE)
    status = getattr(failure, "status_code", None)
    may_pass = isinstance(status, int) and (status in _STATUS_MAY_PASS or status >= 500)
    headers = _headers(failure)
    # Without headers there was no answer, and litellm made the status up.
    told = f" (status {status})" if headers else ""
    what = redact(_NAMES.sub("", text.split(_TRACEBACK)[0]), secrets) + told
    return FailedTry(what, may_pass, retry_after_s(headers))


def _headers(failure: Exception) -> Mapping[str, str]:
    for holder in (failure, getattr(failure, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(holder, name, None)
            if isinstance(headers, Mapping) and headers:
                return {str(key).lower(): str(value) for key, value in headers.items()}
    return {}


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a service asks to wait, as a number or a date (RFC 9110, 10.2.3); None if it does not.

    A date is held against the service's own ``Date``, since clocks differ.

    Args:
        headers: With names in lower case.
    """
    asked = headers.get("retry-after")
    if asked is None:
        return None
    try:
        return (
            max(float(asked), 0.0) if asked.strip()[:1].isdigit() else _seconds_until(asked, headers["date"])
        )
    except (KeyError, ValueError):
        return None


def _seconds_until(asked: str, now: str) -> float:
    moments: list[datetime] = [parsedate_to_datetime(text) for text in (asked, now)]
    return max((moments[0] - moments[1]).total_seconds(), 0.0)
