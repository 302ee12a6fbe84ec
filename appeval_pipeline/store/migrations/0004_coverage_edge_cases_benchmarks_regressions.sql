-- Coverage, edge cases, benchmarks and regressions.

ALTER TABLE scenario_steps ADD COLUMN has_expectation BOOLEAN;
COMMENT ON COLUMN scenario_steps.has_expectation IS
    'True if the step says what it expects; without, success is expected';
ALTER TABLE quality_scores ADD COLUMN suggestions_left_out INTEGER;
COMMENT ON COLUMN quality_scores.suggestions_left_out IS
    'Suggestions that were not tried; 0 but for huge definitions';

CREATE TABLE coverage_reports (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, status VARCHAR NOT NULL, action_coverage DOUBLE,
    block_coverage DOUBLE, branch_coverage DOUBLE, path_coverage DOUBLE, paths_total BIGINT,
    paths_capped BOOLEAN, gap_count INTEGER, recommendations JSON NOT NULL, actions JSON NOT NULL,
    error VARCHAR
);
COMMENT ON TABLE coverage_reports IS 'How much of the logic the scenarios reach; one row a version';
COMMENT ON COLUMN coverage_reports.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN coverage_reports.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN coverage_reports.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN coverage_reports.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN coverage_reports.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN coverage_reports.app_id IS 'App';
COMMENT ON COLUMN coverage_reports.version IS 'Version number, from 1';
COMMENT ON COLUMN coverage_reports.status IS
    'analyzed, not_evaluated (no valid definition) or error (the analysis failed)';
COMMENT ON COLUMN coverage_reports.action_coverage IS 'Actions whose logic was entered, in percent';
COMMENT ON COLUMN coverage_reports.block_coverage IS
    'Blocks that ran, of those that some path leads to, in percent';
COMMENT ON COLUMN coverage_reports.branch_coverage IS
    'Arms taken of branches, validates and loops, in percent';
COMMENT ON COLUMN coverage_reports.path_coverage IS
    'Paths taken, in percent; an action with more than 10,000 counts as having 10,000';
COMMENT ON COLUMN coverage_reports.paths_total IS 'Paths of all actions together';
COMMENT ON COLUMN coverage_reports.paths_capped IS 'True if some action has more than 10,000 paths';
COMMENT ON COLUMN coverage_reports.gap_count IS 'Rows of coverage_gaps';
COMMENT ON COLUMN coverage_reports.recommendations IS 'List of what to do about the gaps';
COMMENT ON COLUMN coverage_reports.actions IS 'List of the counts of each action';
COMMENT ON COLUMN coverage_reports.error IS 'Why there is no result; null when there is one';

CREATE TABLE coverage_gaps (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, position INTEGER NOT NULL, kind VARCHAR NOT NULL,
    location VARCHAR NOT NULL, arm VARCHAR, reason VARCHAR NOT NULL, cause VARCHAR NOT NULL,
    message VARCHAR NOT NULL, recommendation VARCHAR NOT NULL
);
COMMENT ON TABLE coverage_gaps IS 'What no scenario reaches, and why; one row a gap';
COMMENT ON COLUMN coverage_gaps.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN coverage_gaps.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN coverage_gaps.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN coverage_gaps.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN coverage_gaps.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN coverage_gaps.app_id IS 'App';
COMMENT ON COLUMN coverage_gaps.version IS 'Version number, from 1';
COMMENT ON COLUMN coverage_gaps.position IS 'Place in the report, from 0';
COMMENT ON COLUMN coverage_gaps.kind IS 'action, block or branch';
COMMENT ON COLUMN coverage_gaps.location IS 'The action, or the block''s id such as transfer.logic[1]';
COMMENT ON COLUMN coverage_gaps.arm IS
    'Arm that was not taken: pass, fail, then, else, 0 or 1+; null for actions and blocks';
COMMENT ON COLUMN coverage_gaps.reason IS
    'never_called, always_refused, arm_never_taken, always_breaks_off or unreachable';
COMMENT ON COLUMN coverage_gaps.cause IS
    'Where the reason lies: the location itself, or what keeps every run from it';
