from pathlib import Path

import dagster as dg

from appeval_pipeline.dagster_home import prepare_dagster_home


def test_dagster_starts_with_the_configuration_that_is_written(tmp_path: Path) -> None:
    prepare_dagster_home(tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 6 * 3600
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None
        assert queue.max_concurrent_runs == 4
        each = {"applyLimitPerUniqueValue": True}
        assert queue.tag_concurrency_limits == [
            {"key": "appeval/app", "value": each, "limit": 1},
            {"key": "dagster/partition", "value": each, "limit": 1},
        ]
        pools = instance.get_concurrency_config().pool_config
        assert (pools.default_pool_limit, pools.pool_granularity.value) == (1, "op")
        for instigator in ("schedule", "sensor", "auto_materialize"):
            purged = instance.get_settings("retention")[instigator]["purge_after_days"]
            assert purged == {"skipped": 3, "failure": 30, "success": 30}


def test_a_configuration_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_text("telemetry:\n  enabled: true\n")
    prepare_dagster_home(tmp_path)
    assert (tmp_path / "dagster.yaml").read_text() == "telemetry:\n  enabled: true\n"
