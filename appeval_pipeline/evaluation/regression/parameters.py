"""What differs between the parameters of two versions of an action.

A parameter that the spec does not have is refused by the engine: taking one away breaks those who give it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appeval_pipeline.appdef.parameters import shown
from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.evaluation.regression.bounds import bound_changes
from appeval_pipeline.evaluation.regression.report import InterfaceChange
from appeval_pipeline.expr.values import equal


def parameter_changes(old: ActionDefinition, new: ActionDefinition) -> Iterator[InterfaceChange]:
    """Every change from the parameters of ``old`` to those of ``new``."""
    for name, spec in old.parameters.items():
        at, what = f"actions.{old.name}.parameters.{name}", f"Parameter '{name}' of '{old.name}'"
        newer = new.parameters.get(name)
        if newer is None:
            message = f"{what} is gone: calls that give it are refused"
            yield InterfaceChange("parameter_removed", "breaking", at, message, _said(spec), None)
        else:
            yield from _changes(spec, newer, at, what)
    for name, spec in new.parameters.items():
        if name not in old.parameters:
            at, what = f"actions.{old.name}.parameters.{name}", f"Parameter '{name}' of '{old.name}'"
            if must_be_given(spec):
                message = f"{what} is new and required: calls without it are refused"
                yield InterfaceChange("parameter_added", "breaking", at, message, None, _said(spec))
            else:
                message = f"{what} is new, and optional"
                yield InterfaceChange("parameter_added", "compatible", at, message, None, _said(spec))


def must_be_given(spec: ParamSpec) -> bool:
    """Whether calls without the parameter are refused: a default stands in for what is missing."""
    return spec.required and spec.default is None


def _changes(old: ParamSpec, new: ParamSpec, at: str, what: str) -> Iterator[InterfaceChange]:
    if old.type != new.type:
        message = f"{what} was a value of type {old.type}, now {new.type}"
        yield InterfaceChange("parameter_retyped", "breaking", at, message, old.type, new.type)
    match must_be_given(old), must_be_given(new):
        case False, True:
            message = f"{what} is now required: calls without it are refused"
            yield InterfaceChange("parameter_required", "breaking", at, message, False, True)
        case True, False:
            message = f"{what} is now optional"
            yield InterfaceChange("parameter_optional", "compatible", at, message, True, False)
        case False, False if not equal(old.default, new.default):
            message = f"Without {what[0].lower()}{what[1:]}, {shown(new.default)} is taken for it, "
            message += f"not {shown(old.default)}"
            yield InterfaceChange(
                "parameter_default_changed", "warning", f"{at}.default", message, old.default, new.default
            )
        case _:
            pass
    if old.type == new.type:
        yield from _constraint_changes(old, new, at, what)


def _constraint_changes(old: ParamSpec, new: ParamSpec, at: str, what: str) -> Iterator[InterfaceChange]:
    for key, least, (before, after) in (
        ("minValue", True, (old.min_value, new.min_value)),
        ("maxValue", False, (old.max_value, new.max_value)),
        ("minLength", True, (old.min_length, new.min_length)),
        ("maxLength", False, (old.max_length, new.max_length)),
    ):
        yield from bound_changes(before, after, least=least, at=f"{at}.{key}", what=what, breaks=True)
    yield from _pattern_change(old.pattern, new.pattern, f"{at}.pattern", what)
    yield from _enum_changes(old.enum, new.enum, f"{at}.enum", what)


def _pattern_change(old: str | None, new: str | None, at: str, what: str) -> Iterator[InterfaceChange]:
    if old == new:
        return
    if old is None:
        message = f"{what} must now match the pattern {new}"
        yield InterfaceChange("constraint_tightened", "breaking", at, message, old, new)
    elif new is None:
        message = f"{what} need not match the pattern {old} any more"
        yield InterfaceChange("constraint_loosened", "compatible", at, message, old, new)
    else:
        # Which of the two accepts more is not worth finding out: the scenarios tell what matters.
        message = f"{what} must match another pattern: {new}, not {old}"
        yield InterfaceChange("constraint_changed", "warning", at, message, old, new)


def _enum_changes(
    old: Sequence[object] | None, new: Sequence[object] | None, at: str, what: str
) -> Iterator[InterfaceChange]:
    if old is None and new is not None:
        message = f"{what} must now be one of {', '.join(map(shown, new))}"
        yield InterfaceChange("constraint_tightened", "breaking", at, message, old, new)
    elif old is not None and new is None:
        message = f"{what} need no longer be one of {', '.join(map(shown, old))}"
        yield InterfaceChange("constraint_loosened", "compatible", at, message, old, new)
    elif old is not None and new is not None:
        gone, added = _missing(old, new), _missing(new, old)
        if gone:
            message = f"{what} may no longer be {' or '.join(map(shown, gone))}"
            yield InterfaceChange("constraint_tightened", "breaking", at, message, old, new)
        if added:
            message = f"{what} may now be {' or '.join(map(shown, added))}, too"
            yield InterfaceChange("constraint_loosened", "compatible", at, message, old, new)


def _missing(options: Sequence[object], among: Sequence[object]) -> list[object]:
    return [option for option in options if not any(equal(option, other) for other in among)]


def _said(spec: ParamSpec) -> dict[str, object]:
    return spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
