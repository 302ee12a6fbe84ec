-- How agents do on tau-bench. The view of all metrics is the one of 0007 and theirs.

CREATE TABLE tau_tasks (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    task_id INTEGER NOT NULL, is_selected BOOLEAN NOT NULL, user_id VARCHAR, instruction VARCHAR, actions
    JSON NOT NULL, outputs JSON NOT NULL, null_passable BOOLEAN, gold_error BOOLEAN, read_only BOOLEAN,
    error VARCHAR
);
COMMENT ON TABLE tau_tasks IS 'Tasks of each experiment''s split of tau-bench; one row a task';
COMMENT ON COLUMN tau_tasks.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_tasks.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_tasks.partition_key IS 'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_tasks.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_tasks.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_tasks.task_id IS 'Task, as tau-bench counts: its place in the split, from 0';
COMMENT ON COLUMN tau_tasks.is_selected IS 'True if the experiment tries it';
COMMENT ON COLUMN tau_tasks.user_id IS 'Who the simulated user is; null for a task that cannot be used';
COMMENT ON COLUMN tau_tasks.instruction IS
    'What the simulated user wants; null for a task that cannot be used';
COMMENT ON COLUMN tau_tasks.actions IS 'List of the expected actions, each with name and kwargs';
COMMENT ON COLUMN tau_tasks.outputs IS 'List of what the agent must say';
COMMENT ON COLUMN tau_tasks.null_passable IS 'True if an agent that does nothing gets reward 1';
COMMENT ON COLUMN tau_tasks.gold_error IS
    'True if an expected action that is to change the database is refused';
COMMENT ON COLUMN tau_tasks.read_only IS 'True if the expected actions change nothing';
COMMENT ON COLUMN tau_tasks.error IS 'Why the task cannot be used; null for one that can';

CREATE TABLE tau_experiments (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    file_path VARCHAR NOT NULL, status VARCHAR NOT NULL, env VARCHAR, task_split VARCHAR, agent VARCHAR,
    model VARCHAR, user_strategy VARCHAR, user_model VARCHAR, seed BIGINT, trials_per_task INTEGER,
    task_count INTEGER, is_whole_split BOOLEAN, trials_wanted INTEGER, trials_ended INTEGER, infra_errors
    INTEGER, source_package VARCHAR, source_version VARCHAR, tasks_sha256 VARCHAR, configuration JSON NOT
    NULL, error VARCHAR
);
COMMENT ON TABLE tau_experiments IS 'tau-bench experiments as they ran; one row an experiment';
COMMENT ON COLUMN tau_experiments.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_experiments.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_experiments.partition_key IS
    'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_experiments.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_experiments.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_experiments.file_path IS 'Experiment file, relative to the data directory';
COMMENT ON COLUMN tau_experiments.status IS
    'evaluated (all trials ended), incomplete (some are missing), invalid (bad file) or error (it could not begin)';
COMMENT ON COLUMN tau_experiments.env IS 'Domain: retail or airline; null for an invalid file';
COMMENT ON COLUMN tau_experiments.task_split IS 'Which of the domain''s tasks: test, train or dev';
COMMENT ON COLUMN tau_experiments.agent IS 'Agent that was asked for';
COMMENT ON COLUMN tau_experiments.model IS 'Language model of the agent; null where it has none';
COMMENT ON COLUMN tau_experiments.user_strategy IS 'Simulated user that was asked for';
COMMENT ON COLUMN tau_experiments.user_model IS 'Language model of the user; null where it has none';
COMMENT ON COLUMN tau_experiments.seed IS 'Seed of the experiment; each trial''s own follows from it';
COMMENT ON COLUMN tau_experiments.trials_per_task IS 'How often each task is to be tried';
COMMENT ON COLUMN tau_experiments.task_count IS 'Tasks that are tried';
COMMENT ON COLUMN tau_experiments.is_whole_split IS 'True if these are all tasks of the split';
COMMENT ON COLUMN tau_experiments.trials_wanted IS 'Trials of all tasks together';
COMMENT ON COLUMN tau_experiments.trials_ended IS 'Those of them that ended, infrastructure errors too';
COMMENT ON COLUMN tau_experiments.infra_errors IS 'Trials that broke down through no fault of the agent';
COMMENT ON COLUMN tau_experiments.source_package IS 'Package that the tasks, tools and data are from';
COMMENT ON COLUMN tau_experiments.source_version IS 'Its version';
COMMENT ON COLUMN tau_experiments.tasks_sha256 IS
    'SHA-256 of the split''s tasks, equal whichever package they are from';
