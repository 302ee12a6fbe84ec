-- How agents get on with tasks. The view of all metrics is the one of 0004 and theirs.

CREATE TABLE agent_evaluations (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, task VARCHAR NOT NULL, agent VARCHAR NOT NULL, model VARCHAR,
    status VARCHAR NOT NULL, tags JSON NOT NULL, seed INTEGER NOT NULL, trial_count INTEGER,
    infra_errors INTEGER, goals_reached INTEGER, goal_rate DOUBLE, goal_rate_low DOUBLE,
    goal_rate_high DOUBLE, pass_hat_1 DOUBLE, pass_hat_2 DOUBLE, pass_hat_3 DOUBLE, pass_hat_4 DOUBLE,
    actions_attempted INTEGER, actions_succeeded INTEGER, success_rate DOUBLE, actions_to_goal DOUBLE,
    optimal_actions INTEGER, optimal_is_exact BOOLEAN, declared_optimal INTEGER,
    optimal_plan JSON NOT NULL, efficiency_ratio DOUBLE, validation_errors INTEGER, logic_errors INTEGER,
    repeated_errors INTEGER, used_all_actions BOOLEAN, appropriate_action_choice DOUBLE,
    error_patterns JSON NOT NULL, prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DOUBLE,
    error VARCHAR
);
COMMENT ON TABLE agent_evaluations IS 'How agents get on with tasks; one row a version, task and agent';
COMMENT ON COLUMN agent_evaluations.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN agent_evaluations.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN agent_evaluations.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN agent_evaluations.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN agent_evaluations.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN agent_evaluations.app_id IS 'App';
COMMENT ON COLUMN agent_evaluations.version IS 'App version, from 1';
COMMENT ON COLUMN agent_evaluations.file_path IS 'Task file, relative to the data directory';
COMMENT ON COLUMN agent_evaluations.task IS 'Name of the task; the file name where it has none';
COMMENT ON COLUMN agent_evaluations.agent IS 'oracle, noop, random, llm: and the model, or module:Class';
COMMENT ON COLUMN agent_evaluations.model IS 'Language model that the agent asks; null where it asks none';
COMMENT ON COLUMN agent_evaluations.status IS
    'evaluated, invalid (bad task file), error (it failed) or not_evaluated (no valid definition)';
COMMENT ON COLUMN agent_evaluations.tags IS 'List of tags of the task';
COMMENT ON COLUMN agent_evaluations.seed IS 'Seed of the first trial; each next one has one more';
COMMENT ON COLUMN agent_evaluations.trial_count IS 'Trials';
COMMENT ON COLUMN agent_evaluations.infra_errors IS
    'Trials that broke down through no fault of the agent; they count in nothing else';
COMMENT ON COLUMN agent_evaluations.goals_reached IS 'Scored trials that reached the goal';
COMMENT ON COLUMN agent_evaluations.goal_rate IS
    'Share of the scored trials that reached the goal, a ratio 0 to 1';
COMMENT ON COLUMN agent_evaluations.goal_rate_low IS 'Lower end of its 95% interval';
COMMENT ON COLUMN agent_evaluations.goal_rate_high IS 'Upper end of its 95% interval';
COMMENT ON COLUMN agent_evaluations.pass_hat_1 IS
    'pass^1 of the task, a ratio 0 to 1; null with fewer trials';
COMMENT ON COLUMN agent_evaluations.pass_hat_2 IS
    'pass^2 of the task: chance that two trials both reach the goal';
COMMENT ON COLUMN agent_evaluations.pass_hat_3 IS 'pass^3 of the task';
COMMENT ON COLUMN agent_evaluations.pass_hat_4 IS 'pass^4 of the task';
COMMENT ON COLUMN agent_evaluations.actions_attempted IS 'Calls of actions in all scored trials';
COMMENT ON COLUMN agent_evaluations.actions_succeeded IS 'Those of them that succeeded';
COMMENT ON COLUMN agent_evaluations.success_rate IS
    'actions_succeeded / actions_attempted, a ratio 0 to 1; null without any';
COMMENT ON COLUMN agent_evaluations.actions_to_goal IS
    'Mean number of actions of the trials that reached the goal';
