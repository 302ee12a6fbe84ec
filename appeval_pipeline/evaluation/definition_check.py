"""Everything that can be said of a definition file on its own: faults, lint, quality, scenarios."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from appeval_pipeline.appdef import AppDefinition, Finding, check_app, load_app
from appeval_pipeline.appdef.catalogue import definition_files
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import CatalogueError, DefinitionError, Fault, ScenarioError
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
        min_quality: The bar for the overall score.
    """

    path: str
    faults: tuple[Fault, ...]
    warnings: tuple[Finding, ...]
    quality: QualityReport | None
    scenarios: tuple[ScenarioResult, ...]
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
        }


def find_definitions(path: Path) -> tuple[Path, ...]:
    """``path`` itself if it is a file, else the version files (``v<N>.yaml``) anywhere below it.

    Raises:
        CatalogueError: There is no such path, or nothing to check below it.
    """
    if path.is_file():
        return (path,)
    if not path.is_dir():
        raise CatalogueError(f"There is no file or folder '{path}'")
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
        app = _with_version(load_app(path), path)
    except DefinitionError as error:
        return DefinitionCheck(str(path), error.faults, (), None, (), min_quality)
    faults: list[Fault] = []
    results = []
    engine = Engine(app)
    folder = path.parent / "scenarios"
    for file in definition_files(folder) if folder.is_dir() else ():
        try:
            scenario = load_scenario(file)
        except ScenarioError as error:
            faults += [Fault(f"{file.name}: {f.location}", f.message, f.line) for f in error.faults]
            continue
        if scenario.app_id == app.app_id and scenario.applies(app.version or 1):
            results.append(run_scenario(engine, scenario))
    warnings = tuple(finding for finding in check_app(app) if finding.severity == "warning")
    return DefinitionCheck(
        str(path), tuple(faults), warnings, score_quality(app), tuple(results), min_quality
    )


def _with_version(app: AppDefinition, path: Path) -> AppDefinition:
    match = _VERSION.fullmatch(path.stem)
    if match is None:
        return app
    return app.model_copy(update={"version": int(match.group(1))})
