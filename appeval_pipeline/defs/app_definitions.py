"""The asset ``app_definitions``: what the pipeline knows of each app version."""

import dagster as dg

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import definition_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.freshness import find_entry, storable_catalogue
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.results import read_state


@app_version_asset(
    group="definitions",
    description=(
        "The definition of each app version, as validated, with its hash and warnings.\n\n"
        "A version lands with its first valid definition and is immutable from then on: a file that says "
        "something else later is reported as a violation, and the stored definition stays in use. A "
        "definition that cannot run is stored with its error, and may be repaired in place."
    ),
    kinds=frozenset({"yaml"}),
)
def app_definitions(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Read, validate and store the definitions of this run's app versions."""
    workspace.database.prepare()
    catalogue = storable_catalogue(workspace.data_path)
    stored = read_state(workspace.database).versions
    results = []
    for key in context.partition_keys:
        app_id, version = parse_partition_key(key)
        results.append(
            land(app_id, version, find_entry(catalogue, key), stored.get(key), workspace.data_path)
        )
    return store_results(context, workspace, results, definition_metadata)
