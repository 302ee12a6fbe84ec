"""Paths into a state as expectations write them: ``alice.transactions[0].amount``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.tree import Field, Index, Literal, Name, Path, Step, Unary
from appeval_pipeline.expr.writing import MISSING

StatePath = tuple[str | int, ...]


def parse_state_path(text: str, agents: Collection[str]) -> StatePath:
    """The keys that ``text`` names, from ``per_agent`` or ``shared`` down.

    Raises:
        ExpressionError: It is no path, or does not start at an agent or ``shared``.
    """
    path = _parse(text)
    quoted = path[0] == "agents" and len(path) > 1
    if quoted:
        # agents["…"] reaches agents whose id is no name, or is that of a variable.
        path = path[1:]
    if path[0] == "shared" and not (quoted and "shared" in agents):
        return path
    if path[0] in agents:
        return ("per_agent", *path)
    known = ", ".join(agents) or "none"
    raise ExpressionError(f"'{path[0]}' is no agent of this scenario; expected one of: {known}, or shared")


@lru_cache(maxsize=1024)
def _parse(text: str) -> StatePath:
    tree = parse(text)
    if isinstance(tree, Name):
        return (tree.name,)
    if isinstance(tree, Path) and isinstance(tree.base, Name):
        return (tree.base.name, *map(_key, tree.steps))
    raise ExpressionError("Expected a path, e.g. alice.balance or shared.items[0].name")


def _key(step: Step) -> str | int:
    match step:
        case Field(name):
            return name
        case Index(Literal(bool() | None | float())):
            pass
        case Index(Literal(key)):
            return key  # type: ignore[return-value]
        case Index(Unary("-", Literal(int(number)))):
            return -number
        case _:
            pass
    raise ExpressionError("A path's index must be a whole number or a string")


def resolve(state: Mapping[str, object], path: StatePath) -> object:
    """What stands at ``path``; MISSING if nothing does. Agents have the virtual ``id`` and ``name``."""
    match path:
        case ("per_agent", agent_id, "id"):
            return agent_id
        case ("per_agent", agent_id, "name"):
            own = _resolve(state, path)
            return agent_id if own is MISSING or own is None else own
        case _:
            return _resolve(state, path)


def _resolve(state: Mapping[str, object], path: StatePath) -> object:
    current: object = state
    for key in path:
        if isinstance(current, dict) and isinstance(key, str):
            current = current.get(key, MISSING)
        elif isinstance(current, list) and isinstance(key, int) and -len(current) <= key < len(current):
            current = current[key]
        else:
            return MISSING
    return current
