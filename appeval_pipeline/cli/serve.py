"""``appeval serve``: the HTTP API."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
) -> None:
    """Serve results, actions and runs over HTTP; needs the extra `api`. What there is stands at /docs.

    Beyond loopback it needs a bearer token, in APPEVAL_API_TOKEN; where one is set, every request must have
    it. Ends with Ctrl-C, and with it the runs that it has started.
    """
    import importlib.util
    import os
    import signal
    import sys

    from appeval_pipeline.errors import SettingsError
    from appeval_pipeline.ports import check_port, is_loopback
    from appeval_pipeline.settings import load_settings

    if any(importlib.util.find_spec(name) is None for name in ("fastapi", "fastapi_offline", "uvicorn")):
        raise SettingsError('The HTTP API is not installed: pip install -c constraints.txt -e ".[api]"')
    settings = load_settings()
    if not is_loopback(host) and settings.api_token is None:
        raise SettingsError(
            f"--host {host} can be reached from elsewhere, which takes a token: set APPEVAL_API_TOKEN, or "
            "listen on 127.0.0.1"
        )
    check_port(host, port)
    # A shell that starts this in the background has interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "appeval_pipeline.api", host, str(port)]
    # This process becomes the server, so that whoever stops it stops the server and nothing is left behind.
    os.execve(sys.executable, command, {**os.environ, **settings.environment()})
