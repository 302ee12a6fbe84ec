"""The Dagster side: partitions, assets, checks, job, sensor and resources."""