COMMENT ON COLUMN tau_experiments.configuration IS
    'Everything that decides how a trial goes; null where it could not begin';
COMMENT ON COLUMN tau_experiments.error IS 'Why it is invalid, incomplete or could not begin; null otherwise';

CREATE TABLE tau_trials (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    task_id INTEGER NOT NULL, trial INTEGER NOT NULL, seed BIGINT NOT NULL, end_reason VARCHAR NOT NULL,
    reward DOUBLE, succeeded BOOLEAN, step_count INTEGER NOT NULL, database_equal BOOLEAN, outputs_found
    BOOLEAN, reward_info JSON NOT NULL, agent_prompt_tokens BIGINT NOT NULL, agent_completion_tokens BIGINT
    NOT NULL, agent_cost_usd DOUBLE, user_prompt_tokens BIGINT NOT NULL, user_completion_tokens BIGINT NOT
    NULL, user_cost_usd DOUBLE, elapsed_s DOUBLE, error VARCHAR
);
COMMENT ON TABLE tau_trials IS 'Trials of tau-bench tasks; one row an experiment, task and trial';
COMMENT ON COLUMN tau_trials.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_trials.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_trials.partition_key IS 'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_trials.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_trials.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_trials.task_id IS 'Task, from 0';
COMMENT ON COLUMN tau_trials.trial IS 'Number of the trial, from 0';
COMMENT ON COLUMN tau_trials.seed IS 'Decides whatever is left to chance in this trial';
COMMENT ON COLUMN tau_trials.end_reason IS
    'done, stopped, max_steps, invalid_action, token_limit, cost_limit, time_limit or infra_error';
COMMENT ON COLUMN tau_trials.reward IS '0 to 1; null for an infra_error';
COMMENT ON COLUMN tau_trials.succeeded IS 'True if the reward is 1; null for an infra_error';
COMMENT ON COLUMN tau_trials.step_count IS 'Steps: actions of the agent';
COMMENT ON COLUMN tau_trials.database_equal IS
    'True if the database was in the end as the expected actions make it; null for an infra_error';
COMMENT ON COLUMN tau_trials.outputs_found IS
    'True if the agent said all that it had to say; null for an infra_error';
COMMENT ON COLUMN tau_trials.reward_info IS
    'What the reward is made of: differing records and fields, outputs said and not said';
COMMENT ON COLUMN tau_trials.agent_prompt_tokens IS 'Tokens that the agent''s model read';
COMMENT ON COLUMN tau_trials.agent_completion_tokens IS 'Tokens that the agent''s model wrote';
COMMENT ON COLUMN tau_trials.agent_cost_usd IS
    'What the agent''s model cost, in US dollars; null where a price is unknown';
COMMENT ON COLUMN tau_trials.user_prompt_tokens IS 'Tokens that the user''s model read';
COMMENT ON COLUMN tau_trials.user_completion_tokens IS 'Tokens that the user''s model wrote';
COMMENT ON COLUMN tau_trials.user_cost_usd IS
    'What the user''s model cost, in US dollars; null where a price is unknown';
COMMENT ON COLUMN tau_trials.elapsed_s IS 'Time of all steps, in seconds';
COMMENT ON COLUMN tau_trials.error IS 'What broke down; null but for an infra_error';

