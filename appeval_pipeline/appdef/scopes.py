"""Which names an expression may use, and a walk over every block with its place and scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.appdef.schema import ActionDefinition, AnyBlock, BranchBlock, LoopBlock

CONTEXT_NAMES: Final = ("params", "agent", "agents", "shared", "config")
RESERVED_NAMES: Final = ("true", "false", "null")


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block, where it stands, and the loop items that it sees.

    Attributes:
        id: Its path, e.g. ``transfer.logic[3].then[0]``; ``actions.`` before it makes it a location.
        depth: Branches and loops around it.
        items: Loop items in scope, outermost first.
        arm: The id of the list it stands in, e.g. ``transfer.logic[3].then``.
        index: Its position in that list.
    """

    id: str
    block: AnyBlock
    depth: int
    items: tuple[str, ...]
    arm: str
    index: int

    @property
    def location(self) -> str:
        return f"actions.{self.id}"

    @property
    def scope(self) -> frozenset[str]:
        """The names that expressions of this block may use."""
        return frozenset((*CONTEXT_NAMES, *self.items))


def arms(block: AnyBlock) -> tuple[tuple[str, Sequence[AnyBlock]], ...]:
    """The lists of blocks inside ``block``, by key."""
    match block:
        case BranchBlock():
            return (("then", block.then), ("else", block.else_ or ()))
        case LoopBlock():
            return (("body", block.body),)
        case _:
            return ()


def walk_blocks(action: ActionDefinition) -> Iterator[PlacedBlock]:
    """Every block of ``action``, outer before inner, in the order of the definition."""
    yield from _walk(action.logic, f"{action.name}.logic", 0, ())


def _walk(blocks: Sequence[AnyBlock], arm: str, depth: int, items: tuple[str, ...]) -> Iterator[PlacedBlock]:
    for index, block in enumerate(blocks):
        placed = PlacedBlock(f"{arm}[{index}]", block, depth, items, arm, index)
        yield placed
        inner = (*items, block.item) if isinstance(block, LoopBlock) else items
        for key, inner_blocks in arms(block):
            yield from _walk(inner_blocks, f"{placed.id}.{key}", depth + 1, inner)
