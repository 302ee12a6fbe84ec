"""``appeval why``: where a metric comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.tree import Tree

    from appeval_pipeline.store.lineage import LineageNode


def why(
    app: Annotated[str, typer.Argument(help="The app's id.", metavar="APP", show_default=False)],
    version: Annotated[int, typer.Argument(help="Its version.", metavar="VERSION", show_default=False)],
    metric: Annotated[
        str, typer.Argument(help="The metric, e.g. quality.overall.", metavar="METRIC", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a metric was computed from, down to files, code, configuration and the run."""
    from dataclasses import asdict

    from appeval_pipeline.cli.rendering import console, print_json
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import explain_metric, open_store

    node = explain_metric(open_store(load_settings().store), app, version, metric)
    if as_json:
        print_json(asdict(node))
    else:
        console().print(_tree(node))


def _tree(node: LineageNode) -> Tree:
    from rich.tree import Tree

    tree = Tree(_label(node), guide_style="dim")
    for inner in node.inputs:
        tree.add(_tree(inner))
    return tree


def _label(node: LineageNode) -> str:
    from rich.markup import escape

    place = f" of {node.partition_key}" if node.partition_key else ""
    match node.kind:
        case "metric":
            text = f"[bold]{escape(node.key)}[/]{place} = [bold]{escape(node.version)}[/]"
        case "file":
            text = f"file [cyan]{escape(node.key)}[/]\n  sha256 {node.version}"
        case "code":
            text = f"code {escape(node.key)} {escape(node.version)}"
        case _:
            text = f"{node.kind} [cyan]{escape(node.key)}[/]{place}\n  data version {escape(node.version)}"
            if node.run_id:
                when = f" at {node.materialized_at:%Y-%m-%d %H:%M:%S} UTC" if node.materialized_at else ""
                text += f"\n  run {node.run_id}{when}"
    if node.note:
        text += f"  [yellow]({escape(node.note)})[/]"
    return text
