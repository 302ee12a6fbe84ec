"""A bound that was drawn closer or let out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from appeval_pipeline.appdef.parameters import shown
from appeval_pipeline.evaluation.regression.report import InterfaceChange

_WORDS: Final = {
    "minValue": "be at least {}",
    "maxValue": "be at most {}",
    "minLength": "have a length of at least {}",
    "maxLength": "have a length of at most {}",
    "maxItems": "hold no more than {} items",
}


def bound_changes(
    old: float | None, new: float | None, *, least: bool, at: str, what: str, breaks: bool
) -> Iterator[InterfaceChange]:
    """The change of one bound, if it changed.

    Args:
        old, new: The bound; None where there is none.
        least: Whether it is a lower one.
        at: Its place; the last part is its key.
        breaks: Whether values beyond it are refused where they are handed in.
    """
    if old == new:
        return
    words = _WORDS[at.rpartition(".")[2]]
    if old is None:
        tighter = True
    elif new is None:
        tighter = False
    else:
        tighter = new > old if least else new < old
    if new is None:
        message = f"{what} need no longer {words.format(shown(old))}"
    else:
        message = f"{what} must {words.format(shown(new))}" + (
            f", not {shown(old)}" if old is not None else ""
        )
    if tighter:
        yield InterfaceChange(
            "constraint_tightened", "breaking" if breaks else "warning", at, message, old, new
        )
    else:
        yield InterfaceChange("constraint_loosened", "compatible", at, message, old, new)
