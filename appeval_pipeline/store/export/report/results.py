"""Everything on the page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from appeval_pipeline.store.export.report.app_trials import app_trials
from appeval_pipeline.store.export.report.experiments import Experiment, load_experiments
from appeval_pipeline.store.export.report.facts import Facts, load_facts
from appeval_pipeline.store.export.report.interfaces import Interfaces, load_interfaces
from appeval_pipeline.store.export.report.loading import load_apps
from appeval_pipeline.store.export.report.model import App, Listing, Version
from appeval_pipeline.store.export.report.tau_trials import tau_trials
from appeval_pipeline.store.export.report.trials import Trials, count, within_bounds

_LAST = """
SELECT max(materialized_at), list_sort(list_distinct(list(input_version) FILTER (
    input_kind = 'code' AND input_key = 'evaluator'
))) FROM lineage
"""


@dataclass(frozen=True, slots=True)
class Results:
    """What templates and script show.

    Attributes:
        trials: Single trials, of apps first and then of experiments.
        facts: Numbers and lineage of all listed versions and experiments, for the script.
        interfaces: How the interfaces of the latest versions differ, for the script.
        evaluators: Versions of the evaluator that results are of.
    """

    versions: Listing[Version]
    apps: Listing[App]
    experiments: Listing[Experiment]
    trials: Trials
    facts: Facts
    interfaces: Interfaces
    evaluators: tuple[str, ...]
    last_materialized_at: datetime


def load_results(connection: duckdb.DuckDBPyConnection, data_dir: Path | None = None) -> Results:
    """Read everything; each list is bounded.

    Args:
        data_dir: Where definition files lie, to show their own text.
    """
    loaded = load_apps(connection, data_dir)
    experiments = load_experiments(connection)
    apps = {app.app_id for app in loaded.apps.items}
    names = tuple(experiment.name for experiment in experiments.items)
    tried = [*app_trials(connection, apps), *tau_trials(connection, names)]
    row = connection.execute(_LAST).fetchone()
    assert row is not None
    return Results(
        versions=loaded.versions,
        apps=loaded.apps,
        experiments=experiments,
        trials=within_bounds(tried, count(connection, "agent_trials") + count(connection, "tau_trials")),
        facts=load_facts(connection, [version.key for version in loaded.versions.items], names),
        interfaces=load_interfaces(connection, apps),
        evaluators=tuple(row[1] or ()),
        last_materialized_at=row[0],
    )
