from pathlib import Path

import dagster as dg
import sqlalchemy

from appeval_pipeline.defs.sqlite_files import kept_engines, patient_commits


def connect(path: Path) -> sqlalchemy.Connection:
    return sqlalchemy.create_engine(f"sqlite:///{path}", poolclass=sqlalchemy.NullPool).connect()


def synchronous(path: Path) -> object:
    """1 waits for the disk at checkpoints only, 2 at every commit."""
    with connect(path) as connection:
        return connection.execute(sqlalchemy.text("PRAGMA synchronous")).scalar()


def add_row(path: Path) -> None:
    with connect(path) as connection, connection.begin():
        connection.execute(sqlalchemy.text("CREATE TABLE IF NOT EXISTS rows (value INTEGER)"))
        connection.execute(sqlalchemy.text("INSERT INTO rows VALUES (1)"))


def test_within_patient_commits_neither_commits_nor_closes_wait(tmp_path: Path) -> None:
    path, log = tmp_path / "a.db", tmp_path / "a.db-wal"
    with connect(path) as connection:
        connection.execute(sqlalchemy.text("PRAGMA journal_mode = WAL"))
    add_row(path)
    assert (synchronous(path), log.exists()) == (2, False)
    with patient_commits():
        add_row(path)
        assert (synchronous(path), log.exists()) == (1, True)
    assert (synchronous(path), log.exists()) == (2, False)
    with connect(path) as connection:
        assert connection.execute(sqlalchemy.text("SELECT count(*) FROM rows")).scalar() == 2


def test_a_file_without_a_write_ahead_log_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with patient_commits():
        add_row(path)
        with connect(path) as connection:
            mode = connection.execute(sqlalchemy.text("PRAGMA journal_mode = WAL")).scalar()
    assert mode == "wal"


def test_within_kept_engines_dagster_makes_one_for_each_file_and_none_is_kept_after_it(
    tmp_path: Path,
) -> None:
    used: list[sqlalchemy.Engine] = []

    def note(connection: sqlalchemy.Connection) -> None:
        used.append(connection.engine)

    def store_something(instance: dg.DagsterInstance, run_id: str) -> list[sqlalchemy.Engine]:
        """The engines that it takes, each with a file of its own."""
        used.clear()
        run = instance.add_run(dg.DagsterRun("job", run_id=run_id))
        instance.report_engine_event("Something", run)
        instance.report_runless_asset_event(dg.AssetMaterialization("asset"))
        assert [entry.message for entry in instance.all_logs(run_id)] == ["Something"]
        return list(dict.fromkeys(used))

    sqlalchemy.event.listen(sqlalchemy.Engine, "engine_connect", note)
    try:
        with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
            with kept_engines():
                engines = store_something(instance, "one")
                assert len(engines) < len(used)
                assert len({engine.url for engine in engines}) == len(engines)
            again = store_something(instance, "two")
            assert len({engine.url for engine in again}) < len(again)
            assert not set(again) & set(engines)
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "engine_connect", note)
