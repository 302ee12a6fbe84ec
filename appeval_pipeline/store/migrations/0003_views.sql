CREATE VIEW latest_quality AS
SELECT s.*
FROM quality_scores AS s
WHERE s.version = (SELECT max(l.version) FROM quality_scores AS l WHERE l.app_id = s.app_id);
COMMENT ON VIEW latest_quality IS 'quality_scores of the latest version of each app';
COMMENT ON COLUMN latest_quality.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN latest_quality.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN latest_quality.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN latest_quality.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN latest_quality.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN latest_quality.app_id IS 'App';
COMMENT ON COLUMN latest_quality.version IS 'Latest stored version number';
COMMENT ON COLUMN latest_quality.status IS 'scored, not_evaluated (no valid definition) or error (scoring failed)';
COMMENT ON COLUMN latest_quality.overall_score IS 'Weighted sum of the dimension scores, 0 to 100 points';
COMMENT ON COLUMN latest_quality.level IS 'Excellent (from 90), Good (from 70), Acceptable (from 50) or Needs Work';
COMMENT ON COLUMN latest_quality.suggestion_count IS 'Number of suggestions';
COMMENT ON COLUMN latest_quality.error IS 'Why there is no score; null when there is one';

-- Every stored number under one name. A value that could not be computed has no row.
CREATE VIEW metrics AS
WITH scenario_totals AS (
    -- From the lineage, so that a version without any scenario still has its totals.
    SELECT l.partition_key, l.app_id, l.version, l.asset_key, l.run_id, l.data_version,
        count(r.file_path) AS total,
        count(r.file_path) FILTER (r.passed IS NOT NULL) AS evaluated,
        count(r.file_path) FILTER (r.passed) AS passed,
        sum(r.steps_passed) AS steps_passed, sum(r.steps_total) AS steps_total,
        avg(r.partial_credit) AS partial_credit, sum(r.failure_count) AS failures,
        sum(r.duration_ms) AS duration_ms
    FROM (
        SELECT DISTINCT partition_key, app_id, version, asset_key, run_id, data_version
        FROM lineage WHERE asset_key = 'scenario_runs'
    ) AS l
    LEFT JOIN scenario_runs AS r USING (partition_key)
    GROUP BY ALL
),
numbers AS (
    SELECT partition_key, app_id, version, 'definition.actions' AS metric, CAST(action_count AS DOUBLE) AS value,
        'count' AS unit, asset_key, run_id, data_version
    FROM app_versions
    UNION ALL
    SELECT partition_key, app_id, version, 'definition.warnings', CAST(warning_count AS DOUBLE), 'count',
        asset_key, run_id, data_version
    FROM app_versions
    UNION ALL
    SELECT partition_key, app_id, version, 'quality.overall', overall_score, 'points',
        asset_key, run_id, data_version
    FROM quality_scores
    UNION ALL
    SELECT partition_key, app_id, version, 'quality.suggestions', CAST(suggestion_count AS DOUBLE), 'count',
        asset_key, run_id, data_version
    FROM quality_scores
    UNION ALL
    SELECT partition_key, app_id, version, 'quality.' || dimension, score, 'points',
        asset_key, run_id, data_version
    FROM quality_dimensions
    UNION ALL
    SELECT t.partition_key, t.app_id, t.version, 'scenarios.' || m.name, m.value, m.unit,
        t.asset_key, t.run_id, t.data_version
    FROM scenario_totals AS t
    CROSS JOIN LATERAL (
        VALUES
        ('total', CAST(t.total AS DOUBLE), 'count'),
        ('evaluated', CAST(t.evaluated AS DOUBLE), 'count'),
        ('passed', CAST(t.passed AS DOUBLE), 'count'),
        ('pass_rate', t.passed / nullif(t.evaluated, 0), 'ratio'),
        ('steps_passed', CAST(t.steps_passed AS DOUBLE), 'count'),
        ('steps_total', CAST(t.steps_total AS DOUBLE), 'count'),
        ('partial_credit', t.partial_credit, 'ratio'),
        ('failures', CAST(t.failures AS DOUBLE), 'count'),
        ('duration_ms', t.duration_ms, 'ms')
    ) AS m (name, value, unit)
)
SELECT * FROM numbers WHERE value IS NOT NULL;
COMMENT ON VIEW metrics IS 'Every stored number in long form; one row a version and metric';
COMMENT ON COLUMN metrics.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN metrics.app_id IS 'App';
COMMENT ON COLUMN metrics.version IS 'App version, from 1';
COMMENT ON COLUMN metrics.metric IS 'Name, such as quality.overall or scenarios.pass_rate';
COMMENT ON COLUMN metrics.value IS 'The number, in the unit beside it';
COMMENT ON COLUMN metrics.unit IS 'points (0 to 100), ratio (0 to 1), count, or ms';
COMMENT ON COLUMN metrics.asset_key IS 'Dagster asset that made the number';
COMMENT ON COLUMN metrics.run_id IS 'Dagster run that made the number';
COMMENT ON COLUMN metrics.data_version IS 'Data version of the result that the number belongs to';

-- From a metric down to files and code. An input asset is followed as long as the store still holds the very
-- result (data version) that was used; the depth bound ends a cycle, should a store ever have one.
CREATE VIEW metric_lineage AS
WITH RECURSIVE chain AS (
    SELECT m.partition_key, m.app_id, m.version, m.metric,
        l.input_kind, l.input_key, l.input_version, l.input_partition_key, l.input_run_id, 1 AS depth
    FROM metrics AS m
    JOIN lineage AS l ON l.asset_key = m.asset_key AND l.partition_key = m.partition_key
    UNION
    SELECT c.partition_key, c.app_id, c.version, c.metric,
        l.input_kind, l.input_key, l.input_version, l.input_partition_key, l.input_run_id, c.depth + 1
    FROM chain AS c
    JOIN lineage AS l
        ON l.asset_key = c.input_key
        AND l.partition_key = c.input_partition_key
        AND l.data_version = c.input_version
    WHERE c.input_kind IN ('asset', 'upstream_version') AND c.depth < 20
)
SELECT partition_key, app_id, version, metric, input_kind, input_key, input_version, depth,
    input_partition_key, input_run_id
FROM chain;
COMMENT ON VIEW metric_lineage IS 'What each metric was computed from, down to files and code; one row an input';
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
