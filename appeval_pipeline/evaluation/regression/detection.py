"""Comparing two versions of an app: by running their scenarios, reading their definitions, timing both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from time import perf_counter_ns
from typing import Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import ComparisonError
from appeval_pipeline.evaluation.known import KnownQuality
from appeval_pipeline.evaluation.quality import QualityReport, score_quality
from appeval_pipeline.evaluation.regression.behaviour import VersionPair, output_changes
from appeval_pipeline.evaluation.regression.interface import interface_changes
from appeval_pipeline.evaluation.regression.report import RegressionReport, VersionFailure
from appeval_pipeline.evaluation.scenarios import Scenario, ScenarioResult, run_scenario
from appeval_pipeline.evaluation.timing import TimingComparison, compare_timings
from appeval_pipeline.evaluation.timing.measuring import Timer

_MOST_CHANGES: Final = 1_000
"""Output changes that a report lists."""
_NOT_TIMED: Final = TimingComparison((), (), None)
_DIGITS: Final = 9
"""Differences of scores are rounded to this, as the scores are."""


def detect_regressions(
    app_old: AppDefinition | Engine,
    app_new: AppDefinition | Engine,
    scenarios: Sequence[Scenario],
    *,
    known: tuple[KnownQuality, KnownQuality] | None = None,
    time_it: bool = True,
    timer: Timer = perf_counter_ns,
) -> RegressionReport:
    """Compare two versions of an app: what it does, how fast, how it is called, how good it is.

    Every scenario that applies to both versions runs on both, even if their definitions are equal. Versions
    are those that the definitions give, 1 where they give none. Ids and clock are frozen, and generated ids
    compare by order of first appearance.

    Args:
        app_old, app_new: The versions, or engines of them where there are any.
        scenarios: Of this app; those that do not apply to both versions are listed as not compared.
        known: The quality of the old and the new version, where it was found before.
        time_it: Whether to time the versions against each other, too: that takes some seconds.
        timer: Where times come from, in nanoseconds.

    Raises:
        ComparisonError: The definitions are of different apps, or a scenario is of another one.
        DefinitionError: A definition cannot run.
    """
    old_app, new_app = map(_definition_of, (app_old, app_new))
    _check_apps(old_app, new_app, scenarios)
    versions = VersionPair.of(*map(_engine_of, (app_old, app_new)))
    numbers = old_app.version or 1, new_app.version or 1
    compared = [scenario for scenario in scenarios if all(map(scenario.applies, numbers))]
    results = [
        (scenario, run_scenario(versions.old, scenario), run_scenario(versions.new, scenario))
        for scenario in compared
    ]
    changes = chain.from_iterable(output_changes(versions, *result) for result in results)
    listed = tuple(islice(changes, _MOST_CHANGES))
    before, after = known or (score_quality(old_app), score_quality(new_app))
    timing = _NOT_TIMED
    if time_it:
        timing = compare_timings(versions.old, versions.new, compared, timer=timer)
    return RegressionReport(
        app_id=old_app.app_id,
        old_version=numbers[0],
        new_version=numbers[1],
        new_failures=tuple(s.name for s, old, new in results if old.passed and not new.passed),
        fixed_tests=tuple(s.name for s, old, new in results if new.passed and not old.passed),
        still_failing=tuple(s.name for s, old, new in results if not (old.passed or new.passed)),
        failures=tuple(failure for _, old, new in results for failure in _new_failures(old, new)),
        output_changes=listed,
        output_changes_left_out=sum(1 for _ in changes),
        interface_changes=interface_changes(old_app, new_app),
        latency_change_pct=timing.latency_change_pct,
        throughput_change_pct=timing.throughput_change_pct,
        timing=timing.actions,
        not_timed=timing.not_compared,
        quality_score_delta=round(after.overall_score - before.overall_score, _DIGITS),
        dimension_changes=_dimension_changes(before, after),
        not_compared=tuple(s.name for s in scenarios if not all(map(s.applies, numbers))),
    )


def _definition_of(app: AppDefinition | Engine) -> AppDefinition:
    return app.app if isinstance(app, Engine) else app


def _engine_of(app: AppDefinition | Engine) -> Engine:
    return app if isinstance(app, Engine) else Engine(app)


def _check_apps(old: AppDefinition, new: AppDefinition, scenarios: Sequence[Scenario]) -> None:
    if old.app_id != new.app_id:
        raise ComparisonError(
            f"The definitions are of different apps, '{old.app_id}' and '{new.app_id}'; "
            "expected two versions of one app"
        )
    for scenario in scenarios:
        if scenario.app_id != old.app_id:
            raise ComparisonError(
                f"Scenario '{scenario.name}' is for '{scenario.app_id}', "
                f"the definitions are of '{old.app_id}'"
            )


def _dimension_changes(
    before: QualityReport | KnownQuality, after: QualityReport | KnownQuality
) -> dict[str, float]:
    deltas = {
        name: round(score - before.dimension_scores[name], _DIGITS)
        for name, score in after.dimension_scores.items()
    }
    return {name: delta for name, delta in deltas.items() if delta}


def _new_failures(old: ScenarioResult, new: ScenarioResult) -> Iterator[VersionFailure]:
    """What fails in the new version and did not in the old one; steps by their place, the rest by name."""
    failed_steps = [step for step in new.steps if not step.passed]
    failed_before = {step.index for step in old.steps if not step.passed}
    other_before = {failure.step_name for failure in old.failures[len(failed_before) :]}
    for position, failure in enumerate(new.failures):
        action = None
        if position < len(failed_steps):
            step = failed_steps[position]
            if step.index in failed_before:
                continue
            action = step.action
        elif failure.step_name in other_before:
            continue
        yield VersionFailure(
            new.scenario_name, failure.step_name, action, failure.expected, failure.actual, failure.error
        )