COMMENT ON COLUMN coverage_gaps.message IS 'The same in words';
COMMENT ON COLUMN coverage_gaps.recommendation IS 'What would close the gap';

CREATE TABLE edge_case_reports (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, status VARCHAR NOT NULL, edge_case_coverage DOUBLE,
    edge_case_robustness DOUBLE, case_count INTEGER, covered_count INTEGER, robust_count INTEGER,
    unsolved JSON NOT NULL, capped BOOLEAN, error VARCHAR
);
COMMENT ON TABLE edge_case_reports IS 'Edge cases of the actions; one row a version';
COMMENT ON COLUMN edge_case_reports.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN edge_case_reports.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN edge_case_reports.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN edge_case_reports.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN edge_case_reports.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN edge_case_reports.app_id IS 'App';
COMMENT ON COLUMN edge_case_reports.version IS 'Version number, from 1';
COMMENT ON COLUMN edge_case_reports.status IS
    'analyzed, not_evaluated (no valid definition) or error (the analysis failed)';
COMMENT ON COLUMN edge_case_reports.edge_case_coverage IS
    'Cases that some scenario step meets with an expectation, in percent';
COMMENT ON COLUMN edge_case_reports.edge_case_robustness IS 'Cases that behave when they are run, in percent';
COMMENT ON COLUMN edge_case_reports.case_count IS 'Number of cases';
COMMENT ON COLUMN edge_case_reports.covered_count IS 'Cases that a scenario step meets';
COMMENT ON COLUMN edge_case_reports.robust_count IS 'Cases that behave';
COMMENT ON COLUMN edge_case_reports.unsolved IS
    'List of cases for which no input was found; they count in no number';
COMMENT ON COLUMN edge_case_reports.capped IS
    'True if there may be more cases: the search came to the end of its budget';
COMMENT ON COLUMN edge_case_reports.error IS 'Why there is no result; null when there is one';

CREATE TABLE edge_case_results (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, position INTEGER NOT NULL, action VARCHAR NOT NULL,
    kind VARCHAR NOT NULL, parameter VARCHAR, call JSON NOT NULL, expected VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL, is_robust BOOLEAN NOT NULL, covered_by JSON NOT NULL
);
COMMENT ON TABLE edge_case_results IS 'Edge cases, each with its call and what came of it; one row a case';
COMMENT ON COLUMN edge_case_results.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN edge_case_results.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN edge_case_results.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN edge_case_results.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN edge_case_results.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN edge_case_results.app_id IS 'App';
COMMENT ON COLUMN edge_case_results.version IS 'Version number, from 1';
COMMENT ON COLUMN edge_case_results.position IS 'Place in the report, from 0';
COMMENT ON COLUMN edge_case_results.action IS 'Action that is called';
COMMENT ON COLUMN edge_case_results.kind IS 'Kind of edge case, such as required_missing or above_max';
COMMENT ON COLUMN edge_case_results.parameter IS
    'Parameter it is about, or the id of the validate block; null where it is about neither';
COMMENT ON COLUMN edge_case_results.call IS
    'The call that was made: agent, action, params, and what went before';
COMMENT ON COLUMN edge_case_results.expected IS 'accepted, or the kind of error that has to refuse it';
COMMENT ON COLUMN edge_case_results.outcome IS 'success, or the kind of error that came';
COMMENT ON COLUMN edge_case_results.is_robust IS
    'True if it behaves: invalid input is refused cleanly, valid input runs';
COMMENT ON COLUMN edge_case_results.covered_by IS 'List of the scenario steps that meet the case';

CREATE TABLE benchmark_results (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, status VARCHAR NOT NULL, timestamp VARCHAR,
    avg_action_latency_ms DOUBLE, p50_action_latency_ms DOUBLE, p95_action_latency_ms DOUBLE,
    p99_action_latency_ms DOUBLE, actions_per_second DOUBLE, sample_count INTEGER, calibration_ms DOUBLE,
    avg_multiple DOUBLE, p50_multiple DOUBLE, p95_multiple DOUBLE, p99_multiple DOUBLE,
    scenario_pass_rate DOUBLE, edge_case_coverage DOUBLE, quality_score DOUBLE,
    dimension_scores JSON NOT NULL, environment JSON NOT NULL, histogram JSON NOT NULL,
    untimed_actions JSON NOT NULL, error VARCHAR
);
COMMENT ON TABLE benchmark_results IS 'Speed, correctness and quality; one row a version';
COMMENT ON COLUMN benchmark_results.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN benchmark_results.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN benchmark_results.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN benchmark_results.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN benchmark_results.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN benchmark_results.app_id IS 'App';
COMMENT ON COLUMN benchmark_results.version IS 'Version number, from 1';
COMMENT ON COLUMN benchmark_results.status IS
    'measured, not_evaluated (no valid definition) or error (the benchmark failed)';
