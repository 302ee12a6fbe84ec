"""Evaluating a catalogue into a store without Dagster, as the assets do it."""

from pathlib import Path

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.store import Database, write_batch
from appeval_pipeline.store.freshness import Plan, find_entry, make_plan, storable_catalogue
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.recording import record_quality, record_scenarios
from appeval_pipeline.store.results import read_state, read_versions_or_missing
from appeval_pipeline.store.scenario_files import read_suites
from appeval_pipeline_tests.store import samples


def plan_of(data_dir: Path, database: Database) -> Plan:
    return make_plan(data_dir, read_state(database))


def needs_of(data_dir: Path, database: Database) -> dict[str, tuple[str, ...]]:
    """Partition keys with the assets that are stale."""
    return {need.partition_key: need.assets for need in plan_of(data_dir, database).needs}


def evaluate(data_dir: Path, database: Database, *, run_id: str = "run-1") -> dict[str, tuple[str, ...]]:
    """Bring everything up to date; returns what was stale."""
    needs = needs_of(data_dir, database)
    catalogue = storable_catalogue(data_dir)

    def wanted(asset: str) -> list[str]:
        return [key for key, assets in needs.items() if asset in assets]

    stored = read_state(database).versions
    definitions = [
        land(*parse_partition_key(key), find_entry(catalogue, key), stored.get(key), data_dir)
        for key in wanted("app_definitions")
    ]
    write_batch(database, samples.batch("app_definitions", *definitions, run_id=run_id))
    scores = [
        record_quality(version) for version in read_versions_or_missing(database, wanted("quality_scores"))
    ]
    write_batch(database, samples.batch("quality_scores", *scores, run_id=run_id))
    versions = read_versions_or_missing(database, wanted("scenario_runs"))
    suites = read_suites(data_dir, versions)
    runs = [record_scenarios(version, suites[version.partition_key]) for version in versions]
    write_batch(database, samples.batch("scenario_runs", *runs, run_id=run_id))
    return needs