CREATE TABLE tau_steps (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    task_id INTEGER NOT NULL, trial INTEGER NOT NULL, step_index INTEGER NOT NULL, kind VARCHAR NOT NULL,
    tool VARCHAR, arguments JSON NOT NULL, said VARCHAR, observation VARCHAR NOT NULL, error VARCHAR,
    error_kind VARCHAR, written JSON NOT NULL, agent_prompt_tokens BIGINT NOT NULL, agent_completion_tokens
    BIGINT NOT NULL, agent_cost_usd DOUBLE, user_prompt_tokens BIGINT NOT NULL, user_completion_tokens
    BIGINT NOT NULL, user_cost_usd DOUBLE, elapsed_s DOUBLE
);
COMMENT ON TABLE tau_steps IS 'Steps of tau-bench trials; one row an action of the agent';
COMMENT ON COLUMN tau_steps.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_steps.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_steps.partition_key IS 'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_steps.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_steps.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_steps.task_id IS 'Task, from 0';
COMMENT ON COLUMN tau_steps.trial IS 'Number of the trial, from 0';
COMMENT ON COLUMN tau_steps.step_index IS 'Place of the step in the trial, from 0';
COMMENT ON COLUMN tau_steps.kind IS 'tool_call, reply, stop or invalid_action';
COMMENT ON COLUMN tau_steps.tool IS 'Tool that was called; null but for a tool_call';
COMMENT ON COLUMN tau_steps.arguments IS 'Arguments of the call; null but for a tool_call';
COMMENT ON COLUMN tau_steps.said IS 'What the agent said: a reply, or an invalid action; null for others';
COMMENT ON COLUMN tau_steps.observation IS 'What the agent was answered, by the tool or the user';
COMMENT ON COLUMN tau_steps.error IS 'Why the action failed; null if it did not';
COMMENT ON COLUMN tau_steps.error_kind IS
    'refused, tool_error, unknown_tool, invalid_action or another kind; null if it did not fail';
COMMENT ON COLUMN tau_steps.written IS
    'List of the records that the step changed, each with table and record';
COMMENT ON COLUMN tau_steps.agent_prompt_tokens IS 'Tokens that the agent''s model read for this step';
COMMENT ON COLUMN tau_steps.agent_completion_tokens IS 'Tokens that the agent''s model wrote for this step';
COMMENT ON COLUMN tau_steps.agent_cost_usd IS
    'What the agent''s model cost for this step, in US dollars; null where a price is unknown';
COMMENT ON COLUMN tau_steps.user_prompt_tokens IS 'Tokens that the user''s model read for this step';
COMMENT ON COLUMN tau_steps.user_completion_tokens IS 'Tokens that the user''s model wrote for this step';
COMMENT ON COLUMN tau_steps.user_cost_usd IS
    'What the user''s model cost for this step, in US dollars; null where a price is unknown';
COMMENT ON COLUMN tau_steps.elapsed_s IS 'Time of deciding and answering, in seconds';

CREATE TABLE tau_faults (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    task_id INTEGER NOT NULL, trial INTEGER NOT NULL, position INTEGER NOT NULL, kind VARCHAR NOT NULL,
    step_index INTEGER, detail VARCHAR NOT NULL
);
COMMENT ON TABLE tau_faults IS 'What went wrong in tau-bench trials that failed; one row a fault';
COMMENT ON COLUMN tau_faults.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_faults.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_faults.partition_key IS 'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_faults.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_faults.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_faults.task_id IS 'Task, from 0';
COMMENT ON COLUMN tau_faults.trial IS 'Number of the trial, from 0';
COMMENT ON COLUMN tau_faults.position IS 'Place among the faults of the trial, from 0';
COMMENT ON COLUMN tau_faults.kind IS
    'wrong_tool, wrong_arguments, missing_action, extra_write, missing_output, partial_completion, invalid_action, max_steps, infra_error and so on';
COMMENT ON COLUMN tau_faults.step_index IS 'Step where it shows; null where it shows at none';
COMMENT ON COLUMN tau_faults.detail IS 'What it is, in words';

