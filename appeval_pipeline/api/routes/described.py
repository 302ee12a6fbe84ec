"""What the OpenAPI document says of errors."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from appeval_pipeline.api.problems import MEDIA_TYPE

_REASONS: Final = {
    HTTPStatus.UNAUTHORIZED: "The bearer token is missing or wrong",
    HTTPStatus.NOT_FOUND: "There is no such app, version, result or run; the answer names what there is",
    HTTPStatus.CONFLICT: "Not now: a run is at work on this version, or its definition cannot run",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The state is over 1 MB, or the body over 2 MB",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The request is invalid; `errors` says what, field by field",
    HTTPStatus.TOO_MANY_REQUESTS: "As many runs as may be are at work",
    HTTPStatus.SERVICE_UNAVAILABLE: "The store, the data directory or Dagster's home cannot be used",
}
Responses = dict[int | str, dict[str, Any]]


def problems(*statuses: HTTPStatus) -> Responses:
    """The responses of a route that may end in these problems, beside those that every route may end in."""
    every = (
        *statuses,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.SERVICE_UNAVAILABLE,
    )
    described: Responses = {int(status): _described(_REASONS[status]) for status in sorted(every)}
    return {**described, "default": _described("Any other problem")}


def _described(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


UNKNOWN: Final = problems(HTTPStatus.NOT_FOUND)
