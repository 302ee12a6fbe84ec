"""``appeval check``: lint, quality and scenarios of definition files; stores nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from appeval_pipeline.cli.exits import FAILED, INVALID

_MOST: Final = 5
"""How many of a kind are shown: suggestions, gaps, edge cases, failures of a scenario."""

if TYPE_CHECKING:
    from rich.console import Console

    from appeval_pipeline.evaluation.coverage import CoverageReport
    from appeval_pipeline.evaluation.definition_check import DefinitionCheck
    from appeval_pipeline.evaluation.edge_cases import EdgeCase, EdgeCaseReport
    from appeval_pipeline.evaluation.quality import QualityReport
    from appeval_pipeline.evaluation.scenarios import ScenarioResult


def check(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Definition files, or folders to look for them in; a scenario or task stands for the latest "
            "version of its app.",
            metavar="PATH",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    junit: Annotated[
        Path | None,
        typer.Option(help="Write a JUnit XML file, too, for CI.", metavar="FILE", show_default=False),
    ] = None,
    min_quality: Annotated[
        float, typer.Option(help="The overall quality that every definition must reach.", min=0, max=100)
    ] = 70.0,
) -> None:
    """Check definitions: faults, lint, quality, scenarios and what they reach, edge cases, tasks' faults.

    Exits with 0 if all is well, with 1 if a definition is below the bar or a scenario fails, with 2 if a
    definition, scenario or task is invalid or there is nothing to check.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.evaluation.definition_check import check_definitions, find_definitions

    found = [file for path in paths for file in find_definitions(path)]
    checks = check_definitions(dict.fromkeys(found), min_quality)
    if junit is not None:
        from appeval_pipeline.cli.check_junit import write_junit

        write_junit(checks, junit)
    if as_json:
        print_json([one.to_dict() for one in checks])
    else:
        _print_all(checks, min_quality)
    if any(one.is_invalid for one in checks):
        raise typer.Exit(INVALID)
    if not all(one.passed for one in checks):
        raise typer.Exit(FAILED)


def _print_all(checks: Sequence[DefinitionCheck], min_quality: float) -> None:
    from appeval_pipeline.cli.rendering import console

    for one in checks:
        if one.faults:
            _print_faults(one, console(stderr=True))
        if one.quality is not None or one.suite_warnings:
            _print_findings(one, console(), min_quality)
    if len(checks) > 1:
        passed = sum(one.passed for one in checks)
        console().print(f"{passed} of {len(checks)} definitions passed")


def _print_faults(one: DefinitionCheck, err: Console) -> None:
    from rich.markup import escape

    count = "1 fault" if len(one.faults) == 1 else f"{len(one.faults)} faults"
    err.print(f"[bold]{escape(one.path)}[/] {count}", soft_wrap=True)
    for fault in one.faults:
        _line(err, "[red]error[/]", str(fault))


def _print_findings(one: DefinitionCheck, out: Console, min_quality: float) -> None:
    from rich.markup import escape

    out.print(f"[bold]{escape(one.path)}[/]", soft_wrap=True)
    for finding in one.warnings:
        _line(out, "[yellow]warning[/]", f"{finding.location}: {finding.message}")
    for warning in one.suite_warnings:
        _line(out, "[yellow]warning[/]", str(warning))
    if one.quality is not None:
        bar = "" if one.reaches_bar else f" [red]below the bar of {min_quality:g}[/]"
        _print_quality(one.quality, bar, out)
        _print_scenarios(one.scenarios, out)
    if one.scenarios and one.coverage is not None:
        _print_coverage(one.coverage, out)
    if one.tasks and one.quality is not None:
        tries = f"appeval agent {one.quality.app_id}"
        out.print(f"  tasks {len(one.tasks)} for agents ({tries} tries them)", soft_wrap=True, markup=False)
    if one.edge_cases is not None:
        _print_edge_cases(one.edge_cases, out, has_scenarios=bool(one.scenarios))


