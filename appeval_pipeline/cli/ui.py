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
    from appeval_pipeline.ports import check_port
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import open_store
    from appeval_pipeline.store_address import seen_from_here

    settings = load_settings()
    prepare_dagster_home(settings.dagster_home)
    workspace = write_workspace(settings.dagster_home)
    open_store(settings.store).prepare()
    check_port(host, port)
    bury_dead_runs(settings)
    where = f"(data: {seen_from_here(settings.data_dir)}, results: {seen_from_here(settings.store)})"
    typer.echo(f"Dagster UI: http://{host}:{port}  {where}", err=True)
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
    os.execve(sys.executable, command, {**os.environ, **settings.environment(), **_without_advice()})


def _without_advice() -> dict[str, str]:
    """`dagster dev` recommends another command of Dagster's, which is of no use to whoever called ours."""
    import os

    told = os.environ.get("PYTHONWARNINGS")
    ignored = "ignore:Function `dev_command` is superseded"
    return {"PYTHONWARNINGS": f"{told},{ignored}" if told else ignored}
