"""The results store: DuckDB tables, what is in them, and what they were computed from."""

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.chains import BrokenChain, broken_chains
from appeval_pipeline.store.database import Database
from appeval_pipeline.store.differences import MetricDifference, explain_difference
from appeval_pipeline.store.lineage import LineageNode, explain_experiment_metric, explain_metric
from appeval_pipeline.store.opening import open_store
from appeval_pipeline.store.overview import VersionOverview, read_overview
from appeval_pipeline.store.query import QueryResult, query
from appeval_pipeline.store.schema import Column, table_columns
from appeval_pipeline.store.verdicts import Severity, Verdict, all_verdicts
from appeval_pipeline.store.writing import Batch, forget, write_batch

__all__ = [
    "Batch",
    "BrokenChain",
    "Column",
    "Database",
    "LineageNode",
    "MetricDifference",
    "QueryResult",
    "Severity",
    "Store",
    "Verdict",
    "VersionOverview",
    "all_verdicts",
    "broken_chains",
    "explain_difference",
    "explain_experiment_metric",
    "explain_metric",
    "forget",
    "open_store",
    "query",
    "read_overview",
    "table_columns",
    "write_batch",
]
