"""The application: routes, what guards them, and the OpenAPI document."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import RedirectResponse
from fastapi_offline import FastAPIOffline
from pydantic import SecretStr

from appeval_pipeline.api.context import Context
from appeval_pipeline.api.guarding import Guard
from appeval_pipeline.api.models.examples import EXAMPLES
from appeval_pipeline.api.problems import Problem, install_handlers
from appeval_pipeline.api.routes import actions, app_definitions, benchmarks, runs
from appeval_pipeline.version import PACKAGE_VERSION

_DESCRIPTION: Final = """\
Stored results of app versions, actions to try, and runs to start.

* Reads see one published snapshot each, also while a run writes. Answers say where their numbers come from.
* What stores something starts the Dagster job that the UI would start: the answer is 202 with the run's id,
  or with `?wait=true` its result.
* Errors are problem documents (RFC 9457), told apart by their `type`.
"""
_TAGS: Final = [
    {"name": "app definitions", "description": "Apps, their versions, and what is stored of them"},
    {"name": "actions", "description": "One action on a given state; stores nothing"},
    {"name": "runs", "description": "Runs of the pipeline"},
    {"name": "benchmarks", "description": "The reference apps"},
]


def create_app(context: Context, *, token: SecretStr | None = None, host: str = "127.0.0.1") -> FastAPI:
    """The application of one server.

    Args:
        context: What it works with; closed when the application ends.
        token: Which bearer token requests need, if any.
        host: Where the server listens.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        context.runs.close()
        context.store.close()

    app = FastAPIOffline(
        title="appeval",
        version=PACKAGE_VERSION,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.context = context
    for routes in (app_definitions, actions, benchmarks, runs):
        app.include_router(routes.router)
    app.add_api_route("/", _to_the_description, include_in_schema=False)
    install_handlers(app)
    app.add_middleware(Guard, token=token, host=host)
    app.openapi = lambda: _document(app, has_token=token is not None)  # type: ignore[method-assign]
    return app


def _to_the_description() -> RedirectResponse:
    return RedirectResponse("/docs")


def _parameters(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operations in document["paths"].values():
        for operation in operations.values():
            yield from operation.get("parameters", ())


def _document(app: FastAPI, *, has_token: bool) -> dict[str, Any]:
    """The OpenAPI document, with the problems that FastAPI does not know of; made once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        for parameter in _parameters(document):
            # Left out is not null: there is no null in a query.
            match parameter["schema"]:
                case {"anyOf": [{**given}, {"type": "null"}]}:
                    del parameter["schema"]["anyOf"]
                    parameter["schema"].update(given)
        components = document.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        for name, example in EXAMPLES.items():
            schemas[name]["examples"] = [example]
        if has_token:
            components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"token": []}]
        app.openapi_schema = document
    return app.openapi_schema
