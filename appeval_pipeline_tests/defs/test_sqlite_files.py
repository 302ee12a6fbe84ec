from pathlib import Path

import sqlalchemy

from appeval_pipeline.defs.sqlite_files import patient_commits


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