COMMENT ON COLUMN benchmark_results.timestamp IS 'When it was measured, ISO 8601, UTC';
COMMENT ON COLUMN benchmark_results.avg_action_latency_ms IS 'Mean latency of an action, in milliseconds';
COMMENT ON COLUMN benchmark_results.p50_action_latency_ms IS 'Median latency of an action, in milliseconds';
COMMENT ON COLUMN benchmark_results.p95_action_latency_ms IS
    '95th percentile of the latency of an action, in milliseconds';
COMMENT ON COLUMN benchmark_results.p99_action_latency_ms IS
    '99th percentile of the latency of an action, in milliseconds; null for fewer than 1,000 samples';
COMMENT ON COLUMN benchmark_results.actions_per_second IS
    'Throughput: actions per second of time spent in actions';
COMMENT ON COLUMN benchmark_results.sample_count IS 'Number of timed actions';
COMMENT ON COLUMN benchmark_results.calibration_ms IS
    'Median time of the calibration loop in the same process, in milliseconds';
COMMENT ON COLUMN benchmark_results.avg_multiple IS
    'Mean latency as a multiple of the calibration loop, for comparing machines';
COMMENT ON COLUMN benchmark_results.p50_multiple IS
    'Median latency as a multiple of the calibration loop, for comparing machines';
COMMENT ON COLUMN benchmark_results.p95_multiple IS
    '95th percentile of the latency as a multiple of the calibration loop, for comparing machines';
COMMENT ON COLUMN benchmark_results.p99_multiple IS
    '99th percentile of the latency as a multiple of the calibration loop, for comparing machines';
COMMENT ON COLUMN benchmark_results.scenario_pass_rate IS
    'Scenarios that pass, a ratio 0 to 1; null where there is none';
COMMENT ON COLUMN benchmark_results.edge_case_coverage IS 'As in edge_case_reports, in percent';
COMMENT ON COLUMN benchmark_results.quality_score IS 'Overall quality, 0 to 100 points';
COMMENT ON COLUMN benchmark_results.dimension_scores IS 'Quality by dimension, 0 to 100 points each';
COMMENT ON COLUMN benchmark_results.environment IS
    'Where it was measured: Python, platform, processors, package';
COMMENT ON COLUMN benchmark_results.histogram IS
    'Distribution of the latencies: edges in milliseconds and counts';
COMMENT ON COLUMN benchmark_results.untimed_actions IS
    'List of actions without a timed call: none was found, or the time budget ended before';
COMMENT ON COLUMN benchmark_results.error IS 'Why there is no result; null when there is one';

CREATE TABLE benchmark_actions (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, action VARCHAR NOT NULL,
    sample_count INTEGER NOT NULL, avg_latency_ms DOUBLE NOT NULL, p50_latency_ms DOUBLE NOT NULL,
    p95_latency_ms DOUBLE NOT NULL, p99_latency_ms DOUBLE, p50_multiple DOUBLE NOT NULL
);
COMMENT ON TABLE benchmark_actions IS 'Latency by action; one row a version and action';
COMMENT ON COLUMN benchmark_actions.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN benchmark_actions.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN benchmark_actions.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN benchmark_actions.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN benchmark_actions.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN benchmark_actions.app_id IS 'App';
COMMENT ON COLUMN benchmark_actions.version IS 'Version number, from 1';
COMMENT ON COLUMN benchmark_actions.action IS 'Action';
COMMENT ON COLUMN benchmark_actions.sample_count IS 'Number of timed calls';
COMMENT ON COLUMN benchmark_actions.avg_latency_ms IS 'Mean latency, in milliseconds';
COMMENT ON COLUMN benchmark_actions.p50_latency_ms IS 'Median latency, in milliseconds';
COMMENT ON COLUMN benchmark_actions.p95_latency_ms IS '95th percentile, in milliseconds';
COMMENT ON COLUMN benchmark_actions.p99_latency_ms IS
    '99th percentile, in milliseconds; null for fewer than 1,000 samples';
