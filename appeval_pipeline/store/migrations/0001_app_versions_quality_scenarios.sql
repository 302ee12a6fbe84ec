-- Each table begins with the provenance of its rows: run_id, asset_key, partition_key, data_version,
-- materialized_at. Their comments are set for all tables together in 0002.

CREATE TABLE app_versions (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    status VARCHAR NOT NULL, landed BOOLEAN NOT NULL, root VARCHAR NOT NULL,
    name VARCHAR, category VARCHAR, definition JSON, definition_hash VARCHAR, action_count INTEGER,
    file_path VARCHAR, file_sha256 VARCHAR, error VARCHAR,
    warning_count INTEGER NOT NULL, warnings JSON NOT NULL,
    violation VARCHAR, violating_sha256 VARCHAR
);
COMMENT ON TABLE app_versions IS 'App versions with their definitions; one row a version';
COMMENT ON COLUMN app_versions.app_id IS 'App';
COMMENT ON COLUMN app_versions.version IS 'Version number, from 1';
COMMENT ON COLUMN app_versions.status IS 'valid, invalid (cannot run) or missing (no definition file)';
COMMENT ON COLUMN app_versions.landed IS 'True once a valid definition was stored; it is immutable from then on';
COMMENT ON COLUMN app_versions.root IS 'Folder of the data directory: apps or benchmarks';
COMMENT ON COLUMN app_versions.name IS 'Display name of the app';
COMMENT ON COLUMN app_versions.category IS 'payment, shopping, communication, calendar, social or custom';
COMMENT ON COLUMN app_versions.definition IS 'The definition as validated, in canonical JSON';
COMMENT ON COLUMN app_versions.definition_hash IS 'SHA-256 of the canonical definition without its version';
COMMENT ON COLUMN app_versions.action_count IS 'Number of actions';
COMMENT ON COLUMN app_versions.file_path IS 'Definition file, relative to the data directory';
COMMENT ON COLUMN app_versions.file_sha256 IS 'SHA-256 of the file that the stored definition was read from';
COMMENT ON COLUMN app_versions.error IS 'Why the definition cannot run; null when it can';
COMMENT ON COLUMN app_versions.warning_count IS 'Number of warnings';
COMMENT ON COLUMN app_versions.warnings IS 'Warnings: list of {location, message}';
COMMENT ON COLUMN app_versions.violation IS 'What is wrong with the file of a landed version; null when nothing is';
COMMENT ON COLUMN app_versions.violating_sha256 IS 'SHA-256 of the file that differs from the landed definition';

CREATE TABLE quality_scores (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    status VARCHAR NOT NULL, overall_score DOUBLE, level VARCHAR, suggestion_count INTEGER, error VARCHAR
);
COMMENT ON TABLE quality_scores IS 'Overall quality; one row a version';
COMMENT ON COLUMN quality_scores.app_id IS 'App';
COMMENT ON COLUMN quality_scores.version IS 'Version number, from 1';
COMMENT ON COLUMN quality_scores.status IS 'scored, not_evaluated (no valid definition) or error (scoring failed)';
COMMENT ON COLUMN quality_scores.overall_score IS 'Weighted sum of the dimension scores, 0 to 100 points';
COMMENT ON COLUMN quality_scores.level IS 'Excellent (from 90), Good (from 70), Acceptable (from 50) or Needs Work';
COMMENT ON COLUMN quality_scores.suggestion_count IS 'Number of suggestions';
COMMENT ON COLUMN quality_scores.error IS 'Why there is no score; null when there is one';

CREATE TABLE quality_dimensions (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    dimension VARCHAR NOT NULL, score DOUBLE NOT NULL, details JSON NOT NULL
);
COMMENT ON TABLE quality_dimensions IS 'Quality by dimension; one row a version and dimension';
COMMENT ON COLUMN quality_dimensions.app_id IS 'App';
COMMENT ON COLUMN quality_dimensions.version IS 'Version number, from 1';
COMMENT ON COLUMN quality_dimensions.dimension IS
    'completeness, documentation, validation, error_handling, state_safety or consistency';
