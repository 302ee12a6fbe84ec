"""A store with made-up results in every table."""

from __future__ import annotations

from appeval_pipeline.store import Store
from appeval_pipeline_tests.store.export import results
from appeval_pipeline_tests.store.export.agent_results import agents
from appeval_pipeline_tests.store.export.tau_results import store_experiment


def fill(database: Store) -> None:
    """Two versions of a wallet, the second with a break, a version that cannot run, and an experiment."""
    made = [
        one
        for version in (1, 2)
        for one in (
            results.definition("wallet", version),
            results.quality("wallet", version, 60.0 + 12.5 * version),
            results.scenarios("wallet", version, passes=version == 1),
            results.coverage("wallet", version),
            results.edge_cases("wallet", version),
            results.benchmark("wallet", version),
            agents("wallet", version),
        )
    ]
    results.store(database, *made, *results.regressions("wallet"), *results.broken("broken"))
    store_experiment(database)
