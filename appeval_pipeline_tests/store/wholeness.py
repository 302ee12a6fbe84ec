"""Whether each partition of each table is wholly of one run."""

from appeval_pipeline.store import Database
from appeval_pipeline.store.writing import ASSET_TABLES

ROWS = " UNION ALL ".join(
    f"SELECT '{table}' AS name, '{asset}' AS asset_key, partition_key, run_id, data_version FROM {table}"
    for asset, tables in ASSET_TABLES.items()
    for table in tables
)
MAY_BE_EMPTY = ("scenario_runs", "agent_evaluations")
"""A version without scenarios, or without tasks, has no rows there."""
ALL_MAIN_TABLES = " UNION ALL ".join(
    f"SELECT '{asset}' AS asset_key, partition_key FROM {tables[0]}"
    for asset, tables in ASSET_TABLES.items()
    if asset not in MAY_BE_EMPTY
)


def torn_partitions(database: Database) -> list[tuple[object, ...]]:
    """Table and partition of rows that are not those of their lineage, and lineage without rows.

    A partition is whole if all rows that an asset made of it, in all its tables and in ``lineage``, are of
    one run and one data version, and there are as many as the main table says.
    """
    with database.reader() as connection:
        mixed = connection.execute(
            f"""
            WITH made AS (SELECT DISTINCT asset_key, partition_key, run_id, data_version FROM lineage)
            SELECT name, partition_key FROM ({ROWS}) ANTI JOIN made
                USING (asset_key, partition_key, run_id, data_version)
            UNION ALL SELECT 'lineage', partition_key FROM made GROUP BY asset_key, partition_key
                HAVING count(*) > 1
            UNION ALL SELECT 'no rows', partition_key FROM made
                ANTI JOIN ({ALL_MAIN_TABLES}) USING (asset_key, partition_key)
                WHERE asset_key NOT IN {MAY_BE_EMPTY}
            """
        ).fetchall()
        incomplete = connection.execute(
            """
            SELECT 'quality_dimensions', q.partition_key FROM quality_scores AS q
                LEFT JOIN quality_dimensions AS d USING (partition_key)
                WHERE q.status = 'scored' GROUP BY ALL HAVING count(d.dimension) <> 6
            UNION ALL SELECT 'scenario_steps', r.partition_key FROM scenario_runs AS r
                LEFT JOIN scenario_steps AS s USING (partition_key, file_path)
                WHERE r.passed IS NOT NULL GROUP BY r.partition_key, r.file_path, r.steps_total
                HAVING count(s.step_index) <> r.steps_total
            UNION ALL SELECT 'edge_case_results', e.partition_key FROM edge_case_reports AS e
                LEFT JOIN edge_case_results AS c USING (partition_key)
                WHERE e.status = 'analyzed' GROUP BY e.partition_key, e.case_count
                HAVING count(c.position) <> e.case_count
            UNION ALL SELECT 'agent_trials', a.partition_key FROM agent_evaluations AS a
                LEFT JOIN agent_trials AS t USING (partition_key, file_path, agent)
                WHERE a.status = 'evaluated' GROUP BY a.partition_key, a.file_path, a.agent, a.trial_count
                HAVING count(t.trial) <> a.trial_count
            UNION ALL SELECT 'agent_steps', t.partition_key FROM agent_trials AS t
                LEFT JOIN agent_steps AS s USING (partition_key, file_path, agent, trial)
                GROUP BY t.partition_key, t.file_path, t.agent, t.trial, t.step_count
                HAVING count(s.step_index) <> t.step_count
            """
        ).fetchall()
    return [*mixed, *incomplete]
