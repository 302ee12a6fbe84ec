"""One text form for a JSON value, and its hash."""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """The JSON text of ``value`` with sorted keys and no needless space.

    Raises:
        TypeError: ``value`` is not made of JSON types.
        ValueError: A number is not finite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of(value: object) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
