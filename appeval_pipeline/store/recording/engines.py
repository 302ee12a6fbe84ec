"""The engines of stored definitions, kept from one asset to the next."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine

MOST_CHARACTERS = 16_000_000
"""Of the definitions whose engines are kept: an engine takes about thirty bytes for each."""


class Engines:
    """The engines that were asked for last.

    A run goes over all its versions in each asset, so that few engines kept would be none found.

    Args:
        most_characters: The sum of the lengths of the definitions whose engines are kept.
    """

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._size = 0
        self._kept: OrderedDict[str, Engine] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, definition: str) -> Engine:
        """The engine of a stored definition.

        Raises:
            AppEvalError: The definition cannot run.
        """
        with self._lock:
            engine = self._kept.get(definition)
            if engine is not None:
                self._kept.move_to_end(definition)
                return engine
        engine = Engine(load_app(json.loads(definition)))
        with self._lock:
            if definition not in self._kept:
                self._size += len(definition)
            self._kept[definition] = engine
            while self._size > self._most:
                oldest, _ = self._kept.popitem(last=False)
                self._size -= len(oldest)
        return engine


engine_of = Engines().of
"""The engine of a stored definition, from this process's own store of them."""
