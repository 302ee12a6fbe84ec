"""What a run did with one thing that it could have evaluated."""

from enum import StrEnum


class Progress(StrEnum):
    """What happened to one app version or experiment in this run."""

    FRESH = "fresh"
    EVALUATED = "evaluated"
    RUN_FAILED = "run failed"
