"""The reference apps and their scenarios, which the programs here measure."""

from __future__ import annotations

from pathlib import Path

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.evaluation import Scenario, load_scenario

BENCHMARKS = Path(__file__).parents[1] / "data" / "benchmarks"


def app_names() -> list[str]:
    """The names of the reference apps, in order."""
    return sorted(path.name for path in BENCHMARKS.iterdir() if path.is_dir())


def app_of(name: str) -> AppDefinition:
    """A reference app, read anew."""
    return load_app(BENCHMARKS / name / "v1.yaml")


def scenarios_of(name: str) -> list[Scenario]:
    """The scenarios of a reference app, in the order of their files."""
    return [load_scenario(path) for path in sorted((BENCHMARKS / name / "scenarios").glob("*.yaml"))]
