"""Every exception this package raises on purpose.

AppEvalError                 the base: catch it to catch them all
├── ExpressionError          an expression cannot be parsed, compiled or evaluated
├── FaultyInputError         an input file or mapping is invalid; lists every fault
│   ├── DefinitionError      an app definition
│   ├── ScenarioError        a test scenario
│   ├── TaskError            a task for agents
│   ├── ExperimentError      an experiment file of tau-bench
│   └── ResultsError         a results file of tau-bench
├── StateError               a state handed in is no state (or too large)
├── TraceError               a trace is not of the app that it is held against
├── TrajectoryError          a document tells of no trajectory
├── JournalError             the record of finished trials cannot be used
├── ComparisonError          definitions, or scenarios, that are not of one app
├── CatalogueError           an app or version that the catalogue does not have
├── SettingsError            a setting cannot be used
├── TauBenchError            tau-bench's tasks are not there, or not those that are asked for
├── ModelError               a model's service gave no answer
└── StoreError               the results store cannot be read or written
"""

from __future__ import annotations

from collections.abc import Iterable


class AppEvalError(Exception):
    """The base of all errors of this package."""


class ExpressionError(AppEvalError):
    """An expression cannot be parsed, compiled or evaluated.

    Attributes:
        message: What is wrong, as the language specifies it, e.g. ``Cannot add null and number``.
        column: 1-based column in the expression's text where it shows, or None where unknown.
        at: Where the expression stands, e.g. ``actions.transfer.logic[3].value``, or None.
    """

    def __init__(self, message: str, *, column: int | None = None, at: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.at = at

    def __str__(self) -> str:
        place = self.at or ""
        if self.column is not None:
            place = f"{place} column {self.column}".strip()
        return f"{place}: {self.message}" if place else self.message


class Fault(tuple[str, str]):
    """One thing that is wrong with an input: the pair (location, message), and the line where it stands.

    Attributes:
        line: 1-based; None where the input has no lines (a mapping). It does not count in comparisons.
    """

    line: int | None

    def __new__(cls, location: str, message: str, line: int | None = None) -> Fault:
        fault = super().__new__(cls, (location, message))
        fault.line = line
        return fault

    def __getnewargs__(self) -> tuple[str, str, int | None]:
        return (self.location, self.message, self.line)

    @property
    def location(self) -> str:
        """Where, e.g. ``actions.transfer.logic[2].condition``; empty for the whole input."""
        return self[0]

    @property
    def message(self) -> str:
        return self[1]

    def __str__(self) -> str:
        line = f" (line {self.line})" if self.line is not None else ""
        return f"{self.location or '(top)'}{line}: {self.message}"


class FaultyInputError(AppEvalError):
    """An input is invalid; ``faults`` lists everything that is wrong with it."""

    kind = "Input"

    def __init__(self, faults: Iterable[Fault], source: str | None = None) -> None:
        self.faults = list(faults)
        self.source = source
        super().__init__(self._text())

    def _text(self) -> str:
        name = f"{self.kind} {self.source}" if self.source else self.kind
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        return "\n".join([f"{name} is invalid, {count}:", *(f"  {fault}" for fault in self.faults)])


class DefinitionError(FaultyInputError):
    """An app definition cannot be used."""

    kind = "App definition"


class ScenarioError(FaultyInputError):
    """A test scenario cannot be used."""

    kind = "Scenario"


class TaskError(FaultyInputError):
    """A task for agents cannot be used."""

    kind = "Task"


class ExperimentError(FaultyInputError):
    """An experiment file of tau-bench cannot be used."""

    kind = "Experiment"


class ResultsError(FaultyInputError):
    """A results file of tau-bench cannot be used; ``faults`` lists what is wrong, the first twenty."""

    kind = "Results file"


class StateError(AppEvalError):
    """A state or configuration handed in is not plain JSON, not of the right shape, or too large."""


class TraceError(AppEvalError):
    """A trace names a block, or an outcome of one, that the app does not have."""


class TrajectoryError(AppEvalError):
    """A document that should tell of a trajectory does not."""


class JournalError(AppEvalError):
    """The record of an evaluation's finished trials is damaged, in use elsewhere, or of something else."""


class ComparisonError(AppEvalError):
    """Two definitions are to be compared that are not of one app, or with scenarios of another."""


class CatalogueError(AppEvalError):
    """An app or a version that the catalogue does not have, or a catalogue that cannot be read."""


class SettingsError(AppEvalError):
    """A setting has a value that cannot be used."""


class TauBenchError(AppEvalError):
    """The tasks, data or tools of tau-bench are not there, or not as it has them, or not those asked for."""


class ModelError(AppEvalError):
    """A model's service gave no answer, after all tries that made sense; no fault of whoever asked.

    Attributes:
        model: Its name.
        what: What happened at the last try, in one line and without keys.
        tries: How often it was asked.
    """

    def __init__(self, model: str, what: str, tries: int) -> None:
        count = "1 try" if tries == 1 else f"{tries} tries"
        super().__init__(f"The model {model} gave no answer after {count}: {what}")
        self.model = model
        self.what = what
        self.tries = tries


class StoreError(AppEvalError):
    """The results store cannot be read or written, or a query is not accepted."""
