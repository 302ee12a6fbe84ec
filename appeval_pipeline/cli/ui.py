"""``appeval ui``: the Dagster UI and daemon on this project."""

from __future__ import annotations

from typing import Annotated

import typer


def ui(
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 3000,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
) -> None:
    """Open the Dagster UI with its daemon: drop a file into the data folder, see the results.

    Ends with Ctrl-C.
    """
    import os
    import signal
    import sys

    from appeval_pipeline.dagster_home import prepare_dagster_home, write_workspace
    from appeval_pipeline.defs.execution import bury_dead_runs
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import open_store

    settings = load_settings()
    prepare_dagster_home(settings.dagster_home)
    workspace = write_workspace(settings.dagster_home)
    open_store(settings.store).prepare()
    _check_port(host, port)
    bury_dead_runs(settings)
    typer.echo(
        f"Dagster UI: http://{host}:{port}  (data: {settings.data_dir}, results: {settings.store})", err=True
    )
    command = [
        sys.executable,
        "-m",
        "dagster",
        "dev",
        "--workspace",
        str(workspace),
        "--host",
        host,
        "--port",
        str(port),
    ]
    # A shell that starts this in the background has interrupts ignored, and Dagster would inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # This process becomes Dagster, so that whoever stops it stops Dagster and nothing is left behind.
    os.execve(sys.executable, command, {**os.environ, **settings.environment()})


def _check_port(host: str, port: int) -> None:
    """Fail now if nothing can listen there: Dagster would go on without its web server."""
    import socket

    from appeval_pipeline.errors import SettingsError

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on {host}:{port}: {error.strerror}; give another --port"
        ) from None
