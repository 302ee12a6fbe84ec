"""The tasks of a split with all that is computed once for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from appeval_pipeline.taubench.domain import TaskSplit, TauDomain, load_domain, load_split
from appeval_pipeline.taubench.ground_truth import GroundTruth, TaskFlags, flags_of, replay
from appeval_pipeline.taubench.source import TauSource, find_source
from appeval_pipeline.taubench.tasks import TauTask


@dataclass(slots=True)
class TauSuite:
    """A domain, and the tasks of one split of it."""

    domain: TauDomain
    split: TaskSplit
    _truths: dict[int, GroundTruth] = field(default_factory=dict)
    _writing_tools: frozenset[str] | None = None

    @property
    def tasks(self) -> tuple[TauTask, ...]:
        """Those that can be used."""
        return self.split.tasks

    def truth(self, task: TauTask) -> GroundTruth:
        """What the expected actions of one of the tasks do; replayed when first asked for."""
        if task.id not in self._truths:
            self._truths[task.id] = replay(self.domain, task)
        return self._truths[task.id]

    def flags(self, task: TauTask) -> TaskFlags:
        """The known issues of one of the tasks."""
        return flags_of(self.domain, task, self.truth(task), self.writing_tools())

    def writing_tools(self) -> frozenset[str]:
        """The tools that can change the database, by having done so.

        The domain's test split is run too: a small split need not have a use of each that succeeds.
        """
        if self._writing_tools is None:
            suites = [self]
            if self.split.name != "test":
                suites.append(load_suite(self.domain.name, "test", self.domain.source))
            truths = [suite.truth(task) for suite in suites for task in suite.tasks]
            self._writing_tools = frozenset(
                done.tool for truth in truths for done in truth.replayed if done.wrote
            )
        return self._writing_tools


def load_suite(domain: str = "retail", split: str = "test", source: TauSource | None = None) -> TauSuite:
    """Read a domain and a split of its tasks: once a process, for what was imported does not change any more.

    Raises:
        TauBenchError: There is none of the name, or no package that has it.
    """
    return _loaded_suite(domain, split, source or find_source())


@lru_cache(maxsize=8)
def _loaded_suite(domain: str, split: str, source: TauSource) -> TauSuite:
    loaded = load_domain(domain, source)
    return TauSuite(loaded, load_split(loaded, split))
