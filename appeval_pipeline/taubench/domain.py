"""A domain of tau-bench's, retail or airline, with one split of its tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from appeval_pipeline.errors import Fault, TauBenchError
from appeval_pipeline.taubench.records import Database
from appeval_pipeline.taubench.source import CARRIER, TauSource, find_source
from appeval_pipeline.taubench.tasks import TauTask, hash_tasks, read_tasks
from appeval_pipeline.taubench.toolset import Toolset

_SPLITS: Final = {
    "retail": {
        "test": ("tasks_test", "TASKS_TEST"),
        "train": ("tasks_train", "TASKS_TRAIN"),
        "dev": ("tasks_dev", "TASKS_DEV"),
    },
    "airline": {"test": ("tasks_test", "TASKS")},
}
"""The module and the name of each split's tasks."""
DOMAINS: Final = tuple(_SPLITS)

_CARRIER_USERS: Final = {
    "retail": ("alex_chen_5847", "sophia_martinez_7293"),
    "airline": ("carlos_rodriguez_7891", "jennifer_wong_4523"),
}
_ORIGINAL_TEST_TASKS: Final = {"retail": 115, "airline": 50}
"""What the carrier added of its own: these users, and the test tasks beyond these numbers."""


@dataclass(frozen=True, slots=True)
class TauDomain:
    """What tau-bench gives a domain, as it is.

    Attributes:
        name: ``retail`` or ``airline``.
        source: Where it is from.
        policy: What an agent has to keep to: tau-bench's wiki.
        rules: The policy in short; tau-bench's own agents are not shown it.
    """

    name: str
    source: TauSource
    policy: str
    rules: tuple[str, ...]
    toolset: Toolset
    database: Database


@dataclass(frozen=True, slots=True)
class TaskSplit:
    """Tasks of a domain.

    Attributes:
        name: ``test``, ``train`` or ``dev``.
        tasks: Those that can be used.
        faults: Why the others cannot.
        sha256: The hash of the tasks, whichever package they are from.
    """

    domain: str
    name: str
    tasks: tuple[TauTask, ...]
    faults: tuple[Fault, ...]
    sha256: str


def load_domain(name: str = "retail", source: TauSource | None = None) -> TauDomain:
    """Read a domain's data and tools; takes some tens of milliseconds.

    Raises:
        TauBenchError: There is no such domain, or no package that has it.
    """
    _splits_of(name)
    source = source or find_source()
    at = f"envs.{name}"
    return TauDomain(
        name=name,
        source=source,
        policy=part_of(source, f"{at}.wiki", "WIKI"),
        rules=tuple(part_of(source, f"{at}.rules", "RULES")),
        toolset=Toolset(part_of(source, f"{at}.tools", "ALL_TOOLS")),
        database=Database(load_tables(name, source)),
    )


def load_tables(domain: str, source: TauSource) -> dict[str, dict[str, Any]]:
    """A fresh copy of a domain's data: records by id, by table."""
    load: Callable[[], dict[str, dict[str, Any]]] = part_of(source, f"envs.{domain}.data", "load_data")
    tables = load()
    if source.package == CARRIER:
        for user in _CARRIER_USERS[domain]:
            tables["users"].pop(user, None)
    return tables


def load_split(domain: TauDomain, name: str = "test") -> TaskSplit:
    """Read the tasks of a split, and check them.

    Raises:
        TauBenchError: The domain has no such split.
    """
    splits = _splits_of(domain.name)
    if name not in splits:
        raise TauBenchError(f"{domain.name} has no split {name!r}; expected {' or '.join(splits)}")
    tasks, faults = read_tasks(given_tasks(domain, name), domain.toolset.tools)
    return TaskSplit(domain.name, name, tasks, faults, hash_tasks(tasks))


def given_tasks(domain: TauDomain, split: str) -> list[Any]:
    """tau-bench's own task objects of a split; a task's id is its place here."""
    module, constant = _splits_of(domain.name)[split]
    given = list(part_of(domain.source, f"envs.{domain.name}.{module}", constant))
    original = domain.source.package != CARRIER or split != "test"
    return given if original else given[: _ORIGINAL_TEST_TASKS[domain.name]]


def _splits_of(domain: str) -> dict[str, tuple[str, str]]:
    if domain not in _SPLITS:
        raise TauBenchError(f"tau-bench has no domain {domain!r}; expected {' or '.join(DOMAINS)}")
    return _SPLITS[domain]


def part_of(source: TauSource, module: str, name: str) -> Any:
    """What a module of the package calls by a name.

    Raises:
        TauBenchError: There is none.
    """
    try:
        return getattr(source.module(module), name)
    except AttributeError as error:
        raise TauBenchError(f"{source.package} {source.version} at {source.folder}: {error}") from error
