"""One action of a stored definition on a given state; stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from appeval_pipeline.api.models.trying import CallAnswer, CallRequest
from appeval_pipeline.api.problems import ApiProblem, FieldFault, Kind, invalid
from appeval_pipeline.api.reading import Stored
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import AppEvalError, DefinitionError, StateError
from appeval_pipeline.expr.context import ExecutionContext
from appeval_pipeline.expr.limits import MAX_STATE_BYTES
from appeval_pipeline.expr.values import json_size
from appeval_pipeline.store.recording.engines import engine_of
from appeval_pipeline.store.rows import AppVersionRow


def try_action(stored: Stored[AppVersionRow], request: CallRequest) -> CallAnswer:
    """Run the action within the engine's limits.

    Raises:
        ApiProblem: 413 for a state over 1 MB, 422 for one that is none, 409 for a definition that cannot run.
    """
    engine = _engine(stored.row)
    context = ExecutionContext(seed=request.seed, roles=dict(request.roles))
    try:
        state = _state(engine, request)
        result = engine.execute(
            request.agent_id, request.action, request.params, state, context, trace=request.trace
        )
    except StateError as error:
        raise invalid("body.state", str(error)) from None
    return CallAnswer.model_validate(
        {
            **result.to_dict(),
            "app_id": stored.row.app_id,
            "version": stored.row.version,
            "source": stored.source,
        }
    )


def _engine(row: AppVersionRow) -> Engine:
    try:
        if row.definition is not None:
            return engine_of(row.definition)
        why = row.error or "its definition is invalid"
        faults = []
    except DefinitionError as error:
        why = "its definition cannot run"
        faults = [FieldFault(location=fault.location, message=fault.message) for fault in error.faults]
    except AppEvalError as error:
        why, faults = str(error), []
    raise ApiProblem(
        HTTPStatus.CONFLICT,
        Kind.NOT_RUNNABLE,
        f"{row.app_id}@{row.version} cannot run: {why}",
        errors=faults or None,
    )


def _state(engine: Engine, request: CallRequest) -> Mapping[str, object]:
    if request.state is None:
        return engine.initial_state(dict.fromkeys([request.agent_id, *request.agents]))
    given = request.state.model_dump()
    _check_size(given)
    complete = engine.complete_state(given, request.agents)
    _check_size(complete)
    return complete


def _check_size(state: Mapping[str, object]) -> None:
    size = json_size(state)
    if size > MAX_STATE_BYTES:
        raise ApiProblem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            Kind.STATE_TOO_LARGE,
            f"The state is {size:,} bytes as JSON; accepted are {MAX_STATE_BYTES:,}",
        )
