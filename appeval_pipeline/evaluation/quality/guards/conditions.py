"""Which parameters the conditions of an action read."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.appdef.schema import ActionDefinition, BranchBlock, LoopBlock, ValidateBlock
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.quality.guards import reading
from appeval_pipeline.expr.tree import Expression, Field, Name, Path, walk


def parameters_in_conditions(action: ActionDefinition, *, validates_only: bool) -> frozenset[str]:
    """The parameters that conditions read, directly or through the items of a loop over them.

    ``params`` as a whole, or under a key that is not written out, stands for all of them.
    """
    read: set[str] = set()
    collections: dict[str, set[str]] = {}
    for placed in walk_blocks(action):
        match placed.block:
            case LoopBlock(collection=text, item=item):
                collections.setdefault(item, set()).update(
                    _parameters(reading.expression(text), action, collections)
                )
            case ValidateBlock(condition=text):
                read.update(_parameters(reading.expression(text), action, collections))
            case BranchBlock(condition=text) if not validates_only:
                read.update(_parameters(reading.expression(text), action, collections))
            case _:
                pass
    return frozenset(read)


def _parameters(
    node: Expression, action: ActionDefinition, collections: dict[str, set[str]]
) -> Iterator[str]:
    within: set[int] = set()
    for inner in walk(node):
        match inner:
            case Path(Name("params") as base, (Field(name), *_)):
                within.add(id(base))
                yield name
            case Name("params") if id(inner) not in within:
                yield from action.parameters
            case Name(name):
                yield from collections.get(name, ())
            case _:
                pass
