"""The data that ships, as the tests of it see it."""

from pathlib import Path

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.catalogue import CatalogueEntry, load_version, scan, scenario_paths
from appeval_pipeline.evaluation.scenarios import Scenario, load_scenario

DATA = Path(__file__).parents[2] / "data"
CATALOGUE = scan(DATA)
ENTRIES = CATALOGUE.entries
REFERENCES = tuple(entry for entry in ENTRIES if entry.root == "benchmarks")
PLANTED_FAILURES = {"paypal@3": {"Histories of limited size", "Requests for money"}}
"""The scenarios that fail on purpose, by version: a break to show what comparing finds."""
SOUND = tuple(entry for entry in ENTRIES if entry.partition_key not in PLANTED_FAILURES)


def app_of(entry: CatalogueEntry) -> AppDefinition:
    return load_version(DATA, entry).app


def app(app_id: str, version: int = 1) -> AppDefinition:
    return app_of(CATALOGUE.entry(app_id, version))


def scenarios_of(entry: CatalogueEntry) -> list[Scenario]:
    """The scenarios that apply to the version."""
    paths = scenario_paths(DATA, entry.app_id, entry.root)
    scenarios = [load_scenario(DATA / path) for path in paths]
    return [scenario for scenario in scenarios if scenario.applies(entry.version)]


def key(value: object) -> str:
    """How pytest names a parameter of a test."""
    return value.partition_key if isinstance(value, CatalogueEntry) else str(value)
