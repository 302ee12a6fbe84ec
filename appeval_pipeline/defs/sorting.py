"""What a file sensor does about each need: ask for it now, or wait for something."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import dagster as dg

from appeval_pipeline.defs.asking import MAX_ATTEMPTS, Cursor
from appeval_pipeline.defs.jobs import Evaluation, Needed
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.comparison import Cause

SETTLE_S = 2.0
"""A file that changed less than this ago may still be being written: it waits for the next tick."""

PATIENCE_S = 120.0
"""What declarative automation has not seen to by then (it is off, or its run failed) is requested here."""

INTERVAL_S = 10
"""Between ticks."""


class CausedNeed(Needed, Protocol):
    """A partition that is to be evaluated, and why."""

    def caused_by(self, *causes: Cause) -> tuple[str, ...]:
        """The assets that are stale for one of ``causes``, upstream first."""


N = TypeVar("N", bound=CausedNeed)


@dataclass(frozen=True, slots=True)
class Sorted(Generic[N]):
    """What to do about the needs of a plan: one of these five.

    Attributes:
        ask: To request now, with the assets to request.
        settling: Their files changed just now.
        busy: Some run works on them.
        asked: Requested before; the run was cancelled, or has failed too often.
        left: For declarative automation: a stored result changed, and no file.
    """

    ask: list[N] = field(default_factory=list)
    settling: list[N] = field(default_factory=list)
    busy: list[N] = field(default_factory=list)
    asked: list[N] = field(default_factory=list)
    left: list[N] = field(default_factory=list)

    def waiting(self) -> list[str]:
        """What is not asked for, and why, for people."""
        told = {
            "changed just now and wait for the next tick": self.settling,
            "are being evaluated": self.busy,
            f"have been requested already (up to {MAX_ATTEMPTS} times if runs fail)": self.asked,
            "rest on results that changed, and are left to results_changed": self.left,
        }
        return [f"{len(needs)} {words}" for words, needs in told.items() if needs]


def sort_needs(
    needs: Iterable[N],
    cursor: Cursor,
    busy: frozenset[str],
    instance: dg.DagsterInstance,
    files: Callable[[N], Iterable[Path]],
    requestable: Callable[[N], N | None],
) -> tuple[Sorted[N], Cursor]:
    """Sort the needs of a plan, and remember which of them are left to others, and since when.

    Args:
        busy: The partitions that some run works on, looked up before the needs were: a run that ends in
            between has met its needs.
        files: Those behind a need.
        requestable: What of a need can be asked for now; None if something else has to come first.
    """
    needs, now = list(needs), time.time()
    failed_run_keys = cursor.failed_run_keys(instance)
    found: Sorted[N] = Sorted()
    for need in needs:
        if need.partition_key in busy:
            found.busy.append(need)
        elif not need.caused_by(Cause.FILES) and cursor.left_for_s(need, now) < PATIENCE_S:
            found.left.append(need)
        elif _are_settling(files(need), now):
            found.settling.append(need)
        elif (part := requestable(need)) is None:
            found.left.append(need)
        elif cursor.is_due(need, failed_run_keys):
            found.ask.append(part)
        else:
            found.asked.append(need)
    return found, cursor.renewed(needs, found.left, now)


def run_request(evaluation: Evaluation, tick: int, tags: Mapping[str, str] = {}) -> dg.RunRequest:
    """The request of one run; its key is the same if a tick is repeated, and never again after that."""
    content = sha256_of([tick, *(need.fingerprint for need in evaluation.needs)])
    return dg.RunRequest(
        run_key=f"{evaluation.name}:{content}",
        job_name=evaluation.job,
        partition_key=evaluation.partition_key,
        asset_selection=evaluation.asset_selection,
        tags={**evaluation.tags, **tags},
    )


def _are_settling(files: Iterable[Path], now: float) -> bool:
    """Whether one of the files changed so lately that it may be half-written."""
    # In the future, too: the disk's clock may be another.
    return any(abs(now - _modified(path)) < SETTLE_S for path in files)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
