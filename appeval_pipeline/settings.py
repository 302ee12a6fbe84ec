"""What the environment decides: where data, results and Dagster's home are, and how runs execute.

Nothing here is read at import: call :func:`load_settings` once and hand the result along.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from appeval_pipeline.agent_plan import DEFAULT_AGENTS, AgentPlan, parse_agent_plan
from appeval_pipeline.errors import SettingsError
from appeval_pipeline.store_address import SHARED, StoreAddress, parse_store_address

PACKAGE_DIR = Path(__file__).resolve().parent
HERE = Path("data")
"""The data directory of whoever keeps apps of their own: in the folder where the command runs."""


_TOKEN: Final = re.compile(r"[!-~]{16,}")
"""What an HTTP header can hold, and what nobody tries out."""


class ExecutorKind(StrEnum):
    """How the steps of a run execute."""

    IN_PROCESS = "in_process"
    MULTIPROCESS = "multiprocess"
    CELERY = "celery"


class Settings(BaseSettings):
    """The settings of one process; every path is absolute.

    Attributes:
        data_dir: Directory with ``apps/`` and ``benchmarks/`` (``APPEVAL_DATA_DIR``).
        store: Where the results are (``APPEVAL_STORE``): the DuckDB snapshot that readers open, beside which
            the writer's file lies, or a DuckLake.
        executor: How steps execute (``APPEVAL_EXECUTOR``).
        celery_url: The Redis by which steps reach the Celery workers (``APPEVAL_CELERY_URL``).
        api_token: Bearer token of the HTTP API (``APPEVAL_API_TOKEN``), 16 characters or more.
        agents: Which agents the pipeline lets try every app's tasks (``APPEVAL_AGENTS``), such as
            ``oracle, noop, random*20, llm:openai/gpt-4o*4``.
        trials_dir: Where finished trials are kept until their evaluation is stored (``APPEVAL_TRIALS_DIR``).
        costly_experiments: Whether ``appeval ui`` runs experiments by itself that ask a model or load a class
            (``APPEVAL_COSTLY_EXPERIMENTS``): whoever can write into the data directory then spends money, and
            runs code.
        dagster_home: Dagster's own storage (``DAGSTER_HOME`` or ``APPEVAL_DAGSTER_HOME``).
        local_model_url: Where the model ``local`` answers (``APPEVAL_LOCAL_MODEL_URL``), e.g.
            ``http://127.0.0.1:8765/v1``; None to look at the default port, and else start one.
    """

    model_config = SettingsConfigDict(
        env_prefix="APPEVAL_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    data_dir: Path = Field(default_factory=lambda: default_data_dir())
    store: StoreAddress = Path(".appeval/appeval.duckdb")
    executor: ExecutorKind = ExecutorKind.IN_PROCESS
    celery_url: SecretStr = SecretStr("redis://localhost:6379/0")
    api_token: SecretStr | None = None
    dagster_home: Path = Field(
        default=Path(".appeval/dagster"),
        validation_alias=AliasChoices("APPEVAL_DAGSTER_HOME", "DAGSTER_HOME"),
    )
    local_model_url: str | None = None
    agents: str = DEFAULT_AGENTS
    trials_dir: Path = Path(".appeval/trials")
    costly_experiments: bool = False

    @field_validator("data_dir", "dagster_home", "trials_dir", mode="after")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("data_dir", mode="after")
    @classmethod
    def _is_directory(cls, value: Path) -> Path:
        if not value.is_dir():
            raise ValueError(f"there is no directory {value}")
        return value

    @field_validator("store", mode="before")
    @classmethod
    def _is_store_address(cls, value: object) -> StoreAddress:
        return parse_store_address(str(value))

    @field_validator("api_token", mode="after")
    @classmethod
    def _is_token(cls, value: SecretStr | None) -> SecretStr | None:
        token = value.get_secret_value() if value is not None else None
        if token is not None and not _TOKEN.fullmatch(token):
            raise ValueError("accepted are 16 characters or more of visible ASCII, without spaces")
        return value

    @field_validator("local_model_url", mode="after")
    @classmethod
    def _is_http_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError(f"{value!r} is no URL; accepted are such as http://127.0.0.1:8765/v1")
        return value

    @field_validator("agents", mode="after")
    @classmethod
    def _is_agent_plan(cls, value: str) -> str:
        return str(parse_agent_plan(value))

    @property
    def agent_plan(self) -> AgentPlan:
        """The agents of the pipeline."""
        return parse_agent_plan(self.agents)

    @model_validator(mode="after")
    def _one_store_for_all_workers(self) -> Settings:
        if self.executor is ExecutorKind.CELERY and isinstance(self.store, Path):
            raise ValueError("APPEVAL_EXECUTOR=celery needs a store that all workers share; " + SHARED)
        return self

    def environment(self) -> dict[str, str]:
        """The variables that give a child process these settings, whatever its working directory."""
        variables = {
            "APPEVAL_DATA_DIR": str(self.data_dir),
            "APPEVAL_STORE": str(self.store),
            "APPEVAL_EXECUTOR": self.executor.value,
            "APPEVAL_CELERY_URL": self.celery_url.get_secret_value(),
            "APPEVAL_AGENTS": self.agents,
            "APPEVAL_TRIALS_DIR": str(self.trials_dir),
            "APPEVAL_COSTLY_EXPERIMENTS": str(self.costly_experiments).lower(),
            "APPEVAL_DAGSTER_HOME": str(self.dagster_home),
            "DAGSTER_HOME": str(self.dagster_home),
        }
        if self.api_token is not None:
            variables["APPEVAL_API_TOKEN"] = self.api_token.get_secret_value()
        if self.local_model_url is not None:
            variables["APPEVAL_LOCAL_MODEL_URL"] = self.local_model_url
        return variables


def default_data_dir() -> Path:
    """``data`` where the command runs if it has apps; else the data that ships.

    That is ``data`` of the checkout when running from one, else the copy that the package carries.
    """
    if (HERE / "apps").is_dir():
        return HERE
    checkout = PACKAGE_DIR.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "data").is_dir():
        return checkout / "data"
    return PACKAGE_DIR / "data"


def load_settings(env_file: Path | None = Path(".env")) -> Settings:
    """Read the settings from the environment and ``env_file``.

    Raises:
        SettingsError: A value cannot be used; the message names the variable, the value's fault and what
            would be accepted.
    """
    try:
        return Settings(_env_file=env_file)  # type: ignore[call-arg]
    except ValidationError as error:
        raise SettingsError("; ".join(_sentence(dict(fault)) for fault in error.errors())) from None


def _sentence(fault: dict[str, object]) -> str:
    location = fault["loc"]
    if not location:
        return str(fault["msg"]).removeprefix("Value error, ")
    name = str(location[0]) if isinstance(location, tuple) else "settings"
    variable = name if name.isupper() else f"APPEVAL_{name.upper()}"
    message = str(fault["msg"]).removeprefix("Value error, ")
    if name == "executor":
        message = f"{fault['input']!r} is unknown; accepted are " + ", ".join(
            kind.value for kind in ExecutorKind
        )
    return f"{variable}: {message}"
