"""Readers in other processes, for the whole of a backfill: no error, and never a part of a partition."""

import subprocess
import sys
from pathlib import Path

from appeval_pipeline import launch
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Database
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.wholeness import torn_partitions

VERSIONS = 12
READERS = 4

READER = """
import sys, time
from pathlib import Path
from appeval_pipeline.store import Database, query
from appeval_pipeline_tests.store.wholeness import torn_partitions

database, stop = Database(Path(sys.argv[1])), Path(sys.argv[2])
reads, stages = 0, set()
print("ready", flush=True)
while not stop.exists():
    torn = torn_partitions(database)
    assert torn == [], torn
    stages.add(query(database, "SELECT count(*) FROM lineage").rows[0][0])
    reads += 1
    time.sleep(0.2)  # leave the backfill some of two processors
print(reads, len(stages))
"""


def test_four_readers_see_whole_partitions_for_the_whole_of_a_backfill(tmp_path: Path) -> None:
    data, stop = tmp_path / "data", tmp_path / "stop"
    for version in range(1, VERSIONS + 1):
        catalogues.add_version(data, version=version)
    catalogues.add_scenario(data)
    catalogues.add_task(data)
    settings = Settings.model_validate(
        {
            "data_dir": data,
            "store": tmp_path / "appeval.duckdb",
            "dagster_home": tmp_path / "dagster",
            "agents": "oracle, random*2",
        }
    )
    database = Database(tmp_path / "appeval.duckdb")
    database.prepare()
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(database.path), str(stop)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(READERS)
    ]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        assert launch.run(settings).evaluated_count == VERSIONS
        stop.touch()
        for reader in readers:
            output, errors = reader.communicate(timeout=60)
            assert reader.returncode == 0, errors
            reads, stages = map(int, output.split())
            assert reads > 5
            assert stages > 2
    finally:
        stop.touch()
        for reader in readers:
            reader.kill()
            reader.communicate()
    assert torn_partitions(database) == []