COMMENT ON COLUMN quality_dimensions.score IS 'Score of the dimension, 0 to 100 points';
COMMENT ON COLUMN quality_dimensions.details IS 'What the score was made of';

CREATE TABLE quality_suggestions (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    position INTEGER NOT NULL, dimension VARCHAR NOT NULL, location VARCHAR NOT NULL,
    message VARCHAR NOT NULL, gain DOUBLE
);
COMMENT ON TABLE quality_suggestions IS 'What would raise the quality; one row a suggestion';
COMMENT ON COLUMN quality_suggestions.app_id IS 'App';
COMMENT ON COLUMN quality_suggestions.version IS 'Version number, from 1';
COMMENT ON COLUMN quality_suggestions.position IS 'Rank, 0 is the best';
COMMENT ON COLUMN quality_suggestions.dimension IS 'Quality dimension that it would raise';
COMMENT ON COLUMN quality_suggestions.location IS 'Path in the definition';
COMMENT ON COLUMN quality_suggestions.message IS 'What to do';
COMMENT ON COLUMN quality_suggestions.gain IS 'Points of the overall score to gain; null when not computed';

CREATE TABLE scenario_runs (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, scenario_name VARCHAR NOT NULL, status VARCHAR NOT NULL,
    passed BOOLEAN, steps_passed INTEGER, steps_total INTEGER, partial_credit DOUBLE, failure_count INTEGER,
    duration_ms DOUBLE, error VARCHAR, description VARCHAR, tags JSON NOT NULL
);
COMMENT ON TABLE scenario_runs IS 'Scenarios that apply to a version; one row a version and scenario file';
COMMENT ON COLUMN scenario_runs.app_id IS 'App';
COMMENT ON COLUMN scenario_runs.version IS 'Version number, from 1';
COMMENT ON COLUMN scenario_runs.file_path IS 'Scenario file, relative to the data directory';
COMMENT ON COLUMN scenario_runs.scenario_name IS 'Name of the scenario; the file name where it has none';
COMMENT ON COLUMN scenario_runs.status IS
    'passed, failed, invalid (bad scenario file), error (the run failed) or not_evaluated (no valid definition)';
COMMENT ON COLUMN scenario_runs.passed IS 'True if all expectations and assertions hold; null if it did not run';
COMMENT ON COLUMN scenario_runs.steps_passed IS 'Steps that met their expectations';
COMMENT ON COLUMN scenario_runs.steps_total IS 'Steps of the scenario';
COMMENT ON COLUMN scenario_runs.partial_credit IS 'steps_passed / steps_total, a ratio 0 to 1';
COMMENT ON COLUMN scenario_runs.failure_count IS 'Failed steps and assertions';
COMMENT ON COLUMN scenario_runs.duration_ms IS 'Time it took, in milliseconds';
COMMENT ON COLUMN scenario_runs.error IS 'Why it did not run; null when it did';
COMMENT ON COLUMN scenario_runs.description IS 'What the scenario is about';
COMMENT ON COLUMN scenario_runs.tags IS 'List of tags';

CREATE TABLE scenario_steps (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, scenario_name VARCHAR NOT NULL,
    step_index INTEGER NOT NULL, step_name VARCHAR NOT NULL, agent VARCHAR NOT NULL, action VARCHAR NOT NULL,
    params JSON NOT NULL, passed BOOLEAN NOT NULL, success BOOLEAN NOT NULL, data JSON NOT NULL,
    error VARCHAR, error_kind VARCHAR, state_diff JSON NOT NULL, observations JSON NOT NULL,
    trace JSON NOT NULL, duration_ms DOUBLE
);
COMMENT ON TABLE scenario_steps IS 'Steps of scenario runs; one row a step that ran';
COMMENT ON COLUMN scenario_steps.app_id IS 'App';
COMMENT ON COLUMN scenario_steps.version IS 'Version number, from 1';
COMMENT ON COLUMN scenario_steps.file_path IS 'Scenario file, relative to the data directory';
COMMENT ON COLUMN scenario_steps.scenario_name IS 'Name of the scenario';
COMMENT ON COLUMN scenario_steps.step_index IS 'Place of the step in the scenario, from 0';
COMMENT ON COLUMN scenario_steps.step_name IS 'Name of the step';
COMMENT ON COLUMN scenario_steps.agent IS 'Agent that called the action';
COMMENT ON COLUMN scenario_steps.action IS 'Action that was called';
COMMENT ON COLUMN scenario_steps.params IS 'Parameters of the call';
COMMENT ON COLUMN scenario_steps.passed IS 'True if the step met its expectations';
COMMENT ON COLUMN scenario_steps.success IS 'True if the action succeeded';
COMMENT ON COLUMN scenario_steps.data IS 'What the action returned; null if it failed';
COMMENT ON COLUMN scenario_steps.error IS 'Why the action failed; null if it succeeded';
COMMENT ON COLUMN scenario_steps.error_kind IS
    'parameters, validation, logic, expression, limit, access, unknown_action or unknown_agent';
