"""A scenario file in the pipeline is read as ``load_scenario`` reads it anywhere else."""

import hashlib
import json
from pathlib import Path

import pytest

from appeval_pipeline.errors import ScenarioError
from appeval_pipeline.evaluation import load_scenario
from appeval_pipeline.store.scenario_files import read_scenario_files
from appeval_pipeline_tests import catalogues

GOOD = catalogues.SCENARIO.format(app_id="counter", count=1)


def add(data_dir: Path, name: str, data: bytes) -> Path:
    path = data_dir / "apps" / "counter" / "scenarios" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.yaml", b"name: A\nstepz: []\n"),
        ("a.yaml", b"name: [\n"),
        ("a.yaml", b""),
        ("a.yaml", GOOD.replace("Counting", "Z\u00e4hlen").encode("latin-1")),
        ("a.yaml", b"#" * 2_000_001),
        ("a.json", b'{"name": "A",}\n'),
        ("a.json", b'{"name": "A", "name": "B"}'),
        ("a.json", b"name: A\n"),
    ],
    ids=["unknown key", "bad YAML", "empty", "not UTF-8", "too large", "bad JSON", "twice", "YAML as JSON"],
)
def test_the_error_is_the_one_of_load_scenario(tmp_path: Path, name: str, data: bytes) -> None:
    path = add(tmp_path, name, data)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    (file,) = read_scenario_files(tmp_path, "counter", "apps")
    assert file.scenario is None
    assert file.error == str(caught.value).replace(f"{tmp_path}/", "")
    assert file.sha256 == file.content_hash == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_a_scenario_is_the_one_of_load_scenario(tmp_path: Path, mark: bytes) -> None:
    path = add(tmp_path, "a.yaml", mark + GOOD.encode())
    (file,) = read_scenario_files(tmp_path, "counter", "apps")
    assert file.error is None
    assert file.scenario == load_scenario(path)


def test_a_json_scenario_is_read_as_json(tmp_path: Path) -> None:
    step = {"name": "go", "agent": "a", "action": "increase", "params": {"amount": 1}}
    document = {"name": "J", "app_id": "counter", "setup": {"agents": ["a"]}, "steps": [step]}
    add(tmp_path, "a.json", json.dumps(document, indent="\t").encode())
    (file,) = read_scenario_files(tmp_path, "counter", "apps")
    assert file.error is None


def test_a_foreign_app_is_a_fault_of_its_key(tmp_path: Path) -> None:
    add(tmp_path, "a.yaml", GOOD.replace("app_id: counter", "app_id: other").encode())
    (file,) = read_scenario_files(tmp_path, "counter", "apps")
    assert file.error == (
        "Scenario apps/counter/scenarios/a.yaml is invalid, 1 fault:\n"
        "  app_id: 'other', expected 'counter' as the folder says"
    )
