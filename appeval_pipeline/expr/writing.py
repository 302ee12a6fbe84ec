"""Generated code under way: its lines, its operands, and the places in the input that they came from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from typing import Literal as OneOf

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr import values

Kind = OneOf["null", "boolean", "number", "string", "array", "object"]

MISSING: Final = object()
"""Stands for no value at all, which null is not."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A value in generated code: a local name or a constant, and what is known of it.

    ``aliases`` tells that it may be, or hold, a container that something else holds too; ``changes``, that
    this container is part of the state, which later updates change.
    """

    code: str
    kind: Kind | None = None
    aliases: bool = False
    constant: bool = False
    changes: bool = False


def constant(value: int | float | str | bool | None) -> Operand:
    """A scalar as a constant of generated code."""
    kind = values.type_name(value)
    return Operand(repr(value), kind, constant=True)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Site:
    """The place in the input that a line of generated code came from."""

    at: str | None
    column: int | None


class Writer:
    """Lines of generated code, with the place in the input that each came from."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.sites: dict[int, Site] = {}
        self.at: str | None = None
        self.column_offset = 0
        self._depth = 0
        self._temporaries = 0

    def line(self, code: str, column: int | None = None) -> None:
        self.lines.append(" " * self._depth + code)
        self.sites[len(self.lines)] = Site(self.at, None if column is None else column + self.column_offset)

    @contextmanager
    def block(self, header: str, column: int | None = None) -> Iterator[None]:
        """Indent what is written inside below ``header``."""
        self.line(header, column)
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def place(self, at: str | None) -> Iterator[None]:
        """What is written inside comes from ``at``."""
        outer, self.at = self.at, at
        yield
        self.at = outer

    def fresh(self, prefix: str = "t") -> str:
        """A name that nothing else has."""
        self._temporaries += 1
        return f"{prefix}{self._temporaries}"

    def source(self) -> str:
        return "\n".join(self.lines) + "\n"

    def site_of(self, error: BaseException, filename: str) -> Site | None:
        """Where in the input an error came from that left the code compiled as ``filename``."""
        found = None
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == filename:
                found = self.sites.get(traceback.tb_lineno)
            traceback = traceback.tb_next
        return found


def locate(error: ExpressionError, site: Site | None) -> ExpressionError:
    """The same error, with the place where it happened."""
    if site is None:
        return error
    return ExpressionError(error.message, column=error.column or site.column, at=error.at or site.at)
