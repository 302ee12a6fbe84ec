"""Documentation: the share of actions with a description that says more than their name."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.appdef.schema import ActionDefinition
from appeval_pipeline.evaluation.quality.completeness import is_filled
from appeval_pipeline.evaluation.quality.drafts import DRAFT_TEXT
from appeval_pipeline.evaluation.quality.edits import Edit, Proposal
from appeval_pipeline.evaluation.quality.subject import Scored, Subject, percentage


def score(subject: Subject) -> Scored:
    actions = subject.app.actions
    undescribed = [action.name for action in actions if not is_described(action)]
    described = len(actions) - len(undescribed)
    return Scored(
        percentage(described, len(actions)),
        {"described": described, "actions": len(actions), "undescribed": undescribed},
    )


def propose(subject: Subject) -> Iterator[Proposal]:
    for index, action in enumerate(subject.app.actions):
        if is_described(action):
            continue
        message = (
            f"Say what action '{action.name}' does: its description only repeats the name"
            if is_filled(action.description)
            else f"Add a description to action '{action.name}'"
        )
        edit = Edit("set", ("actions", index, "description"), DRAFT_TEXT)
        yield Proposal(f"actions.{action.name}.description", message, (edit,))


def is_described(action: ActionDefinition) -> bool:
    """Whether the description of ``action`` has letters or digits, and not just those of its name."""
    told = _plain(action.description or "")
    return bool(told) and told != _plain(action.name)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
