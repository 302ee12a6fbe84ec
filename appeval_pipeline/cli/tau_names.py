"""What the options of ``appeval tau`` accept."""

from enum import StrEnum


class Env(StrEnum):
    """A domain of tau-bench."""

    RETAIL = "retail"
    AIRLINE = "airline"


class TaskSplit(StrEnum):
    """A split of a domain's tasks."""

    TEST = "test"
    DEV = "dev"
    TRAIN = "train"
