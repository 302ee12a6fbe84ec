-- Runs that failed. They made no result, so there is no asset and no data version to name.

CREATE TABLE run_failures (
    run_id VARCHAR NOT NULL,
    partition_keys JSON NOT NULL,
    step_key VARCHAR,
    error VARCHAR NOT NULL,
    failed_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE run_failures IS
    'Runs of the pipeline that failed, as the sensor of that name saw them; one row a failed step';
COMMENT ON COLUMN run_failures.run_id IS 'Dagster run that failed';
COMMENT ON COLUMN run_failures.partition_keys IS 'App versions it worked on: app id, @ and version each';
COMMENT ON COLUMN run_failures.step_key IS
    'Step that failed, named like its asset; null if the run failed outside its steps';
COMMENT ON COLUMN run_failures.error IS 'Why; the run''s log in the UI has the stack trace';
COMMENT ON COLUMN run_failures.failed_at IS 'When the run ended, UTC';