COMMENT ON COLUMN scenario_steps.state_diff IS 'How the state changed';
COMMENT ON COLUMN scenario_steps.observations IS 'What other agents were told';
COMMENT ON COLUMN scenario_steps.trace IS 'Which blocks ran and which way each went';
COMMENT ON COLUMN scenario_steps.duration_ms IS 'Time the action took, in milliseconds';

CREATE TABLE scenario_failures (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR NOT NULL, version INTEGER NOT NULL,
    file_path VARCHAR NOT NULL, scenario_name VARCHAR NOT NULL,
    failure_index INTEGER NOT NULL, step_name VARCHAR NOT NULL,
    expected JSON NOT NULL, actual JSON NOT NULL, error VARCHAR NOT NULL
);
COMMENT ON TABLE scenario_failures IS 'Why scenarios failed; one row a step or assertion that did not hold';
COMMENT ON COLUMN scenario_failures.app_id IS 'App';
COMMENT ON COLUMN scenario_failures.version IS 'Version number, from 1';
COMMENT ON COLUMN scenario_failures.file_path IS 'Scenario file, relative to the data directory';
COMMENT ON COLUMN scenario_failures.scenario_name IS 'Name of the scenario';
COMMENT ON COLUMN scenario_failures.failure_index IS 'Place among the failures of the scenario, from 0';
COMMENT ON COLUMN scenario_failures.step_name IS 'Name of the step, or the assertion';
COMMENT ON COLUMN scenario_failures.expected IS 'What was expected';
COMMENT ON COLUMN scenario_failures.actual IS 'What happened';
COMMENT ON COLUMN scenario_failures.error IS 'The difference, in words';

CREATE TABLE lineage (
    run_id VARCHAR NOT NULL, asset_key VARCHAR NOT NULL, partition_key VARCHAR NOT NULL,
    data_version VARCHAR NOT NULL, materialized_at TIMESTAMP NOT NULL,
    app_id VARCHAR, version INTEGER,
    input_kind VARCHAR NOT NULL, input_key VARCHAR NOT NULL, input_version VARCHAR NOT NULL,
    input_partition_key VARCHAR, input_run_id VARCHAR, input_content_hash VARCHAR
);
COMMENT ON TABLE lineage IS 'What each result was computed from; one row a result and input';
COMMENT ON COLUMN lineage.app_id IS 'App of the result';
COMMENT ON COLUMN lineage.version IS 'App version of the result, from 1';
COMMENT ON COLUMN lineage.input_kind IS 'asset, file, code, config or upstream_version';
COMMENT ON COLUMN lineage.input_key IS 'Asset key, file relative to the data directory, or name';
COMMENT ON COLUMN lineage.input_version IS 'Data version, SHA-256 of the file, code version, or hash of the value';
COMMENT ON COLUMN lineage.input_partition_key IS 'Partition of the input (kinds asset and upstream_version)';
COMMENT ON COLUMN lineage.input_run_id IS 'Run that made the input (kinds asset and upstream_version)';
COMMENT ON COLUMN lineage.input_content_hash IS
    'SHA-256 of what the file means: comments and layout do not change it';