COMMENT ON COLUMN benchmark_actions.p50_multiple IS 'Median latency as a multiple of the calibration loop';

CREATE TABLE regression_reports (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, status VARCHAR NOT NULL, old_version INTEGER,
    is_breaking BOOLEAN, is_empty BOOLEAN, new_failures JSON NOT NULL, fixed_tests JSON NOT NULL,
    still_failing JSON NOT NULL, not_compared JSON NOT NULL, not_timed JSON NOT NULL,
    output_change_count INTEGER, output_changes_left_out INTEGER, interface_breaking_count INTEGER,
    interface_warning_count INTEGER, interface_compatible_count INTEGER, quality_score_delta DOUBLE,
    dimension_changes JSON NOT NULL, latency_change_pct DOUBLE, throughput_change_pct DOUBLE,
    significant_actions JSON NOT NULL, error VARCHAR
);
COMMENT ON TABLE regression_reports IS 'What changed against the baseline, the next lower valid version; one row a version';
COMMENT ON COLUMN regression_reports.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN regression_reports.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN regression_reports.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN regression_reports.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN regression_reports.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN regression_reports.app_id IS 'App';
COMMENT ON COLUMN regression_reports.version IS 'Version number, from 1';
COMMENT ON COLUMN regression_reports.status IS
    'compared, no_baseline (first version), not_evaluated (no valid definition) or error (the comparison failed)';
COMMENT ON COLUMN regression_reports.old_version IS 'The baseline; null where there is none';
COMMENT ON COLUMN regression_reports.is_breaking IS 'True if a scenario newly fails';
COMMENT ON COLUMN regression_reports.is_empty IS
    'True if nothing changed: behaviour, interface, quality or speed';
COMMENT ON COLUMN regression_reports.new_failures IS
    'List of the scenarios that pass on the baseline and fail here';
COMMENT ON COLUMN regression_reports.fixed_tests IS
    'List of the scenarios that fail on the baseline and pass here';
COMMENT ON COLUMN regression_reports.still_failing IS 'List of the scenarios that fail on both';
COMMENT ON COLUMN regression_reports.not_compared IS
    'List of the scenarios that apply to one of the two versions only';
COMMENT ON COLUMN regression_reports.not_timed IS
    'List of the actions that both versions have and that could not be timed';
COMMENT ON COLUMN regression_reports.output_change_count IS
    'Differences in steps whose expectations hold in both versions';
COMMENT ON COLUMN regression_reports.output_changes_left_out IS
    'How many of them have no row in regression_changes; 0 but for very many';
COMMENT ON COLUMN regression_reports.interface_breaking_count IS 'Breaking changes of the interface';
COMMENT ON COLUMN regression_reports.interface_warning_count IS
    'Changes of the interface that deserve a look';
COMMENT ON COLUMN regression_reports.interface_compatible_count IS
    'Changes of the interface that break nobody';
COMMENT ON COLUMN regression_reports.quality_score_delta IS
    'Overall quality minus that of the baseline, in points';
COMMENT ON COLUMN regression_reports.dimension_changes IS
    'The same by dimension, where it changed, in points';
COMMENT ON COLUMN regression_reports.latency_change_pct IS
    'Geometric mean over the actions of the change of latency, in percent; positive is slower';
COMMENT ON COLUMN regression_reports.throughput_change_pct IS
    'Change of actions per second, measured, in percent; positive is faster';
COMMENT ON COLUMN regression_reports.significant_actions IS
    'List of actions whose latency changed significantly';
COMMENT ON COLUMN regression_reports.error IS 'Why there is no result; null when there is one';

