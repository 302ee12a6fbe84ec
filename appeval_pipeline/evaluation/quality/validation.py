"""Validation: the share of actions with parameters that check what they are given."""

from __future__ import annotations

import json
from collections.abc import Iterator

from appeval_pipeline.appdef.schema import ActionDefinition
from appeval_pipeline.evaluation.quality.drafts import draft_constraint, draft_guard, draft_validate
from appeval_pipeline.evaluation.quality.edits import Edit, Proposal
from appeval_pipeline.evaluation.quality.guards.conditions import parameters_in_conditions
from appeval_pipeline.evaluation.quality.subject import Scored, Subject, percentage


def score(subject: Subject) -> Scored:
    concerned = [action for action in subject.app.actions if action.parameters]
    unvalidated = [action.name for action in concerned if not validates(action)]
    validated = len(concerned) - len(unvalidated)
    return Scored(
        percentage(validated, len(concerned)),
        {"validated": validated, "actions_with_parameters": len(concerned), "unvalidated": unvalidated},
    )


def validates(action: ActionDefinition) -> bool:
    """Whether a ``validate`` block of ``action`` reads a parameter, or every parameter is constrained."""
    return all(spec.is_constrained for spec in action.parameters.values()) or bool(
        parameters_in_conditions(action, validates_only=True)
    )


def propose(subject: Subject) -> Iterator[Proposal]:
    for index, action in enumerate(subject.app.actions):
        if not action.parameters or validates(action):
            continue
        loose = {name: spec for name, spec in action.parameters.items() if not spec.is_constrained}
        constraints = {name: draft_constraint(spec) for name, spec in loose.items()}
        if all(constraint is not None for constraint in constraints.values()):
            edits = tuple(
                Edit("set", ("actions", index, "parameters", name, constraint[0]), constraint[1])
                for name, constraint in constraints.items()
                if constraint is not None
            )
            given = ", ".join(
                f"'{name}' ({constraint[0]}: {json.dumps(constraint[1])})"
                for name, constraint in constraints.items()
                if constraint
            )
            yield Proposal(
                f"actions.{action.name}.parameters",
                f"Add a validate block to action '{action.name}', or constrain its parameters: {given}",
                edits,
            )
            continue
        name = next(name for name, constraint in constraints.items() if constraint is None)
        condition = draft_guard(name, loose[name])
        yield Proposal(
            f"actions.{action.name}.logic",
            f"Add a validate block to action '{action.name}' that checks '{name}', such as {condition}",
            (Edit("insert", ("actions", index, "logic", 0), draft_validate(condition)),),
        )
