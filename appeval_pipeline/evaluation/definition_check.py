"""Everything that can be said of a definition file on its own: faults, lint, quality, scenarios, coverage."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from appeval_pipeline.appdef import AppDefinition, Finding, check_app, load_app
from appeval_pipeline.appdef.catalogue import ROOTS, CatalogueEntry, definition_files, load_version
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import CatalogueError, DefinitionError, Fault, ScenarioError
from appeval_pipeline.evaluation.coverage import CoverageReport, analyze_coverage
from appeval_pipeline.evaluation.quality import QualityReport, score_quality
from appeval_pipeline.evaluation.scenarios import ScenarioResult, load_scenario, run_scenario

_VERSION: Final = re.compile(r"v([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class DefinitionCheck:
    """What was found in one definition file and the scenarios beside it.

    Attributes:
        path: The file.
        faults: Why the definition, or a scenario, cannot be used.
        warnings: Lint.
        quality: None where the definition cannot be used.
        scenarios: The results of the scenarios that apply to its version.
        coverage: How much of the logic they reach; None where the definition cannot be used.
        min_quality: The bar for the overall score.
    """

    path: str
    faults: tuple[Fault, ...]
    warnings: tuple[Finding, ...]
    quality: QualityReport | None
    scenarios: tuple[ScenarioResult, ...]
    coverage: CoverageReport | None
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
            "quality": self.quality.to_dict() if self.quality else None,
            "scenarios": [result.to_dict() for result in self.scenarios],
            "coverage": self.coverage.to_dict() if self.coverage else None,
        }


def find_definitions(path: Path) -> tuple[Path, ...]:
    """``path`` itself if it is a file, else the version files (``v<N>.yaml``) anywhere below it.

    Raises:
        CatalogueError: There is no such path, or nothing to check below it.
    """
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise CatalogueError(f"'{str(path)[:60]}…' is no path: {error.strerror}") from None
    if path.is_file():
        return (path,)
    if not is_folder:
        raise CatalogueError(f"'{path}' is no file" if exists else f"There is no file or folder '{path}'")
    folders = [path, *sorted(folder for folder in path.rglob("*") if folder.is_dir())]
    found = tuple(
        file for folder in folders for file in definition_files(folder) if _VERSION.fullmatch(file.stem)
    )
    if not found:
        raise CatalogueError(f"There is no definition (v<N>.yaml or .json) in '{path}'")
    return found


def check_definition(path: Path, min_quality: float = 70.0) -> DefinitionCheck:
    """Check one definition file and the scenarios in the folder ``scenarios`` beside it."""
    try:
        app = _load(path)
    except DefinitionError as error:
        return DefinitionCheck(str(path), tuple(error.faults), (), None, (), None, min_quality)
    faults: list[Fault] = []
    results = []
    engine = Engine(app)
    folder = path.parent / "scenarios"
    for file in definition_files(folder) if folder.is_dir() else ():
        try:
            scenario = load_scenario(file)
        except ScenarioError as error:
            faults += [Fault(_inside(file, f.location), f.message, f.line) for f in error.faults]
            continue
        if scenario.app_id != app.app_id:
            message = f"The scenario is for '{scenario.app_id}', the definition is '{app.app_id}'"
            faults.append(Fault(_inside(file, "app_id"), message))
        elif scenario.applies(app.version or 1):
            results.append(run_scenario(engine, scenario))
    warnings = tuple(finding for finding in check_app(app) if finding.severity == "warning")
    return DefinitionCheck(
        str(path),
        tuple(faults),
        warnings,
        score_quality(app),
        tuple(results),
        analyze_coverage(app, results),
        min_quality,
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
