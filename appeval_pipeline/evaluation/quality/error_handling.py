"""Error handling: the share of the failure modes in the logic that a guard excludes on every path."""

from __future__ import annotations

import json
from collections.abc import Iterator

from appeval_pipeline.evaluation.quality.drafts import draft_constraint, draft_guard, draft_validate
from appeval_pipeline.evaluation.quality.edits import Edit, Proposal
from appeval_pipeline.evaluation.quality.guards import FailureMode
from appeval_pipeline.evaluation.quality.subject import Scored, Subject, percentage


def score(subject: Subject) -> Scored:
    modes = tuple(subject.modes())
    guarded = sum(mode.guarded for mode in modes)
    return Scored(
        percentage(guarded, len(modes)),
        {
            "guarded": guarded,
            "failure_modes": len(modes),
            "modes": [mode.to_dict() for mode in modes],
        },
    )


def propose(subject: Subject) -> Iterator[Proposal]:
    seen: set[tuple[object, ...]] = set()
    for mode in subject.modes():
        if mode.guarded:
            continue
        if mode.kind == "parameter":
            yield _constraint(subject, mode)
            continue
        # One guard serves all that follow it in its list of blocks.
        group = (mode.block[:-1], mode.kind, mode.subject)
        if group not in seen and mode.guard is not None:
            seen.add(group)
            where = mode.location.rpartition(".")[0]
            yield Proposal(
                mode.location,
                f"Before {where}, validate {mode.guard}: {mode.description}",
                (Edit("insert", mode.block, draft_validate(mode.guard)),),
            )


def _constraint(subject: Subject, mode: FailureMode) -> Proposal:
    index = int(mode.block[1])
    name = mode.subject.removeprefix("params.")
    spec = subject.app.actions[index].parameters[name]
    constraint = draft_constraint(spec)
    if constraint is None:
        guard = draft_guard(name, spec)
        return Proposal(
            mode.location,
            f"Validate parameter '{name}' of action '{mode.action}', such as {guard}",
            (Edit("insert", mode.block, draft_validate(guard)),),
        )
    key, value = constraint
    return Proposal(
        mode.location,
        f"Constrain parameter '{name}' of action '{mode.action}', such as {key}: {json.dumps(value)}",
        (Edit("set", ("actions", index, "parameters", name, key), value),),
    )