COMMENT ON COLUMN agent_evaluations.optimal_actions IS
    'Fewest actions to the goal that a search found; null where it found no plan';
COMMENT ON COLUMN agent_evaluations.optimal_is_exact IS
    'True if the search was exhaustive: fewer are not possible, or there is no plan';
COMMENT ON COLUMN agent_evaluations.declared_optimal IS
    'optimal_steps as the task declares it; null where it does not';
COMMENT ON COLUMN agent_evaluations.optimal_plan IS 'Calls of a shortest plan; null where none was found';
COMMENT ON COLUMN agent_evaluations.efficiency_ratio IS
    'Mean of optimal / actual actions, 0 for a trial that missed the goal; null where unknown';
COMMENT ON COLUMN agent_evaluations.validation_errors IS 'Calls refused by parameters or validation';
COMMENT ON COLUMN agent_evaluations.logic_errors IS 'Calls that failed otherwise';
COMMENT ON COLUMN agent_evaluations.repeated_errors IS
    'Failed calls equal in action, parameters and error to an earlier one of the trial';
COMMENT ON COLUMN agent_evaluations.used_all_actions IS 'True if some trial called every action of the app';
COMMENT ON COLUMN agent_evaluations.appropriate_action_choice IS
    'Mean share of calls that shorten the way to the goal; null where not exact';
COMMENT ON COLUMN agent_evaluations.error_patterns IS
    'List of {action, error_kind, error, after, count}, the most frequent first';
COMMENT ON COLUMN agent_evaluations.prompt_tokens IS 'Tokens that the model read in all trials';
COMMENT ON COLUMN agent_evaluations.completion_tokens IS 'Tokens that the model wrote in all trials';
COMMENT ON COLUMN agent_evaluations.cost_usd IS
    'What the model cost, in US dollars; null where a price is unknown';
COMMENT ON COLUMN agent_evaluations.error IS 'Why it was not evaluated; null when it was';

CREATE TABLE agent_trials (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, task VARCHAR NOT NULL, agent VARCHAR NOT NULL, trial INTEGER NOT NULL,
    seed INTEGER NOT NULL, end_reason VARCHAR NOT NULL, goal_reached BOOLEAN, reward DOUBLE,
    step_count INTEGER NOT NULL, actions_attempted INTEGER NOT NULL, actions_succeeded INTEGER NOT NULL,
    actions_to_goal INTEGER, efficiency_ratio DOUBLE, validation_errors INTEGER NOT NULL,
    logic_errors INTEGER NOT NULL, repeated_errors INTEGER NOT NULL, invalid_actions INTEGER NOT NULL,
    appropriate_action_choice DOUBLE, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    cost_usd DOUBLE, elapsed_s DOUBLE, error VARCHAR
);
COMMENT ON TABLE agent_trials IS 'Trials of agents on tasks; one row a trial';
COMMENT ON COLUMN agent_trials.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN agent_trials.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN agent_trials.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN agent_trials.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN agent_trials.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN agent_trials.app_id IS 'App';
COMMENT ON COLUMN agent_trials.version IS 'App version, from 1';
COMMENT ON COLUMN agent_trials.file_path IS 'Task file, relative to the data directory';
COMMENT ON COLUMN agent_trials.task IS 'Name of the task';
COMMENT ON COLUMN agent_trials.agent IS 'Agent, as in agent_evaluations';
COMMENT ON COLUMN agent_trials.trial IS 'Number of the trial, from 0';
COMMENT ON COLUMN agent_trials.seed IS 'Decides whatever the agent leaves to chance';
COMMENT ON COLUMN agent_trials.end_reason IS
    'done, stopped, max_steps, invalid_action, token_limit, cost_limit, time_limit or infra_error';
COMMENT ON COLUMN agent_trials.goal_reached IS 'True if the goal was reached; null for an infra_error';
COMMENT ON COLUMN agent_trials.reward IS '1 if the goal was reached, else 0; null for an infra_error';
COMMENT ON COLUMN agent_trials.step_count IS 'Steps';
COMMENT ON COLUMN agent_trials.actions_attempted IS 'Calls of actions';
COMMENT ON COLUMN agent_trials.actions_succeeded IS 'Those of them that succeeded';
COMMENT ON COLUMN agent_trials.actions_to_goal IS 'Calls until the goal; null where it was missed';
COMMENT ON COLUMN agent_trials.efficiency_ratio IS
    'Fewest possible / actions_to_goal, 0 where the goal was missed; null where unknown';
