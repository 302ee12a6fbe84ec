"""Lists of texts as parameters of SQL."""

from __future__ import annotations

from collections.abc import Iterable

import orjson

TEXTS = "CAST(CAST(? AS JSON) AS VARCHAR[])"
"""What stands in SQL for the list that :func:`texts` gives."""


def texts(values: Iterable[str]) -> str:
    """Texts as one parameter.

    Of a list, DuckDB's client looks at each value in search of libraries that may not even be installed: a
    thousand keys take 0.2 s.
    """
    return orjson.dumps(list(values)).decode()
