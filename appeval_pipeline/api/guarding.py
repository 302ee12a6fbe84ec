"""What every request must get past: the name of the host, the token, the size of the body."""

from __future__ import annotations

import hmac
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from appeval_pipeline.api.problems import ApiProblem, Kind
from appeval_pipeline.ports import is_loopback

MAX_BODY_BYTES: Final = 2_000_000
"""Twice the largest state: as much again for parameters and layout."""
OPEN_PATHS: Final = ("/docs", "/docs/oauth2-redirect", "/openapi.json")
OPEN_FOLDER: Final = "/static-offline-docs/"
"""What describes the API and holds no data: a browser cannot send a token with the first page."""
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Refuses requests before anything of them is read.

    Args:
        app: What is guarded.
        token: Which bearer token every request needs; None for none.
        host: Where the server listens. On loopback, requests for other names are refused: a page from
            elsewhere could otherwise have its own name point here, and read what there is. So are requests of
            pages of other sites, which could otherwise start runs.
    """

    def __init__(self, app: ASGIApp, token: SecretStr | None, host: str) -> None:
        self._app = app
        self._token = token
        self._names = {*_LOOPBACK_NAMES, host} if is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem is not None:
            await problem.response(scope["path"])(scope, receive, send)
            return
        await self._app(scope, _limited(receive), send)

    def _problem(self, scope: Scope) -> ApiProblem | None:
        headers = Headers(scope=scope)
        if self._names is not None and _host_name(headers.get("host", "")) not in self._names:
            return ApiProblem(
                HTTPStatus.MISDIRECTED_REQUEST,
                Kind.WRONG_HOST,
                f"This server answers to {', '.join(sorted(self._names))} only",
            )
        origin = headers.get("origin")
        if self._names is not None and origin is not None and not _is_own(origin, headers["host"]):
            return ApiProblem(
                HTTPStatus.FORBIDDEN, Kind.FOREIGN_ORIGIN, "Pages of other sites may not use this server"
            )
        if not self._admits(scope["path"], headers):
            return ApiProblem(
                HTTPStatus.UNAUTHORIZED,
                Kind.UNAUTHORIZED,
                "A valid bearer token is needed: Authorization: Bearer <APPEVAL_API_TOKEN>",
                headers={"WWW-Authenticate": "Bearer"},
            )
        length = headers.get("content-length", "0")
        if length.isascii() and length.isdigit() and int(length[:20]) > MAX_BODY_BYTES:
            return too_large()
        return None

    def _admits(self, path: str, headers: Headers) -> bool:
        if self._token is None or path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        expected = self._token.get_secret_value().encode()
        is_right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), expected)
        return is_right and scheme.lower() == "bearer"


def too_large() -> ApiProblem:
    """413 for a body."""
    return ApiProblem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        Kind.BODY_TOO_LARGE,
        f"The body is larger than {MAX_BODY_BYTES:,} bytes",
        headers={"Connection": "close"},
    )


def _limited(receive: Receive) -> Receive:
    """Count what comes in: a body in chunks does not say beforehand how large it is."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > MAX_BODY_BYTES:
                # The one exception that FastAPI lets through while it reads a body.
                problem = too_large()
                raise HTTPException(problem.status, problem.detail, problem.headers)
        return message

    return receive_limited


def _is_own(origin: str, host: str) -> bool:
    """Whether a page is this server's, such as /docs."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