COMMENT ON COLUMN agent_trials.validation_errors IS 'Calls refused by parameters or validation';
COMMENT ON COLUMN agent_trials.logic_errors IS 'Calls that failed otherwise';
COMMENT ON COLUMN agent_trials.repeated_errors IS
    'Failed calls equal in action, parameters and error to an earlier one';
COMMENT ON COLUMN agent_trials.invalid_actions IS 'Answers of the agent that were no action';
COMMENT ON COLUMN agent_trials.appropriate_action_choice IS
    'Share of calls that shorten the way to the goal; null where not exact';
COMMENT ON COLUMN agent_trials.prompt_tokens IS 'Tokens that the model read';
COMMENT ON COLUMN agent_trials.completion_tokens IS 'Tokens that the model wrote';
COMMENT ON COLUMN agent_trials.cost_usd IS
    'What the model cost, in US dollars; null where a price is unknown';
COMMENT ON COLUMN agent_trials.elapsed_s IS 'Time of all steps, in seconds';
COMMENT ON COLUMN agent_trials.error IS 'What broke down; null but for an infra_error';

CREATE TABLE agent_steps (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, task VARCHAR NOT NULL, agent VARCHAR NOT NULL, trial INTEGER NOT NULL,
    step_index INTEGER NOT NULL, kind VARCHAR NOT NULL, action VARCHAR, params JSON NOT NULL,
    said VARCHAR, success BOOLEAN, observation VARCHAR NOT NULL, error VARCHAR, error_kind VARCHAR,
    state_diff JSON NOT NULL, observations JSON NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, cost_usd DOUBLE, elapsed_s DOUBLE
);
COMMENT ON TABLE agent_steps IS 'Steps of trials; one row an action of the agent';
COMMENT ON COLUMN agent_steps.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN agent_steps.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN agent_steps.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN agent_steps.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN agent_steps.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN agent_steps.app_id IS 'App';
COMMENT ON COLUMN agent_steps.version IS 'App version, from 1';
COMMENT ON COLUMN agent_steps.file_path IS 'Task file, relative to the data directory';
COMMENT ON COLUMN agent_steps.task IS 'Name of the task';
COMMENT ON COLUMN agent_steps.agent IS 'Agent, as in agent_evaluations';
COMMENT ON COLUMN agent_steps.trial IS 'Number of the trial, from 0';
COMMENT ON COLUMN agent_steps.step_index IS 'Place of the step in the trial, from 0';
COMMENT ON COLUMN agent_steps.kind IS 'tool_call, reply, stop or invalid_action';
COMMENT ON COLUMN agent_steps.action IS 'Action that was called; null but for a tool_call';
COMMENT ON COLUMN agent_steps.params IS 'Parameters of the call; null but for a tool_call';
COMMENT ON COLUMN agent_steps.said IS 'What the agent said: a reply, or an invalid action; null for others';
COMMENT ON COLUMN agent_steps.success IS 'True if the call succeeded; null but for a tool_call';
COMMENT ON COLUMN agent_steps.observation IS 'What the agent got to see';
COMMENT ON COLUMN agent_steps.error IS 'Why the action failed; null if it did not';
COMMENT ON COLUMN agent_steps.error_kind IS
    'parameters, validation, logic, expression, limit, access, unknown_action, invalid_action or other';
