"""What a file sensor remembers of its requests from tick to tick."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

import dagster as dg

from appeval_pipeline.defs.jobs import Needed
from appeval_pipeline.store.canonical import canonical_json

MAX_ATTEMPTS = 3
"""How often the same need is requested, if the runs for it fail."""

RUN_KEY_TAG = "dagster/run_key"


@dataclass(frozen=True, slots=True)
class Asked:
    """The last request of one partition.

    Attributes:
        fingerprint: What was needed.
        run_key: Names the run that was requested.
        attempt: How often the same has been requested, this time included.
    """

    fingerprint: str
    run_key: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Left:
    """A need that is left to declarative automation.

    Attributes:
        fingerprint: What is needed.
        since: When the sensor first saw it, in seconds of Unix time.
    """

    fingerprint: str
    since: float


@dataclass(frozen=True, slots=True)
class Cursor:
    """What earlier ticks have asked for, and what they left to others.

    Attributes:
        tick: Number of ticks that asked for something.
        requested: The last request, by partition, as long as the need lasts.
        left: Needs left to declarative automation, by partition, as long as they last.
    """

    tick: int = 0
    requested: Mapping[str, Asked] = field(default_factory=dict)
    left: Mapping[str, Left] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str | None) -> "Cursor":
        """Read a cursor; an unreadable one counts as none."""
        try:
            document = json.loads(text or "{}")
            requested = {key: Asked(**asked) for key, asked in document.get("requested", {}).items()}
            left = {key: Left(**found) for key, found in document.get("left", {}).items()}
            return cls(int(document.get("tick", 0)), requested, left)
        except (ValueError, TypeError, AttributeError):
            return cls()

    def text(self) -> str:
        """The cursor as Dagster keeps it."""
        return canonical_json(
            {
                "tick": self.tick,
                "requested": {key: asdict(asked) for key, asked in self.requested.items()},
                "left": {key: asdict(found) for key, found in self.left.items()},
            }
        )

    def renewed(self, needs: Iterable[Needed], left: Iterable[Needed], now: float) -> "Cursor":
        """Without what is needed no more, and with what is left to others at present."""
        keys = {need.partition_key for need in needs}
        still = {key: asked for key, asked in self.requested.items() if key in keys}
        return replace(
            self, requested=still, left={need.partition_key: self._left(need, now) for need in left}
        )

    def _left(self, need: Needed, now: float) -> Left:
        known = self.left.get(need.partition_key)
        return known if known and known.fingerprint == need.fingerprint else Left(need.fingerprint, now)

    def left_for_s(self, need: Needed, now: float) -> float:
        """How long exactly this need has been left to others, in seconds."""
        return now - self._left(need, now).since

    def attempts(self, need: Needed) -> int:
        """How often exactly this need has been requested."""
        asked = self.requested.get(need.partition_key)
        return asked.attempt if asked is not None and asked.fingerprint == need.fingerprint else 0

    def failed_run_keys(self, instance: dg.DagsterInstance) -> frozenset[str]:
        """Those of the last requests whose runs failed, for want of a lock or of memory, say."""
        keys = {asked.run_key for asked in self.requested.values()}
        return frozenset(key for key in keys if instance.get_runs(_failed(key), limit=1))

    def is_due(self, need: Needed, failed_run_keys: Collection[str]) -> bool:
        """Whether to request this: it is new, or the run for it failed and may be tried again."""
        attempts = self.attempts(need)
        if attempts == 0:
            return True
        return attempts < MAX_ATTEMPTS and self.requested[need.partition_key].run_key in failed_run_keys

    def asking(self, needs: Iterable[Needed], run_key: str) -> "Cursor":
        """With a request for these needs."""
        asked = {
            need.partition_key: Asked(need.fingerprint, run_key, self.attempts(need) + 1) for need in needs
        }
        return replace(self, requested={**self.requested, **asked})


def _failed(run_key: str) -> dg.RunsFilter:
    return dg.RunsFilter(tags={RUN_KEY_TAG: run_key}, statuses=[dg.DagsterRunStatus.FAILURE])
