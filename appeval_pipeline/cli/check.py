"""``appeval check``: lint, quality and scenarios of definition files; stores nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from appeval_pipeline.cli.exits import FAILED, INVALID

_MOST: Final = 5
"""Suggestions and gaps that are shown."""

if TYPE_CHECKING:
    from appeval_pipeline.evaluation.coverage import CoverageReport
    from appeval_pipeline.evaluation.definition_check import DefinitionCheck


def check(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Definition files, or folders to look for them in.", metavar="PATH...", show_default=False
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    min_quality: Annotated[
        float, typer.Option(help="The overall quality that every definition must reach.", min=0, max=100)
    ] = 70.0,
) -> None:
    """Check definition files: faults, lint, quality, the scenarios beside them, and what these reach.

    Exits with 0 if all is well, with 1 if a definition is below the bar or a scenario fails, with 2 if a
    definition or scenario is invalid or there is nothing to check.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.evaluation.definition_check import check_definition, find_definitions

    found = [file for path in paths for file in find_definitions(path)]
    checks = [check_definition(file, min_quality) for file in dict.fromkeys(found)]
    if as_json:
        print_json([one.to_dict() for one in checks])
    else:
        for one in checks:
            _print(one, min_quality)
    if any(one.is_invalid for one in checks):
        raise typer.Exit(INVALID)
    if not all(one.passed for one in checks):
        raise typer.Exit(FAILED)


def _print(one: DefinitionCheck, min_quality: float) -> None:
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console, level, table

    out, err = console(), console(stderr=True)
    out.print(f"[bold]{escape(one.path)}[/]", soft_wrap=True)
    for fault in one.faults:
        err.print(f"  [red]error[/] {escape(str(fault))}", soft_wrap=True)
    for finding in one.warnings:
        out.print(
            f"  [yellow]warning[/] {escape(finding.location)}: {escape(finding.message)}", soft_wrap=True
        )
    if one.quality is not None:
        bar = "" if one.reaches_bar else f" [red]below the bar of {min_quality:g}[/]"
        out.print(f"  quality {one.quality.overall_score:.1f} {level(one.quality.level)}{bar}")
        made = table("  dimension", "score", numbers=("score",))
        for name, score in one.quality.dimension_scores.items():
            made.add_row(f"  {name}", f"{score:.1f}")
        out.print(made)
        for suggestion in one.quality.suggestions[:_MOST]:
            gain = f"+{suggestion.gain:.1f} " if suggestion.gain is not None else ""
            out.print(f"  [dim]suggestion[/] {gain}{escape(suggestion.message)}", soft_wrap=True)
        if len(one.quality.suggestions) > _MOST:
            out.print(
                f"  [dim]… and {len(one.quality.suggestions) - _MOST} more suggestions (--json lists all)[/]"
            )
    if one.scenarios:
        passed = sum(result.passed for result in one.scenarios)
        out.print(f"  scenarios {passed}/{len(one.scenarios)} passed")
    if one.scenarios and one.coverage is not None:
        _print_coverage(one.coverage)
    for result in one.scenarios:
        for failure in result.failures:
            where = f"{escape(result.scenario_name)} › {escape(failure.step_name)}"
            out.print(f"  [red]failed[/] {where}: {escape(failure.error)}", soft_wrap=True)


def _print_coverage(coverage: CoverageReport) -> None:
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console

    out = console()
    out.print(
        f"  coverage: actions {coverage.action_coverage:.0f}%, blocks {coverage.block_coverage:.0f}%, "
        f"branches {coverage.branch_coverage:.0f}%, paths {coverage.path_coverage:.0f}% "
        f"of {coverage.paths_total:,}"
    )
    gaps = (*coverage.uncovered_actions, *coverage.uncovered_branches)
    for gap in gaps[:_MOST]:
        out.print(f"  [dim]not covered[/] {escape(gap.message)}", soft_wrap=True)
    if len(gaps) > _MOST:
        out.print(f"  [dim]… and {len(gaps) - _MOST} more gaps (--json lists all)[/]")