COMMENT ON COLUMN agent_steps.state_diff IS 'How the state changed';
COMMENT ON COLUMN agent_steps.observations IS 'What agents were told';
COMMENT ON COLUMN agent_steps.prompt_tokens IS 'Tokens that the model read for this step';
COMMENT ON COLUMN agent_steps.completion_tokens IS 'Tokens that the model wrote for this step';
COMMENT ON COLUMN agent_steps.cost_usd IS 'What the step cost, in US dollars; null where a price is unknown';
COMMENT ON COLUMN agent_steps.elapsed_s IS 'Time of deciding and answering, in seconds';

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
agent_totals AS (
    SELECT partition_key, app_id, version, asset_key, run_id, data_version, agent,
        sum(actions_succeeded) / nullif(sum(actions_attempted), 0) AS success_rate,
        avg(goal_rate) AS goal_rate,
        avg(goal_rate) FILTER (optimal_actions IS NOT NULL) AS reachable_goal_rate,
        -- pass^k is undefined where a task has fewer than k trials.
        CASE WHEN bool_and(pass_hat_1 IS NOT NULL) FILTER (status = 'evaluated') THEN avg(pass_hat_1) END AS pass_hat_1,
        CASE WHEN bool_and(pass_hat_2 IS NOT NULL) FILTER (status = 'evaluated') THEN avg(pass_hat_2) END AS pass_hat_2,
        CASE WHEN bool_and(pass_hat_3 IS NOT NULL) FILTER (status = 'evaluated') THEN avg(pass_hat_3) END AS pass_hat_3,
        CASE WHEN bool_and(pass_hat_4 IS NOT NULL) FILTER (status = 'evaluated') THEN avg(pass_hat_4) END AS pass_hat_4,
        avg(efficiency_ratio) FILTER (optimal_actions IS NOT NULL) AS efficiency_ratio,
        avg(appropriate_action_choice) AS appropriate_action_choice,
        sum(validation_errors) AS validation_errors, sum(logic_errors) AS logic_errors,
        sum(repeated_errors) AS repeated_errors, sum(infra_errors) AS infra_errors,
        sum(trial_count) AS trials, count(*) FILTER (status = 'evaluated') AS tasks,
        sum(prompt_tokens + completion_tokens) AS tokens,
        -- One unknown price makes the sum unknown.
        CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd
    FROM agent_evaluations
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
    UNION ALL
    SELECT a.partition_key, a.app_id, a.version, 'agents.' || a.agent || '.' || m.name, m.value, m.unit,
        a.asset_key, a.run_id, a.data_version
    FROM agent_totals AS a
    CROSS JOIN LATERAL (
        VALUES
        ('success_rate', a.success_rate, 'ratio'),
        ('goal_rate', a.goal_rate, 'ratio'),
        ('reachable_goal_rate', a.reachable_goal_rate, 'ratio'),
        ('pass_hat_1', a.pass_hat_1, 'ratio'),
        ('pass_hat_2', a.pass_hat_2, 'ratio'),
        ('pass_hat_3', a.pass_hat_3, 'ratio'),
        ('pass_hat_4', a.pass_hat_4, 'ratio'),
        ('efficiency_ratio', a.efficiency_ratio, 'ratio'),
        ('appropriate_action_choice', a.appropriate_action_choice, 'ratio'),
        ('validation_errors', CAST(a.validation_errors AS DOUBLE), 'count'),
        ('logic_errors', CAST(a.logic_errors AS DOUBLE), 'count'),
        ('repeated_errors', CAST(a.repeated_errors AS DOUBLE), 'count'),
        ('infra_errors', CAST(a.infra_errors AS DOUBLE), 'count'),
        ('trials', CAST(a.trials AS DOUBLE), 'count'),
        ('tasks', CAST(a.tasks AS DOUBLE), 'count'),
        ('tokens', CAST(a.tokens AS DOUBLE), 'count'),
        ('cost_usd', a.cost_usd, 'USD')
    ) AS m (name, value, unit)
    WHERE a.tasks > 0
)
SELECT * FROM numbers WHERE value IS NOT NULL;
COMMENT ON VIEW metrics IS 'Every stored number in long form; one row a version and metric';
COMMENT ON COLUMN metrics.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN metrics.app_id IS 'App';
COMMENT ON COLUMN metrics.version IS 'App version, from 1';
COMMENT ON COLUMN metrics.metric IS 'Name, such as quality.overall or scenarios.pass_rate';
COMMENT ON COLUMN metrics.value IS 'The number, in the unit beside it';
COMMENT ON COLUMN metrics.unit IS
    'points (0 to 100), percent, ratio (0 to 1), count, ms, actions/s, USD, or multiple (of the calibration loop)';
COMMENT ON COLUMN metrics.asset_key IS 'Dagster asset that made the number';
COMMENT ON COLUMN metrics.run_id IS 'Dagster run that made the number';
COMMENT ON COLUMN metrics.data_version IS 'Data version of the result that the number belongs to';
