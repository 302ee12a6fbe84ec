"""A task file in the pipeline is read as ``load_task`` reads it anywhere else."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from appeval_pipeline.errors import TaskError
from appeval_pipeline.evaluation import load_task
from appeval_pipeline.store import Database
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.task_files import read_task_files, read_tasks
from appeval_pipeline_tests import catalogues

GOOD = catalogues.TASK.format(app_id="counter", name="Three", goal="shared.count == 3")

UNREADABLE_FILE = Path("/proc/self/mem")
"""Reading it from its beginning fails, whoever asks."""


def add(data_dir: Path, name: str, data: bytes) -> Path:
    path = data_dir / "apps" / "counter" / "tasks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.yaml", GOOD.replace("max_steps", "most_steps").encode()),
        ("a.yaml", GOOD.replace("shared.count", "bob.count").encode()),
        ("a.yaml", b"name: [\n"),
        ("a.yaml", b""),
        ("a.yaml", GOOD.replace("Three", "D\u00e9j\u00e0").encode("latin-1")),
        ("a.yaml", b"#" * 2_000_001),
        ("a.json", b'{"name": "A",}\n'),
    ],
    ids=[
        "unknown key",
        "unknown name in the goal",
        "bad YAML",
        "empty",
        "not UTF-8",
        "too large",
        "bad JSON",
    ],
)
def test_the_error_is_the_one_of_load_task(tmp_path: Path, name: str, data: bytes) -> None:
    path = add(tmp_path, name, data)
    with pytest.raises(TaskError) as caught:
        load_task(path)
    (file,) = read_task_files(tmp_path, "counter", "apps")
    assert file.task is None
    assert file.error == str(caught.value).replace(f"{tmp_path}/", "")
    assert file.sha256 == file.content_hash == hashlib.sha256(data).hexdigest()


def test_a_task_is_the_one_of_load_task(tmp_path: Path) -> None:
    path = add(tmp_path, "a.yaml", GOOD.encode())
    (file,) = read_task_files(tmp_path, "counter", "apps")
    assert (file.task, file.error) == (load_task(path), None)
    assert file.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    source = file.as_input()
    assert (source.kind, source.key, source.version) == ("file", "apps/counter/tasks/a.yaml", file.sha256)
    assert source.content_hash == file.content_hash


def test_comments_and_layout_do_not_move_the_hash_of_what_it_says(tmp_path: Path) -> None:
    add(tmp_path, "a.yaml", GOOD.encode())
    add(tmp_path, "b.yaml", b"# Three.\n" + GOOD.replace("agent: alice", "agent: {id: alice}").encode())
    add(tmp_path, "c.yaml", GOOD.replace("== 3", "== 4").encode())
    first, second, third = read_task_files(tmp_path, "counter", "apps")
    assert first.sha256 != second.sha256
    assert first.content_hash == second.content_hash != third.content_hash


def test_a_json_task_is_read_as_json(tmp_path: Path) -> None:
    document = {"name": "J", "description": "Do it.", "app_id": "counter", "agent": "alice"}
    add(tmp_path, "a.json", json.dumps({**document, "goal_condition": "true"}, indent="\t").encode())
    (file,) = read_task_files(tmp_path, "counter", "apps")
    assert file.error is None


def test_a_foreign_app_is_a_fault_of_its_key(tmp_path: Path) -> None:
    add(tmp_path, "a.yaml", GOOD.replace("app_id: counter", "app_id: other").encode())
    (file,) = read_task_files(tmp_path, "counter", "apps")
    assert file.error == (
        "Task apps/counter/tasks/a.yaml is invalid, 1 fault:\n"
        "  app_id: 'other', expected 'counter' as the folder says"
    )


@pytest.mark.skipif(
    not UNREADABLE_FILE.is_file(), reason="root reads every file but this one, which only Linux has"
)
def test_what_cannot_be_read_is_an_error_of_its_file(tmp_path: Path) -> None:
    add(tmp_path, "there.yaml", GOOD.encode())
    (tmp_path / "apps/counter/tasks/closed.yaml").symlink_to(UNREADABLE_FILE)
    closed, there = read_task_files(tmp_path, "counter", "apps")
    assert (closed.task, closed.sha256, there.error) == (None, "unreadable", None)
    assert "apps/counter/tasks/closed.yaml" in (closed.error or "")


def test_each_version_has_the_tasks_that_are_meant_for_it_and_the_broken_ones(
    tmp_path: Path, duckdb_file: Database
) -> None:
    add(tmp_path, "all.yaml", GOOD.encode())
    add(tmp_path, "broken.yaml", b"name: Broken\n")
    add(tmp_path, "later.yaml", f'{GOOD}applies_to: ">=2"\n'.encode())
    missing = read_versions_or_missing(duckdb_file, ["counter@1", "counter@2"])
    found = read_tasks(tmp_path, [replace(version, root="apps") for version in missing])
    assert {key: [Path(file.path).stem for file in files] for key, files in found.items()} == {
        "counter@1": ["all", "broken"],
        "counter@2": ["all", "broken", "later"],
    }


def test_an_app_without_tasks_has_none(tmp_path: Path) -> None:
    catalogues.add_version(tmp_path)
    assert read_task_files(tmp_path, "counter", "apps") == ()