CREATE TABLE tau_metrics (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    metric VARCHAR NOT NULL, k INTEGER, counting VARCHAR NOT NULL, without_flag VARCHAR, value DOUBLE NOT
    NULL, unit VARCHAR NOT NULL, standard_error DOUBLE, low DOUBLE, high DOUBLE, method VARCHAR, task_count
    INTEGER NOT NULL, trial_count INTEGER NOT NULL
);
COMMENT ON TABLE tau_metrics IS
    'Numbers of tau-bench experiments; one row a metric, way of counting, and known issue left out';
COMMENT ON COLUMN tau_metrics.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_metrics.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_metrics.partition_key IS 'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_metrics.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_metrics.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_metrics.metric IS
    'pass_hat (pass^k), overall_score, average_reward, success_at_turn, success_within_turns, intraclass_correlation, minimum_detectable_difference, or a count, cost or number of tokens';
COMMENT ON COLUMN tau_metrics.k IS
    'Of pass_hat: its k, 1 to 4; of success by turns: the turn, from 1; null for others';
COMMENT ON COLUMN tau_metrics.counting IS
    'scored_only (trials that broke down are left out), errors_as_failures (they count as reward 0), or all (of counts and costs)';
COMMENT ON COLUMN tau_metrics.without_flag IS 'Known issue whose tasks are left out; null where none are';
COMMENT ON COLUMN tau_metrics.value IS 'The number';
COMMENT ON COLUMN tau_metrics.unit IS 'ratio (0 to 1; a correlation from -1), count, USD or tokens';
COMMENT ON COLUMN tau_metrics.standard_error IS 'Over tasks; null where it is undefined';
COMMENT ON COLUMN tau_metrics.low IS 'Lower end of the 95% interval; null where the number has none';
COMMENT ON COLUMN tau_metrics.high IS 'Upper end of the 95% interval; null where the number has none';
COMMENT ON COLUMN tau_metrics.method IS 'How the interval was found: wilson, or bootstrap over tasks';
COMMENT ON COLUMN tau_metrics.task_count IS 'Tasks that it is over';
COMMENT ON COLUMN tau_metrics.trial_count IS 'Trials that it is over';

CREATE TABLE tau_leaderboard (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    is_published BOOLEAN NOT NULL, position INTEGER NOT NULL, domain VARCHAR NOT NULL, strategy VARCHAR NOT
    NULL, pass_hat_1 DOUBLE NOT NULL, pass_hat_2 DOUBLE, pass_hat_3 DOUBLE, pass_hat_4 DOUBLE,
    standard_error DOUBLE, task_count INTEGER NOT NULL, trials_per_task INTEGER NOT NULL
);
COMMENT ON TABLE tau_leaderboard IS
    'The experiment among tau-bench''s published results of its domain; one row a result. The experiment has none while trials are missing';
COMMENT ON COLUMN tau_leaderboard.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN tau_leaderboard.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN tau_leaderboard.partition_key IS
    'Dagster partition: the experiment, by the name of its file';
COMMENT ON COLUMN tau_leaderboard.data_version IS
    'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN tau_leaderboard.materialized_at IS 'When the row was made, UTC';
COMMENT ON COLUMN tau_leaderboard.is_published IS
    'True for a row of tau-bench''s README, false for the experiment''s own';
COMMENT ON COLUMN tau_leaderboard.position IS 'Place by pass^1 among these rows, from 1';
COMMENT ON COLUMN tau_leaderboard.domain IS 'retail or airline';
COMMENT ON COLUMN tau_leaderboard.strategy IS
    'How the agent asks its model, and the model; or the agent''s name';
COMMENT ON COLUMN tau_leaderboard.pass_hat_1 IS 'pass^1, a ratio 0 to 1';
COMMENT ON COLUMN tau_leaderboard.pass_hat_2 IS 'pass^2; null where a task has fewer trials';
COMMENT ON COLUMN tau_leaderboard.pass_hat_3 IS 'pass^3; null where a task has fewer trials';
COMMENT ON COLUMN tau_leaderboard.pass_hat_4 IS 'pass^4; null where a task has fewer trials';
COMMENT ON COLUMN tau_leaderboard.standard_error IS
    'Of pass^1, over tasks; of a published row from its numbers alone';
