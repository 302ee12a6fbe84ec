"""Errors as RFC 9457 problem documents, and how exceptions become them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from appeval_pipeline.errors import AppEvalError, StoreError

MEDIA_TYPE: Final = "application/problem+json"
_PREFIX: Final = "urn:appeval:problem:"
_MOST_NAMES: Final = 20
_MOST_FAULTS: Final = 20
_MOST_CHARACTERS: Final = 200
"""Of what the caller said, when it is said back."""

logger = logging.getLogger(__name__)


class Kind(StrEnum):
    """The kinds of problems: each ends the URN of a problem's type."""

    UNAUTHORIZED = "unauthorized"
    UNKNOWN_APP = "unknown-app"
    UNKNOWN_VERSION = "unknown-version"
    UNKNOWN_RUN = "unknown-run"
    UNKNOWN_ROUTE = "unknown-route"
    NOT_EVALUATED = "not-evaluated"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    RUN_UNDER_WAY = "run-under-way"
    NOT_RUNNABLE = "not-runnable"
    STATE_TOO_LARGE = "state-too-large"
    BODY_TOO_LARGE = "body-too-large"
    WRONG_HOST = "wrong-host"
    FOREIGN_ORIGIN = "foreign-origin"
    INVALID_REQUEST = "invalid-request"
    TOO_MANY_RUNS = "too-many-runs"
    INTERNAL_ERROR = "internal-error"
    STORE_UNAVAILABLE = "store-unavailable"
    SET_UP_WRONGLY = "set-up-wrongly"
    OTHER = "other"


class FieldFault(BaseModel):
    """One thing that is wrong with a request."""

    location: str = Field(
        description="Where, e.g. `body.params` or `query.version`", examples=["query.version"]
    )
    message: str = Field(description="What is wrong, or what would be accepted")


class Problem(BaseModel):
    """An error, as RFC 9457 has it. Members that say nothing are left out."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:appeval:problem:unknown-app",
                    "title": "Unknown app",
                    "status": 404,
                    "detail": "There is no app 'paypall'; known apps: bench_counter, paypal",
                    "instance": "/api/v1/app-definitions/paypall",
                    "known": ["bench_counter", "paypal"],
                }
            ]
        }
    )

    type: str = Field(description="The kind of problem, a URN; programs tell problems apart by it")
    title: str = Field(description="The kind of problem in words")
    status: int = Field(description="The HTTP status", ge=400, le=599)
    detail: str = Field(description="What happened, and what would be accepted")
    instance: str = Field(description="The path that was asked for")
    errors: list[FieldFault] | None = Field(default=None, description="What is wrong, field by field (422)")
    known: list[str] | None = Field(
        default=None, description=f"What there is instead (404), the first {_MOST_NAMES}"
    )
    run_id: str | None = Field(default=None, description="The run that is under way (409)")


class ApiProblem(Exception):
    """What ends a request with a problem document.

    Args:
        status: The HTTP status.
        kind: What kind of problem.
        detail: What happened, and what would be accepted.
    """

    def __init__(
        self,
        status: HTTPStatus,
        kind: Kind,
        detail: str,
        *,
        errors: Iterable[FieldFault] | None = None,
        known: Iterable[str] | None = None,
        run_id: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.errors = None if errors is None else list(errors)[:_MOST_FAULTS]
        self.known = None if known is None else list(known)[:_MOST_NAMES]
        self.run_id = run_id
        self.headers = dict(headers or {})

    def response(self, path: str) -> Response:
        """The answer to a request for ``path``."""
        problem = Problem(
            type=f"{_PREFIX}{self.kind}",
            title=self.kind.replace("-", " ").capitalize(),
            status=self.status,
            detail=self.detail,
            instance=shortened(path),
            errors=self.errors,
            known=self.known,
            run_id=self.run_id,
        )
        return Response(
            problem.model_dump_json(exclude_none=True),
            status_code=self.status,
            media_type=MEDIA_TYPE,
            headers=self.headers,
        )


def shortened(text: str) -> str:
    """What the caller said, in at most 200 characters and such as can be said back."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= _MOST_CHARACTERS else plain[: _MOST_CHARACTERS - 1] + "…"


def listed(names: Iterable[str]) -> str:
    """Names for a sentence, the first twenty."""
    every = list(names)
    more = f" and {len(every) - _MOST_NAMES} more" if len(every) > _MOST_NAMES else ""
    return (", ".join(every[:_MOST_NAMES]) or "none") + more


def invalid(location: str, message: str) -> ApiProblem:
    """422 for one field."""
    detail = f"{location}: {message}"
    fault = FieldFault(location=location, message=message)
    return ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, Kind.INVALID_REQUEST, detail, errors=[fault])


def install_handlers(app: FastAPI) -> None:
    """Answer every exception with a problem document."""
    app.add_exception_handler(ApiProblem, _answer_problem)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(AppEvalError, _answer_error)
    app.add_exception_handler(Exception, _answer_unforeseen)


async def _answer_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiProblem)
    return error.response(request.url.path)


async def _answer_http(request: Request, error: Exception) -> Response:
    """What the router found out: no such path, another method, no JSON."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    path = shortened(request.url.path)
    allowed = (error.headers or {}).get("Allow", "none")
    kind, detail = {
        HTTPStatus.NOT_FOUND: (Kind.UNKNOWN_ROUTE, f"There is nothing at {path}; /docs lists what there is"),
        HTTPStatus.METHOD_NOT_ALLOWED: (
            Kind.METHOD_NOT_ALLOWED,
            f"{request.method} does not go with {path}; accepted: {allowed}",
        ),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (Kind.BODY_TOO_LARGE, str(error.detail)),
        HTTPStatus.BAD_REQUEST: (Kind.INVALID_REQUEST, "The body cannot be read as JSON in UTF-8"),
    }.get(status, (Kind.OTHER, str(error.detail)))
    return ApiProblem(status, kind, detail, headers=error.headers).response(request.url.path)


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if isinstance(error.body, bytes):
        # FastAPI reads as JSON what says that it is; it then complains of bytes, which tells nobody anything.
        given = shortened(request.headers.get("content-type", ""))
        message = (
            f"the header Content-Type is {repr(given) if given else 'missing'}; accepted is application/json"
        )
        return invalid("body", message).response(request.url.path)
    faults = [_fault(found) for found in error.errors()]
    detail = "; ".join(f"{fault.location}: {fault.message}" for fault in faults[:3])
    problem = ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, Kind.INVALID_REQUEST, detail, errors=faults)
    return problem.response(request.url.path)


def _fault(found: Mapping[str, Any]) -> FieldFault:
    location = ".".join(map(str, found["loc"]))
    message = str(found["msg"]).removeprefix("Value error, ")
    if found["type"] == "json_invalid":
        location, message = "body", f"no valid JSON at byte {found['loc'][-1]}: {found['ctx']['error']}"
    return FieldFault(location=shortened(location), message=shortened(message))


async def _answer_error(request: Request, error: Exception) -> Response:
    """The store, the data directory or Dagster's home cannot be used: its owner can mend that."""
    kind = Kind.STORE_UNAVAILABLE if isinstance(error, StoreError) else Kind.SET_UP_WRONGLY
    return ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, kind, str(error)).response(request.url.path)


async def _answer_unforeseen(request: Request, error: Exception) -> Response:
    """Nothing of its inside is told; the server's log has it."""
    return ApiProblem(
        HTTPStatus.INTERNAL_SERVER_ERROR, Kind.INTERNAL_ERROR, "The server failed; its log says why"
    ).response(request.url.path)
