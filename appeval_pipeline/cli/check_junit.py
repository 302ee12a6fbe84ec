"""What ``appeval check`` found, as test cases for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from appeval_pipeline.evaluation.definition_check import DefinitionCheck
from appeval_pipeline.evaluation.scenarios import ScenarioResult
from appeval_pipeline.junit import Case, Suite, write_suites


def write_junit(checks: Sequence[DefinitionCheck], path: Path) -> None:
    """Write a suite a definition into ``path``; its folder is made if absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_suites([Suite(_name(check), None, (), tuple(_cases(check))) for check in checks], path)


def _name(check: DefinitionCheck) -> str:
    quality = check.quality
    return check.path if quality is None else f"{quality.app_id}@{quality.version or 1}"


def _cases(check: DefinitionCheck) -> Iterator[Case]:
    yield _definition(check)
    yield _quality(check)
    for result in check.scenarios:
        yield _scenario(result)


def _definition(check: DefinitionCheck) -> Case:
    name = "definition, scenarios and tasks are valid"
    if check.faults:
        faults = [str(fault) for fault in check.faults]
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        return Case(
            group="definition",
            name=name,
            outcome="error",
            message=f"{faults[0]}{more}",
            type="invalid",
            text="\n".join(faults),
            file=check.path,
        )
    warnings = [f"{warning.location}: {warning.message}" for warning in check.warnings]
    warnings += map(str, check.suite_warnings)
    return Case(group="definition", name=name, message="\n".join(warnings), file=check.path)


def _quality(check: DefinitionCheck) -> Case:
    name = f"quality is at least {check.min_quality:g}"
    if check.quality is None:
        message = "the definition is not valid"
        return Case(group="quality", name=name, outcome="skipped", message=message, file=check.path)
    score = f"quality {check.quality.overall_score:.1f} ({check.quality.level})"
    if check.reaches_bar:
        return Case(group="quality", name=name, message=score, file=check.path)
    return Case(
        group="quality",
        name=name,
        outcome="failure",
        message=f"{score} is below {check.min_quality:g}",
        type="quality",
        text="\n".join([score, *(suggestion.message for suggestion in check.quality.suggestions)]),
        file=check.path,
    )


def _scenario(result: ScenarioResult) -> Case:
    time_s = result.duration_ms / 1000
    if result.passed:
        return Case(group="scenarios", name=result.scenario_name, time_s=time_s)
    texts = [f"{failure.step_name}: {failure.error}" for failure in result.failures]
    return Case(
        group="scenarios",
        name=result.scenario_name,
        outcome="failure",
        message=f"{result.steps_passed} of {result.steps_total} steps pass; {texts[0]}",
        type="scenario",
        text="\n".join(texts),
        time_s=time_s,
    )
