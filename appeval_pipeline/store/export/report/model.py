"""What the page shows, as plain values.

Lists are bounded: a page that lists ten thousand gaps helps nobody, and the other formats have them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)
Key = tuple[str, int]
"""App and version."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T_co]):
    """The first rows of a list, and how many there are in all."""

    items: tuple[T_co, ...] = ()
    total: int = 0

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.items)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers of one asset and one version come from."""

    asset_key: str
    partition_key: str
    data_version: str
    run_id: str
    materialized_at: datetime
    evaluator: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """One app version in the overview; None where there is no result. Coverages are in percent."""

    app_id: str
    version: int
    name: str | None
    status: str
    error: str | None
    violation: str | None
    score: float | None
    level: str | None
    scenarios_passed: int
    scenarios_total: int
    action_coverage: float | None
    block_coverage: float | None
    branch_coverage: float | None
    path_coverage: float | None
    edge_case_coverage: float | None
    edge_case_robustness: float | None
    p50_ms: float | None
    p99_ms: float | None
    regression_status: str | None
    old_version: int | None
    new_failures: int | None
    interface_breaking: int | None
    is_empty: bool | None

    @property
    def key(self) -> Key:
        return (self.app_id, self.version)

    @property
    def regression(self) -> str:
        """The verdict against the version before, in a few words; empty where nothing is stored."""
        match self.regression_status:
            case None | "not_evaluated":
                return ""
            case "no_baseline":
                return "first version"
            case "compared":
                if self.new_failures:
                    return f"breaking: {_count(self.new_failures, 'new failure')}"
                if self.interface_breaking:
                    return f"breaking: {_count(self.interface_breaking, 'interface change')}"
                return "no change" if self.is_empty else "compatible changes"
            case _:
                return "could not be compared"

    @property
    def is_breaking(self) -> bool:
        return self.regression.startswith("breaking")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that would raise the quality."""

    dimension: str
    location: str
    message: str
    gain: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A step or assertion that did not hold; expected and actual are JSON texts."""

    scenario: str
    file: str
    step: str
    expected: str
    actual: str
    error: str


@dataclass(frozen=True, slots=True)
class Unrun:
    """A scenario that could not be run."""

    scenario: str
    file: str
    status: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Gap:
    """What no scenario reaches."""

    kind: str
    location: str
    message: str
    recommendation: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a definition with what no scenario reaches there.

    Attributes:
        kind: action, block or branch; empty where there is nothing to say.
        notes: What the gaps that begin here are, in words.
    """

    number: int
    text: str
    kind: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a definition around its gaps, in pieces that do not touch.

    Attributes:
        file: The definition file.
        is_authors: Whether these are lines of that file, not of the stored definition.
        left_out: Lines near gaps that are not shown.
    """

    file: str
    is_authors: bool
    pieces: tuple[tuple[Line, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """An edge case that no scenario meets, or that does not behave."""

    action: str
    kind: str
    parameter: str | None
    call: str
    expected: str
    outcome: str
    is_robust: bool
    is_covered: bool


@dataclass(frozen=True, slots=True)
class ActionLatency:
    """The latency of one action, in milliseconds."""

    action: str
    samples: int
    p50_ms: float
    p95_ms: float
    p99_ms: float | None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Latencies in milliseconds; ``edges`` has one value more than ``counts``."""

    samples: int
    avg_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float | None
    p50_multiple: float | None
    per_second: float
    timestamp: str | None
    environment: Mapping[str, str]
    edges: tuple[float, ...]
    counts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference from the version before; old and new are JSON texts."""

    change: str
    severity: str | None
    location: str
    message: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Timing:
    """The latency of one action beside the version before; low and high enclose the ratio."""

    action: str
    old_ms: float
    new_ms: float
    ratio: float
    low: float
    high: float
    is_significant: bool


@dataclass(frozen=True, slots=True)
class Regression:
    """A version against the one before."""

    version: int
    old_version: int
    quality_delta: float | None
    latency_change_pct: float | None
    throughput_change_pct: float | None
    fixed_tests: int
    output_changes: int | None
    verdict: str
    is_breaking: bool
    changes: Listing[Change] = Listing()
    timings: Listing[Timing] = Listing()


@dataclass(frozen=True, slots=True)
class Tried:
    """How an agent got on with a task; None where it was not evaluated.

    Attributes:
        reached: Of the trials that count, those that reached the goal; ``trials`` are all.
        broken: Trials that broke down, which count in nothing.
        low, high: Enclose the share of trials that reach the goal.
        optimal: Fewest actions to the goal that a search found; ``is_exact`` if that is sure.
    """

    task: str
    file: str
    agent: str
    status: str
    error: str | None
    trials: int | None
    broken: int | None
    reached: int | None
    low: float | None
    high: float | None
    optimal: int | None
    is_exact: bool | None
    efficiency: float | None
    errors: int | None

    @property
    def scored(self) -> int:
        """Trials that count."""
        return (self.trials or 0) - (self.broken or 0)

    @property
    def fewest(self) -> str:
        """The fewest actions to the goal, in a few words; empty where nobody looked."""
        if self.is_exact is None:
            return ""
        if self.optimal is None:
            return "cannot be reached" if self.is_exact else "no plan found"
        return f"{'' if self.is_exact else 'at most '}{self.optimal}"


@dataclass(frozen=True, slots=True)
class App:
    """One app: its versions in order, and the details of the latest."""

    app_id: str
    versions: tuple[Version, ...]
    dimensions: tuple[tuple[str, float], ...] = ()
    suggestions: Listing[Suggestion] = Listing()
    failures: Listing[Failure] = Listing()
    unrun: Listing[Unrun] = Listing()
    gaps: Listing[Gap] = Listing()
    excerpt: Excerpt | None = None
    edge_cases: Listing[EdgeCase] = Listing()
    benchmark: Benchmark | None = None
    latencies: Listing[ActionLatency] = Listing()
    tried: Listing[Tried] = Listing()
    regressions: Listing[Regression] = Listing()
    provenance: Mapping[tuple[str, int], Provenance] = field(default_factory=dict)
    """By asset and version."""

    @property
    def latest(self) -> Version:
        return self.versions[-1]

    @property
    def name(self) -> str:
        return self.latest.name or self.app_id


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
