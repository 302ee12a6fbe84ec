"""litellm, loaded when it is first needed: importing it takes seconds."""

from __future__ import annotations

import importlib
import logging
import os
import threading
import warnings
from functools import cache
from types import ModuleType
from typing import Final

from appeval_pipeline.errors import SettingsError

_loading: Final = threading.Lock()


def load_litellm() -> ModuleType:
    """The library, set to keep quiet: no price list from the network, no telemetry, no banners.

    Raises:
        SettingsError: It is not installed.
    """
    with _loading:
        try:
            return _load()
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                raise
    raise SettingsError(
        'A model takes litellm, which is not installed: pip install -c constraints.txt -e ".[llm]"'
    )


def is_loaded() -> bool:
    """Whether the library is there, so that loading it takes no time."""
    return _load.cache_info().currsize > 0


@cache
def _load() -> ModuleType:
    # What the user has set stands. Without the first, importing it fetches a price list; the second keeps it
    # from reading a .env somewhere above its own directory.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what pydantic thinks of its classes is not for our users
        litellm = importlib.import_module("litellm")
        litellm.ModelResponse()  # the classes of answers are completed when the first one is made
    for name, value in (("telemetry", False), ("suppress_debug_info", True), ("set_verbose", False)):
        setattr(litellm, name, value)
    _quieten_loggers()
    return litellm


def _quieten_loggers() -> None:
    if "LITELLM_LOG" not in os.environ:
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    requests = logging.getLogger("httpx")
    if requests.level == logging.NOTSET:
        requests.setLevel(logging.WARNING)  # it logs addresses, and some services take the key in there
