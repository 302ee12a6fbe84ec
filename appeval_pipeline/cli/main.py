"""The command ``appeval``: its subcommands, and the one place where their errors are shown.

Commands import what they need when they run, so that ``appeval --help`` starts fast.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable
from typing import Annotated, Final

import typer

from appeval_pipeline.cli.agent import agent
from appeval_pipeline.cli.bench import bench
from appeval_pipeline.cli.check import check
from appeval_pipeline.cli.compare import compare
from appeval_pipeline.cli.examples import add_examples
from appeval_pipeline.cli.exits import INVALID
from appeval_pipeline.cli.export import export
from appeval_pipeline.cli.model import model
from appeval_pipeline.cli.new import new
from appeval_pipeline.cli.run import run
from appeval_pipeline.cli.schema import schema
from appeval_pipeline.cli.serve import serve
from appeval_pipeline.cli.sql import sql
from appeval_pipeline.cli.tau import tau
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
_PANELS: Final[dict[str, tuple[Callable[..., None], ...]]] = {
    "Apps": (new, check, compare, bench, agent, schema),
    "The pipeline and its results": (run, ui, sql, why, export, serve),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(tau, name="tau", rich_help_panel="More")
app.add_typer(model, name="model", rich_help_panel="More")
add_examples(app)


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal or pipe that is not UTF-8 gets \u2192 for an arrow, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    if "--debug" not in sys.argv:
        # What fails in a trial or a step is in its result; without a handler Python would print tracebacks.
        logging.getLogger("appeval_pipeline").addHandler(logging.NullHandler())
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