COMMENT ON COLUMN tau_leaderboard.task_count IS 'Tasks';
COMMENT ON COLUMN tau_leaderboard.trials_per_task IS 'Trials of each task; of a published row as assumed';

COMMENT ON COLUMN run_failures.partition_keys IS
    'App versions (app id, @ and version each) or the experiment that it worked on';
COMMENT ON COLUMN lineage.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2; or a tau-bench experiment';
COMMENT ON COLUMN lineage.app_id IS 'App of the result; null for tau-bench';
COMMENT ON COLUMN lineage.version IS 'App version of the result, from 1; null for tau-bench';
COMMENT ON COLUMN asset_lineage.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2; or a tau-bench experiment';

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
    UNION ALL
    SELECT partition_key, NULL, NULL,
        'tau.' || metric || coalesce('_' || k, '')
            || CASE WHEN counting = 'errors_as_failures' THEN '.errors_as_failures' ELSE '' END
            || coalesce('.without_' || without_flag, ''),
        value, unit, asset_key, run_id, data_version
    FROM tau_metrics
    UNION ALL
    SELECT t.partition_key, NULL, NULL, 'tau.tasks.' || m.name, CAST(count(*) FILTER (m.is_set) AS DOUBLE),
        'count', t.asset_key, t.run_id, t.data_version
    FROM tau_tasks AS t
    CROSS JOIN LATERAL (
        VALUES
        ('total', true),
        ('unusable', t.error IS NOT NULL),
        ('null_passable', t.null_passable),
        ('gold_error', t.gold_error),
        ('read_only', t.read_only)
    ) AS m (name, is_set)
    GROUP BY ALL
    UNION ALL
    SELECT t.partition_key, NULL, NULL, 'tau.trials.' || m.name, m.value, 'count',
        t.asset_key, t.run_id, t.data_version
    FROM tau_experiments AS t
    CROSS JOIN LATERAL (
        VALUES
        ('wanted', CAST(t.trials_wanted AS DOUBLE)),
        ('missing', CAST(t.trials_wanted - t.trials_ended AS DOUBLE))
    ) AS m (name, value)
    UNION ALL
    SELECT partition_key, NULL, NULL, 'tau.faults.' || kind, CAST(count(*) AS DOUBLE), 'count',
        asset_key, run_id, data_version
    FROM tau_faults
    GROUP BY ALL
    UNION ALL
    SELECT partition_key, NULL, NULL, 'tau.leaderboard.position', CAST(position AS DOUBLE), 'count',
        asset_key, run_id, data_version
    FROM tau_leaderboard WHERE NOT is_published
)
SELECT * FROM numbers WHERE value IS NOT NULL;
COMMENT ON VIEW metrics IS 'Every stored number in long form; one row a version or experiment, and metric';
COMMENT ON COLUMN metrics.partition_key IS
    'Dagster partition: app id, @ and version, such as paypal@2; or a tau-bench experiment';
COMMENT ON COLUMN metrics.app_id IS 'App; null for tau-bench';
COMMENT ON COLUMN metrics.version IS 'App version, from 1; null for tau-bench';
COMMENT ON COLUMN metrics.metric IS 'Name, such as quality.overall or scenarios.pass_rate';
COMMENT ON COLUMN metrics.value IS 'The number, in the unit beside it';
COMMENT ON COLUMN metrics.unit IS
    'points (0 to 100), percent, ratio (0 to 1), count, ms, actions/s, USD, tokens, or multiple (of the calibration loop)';
COMMENT ON COLUMN metrics.asset_key IS 'Dagster asset that made the number';
COMMENT ON COLUMN metrics.run_id IS 'Dagster run that made the number';
COMMENT ON COLUMN metrics.data_version IS 'Data version of the result that the number belongs to';
