"""Keys taken out of texts that others wrote: a service may quote the key it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

REDACTED: Final = "[redacted]"
LONGEST: Final = 500
"""Characters of a text that are kept."""

_SECRET_NAME: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)S?$", re.IGNORECASE)
_SHORTEST_SECRET: Final = 8
"""A shorter value is as likely a word of the text as a secret."""

_PATTERNS: Final = (
    re.compile(r"(?i)(\bbearer\s+)\S+"),
    re.compile(r"(?i)(\bapi[-_ ]?key(?: provided)?[\"']?\s*[:=]\s*[\"']?)[^\s\"',&]+"),
    re.compile(r"(://)[^/\s@]+(?=@)"),
    re.compile(r"()\b(?:sk|pk|rk|xai|gsk|hf|pplx|r8)[-_][\w*.-]{6,}"),
    re.compile(r"()\bAIza[\w-]{10,}"),
)
"""What looks like a key, wherever it comes from; the first group stays."""


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that are named like secrets, longest first."""
    values = {
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    }
    return tuple(sorted(values, key=len, reverse=True))


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """The text in one line, shortened, without any of the secrets or what looks like one."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    text = " ".join(text.split())
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{REDACTED}", text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
