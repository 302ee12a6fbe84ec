"""All that can be said of a definition file on its own: faults, lint, scores, scenarios, tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from appeval_pipeline.appdef import AppDefinition, Finding, check_app, load_app
from appeval_pipeline.appdef.catalogue import ROOTS, CatalogueEntry, definition_files, load_version
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import CatalogueError, DefinitionError, Fault, ScenarioError, TaskError
from appeval_pipeline.evaluation.agents import EvaluationTask, load_task
from appeval_pipeline.evaluation.coverage import CoverageReport, analyze_coverage
from appeval_pipeline.evaluation.edge_cases import EdgeCaseReport, edge_cases
from appeval_pipeline.evaluation.quality import QualityReport, score_quality
from appeval_pipeline.evaluation.scenarios import (
    LoadedScenario,
    ScenarioResult,
    SuiteFinding,
    lint_for_version,
    lint_suite,
    read_scenario,
    run_scenario,
)

_VERSION: Final = re.compile(r"v([1-9][0-9]*)")
_SCENARIOS: Final = "scenarios"
_TASKS: Final = "tasks"


@dataclass(frozen=True, slots=True)
class DefinitionCheck:
    """What was found in one definition file, and the scenarios and tasks beside it.

    Attributes:
        path: The file.
        faults: Why the definition, a scenario or a task cannot be used.
        warnings: Lint of the definition.
        suite_warnings: Lint of the scenarios: as tests of this version, and, where it is the first of its
            folder to be checked, in themselves.
        quality: None where the definition cannot be used.
        scenarios: The results of the scenarios that apply to its version.
        tasks: The names of the tasks for agents that apply to its version; agents do not try them here.
        coverage: How much of the logic they reach; None where the definition cannot be used.
        edge_cases: Which edges of its actions they meet, and how it behaves at each; None likewise.
        min_quality: The bar for the overall score.
    """

    path: str
    faults: tuple[Fault, ...]
    warnings: tuple[Finding, ...]
    suite_warnings: tuple[SuiteFinding, ...]
    quality: QualityReport | None
    scenarios: tuple[ScenarioResult, ...]
    tasks: tuple[str, ...]
    coverage: CoverageReport | None
    edge_cases: EdgeCaseReport | None
    min_quality: float

    @property
    def is_invalid(self) -> bool:
        return bool(self.faults)

    @property
    def reaches_bar(self) -> bool:
        return self.quality is not None and self.quality.overall_score >= self.min_quality

    @property
    def passed(self) -> bool:
        """Whether it is valid, good enough, and does what its scenarios say."""
        return not self.is_invalid and self.reaches_bar and all(result.passed for result in self.scenarios)

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "passed": self.passed,
            "faults": [
                {"location": fault.location, "message": fault.message, "line": fault.line}
                for fault in self.faults
            ],
            "warnings": [
                {"location": warning.location, "message": warning.message} for warning in self.warnings
            ],
            "suite_warnings": [warning.to_dict() for warning in self.suite_warnings],
            "quality": self.quality.to_dict() if self.quality else None,
            "scenarios": [result.to_dict() for result in self.scenarios],
            "tasks": list(self.tasks),
            "coverage": self.coverage.to_dict() if self.coverage else None,
            "edge_cases": self.edge_cases.to_dict() if self.edge_cases else None,
        }


def find_definitions(path: Path) -> tuple[Path, ...]:
    """The definitions that ``path`` stands for.

    A folder stands for the version files (``v<N>.yaml``) anywhere below it, a scenario or task of an app for
    the app's latest version, any other file for itself.

    Raises:
        CatalogueError: There is no such path, or nothing to check below it.
    """
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise CatalogueError(f"'{str(path)[:60]}…' is no path: {error.strerror}") from None
    if path.is_file():
        return (_latest_beside(path) or path,)
    if not is_folder:
        raise CatalogueError(f"'{path}' is no file" if exists else f"There is no file or folder '{path}'")
    folders = [path, *sorted(folder for folder in path.rglob("*") if folder.is_dir())]
    found = tuple(
        file for folder in folders for file in definition_files(folder) if _VERSION.fullmatch(file.stem)
    )
    if not found:
        raise CatalogueError(f"There is no definition (v<N>.yaml or .json) in '{path}'")
    return found


def _latest_beside(path: Path) -> Path | None:
    """The latest version of the app whose scenario or task this is; None if it is neither."""
    folder = path.absolute().parent
    if folder.name not in (_SCENARIOS, _TASKS):
        return None
    matches = ((_VERSION.fullmatch(file.stem), file) for file in definition_files(path.parent.parent))
    versions = {int(match.group(1)): file for match, file in matches if match}
    return versions[max(versions)] if versions else None


@dataclass(frozen=True, slots=True)
class _Suite:
    """The files beside a definition: scenarios and tasks that can be used, and what is wrong with others."""

    scenarios: tuple[LoadedScenario, ...]
    tasks: tuple[tuple[Path, EvaluationTask], ...]
    faults: tuple[Fault, ...]


def check_definitions(paths: Iterable[Path], min_quality: float = 70.0) -> tuple[DefinitionCheck, ...]:
    """Check definition files, each with what is in the folders ``scenarios`` and ``tasks`` beside it."""
    suites: dict[Path, _Suite] = {}
    checks = []
    for path in paths:
        is_first = path.parent not in suites
        if is_first:
            suites[path.parent] = _read_suite(path.parent)
        checks.append(_check(path, suites[path.parent], min_quality, is_first=is_first))
    return tuple(checks)


def check_definition(path: Path, min_quality: float = 70.0) -> DefinitionCheck:
    """Check one definition file, with what is in the folders ``scenarios`` and ``tasks`` beside it."""
    return check_definitions((path,), min_quality)[0]


def _read_suite(folder: Path) -> _Suite:
    scenarios: list[LoadedScenario] = []
    tasks: list[tuple[Path, EvaluationTask]] = []
    faults = []
    for file in _files(folder / _SCENARIOS):
        try:
            scenarios.append(read_scenario(file))
        except ScenarioError as error:
            faults += [Fault(_inside(file, f.location), f.message, f.line) for f in error.faults]
    for file in _files(folder / _TASKS):
        try:
            tasks.append((file, load_task(file)))
        except TaskError as error:
            faults += [Fault(_inside(file, f.location), f.message, f.line) for f in error.faults]
    return _Suite(tuple(scenarios), tuple(tasks), tuple(faults))


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(definition_files(folder)) if folder.is_dir() else ()


def _check(path: Path, suite: _Suite, min_quality: float, *, is_first: bool) -> DefinitionCheck:
    known = _known_versions(path)
    try:
        app = _load(path)
    except DefinitionError as error:
        of_suite = lint_suite(suite.scenarios, known) if is_first else ()
        return DefinitionCheck(
            str(path), tuple(error.faults), (), of_suite, None, (), (), None, None, min_quality
        )
    version = app.version or 1
    mine = [loaded for loaded in suite.scenarios if loaded.scenario.app_id == app.app_id]
    strangers = [_stranger(loaded, app) for loaded in suite.scenarios if loaded not in mine]
    strangers += [_strange_task(file, task, app) for file, task in suite.tasks if task.app_id != app.app_id]
    engine = Engine(app)
    applying = [loaded.scenario for loaded in mine if loaded.scenario.applies(version)]
    results = tuple(run_scenario(engine, scenario) for scenario in applying)
    of_suite = lint_suite(mine, known | {version}) if is_first else ()
    return DefinitionCheck(
        str(path),
        (*suite.faults, *strangers),
        tuple(finding for finding in check_app(app) if finding.severity == "warning"),
        (*of_suite, *lint_for_version(app, mine)),
        score_quality(app),
        results,
        tuple(task.name for _, task in suite.tasks if task.app_id == app.app_id and task.applies(version)),
        analyze_coverage(app, results),
        edge_cases(engine, results),
        min_quality,
    )


def _known_versions(path: Path) -> frozenset[int]:
    """The versions that the names of the files in the folder of ``path`` give."""
    names = (_VERSION.fullmatch(file.stem) for file in definition_files(path.parent))
    return frozenset(int(match.group(1)) for match in names if match)


def _stranger(loaded: LoadedScenario, app: AppDefinition) -> Fault:
    message = f"The scenario is for '{loaded.scenario.app_id}', the definition is '{app.app_id}'"
    return Fault(_inside(Path(loaded.document.source or ""), "app_id"), message, loaded.line("app_id"))


def _strange_task(file: Path, task: EvaluationTask, app: AppDefinition) -> Fault:
    return Fault(
        _inside(file, "app_id"), f"The task is for '{task.app_id}', the definition is '{app.app_id}'"
    )


def _inside(file: Path, location: str) -> str:
    return f"{file.name}: {location}" if location else file.name


def _load(path: Path) -> AppDefinition:
    """The definition in a file; in a catalogue's folder it is held to the catalogue's rules of paths."""
    match = _VERSION.fullmatch(path.stem)
    folder = path.absolute().parent
    if match is not None and folder.parent.name in ROOTS:
        place = PurePosixPath(folder.parent.name, folder.name, path.name)
        entry = CatalogueEntry(folder.name, int(match.group(1)), folder.parent.name, place)
        return load_version(folder.parent.parent, entry).app
    app = load_app(path)
    if match is None or app.version is not None:
        return app
    return app.model_copy(update={"version": int(match.group(1))})
