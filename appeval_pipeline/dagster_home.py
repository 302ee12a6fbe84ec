"""Dagster's home directory, with a configuration that suits this project."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from appeval_pipeline.errors import SettingsError

CONFIGURATION = """\
# Written by appeval because there was no dagster.yaml here. Yours to edit: it is never overwritten.
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  pools:
    # The pool duckdb_write has one place: one step at a time writes to the store. So have the pools agents
    # and tau_trials.
    granularity: op
    default_limit: 1
  runs:
    max_concurrent_runs: 4
    tag_concurrency_limits:
      # One run an app at a time, so that a version is compared with what its baseline gives now.
      - key: appeval/app
        value:
          applyLimitPerUniqueValue: true
        limit: 1
      # And one run an app version, whoever asked for it.
      - key: dagster/partition
        value:
          applyLimitPerUniqueValue: true
        limit: 1
run_monitoring:
  enabled: true
  start_timeout_seconds: 180
  cancel_timeout_seconds: 60
  # A run that takes longer hangs, or died without a word.
  max_runtime_seconds: 21600
  # A run that died gives back its place in the pool.
  free_slots_after_run_end_seconds: 30
retention:
  sensor:
    purge_after_days:
      skipped: 3
      failure: 30
      success: 30
  auto_materialize:
    purge_after_days:
      skipped: 3
      failure: 30
      success: 30
  schedule:
    purge_after_days:
      skipped: 3
      failure: 30
      success: 30
"""


WORKSPACE = """\
load_from:
  - python_module:
      module_name: appeval_pipeline.definitions
      location_name: appeval_pipeline
"""


def prepare_dagster_home(home: Path) -> None:
    """Make sure that ``home`` exists and has a ``dagster.yaml``; an existing one is left as it is.

    Raises:
        SettingsError: The directory cannot be made, or the existing file is no YAML mapping.
    """
    configuration = home / "dagster.yaml"
    try:
        home.mkdir(parents=True, exist_ok=True)
        if not configuration.exists():
            _write(configuration, CONFIGURATION)
    except OSError as error:
        raise SettingsError(
            f"DAGSTER_HOME: {home} cannot be used: {error.strerror}; name a directory that can be written"
        ) from error
    _check(configuration)


def configuration_error(home: Path, why: str) -> SettingsError:
    """That Dagster cannot start with the ``dagster.yaml`` in ``home``, and what to do."""
    return SettingsError(
        f"{home / 'dagster.yaml'}: {why}; correct it, or delete it and appeval writes a new one"
    )


def _check(configuration: Path) -> None:
    try:
        document = yaml.safe_load(configuration.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise configuration_error(configuration.parent, f"cannot be read: {error}") from error
    except yaml.YAMLError as error:
        why = " ".join(str(error).split())  # PyYAML writes several lines
        raise configuration_error(configuration.parent, f"not valid YAML: {why}") from error
    if not isinstance(document, dict | None):
        raise configuration_error(
            configuration.parent, "expected keys with values, as Dagster documents them"
        )


def write_workspace(home: Path) -> Path:
    """Write the workspace file that names this project's code location, wherever it is installed."""
    workspace = home / "workspace.yaml"
    _write(workspace, WORKSPACE)
    return workspace


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
