"""Ctrl-C during work that can go on later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from appeval_pipeline.cli.exits import INTERRUPTED


@contextmanager
def resumable() -> Iterator[None]:
    """Say of an interruption that nothing which had finished is lost, and exit as shells expect."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Interrupted: the same command goes on where this one was.", err=True)
        raise typer.Exit(INTERRUPTED) from None
