-- The chain is followed for each result, not for each of its metrics: sixty times less to follow.

CREATE VIEW asset_lineage AS
WITH RECURSIVE chain AS (
    SELECT asset_key, partition_key, app_id, version, data_version, run_id,
        input_kind, input_key, input_version, input_partition_key, input_run_id, 1 AS depth
    FROM lineage
    UNION
    SELECT c.asset_key, c.partition_key, c.app_id, c.version, c.data_version, c.run_id,
        l.input_kind, l.input_key, l.input_version, l.input_partition_key, l.input_run_id, c.depth + 1
    FROM chain AS c
    JOIN lineage AS l
        ON l.asset_key = c.input_key
        AND l.partition_key = c.input_partition_key
        AND l.data_version = c.input_version
    WHERE c.input_kind IN ('asset', 'upstream_version') AND c.depth < 20
)
SELECT asset_key, partition_key, app_id, version, data_version, run_id,
    input_kind, input_key, input_version, depth, input_partition_key, input_run_id
FROM chain;
COMMENT ON VIEW asset_lineage IS
    'What each result was computed from, down to files, code and configuration; one row an input';
COMMENT ON COLUMN asset_lineage.asset_key IS 'Dagster asset that made the result';
COMMENT ON COLUMN asset_lineage.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN asset_lineage.app_id IS 'App; null for tau-bench';
COMMENT ON COLUMN asset_lineage.version IS 'App version, from 1; null for tau-bench';
COMMENT ON COLUMN asset_lineage.data_version IS 'Data version of the result';
COMMENT ON COLUMN asset_lineage.run_id IS 'Dagster run that made the result';
COMMENT ON COLUMN asset_lineage.input_kind IS 'asset, file, code, config or upstream_version';
COMMENT ON COLUMN asset_lineage.input_key IS 'Asset key, file relative to the data directory, or name';
COMMENT ON COLUMN asset_lineage.input_version IS 'Data version, SHA-256, code version, or hash of the value';
COMMENT ON COLUMN asset_lineage.depth IS 'Steps away from the result, from 1';
COMMENT ON COLUMN asset_lineage.input_partition_key IS 'Partition of the input, if it has one';
COMMENT ON COLUMN asset_lineage.input_run_id IS 'Run that made the input, if one did';

CREATE OR REPLACE VIEW metric_lineage AS
SELECT m.partition_key, m.app_id, m.version, m.metric,
    l.input_kind, l.input_key, l.input_version, l.depth, l.input_partition_key, l.input_run_id
FROM metrics AS m
JOIN asset_lineage AS l
    ON l.asset_key = m.asset_key AND l.partition_key = m.partition_key AND l.data_version = m.data_version;
COMMENT ON VIEW metric_lineage IS
    'What each metric was computed from, down to files, code and configuration; one row an input';
COMMENT ON COLUMN metric_lineage.partition_key IS 'Dagster partition of the metric';
COMMENT ON COLUMN metric_lineage.app_id IS 'App; null for tau-bench';
COMMENT ON COLUMN metric_lineage.version IS 'App version; null for tau-bench';
COMMENT ON COLUMN metric_lineage.metric IS 'Name of the metric, as in metrics';
COMMENT ON COLUMN metric_lineage.input_kind IS 'asset, file, code, config or upstream_version';
COMMENT ON COLUMN metric_lineage.input_key IS 'Asset key, file relative to the data directory, or name';
COMMENT ON COLUMN metric_lineage.input_version IS 'Data version, SHA-256, code version, or hash of the value';
COMMENT ON COLUMN metric_lineage.depth IS 'Steps away from the metric, from 1';
COMMENT ON COLUMN metric_lineage.input_partition_key IS 'Partition of the input, if it has one';
COMMENT ON COLUMN metric_lineage.input_run_id IS 'Run that made the input, if one did';