CREATE TABLE regression_changes (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, position INTEGER NOT NULL, change VARCHAR NOT NULL,
    severity VARCHAR, kind VARCHAR, location VARCHAR NOT NULL, path VARCHAR, message VARCHAR NOT NULL,
    old JSON NOT NULL, new JSON NOT NULL
);
COMMENT ON TABLE regression_changes IS 'Differences from the baseline in behaviour and interface; one row a difference';
COMMENT ON COLUMN regression_changes.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN regression_changes.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN regression_changes.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN regression_changes.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN regression_changes.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN regression_changes.app_id IS 'App';
COMMENT ON COLUMN regression_changes.version IS 'Version number, from 1';
COMMENT ON COLUMN regression_changes.position IS 'Place in the report, from 0';
COMMENT ON COLUMN regression_changes.change IS 'new_failure, fixed_test, output_change or interface_change';
COMMENT ON COLUMN regression_changes.severity IS
    'breaking, warning or compatible; null for a fixed test and a changed output';
COMMENT ON COLUMN regression_changes.kind IS
    'What kind of interface change, or what of the output changed: data, error, observations or state';
COMMENT ON COLUMN regression_changes.location IS 'Scenario and step, or place in the definition';
COMMENT ON COLUMN regression_changes.path IS 'What differs inside it';
COMMENT ON COLUMN regression_changes.message IS 'The difference in words';
COMMENT ON COLUMN regression_changes.old IS 'Before';
COMMENT ON COLUMN regression_changes.new IS 'After';

CREATE TABLE regression_timings (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL, action VARCHAR NOT NULL,
    pair_count INTEGER NOT NULL, old_median_ms DOUBLE NOT NULL, new_median_ms DOUBLE NOT NULL,
    ratio DOUBLE NOT NULL, low DOUBLE NOT NULL, high DOUBLE NOT NULL, is_significant BOOLEAN NOT NULL
);
COMMENT ON TABLE regression_timings IS 'Latency beside the baseline, timed in turns; one row a version and action';
COMMENT ON COLUMN regression_timings.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN regression_timings.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN regression_timings.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN regression_timings.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN regression_timings.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN regression_timings.app_id IS 'App';
COMMENT ON COLUMN regression_timings.version IS 'Version number, from 1';
COMMENT ON COLUMN regression_timings.action IS 'Action';
COMMENT ON COLUMN regression_timings.pair_count IS 'Number of pairs of timed calls';
COMMENT ON COLUMN regression_timings.old_median_ms IS 'Median latency in the baseline, in milliseconds';
COMMENT ON COLUMN regression_timings.new_median_ms IS 'Median latency here, in milliseconds';
COMMENT ON COLUMN regression_timings.ratio IS 'Median of the ratios new / old of the pairs';
COMMENT ON COLUMN regression_timings.low IS 'Lower end of its 99.9% bootstrap interval';
COMMENT ON COLUMN regression_timings.high IS 'Upper end of its 99.9% bootstrap interval';
COMMENT ON COLUMN regression_timings.is_significant IS
    'True if the interval excludes 1 and the change exceeds 10%';

CREATE OR REPLACE VIEW latest_quality AS
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
COMMENT ON COLUMN latest_quality.suggestions_left_out IS
    'Suggestions that were not tried; 0 but for huge definitions';