def _print_quality(quality: QualityReport, bar: str, out: Console) -> None:
    from appeval_pipeline.cli.rendering import level, table

    out.print(f"  quality {quality.overall_score:.1f} {level(quality.level)}{bar}")
    made = table("  dimension", "score", numbers=("score",))
    for name, score in quality.dimension_scores.items():
        made.add_row(f"  {name}", f"{score:.1f}")
    out.print(made)
    for suggestion in quality.suggestions[:_MOST]:
        gain = f"+{suggestion.gain:.1f} " if suggestion.gain is not None else ""
        _line(out, "[dim]suggestion[/]", f"{gain}{suggestion.message}")
    _print_rest(out, len(quality.suggestions), "suggestions")


def _print_scenarios(results: Sequence[ScenarioResult], out: Console) -> None:
    if not results:
        out.print("  scenarios none that apply to this version")
        return
    out.print(f"  scenarios {sum(result.passed for result in results)}/{len(results)} passed")
    for result in results:
        for failure in result.failures[:_MOST]:
            _line(out, "[red]failed[/]", f"{result.scenario_name} › {failure.step_name}: {failure.error}")
        _print_rest(out, len(result.failures), "failures of this scenario")


def _print_coverage(coverage: CoverageReport, out: Console) -> None:
    from appeval_pipeline.cli.rendering import percent

    out.print(
        f"  coverage: actions {percent(coverage.action_coverage)}, "
        f"blocks {percent(coverage.block_coverage)}, branches {percent(coverage.branch_coverage)}, "
        f"paths {percent(coverage.path_coverage)} of {coverage.paths_total:,}",
        soft_wrap=True,
    )
    gaps = (*coverage.uncovered_actions, *coverage.uncovered_branches)
    for gap in gaps[:_MOST]:
        _line(out, "[dim]not covered[/]", gap.message)
    _print_rest(out, len(gaps), "gaps")


def _print_edge_cases(report: EdgeCaseReport, out: Console, *, has_scenarios: bool) -> None:
    from appeval_pipeline.cli.rendering import percent

    out.print(
        f"  edge cases: {percent(report.edge_case_coverage)} of {len(report.cases):,} met by scenarios, "
        f"{percent(report.edge_case_robustness)} robust",
        soft_wrap=True,
    )
    broken = [case for case in report.cases if not case.is_robust]
    # Where nothing is met because nothing is run, a list of what is not met says nothing.
    unmet = [case for case in report.cases if has_scenarios and case.is_robust and not case.covered_by]
    lines = [("[yellow]not robust[/]", f"{_words(case)}, {_why_not_robust(case)}") for case in broken]
    lines += [("[dim]not met[/]", _words(case)) for case in unmet]
    for label, text in lines[:_MOST]:
        _line(out, label, text)
    _print_rest(out, len(lines), "edge cases")


def _words(case: EdgeCase) -> str:
    """An edge case as a person would say it, e.g. ``transfer.amount: above max``."""
    place = case.parameter or case.action
    if case.parameter is not None and case.kind != "validate_fails":
        place = f"{case.action}.{case.parameter}"
    return f"`{place}`: {case.kind.replace('_', ' ')}"


def _why_not_robust(case: EdgeCase) -> str:
    if case.expected == "accepted":
        return f"valid input that ends in an error of kind '{case.outcome}'"
    came = "succeeds" if case.outcome == "success" else f"ends in an error of kind '{case.outcome}'"
    return f"which {came}, expected an error of kind '{case.expected}'"


def _print_rest(out: Console, count: int, what: str) -> None:
    if count > _MOST:
        out.print(f"  [dim]… and {count - _MOST} more {what} (--json lists all)[/]")


def _line(console: Console, label: str, text: str) -> None:
    """One finding; where it takes several lines of the terminal, the others are indented."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(f"  {label}", escape(text))
    console.print(grid)
