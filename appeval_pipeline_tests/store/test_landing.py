"""The stored hash is of the bytes that the stored definition was read from."""

import hashlib
from pathlib import Path

import pytest

from appeval_pipeline.store import landing
from appeval_pipeline.store.freshness import find_entry, storable_catalogue
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.rows import AppVersionRow
from appeval_pipeline_tests import catalogues


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_edit_between_hash_and_definition_does_not_part_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = catalogues.add_version(tmp_path)
    entry = find_entry(storable_catalogue(tmp_path), "counter@1")
    assert entry is not None

    def hash_before_an_edit(data_dir: Path, name: str) -> str:
        before = sha256(data_dir / name)
        catalogues.add_version(tmp_path, name="Edited")
        return before

    monkeypatch.setattr(landing, "file_sha256", hash_before_an_edit)
    result = land("counter", 1, entry, None, tmp_path)
    (row,) = result.rows
    assert isinstance(row, AppVersionRow)
    assert (row.name, row.file_sha256) == ("Edited", sha256(path))
    assert result.inputs[0].version == sha256(path)


def test_an_invalid_file_is_stored_with_its_hash(tmp_path: Path) -> None:
    path = catalogues.add_version(tmp_path, template=catalogues.INVALID_DEFINITION)
    result = land("counter", 1, find_entry(storable_catalogue(tmp_path), "counter@1"), None, tmp_path)
    (row,) = result.rows
    assert isinstance(row, AppVersionRow)
    assert (row.status, row.file_sha256) == ("invalid", sha256(path))
