"""The lineage of a metric as a tree, and the difference between two versions of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from rich.markup import escape
from rich.padding import Padding
from rich.tree import Tree

from appeval_pipeline.cli.rendering import console
from appeval_pipeline.store import LineageNode, MetricDifference
from appeval_pipeline.store.differences import InputChange, Side

_SHORT: Final = 12
"""Characters of a hash or run id."""
_STYLES: Final = {"added": "green", "removed": "red", "changed": "yellow"}


def print_lineage(metric: LineageNode, *, full: bool) -> None:
    """Print the tree of a metric on stdout.

    Args:
        full: Print hashes and run ids whole.
    """
    console().print(_Trees(full).of(metric))


def print_difference(found: MetricDifference) -> None:
    """Print on stdout why a metric differs between two versions."""
    out = console()
    for indent, line in _difference_lines(found):
        out.print(Padding(line, (0, 0, 0, indent), expand=False) if line else "")


@dataclass(slots=True)
class _Trees:
    """Makes the branches; it knows which files are shown already."""

    full: bool
    shown_files: set[tuple[str, str]] = field(default_factory=set)

    def of(self, node: LineageNode) -> Tree:
        tree = Tree(self._label(node), guide_style="dim")
        for inner in (one for one in node.inputs if one.kind == "asset"):
            tree.add(self.of(inner))
        self._add_files(tree, [one for one in node.inputs if one.kind == "file"])
        for kind, name in (("code", "code"), ("config", "configuration")):
            values = [one for one in node.inputs if one.kind == kind]
            if values:
                tree.add(f"{name} " + " · ".join(map(self._value, values)))
        baseline = [one for one in node.inputs if one.kind == "upstream_version"]
        for partition, results in groupby(baseline, key=lambda one: one.partition_key):
            branch = tree.add(f"baseline [bold]{escape(str(partition))}[/] (upstream_version)")
            for inner in results:
                branch.add(self.of(inner))
        return tree

    def _add_files(self, tree: Tree, files: Iterable[LineageNode]) -> None:
        again = 0
        for node in files:
            if (node.key, node.version) in self.shown_files:
                again += 1
                continue
            self.shown_files.add((node.key, node.version))
            tree.add(f"file [cyan]{escape(node.key)}[/] sha256 {self._hash(node.version)}")
        if again:
            tree.add(f"[dim]{again} file{'' if again == 1 else 's'} as above[/]")

    def _label(self, node: LineageNode) -> str:
        place = f" of {escape(node.partition_key)}" if node.partition_key else ""
        if node.kind == "metric":
            return f"[bold]{escape(node.key)}[/]{place} = [bold]{escape(node.version)}[/]"
        text = f"[cyan]{escape(node.key)}[/]{place}"
        if node.is_repeated:
            return f"{text} [dim]… as above[/]"
        text += f" [dim]data version {self._hash(node.version)}"
        if node.run_id:
            when = f" at {node.materialized_at:%Y-%m-%d %H:%M:%S} UTC" if node.materialized_at else ""
            text += f", run {escape(self._hash(node.run_id))}{when}"
        return text + "[/]" + (f" [yellow]({escape(node.note)})[/]" if node.note else "")

    def _value(self, node: LineageNode) -> str:
        version = self._hash(node.version) if node.kind == "config" else node.version
        return f"{escape(node.key)} {escape(version)}"

    def _hash(self, text: str) -> str:
        return text if self.full else text[:_SHORT]


def _difference_lines(found: MetricDifference) -> Iterable[tuple[int, str]]:
    """Indent and text of each line."""
    difference = found.difference
    change = f" ({difference:+.10g})" if difference is not None else ""
    yield (
        0,
        f"[bold]{escape(found.metric)}[/] of {escape(found.app_id)}, in {found.unit}: "
        f"{_side(found.old)} → {_side(found.new)}{change}",
    )
    yield 0, ""
    yield 0, "[bold]What changed[/]" if found.changed else "[bold]Nothing that it rests on changed[/]"
    for one in found.changed:
        yield 2, f"[{_STYLES[one.what]}]{one.what:<8}[/] {_name(one)}"
        for detail in one.details:
            yield 11, escape(detail)
        if one.details_left_out:
            yield 11, f"[dim]… and {one.details_left_out} more[/]"
    if found.same:
        yield 0, ""
        yield 0, "[bold]The same for both[/]"
        for name in found.same:
            yield 2, escape(name)
    for note in found.notes:
        yield 0, ""
        yield 0, escape(note)


def _side(side: Side) -> str:
    value = "none" if side.value is None else f"{side.value:.10g}"
    return f"[bold]{value}[/] in version {side.version}"


def _name(change: InputChange) -> str:
    count = len(change.details) + change.details_left_out
    places = f": {count} place{'' if count == 1 else 's'}" if change.kind == "definition" else ""
    return f"{change.kind} [cyan]{escape(change.name)}[/]{places}"
