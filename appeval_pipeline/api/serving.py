"""The server: uvicorn with this application, until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import threading
from types import FrameType

import uvicorn

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context
from appeval_pipeline.api.runs.lazy import LazyRuns
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import open_store
from appeval_pipeline.store_address import seen_from_here


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until the process is told to end.

    Raises:
        StoreError: The store cannot be read or written.
    """
    store = SharedStore(open_store(settings.store))
    store.prepare()
    context = Context(settings.data_dir, store, LazyRuns(settings, store))
    app = create_app(context, token=settings.api_token, host=host)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    shown = f"[{host}]" if ":" in host else host
    token = ", with the token in APPEVAL_API_TOKEN" if settings.api_token else ""
    where = f"(data: {seen_from_here(settings.data_dir)}, results: {seen_from_here(settings.store)})"
    _Server(config, f"HTTP API: http://{shown}:{port}/docs{token}  {where}", context.ending).run()


class _Server(uvicorn.Server):
    """Says where it listens as soon as it does, and that it is about to end."""

    def __init__(self, config: uvicorn.Config, announcement: str, ending: threading.Event) -> None:
        super().__init__(config)
        self._announcement = announcement
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(self._announcement, file=sys.stderr, flush=True)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._ending.set()
        super().handle_exit(sig, frame)
