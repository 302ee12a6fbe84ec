"""Lakes in the Postgres that ``.ci/distributed`` started."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from appeval_pipeline.store_address import DuckLakeAddress, parse_store_address


@contextmanager
def empty_lake(data_path: Path) -> Iterator[DuckLakeAddress]:
    """The address of a lake of its own; its catalogue's database is dropped in the end."""
    import psycopg2

    given = parse_store_address(os.environ["APPEVAL_STORE"])
    assert isinstance(given, DuckLakeAddress), "run this by .ci/distributed"
    name = f"lake_{uuid4().hex}"
    with closing(psycopg2.connect(given.connection)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
            try:
                address = f"{given.connection} dbname='{name}'"  # libpq takes the last of two
                yield replace(given, connection=address, data_path=data_path)
            finally:
                cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
