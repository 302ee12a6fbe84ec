"""The files of tau-bench experiments: each one's hash, what it says, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from appeval_pipeline.errors import ExperimentError
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.dependencies import TAU_TASKS, TAU_TRIALS
from appeval_pipeline.store.files import UNREADABLE, file_sha256
from appeval_pipeline.store.rows import Input

if TYPE_CHECKING:
    from appeval_pipeline.taubench.experiments import ExperimentSettings

FOLDER: Final = "tau/experiments"
"""Where they are in the data directory."""
SUFFIX: Final = ".yaml"
_OTHER_SUFFIXES: Final = (".yml", ".json")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")

FREE_AGENTS: Final = ("oracle", "noop")
FREE_USERS: Final = ("scripted",)
"""Those that cost nothing but a few seconds."""

_TASKS: Final = ("env", "task_split", "task_ids")
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "tau.agent": ("agent", "model", "provider", "api_base", "temperature", "use_reasoning"),
    "tau.user": ("user", "user_model", "user_provider", "user_api_base"),
    "tau.limits": ("max_steps", "max_invalid_actions", "max_time_s", "max_cost_usd"),
    "tau.seed": ("seed",),
    "tau.tasks": _TASKS,
    "tau.trials": ("num_trials", "reference_env"),
}
"""What of an experiment's settings decides on its trials, by the name that lineage has for it."""
_OF_ASSET: Final[Mapping[str, tuple[str, ...]]] = {TAU_TASKS: ("tau.tasks",), TAU_TRIALS: tuple(_PARTS)}


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """One experiment file; an invalid one has an error in place of ``settings``.

    Attributes:
        name: The partition key: the file's name without its ending.
        path: Relative to the data directory.
    """

    name: str
    path: str
    sha256: str
    settings: ExperimentSettings | None
    error: str | None

    @property
    def partition_key(self) -> str:
        return self.name

    @property
    def content_hash(self) -> str:
        """Of what it means: comments and layout do not count, nor how many trials go on at a time."""
        if self.settings is None:
            return self.sha256
        return sha256_of(self.settings.model_dump(mode="json", exclude={"max_concurrency"}))

    @property
    def is_free(self) -> bool:
        """Whether it asks no model, so that running it costs nothing; an invalid one costs nothing either."""
        if self.settings is None:
            return True
        return self.settings.agent in FREE_AGENTS and self.settings.user in FREE_USERS

    def as_input(self) -> Input:
        """This file as an input of a result."""
        return Input(kind="file", key=self.path, version=self.sha256, content_hash=self.content_hash)

    def config_inputs(self, asset: str) -> tuple[Input, ...]:
        """What of its settings decides on the results of ``asset``, each part as a hash."""
        if self.settings is None:
            return ()
        values = self.settings.model_dump(mode="json")
        return tuple(
            Input(kind="config", key=part, version=sha256_of({name: values[name] for name in _PARTS[part]}))
            for part in _OF_ASSET.get(asset, ())
        )


@dataclass(frozen=True, slots=True)
class ExperimentFiles:
    """What the folder holds: experiments by name, and what is wrong with other files, by path."""

    experiments: tuple[ExperimentFile, ...]
    problems: tuple[tuple[str, str], ...]


def read_experiment_files(data_dir: Path) -> ExperimentFiles:
    """All experiments of the data directory, by name; droppings of editors are passed over."""
    experiments, problems = [], []
    folder = data_dir / FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        path = f"{FOLDER}/{file.name}"
        if file.name.startswith((".", "#", "~")) or not file.is_file():
            continue
        if file.suffix in _OTHER_SUFFIXES:
            problems.append((path, f"An experiment's file ends in {SUFFIX}; expected {file.stem}{SUFFIX}"))
        elif file.suffix == SUFFIX and not _NAME.fullmatch(file.stem):
            problems.append((path, "An experiment's name has letters, digits, _ and - only, at most 100"))
        elif file.suffix == SUFFIX:
            experiments.append(_read(data_dir, file.stem, path))
    return ExperimentFiles(tuple(experiments), tuple(problems))


def find_experiment(data_dir: Path, name: str) -> ExperimentFile:
    """The experiment of a name; one whose file is gone is invalid, and says so."""
    return _read(data_dir, name, f"{FOLDER}/{name}{SUFFIX}")


def _read(data_dir: Path, name: str, path: str) -> ExperimentFile:
    from appeval_pipeline.taubench.experiments import load_experiment  # half a second, for who has any

    # The hash is taken first: should the file change in between, it is the older one, and stale.
    sha256 = file_sha256(data_dir, path) or UNREADABLE
    try:
        return ExperimentFile(name, path, sha256, load_experiment(data_dir / path), None)
    except ExperimentError as error:
        return ExperimentFile(name, path, sha256, None, str(ExperimentError(error.faults, path)))
