"""FastWorkflow, loaded when it is first needed: importing it, with torch, takes many seconds.

What importing it does to the process, and what of it is replaced, is all in here.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from appeval_pipeline.agents.models.library import load_litellm
from appeval_pipeline.errors import SettingsError

logger = logging.getLogger(__name__)

WITHOUT_IT: Final = (
    "The agent fastworkflow takes FastWorkflow, which is not installed: "
    'pip install -c constraints.txt -e ".[fastworkflow]" (2 GB, see docs/fastworkflow.md)'
)

model_of_thread: Final[ContextVar[Any]] = ContextVar("model_of_thread")
"""The DSPy model of the trial that runs in this thread; FastWorkflow has one set of models for a process."""

_loading: Final = threading.Lock()


def installed_version() -> str:
    """Which FastWorkflow there is; nothing is loaded.

    Raises:
        SettingsError: It is not installed.
    """
    try:
        return metadata.version("fastworkflow")
    except metadata.PackageNotFoundError:
        raise SettingsError(WITHOUT_IT) from None


def load_fastworkflow() -> ModuleType:
    """The library, initialized, keeping quiet, and without its trained models.

    Raises:
        SettingsError: It is not installed.
    """
    with _loading:
        try:
            return _load()
        except ModuleNotFoundError as error:
            if error.name != "fastworkflow":
                raise
    raise SettingsError(WITHOUT_IT)


@cache
def _load() -> ModuleType:
    load_litellm()  # which it would import otherwise, as it comes: with a price list from the network
    with warnings.catch_warnings(), _logging_left_alone():
        warnings.simplefilter("ignore")
        fastworkflow = importlib.import_module("fastworkflow")
        dotenv = importlib.import_module("dotenv")
        shipped = Path(str(fastworkflow.__file__)).parent / "examples" / "fastworkflow.env"
        # Its own messages and sentinels; the models that the file names are replaced below.
        fastworkflow.init(dict(dotenv.dotenv_values(shipped)))
        models: Any = importlib.import_module("fastworkflow.utils.dspy_utils")
        models.get_lm = _model_of_this_thread
        _do_without_trained_models()
        _keep_off_the_console()
        # The internal commands, so that no two threads build them at once.
        fastworkflow.RoutingRegistry.get_definition(internal_workflow(fastworkflow))
    return fastworkflow


def internal_workflow(fastworkflow: ModuleType) -> str:
    """Where FastWorkflow's own commands are, such as ``what_can_i_do``."""
    return str(fastworkflow.get_internal_workflow_path("command_metadata_extraction"))


def _model_of_this_thread(*_: object, **__: object) -> Any:
    return model_of_thread.get()


class _UntrainedRouter:
    """Knows no command by its meaning, and says so; names are looked up before it is asked.

    FastWorkflow's own is a pair of classifiers that are trained for a workflow, from models of a hub.
    """

    modelpipeline = None

    def __init__(self, _: str) -> None:
        pass

    def predict(self, _: str) -> list[str]:
        """That it is no command, upon which FastWorkflow tells the model the names that there are."""
        return ["wildcard"]


def _do_without_trained_models() -> None:
    detection: Any = importlib.import_module(
        "fastworkflow._workflows.command_metadata_extraction.intent_detection"
    )
    detection.CommandRouter = _UntrainedRouter
    # What was once meant by some words: found by the same models, and kept beyond a trial.
    detection.cache_match = lambda *_, **__: None
    detection.store_utterance_cache = lambda *_, **__: None


def _keep_off_the_console() -> None:
    """DSPy prints which tries to read parameters failed, into the midst of what our command line prints."""
    tries: Any = importlib.import_module("dspy.predict.best_of_n")
    tries.print = lambda *texts, **_: logger.debug("%s", " ".join(map(str, texts)))


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """It sets up logging for the whole process, and its own loggers to write to the console."""
    root = logging.getLogger()
    kept = root.level, list(root.handlers), logging.getLogRecordFactory()
    level = os.environ.get("LOG_LEVEL")
    os.environ["LOG_LEVEL"] = "ERROR"  # others may have it for another purpose, and it knows few values
    try:
        yield
    finally:
        del os.environ["LOG_LEVEL"]
        if level is not None:
            os.environ["LOG_LEVEL"] = level
        root.setLevel(kept[0])
        for handler in list(root.handlers):
            if handler not in kept[1]:
                root.removeHandler(handler)
        logging.setLogRecordFactory(kept[2])
        own = logging.getLogger("fastWorkflow")
        own.handlers.clear()
        own.propagate = True
        own.setLevel(logging.ERROR)
