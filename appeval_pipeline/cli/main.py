"""The command ``appeval``: its subcommands, and the one place where their errors are shown.

Commands import what they need when they run, so that ``appeval --help`` starts fast.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from appeval_pipeline.cli.agent import agent
from appeval_pipeline.cli.bench import bench
from appeval_pipeline.cli.check import check
from appeval_pipeline.cli.compare import compare
from appeval_pipeline.cli.exits import INVALID
from appeval_pipeline.cli.export import export
from appeval_pipeline.cli.run import run
from appeval_pipeline.cli.schema import schema
from appeval_pipeline.cli.sql import sql
from appeval_pipeline.cli.ui import ui
from appeval_pipeline.cli.why import why
from appeval_pipeline.errors import AppEvalError
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

app = typer.Typer(
    name="appeval",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Evaluate simulated apps: quality, scenarios, and where every number comes from.",
)
for command in (run, check, compare, bench, agent, sql, why, export, schema, ui):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"appeval {PACKAGE_VERSION} (evaluator {EVALUATOR_VERSION})")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Options of every command."""


def main() -> None:
    """Run the command line; errors end in one paragraph on stderr and exit code 2."""
    try:
        app()
    except AppEvalError as error:
        if "--debug" in sys.argv:
            raise
        typer.echo(f"Error: {error}", err=True)
        sys.exit(INVALID)
    except BrokenPipeError:
        # Whoever read our output has stopped; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if "--debug" in sys.argv:
            raise
        place = f" '{error.filename}'" if error.filename else ""
        typer.echo(f"Error: The system refused{place}: {error.strerror or error}", err=True)
        sys.exit(INVALID)
