from pathlib import Path

import pytest

from appeval_pipeline.store_address import DuckLakeAddress, parse_store_address, seen_from_here


def test_a_path_is_a_duckdb_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_store_address("x.duckdb") == tmp_path / "x.duckdb"


def test_a_path_below_the_working_directory_is_shown_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert seen_from_here(tmp_path / ".appeval" / "x.duckdb") == str(Path(".appeval/x.duckdb"))
    assert seen_from_here(tmp_path.parent / "x.duckdb") == str(tmp_path.parent / "x.duckdb")
    lake = parse_store_address("ducklake:postgres:dbname=appeval data_path=/mnt/lake")
    assert seen_from_here(lake) == str(lake)


def test_a_lake_has_a_catalogue_and_a_directory() -> None:
    address = parse_store_address("ducklake:postgres:host=db port = 5433  data_path=/mnt/lake dbname=appeval")
    assert address == DuckLakeAddress("host='db' port='5433' dbname='appeval'", Path("/mnt/lake"))


@pytest.mark.parametrize("value", ["it's here", "back\\slash", "a b", ""])
def test_what_is_quoted_comes_back(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    address = parse_store_address(f"ducklake:postgres:dbname='{quoted}' data_path='/mnt/{quoted}'")
    assert isinstance(address, DuckLakeAddress)
    assert address.data_path == Path(f"/mnt/{value}")
    assert address.connection == f"dbname='{quoted}'"
    assert parse_store_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("results.csv", "'results.csv' does not name a store file; accepted is a path ending in .duckdb"),
        ("ducklake:lake.db", "names no catalogue in Postgres; accepted"),
        ("ducklake:postgres:dbname=x", "data_path must be an absolute directory; accepted"),
        ("ducklake:postgres:dbname=x data_path=lake", "data_path must be an absolute directory; accepted"),
        ("ducklake:postgres:data_path=/lake", "dbname is missing; accepted"),
        (
            "ducklake:postgres:postgresql://me:secret@db/x",
            "column 19 does not begin with key=value",
        ),
        ("ducklake:postgres:dbname=x password='secret", "column 27 does not begin with key=value; accepted"),
        ("ducklake:postgres:dbname=x data_path=/l password=secret", "password has no place here"),
    ],
)
def test_another_address_is_an_error_that_tells_no_secret(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")) as caught:
        parse_store_address(text)
    assert "secret" not in str(caught.value)
