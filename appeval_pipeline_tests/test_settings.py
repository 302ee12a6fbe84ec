from pathlib import Path

import pytest

from appeval_pipeline.dagster_home import prepare_dagster_home
from appeval_pipeline.errors import SettingsError
from appeval_pipeline.settings import ExecutorKind, default_data_dir, load_settings
from appeval_pipeline.store_address import DuckLakeAddress

VARIABLES = ("DATA_DIR", "STORE", "EXECUTOR", "CELERY_URL", "API_TOKEN", "DAGSTER_HOME", "LOCAL_MODEL_URL")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(f"APPEVAL_{name}", raising=False)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_defaults_are_the_project_s_data_and_a_folder_here(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.data_dir == default_data_dir()
    assert (settings.data_dir / "apps").is_dir()
    assert settings.store == tmp_path / ".appeval" / "appeval.duckdb"
    assert settings.dagster_home == tmp_path / ".appeval" / "dagster"
    assert settings.executor is ExecutorKind.IN_PROCESS
    assert settings.api_token is None


def test_the_environment_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("APPEVAL_DATA_DIR", "mine")
    monkeypatch.setenv("APPEVAL_STORE", "results/x.duckdb")
    monkeypatch.setenv("APPEVAL_EXECUTOR", "multiprocess")
    monkeypatch.setenv("APPEVAL_API_TOKEN", "secret-of-the-tests")
    monkeypatch.setenv("DAGSTER_HOME", "home")
    settings = load_settings()
    assert settings.data_dir == tmp_path / "mine"
    assert settings.store == tmp_path / "results" / "x.duckdb"
    assert settings.executor is ExecutorKind.MULTIPROCESS
    assert settings.dagster_home == tmp_path / "home"
    assert "secret" not in repr(settings)


def test_a_dot_env_file_is_read_and_the_environment_goes_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("APPEVAL_STORE=from_file.duckdb\nAPPEVAL_EXECUTOR=multiprocess\nOTHER=1\n")
    monkeypatch.setenv("APPEVAL_EXECUTOR", "in_process")
    settings = load_settings()
    assert settings.store == tmp_path / "from_file.duckdb"
    assert settings.executor is ExecutorKind.IN_PROCESS


def test_a_lake_is_a_store_for_many_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPEVAL_STORE", "ducklake:postgres:host=db dbname=x data_path=/mnt/lake")
    monkeypatch.setenv("APPEVAL_EXECUTOR", "celery")
    monkeypatch.setenv("APPEVAL_CELERY_URL", "redis://:secret@broker/0")
    settings = load_settings()
    assert settings.store == DuckLakeAddress("host='db' dbname='x'", Path("/mnt/lake"))
    assert settings.executor is ExecutorKind.CELERY
    assert "secret" not in repr(settings)
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_a_child_process_gets_the_same_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPEVAL_STORE", "x.duckdb")
    monkeypatch.setenv("APPEVAL_LOCAL_MODEL_URL", "http://127.0.0.1:9000/v1")
    settings = load_settings()
    assert settings.local_model_url == "http://127.0.0.1:9000/v1"
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_settings() == settings


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("APPEVAL_DATA_DIR", "nowhere", "APPEVAL_DATA_DIR: there is no directory"),
        (
            "APPEVAL_EXECUTOR",
            "cluster",
            "APPEVAL_EXECUTOR: 'cluster' is unknown; accepted are in_process, ",
        ),
        (
            "APPEVAL_LOCAL_MODEL_URL",
            "localhost:8765",
            "APPEVAL_LOCAL_MODEL_URL: 'localhost:8765' is no URL; acc",
        ),
        ("APPEVAL_STORE", "results.csv", "APPEVAL_STORE: 'results.csv' does not name a store file; accepted"),
        ("APPEVAL_STORE", "a.write.duckdb", "APPEVAL_STORE: 'a.write.duckdb' does not name"),
        ("APPEVAL_STORE", "ducklake:sqlite:x", "APPEVAL_STORE: 'ducklake:sqlite:x' names no catalogue in"),
        (
            "APPEVAL_EXECUTOR",
            "celery",
            "APPEVAL_EXECUTOR=celery needs a store that all workers share",
        ),
    ],
)
def test_a_bad_value_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert message in str(caught.value)


def test_dagster_s_home_gets_a_configuration_once(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    prepare_dagster_home(home)
    assert "telemetry:\n  enabled: false" in (home / "dagster.yaml").read_text()
    (home / "dagster.yaml").write_text("mine: true\n")
    prepare_dagster_home(home)
    assert (home / "dagster.yaml").read_text() == "mine: true\n"
    assert [path.name for path in home.iterdir()] == ["dagster.yaml"]


def test_a_dagster_home_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(
            SettingsError, match=r"DAGSTER_HOME: .*file.* cannot be used: .*; name a directory"
        ):
            prepare_dagster_home(home)


@pytest.mark.parametrize("text", [b"a: [\n", b"- 1\n", b"\xff\n"])
def test_a_dagster_yaml_that_is_no_mapping_is_an_error(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "dagster.yaml").write_bytes(text)
    with pytest.raises(SettingsError, match=r"dagster\.yaml: .*; correct it, or delete it"):
        prepare_dagster_home(tmp_path)
