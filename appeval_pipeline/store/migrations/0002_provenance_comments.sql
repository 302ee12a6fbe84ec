-- Comments of the columns that every table begins with.

COMMENT ON COLUMN app_versions.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN app_versions.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN app_versions.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN app_versions.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN app_versions.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN quality_scores.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN quality_scores.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN quality_scores.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN quality_scores.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN quality_scores.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN quality_dimensions.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN quality_dimensions.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN quality_dimensions.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN quality_dimensions.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN quality_dimensions.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN quality_suggestions.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN quality_suggestions.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN quality_suggestions.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN quality_suggestions.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN quality_suggestions.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN scenario_runs.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN scenario_runs.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN scenario_runs.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN scenario_runs.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN scenario_runs.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN scenario_steps.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN scenario_steps.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN scenario_steps.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN scenario_steps.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN scenario_steps.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN scenario_failures.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN scenario_failures.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN scenario_failures.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN scenario_failures.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN scenario_failures.materialized_at IS 'When the row was made, UTC';

COMMENT ON COLUMN lineage.run_id IS 'Dagster run that made the row';
COMMENT ON COLUMN lineage.asset_key IS 'Dagster asset that made the row';
COMMENT ON COLUMN lineage.partition_key IS 'Dagster partition: app id, @ and version, such as paypal@2';
COMMENT ON COLUMN lineage.data_version IS 'SHA-256 of what this asset made of this partition, measured times left out';
COMMENT ON COLUMN lineage.materialized_at IS 'When the row was made, UTC';