-- Every stored number under one name. A value that could not be computed has no row.
CREATE OR REPLACE VIEW metrics AS
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
    UNION ALL
    SELECT c.partition_key, c.app_id, c.version, 'coverage.' || m.name, m.value, m.unit,
        c.asset_key, c.run_id, c.data_version
    FROM coverage_reports AS c
    CROSS JOIN LATERAL (
        VALUES
        ('action', c.action_coverage, 'percent'),
        ('block', c.block_coverage, 'percent'),
        ('branch', c.branch_coverage, 'percent'),
        ('path', c.path_coverage, 'percent'),
        ('paths_total', CAST(c.paths_total AS DOUBLE), 'count'),
        ('gaps', CAST(c.gap_count AS DOUBLE), 'count')
    ) AS m (name, value, unit)
    UNION ALL
    SELECT e.partition_key, e.app_id, e.version, 'edge_cases.' || m.name, m.value, m.unit,
        e.asset_key, e.run_id, e.data_version
    FROM edge_case_reports AS e
    CROSS JOIN LATERAL (
        VALUES
        ('coverage', e.edge_case_coverage, 'percent'),
        ('robustness', e.edge_case_robustness, 'percent'),
        ('total', CAST(e.case_count AS DOUBLE), 'count'),
        ('covered', CAST(e.covered_count AS DOUBLE), 'count'),
        ('robust', CAST(e.robust_count AS DOUBLE), 'count')
    ) AS m (name, value, unit)
    UNION ALL
    SELECT b.partition_key, b.app_id, b.version, 'benchmark.' || m.name, m.value, m.unit,
        b.asset_key, b.run_id, b.data_version
    FROM benchmark_results AS b
    CROSS JOIN LATERAL (
        VALUES
        ('avg_latency_ms', b.avg_action_latency_ms, 'ms'),
        ('p50_latency_ms', b.p50_action_latency_ms, 'ms'),
        ('p95_latency_ms', b.p95_action_latency_ms, 'ms'),
        ('p99_latency_ms', b.p99_action_latency_ms, 'ms'),
        ('avg_multiple', b.avg_multiple, 'multiple'),
        ('p50_multiple', b.p50_multiple, 'multiple'),
        ('p95_multiple', b.p95_multiple, 'multiple'),
        ('p99_multiple', b.p99_multiple, 'multiple'),
        ('calibration_ms', b.calibration_ms, 'ms'),
        ('actions_per_second', b.actions_per_second, 'actions/s'),
        ('samples', CAST(b.sample_count AS DOUBLE), 'count'),
        ('scenario_pass_rate', b.scenario_pass_rate, 'ratio'),
        ('edge_case_coverage', b.edge_case_coverage, 'percent'),
        ('quality_score', b.quality_score, 'points')
    ) AS m (name, value, unit)
    UNION ALL
    SELECT partition_key, app_id, version, 'benchmark.' || action || '.p50_latency_ms', p50_latency_ms, 'ms',
        asset_key, run_id, data_version
    FROM benchmark_actions
    UNION ALL
    SELECT r.partition_key, r.app_id, r.version, 'regression.' || m.name, m.value, m.unit,
        r.asset_key, r.run_id, r.data_version
    FROM regression_reports AS r
    CROSS JOIN LATERAL (
        VALUES
        ('new_failures', CAST(json_array_length(r.new_failures) AS DOUBLE), 'count'),
        ('fixed_tests', CAST(json_array_length(r.fixed_tests) AS DOUBLE), 'count'),
        ('output_changes', CAST(r.output_change_count AS DOUBLE), 'count'),
        ('interface_breaking', CAST(r.interface_breaking_count AS DOUBLE), 'count'),
        ('interface_warnings', CAST(r.interface_warning_count AS DOUBLE), 'count'),
        ('interface_compatible', CAST(r.interface_compatible_count AS DOUBLE), 'count'),
        ('latency_change_pct', r.latency_change_pct, 'percent'),
        ('throughput_change_pct', r.throughput_change_pct, 'percent'),
        ('significant_actions', CAST(json_array_length(r.significant_actions) AS DOUBLE), 'count'),
        ('quality_score_delta', r.quality_score_delta, 'points')
    ) AS m (name, value, unit)
    WHERE r.status = 'compared'
)
SELECT * FROM numbers WHERE value IS NOT NULL;
COMMENT ON VIEW metrics IS 'Every stored number in long form; one row a version and metric';
COMMENT ON COLUMN metrics.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN metrics.app_id IS 'App';
COMMENT ON COLUMN metrics.version IS 'App version, from 1';
COMMENT ON COLUMN metrics.metric IS 'Name, such as quality.overall or scenarios.pass_rate';
COMMENT ON COLUMN metrics.value IS 'The number, in the unit beside it';
COMMENT ON COLUMN metrics.unit IS
    'points (0 to 100), percent, ratio (0 to 1), count, ms, actions/s, or multiple (of the calibration loop)';
COMMENT ON COLUMN metrics.asset_key IS 'Dagster asset that made the number';
COMMENT ON COLUMN metrics.run_id IS 'Dagster run that made the number';
COMMENT ON COLUMN metrics.data_version IS 'Data version of the result that the number belongs to';
