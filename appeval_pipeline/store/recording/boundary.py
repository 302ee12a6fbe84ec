"""The boundary of a step: the one place where an evaluation may fail in any way, and the row that tells."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from appeval_pipeline.agent_plan import DEFAULT_PLAN, AgentPlan
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import AppEvalError
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.recording.engines import engine_of
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import Input, Row

logger = logging.getLogger(__name__)

NOT_EVALUATED = "not_evaluated"
ERROR = "error"

Rows = tuple[Row, ...]


def evaluated_rows(
    stored: StoredVersion,
    evaluate: Callable[[Engine], Iterable[Row]],
    without: Callable[[str, str], Iterable[Row]],
) -> Rows:
    """The rows of an evaluation, or those that say why there are none.

    Args:
        stored: The version.
        evaluate: Makes the rows from the version's engine; whatever it raises is recorded.
        without: Makes the rows from a status (``not_evaluated`` or ``error``) and the error.
    """
    if stored.status != "valid" or stored.definition is None:
        return tuple(without(NOT_EVALUATED, "The version has no valid definition"))
    try:
        engine = engine_of(stored.definition)
    except AppEvalError as error:
        return tuple(without(NOT_EVALUATED, str(error)))
    try:
        return tuple(evaluate(engine))
    except Exception as failure:
        logger.exception("Evaluating %s failed", stored.partition_key)
        return tuple(without(ERROR, describe(failure)))


def base_inputs(stored: StoredVersion, asset: str, agents: AgentPlan = DEFAULT_PLAN) -> tuple[Input, ...]:
    """What every evaluation of a version rests on: its definition, the code and the configuration."""
    return (*stored.as_inputs(), *common_inputs(asset, agents))


def describe(failure: Exception) -> str:
    """A failure in one line; of an unforeseen one, its type too."""
    return str(failure) if isinstance(failure, AppEvalError) else f"{type(failure).__name__}: {failure}"
