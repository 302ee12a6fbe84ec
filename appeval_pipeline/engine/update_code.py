"""The code of update blocks: find the place, compute, note what was there, write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, assert_never

from appeval_pipeline.appdef.schema import AppDefinition, StateField, UpdateBlock
from appeval_pipeline.appdef.targets import Missing, Shape, Target, find_field, parse_target, shape_of
from appeval_pipeline.expr.codegen import Emitter
from appeval_pipeline.expr.compiled import step_name
from appeval_pipeline.expr.limits import MAX_NUMBER
from appeval_pipeline.expr.tree import Field, Step
from appeval_pipeline.expr.writing import Operand, Writer

_NUMBER_GROWTH: Final = 23
"""The most bytes that one number in place of another adds: from ``0`` to ``-1.2345678901234567e-100``."""

MakeValue = Callable[[], Operand]


def _constant_set(names: Iterable[str]) -> str:
    """Code of a set of constants, which Python makes once."""
    code = ", ".join(map(repr, names))
    return f"{{{code}}}" if code else "()"


class UpdateWriter:
    """Writes update blocks; ``note``, ``grown``, ``room``, ``measure`` and ``meter`` are names of the code.

    ``grown`` is never less than what the state has grown by: where it passes ``room``, the state is measured.

    Args:
        counts_work: Whether the action counts its work; without a loop it does not need to.
    """

    def __init__(self, app: AppDefinition, writer: Writer, emitter: Emitter, *, counts_work: bool) -> None:
        self._limits: dict[str, int] = {}
        self._meter = "meter" if counts_work else "None"
        self._app = app
        self._writer = writer
        self._emitter = emitter

    def write(self, block: UpdateBlock, make_value: MakeValue) -> None:
        """Write the code of ``block``; ``make_value`` writes that of its value."""
        writer, at = self._writer, self._writer.at
        target = parse_target(block.target)
        with writer.place(f"{at}.target"):
            place = self._root(target)
            if target.steps:
                for step in target.steps[:-1]:
                    place = self._walk(place, step, target)
        with writer.place(f"{at}.value"):
            value = make_value()
        with writer.place(f"{at}.target"):
            if not target.steps:
                self._whole_state(block, target, place, value)
            else:
                self._element(block, target, place, value)

    def _root(self, target: Target) -> str:
        """The local that holds the state that the target's steps start from."""
        if target.agent is None:
            return target.root
        key = self._emitter.key(target.agent)
        state = self._writer.fresh()
        self._writer.line(f"{state} = agents.get({key.code}) if type({key.code}) is str else None")
        with self._writer.block(f"if {state} is None:"):
            self._writer.line(f"unknown_agent({key.code})", target.agent.column)
        return state

    def _walk(self, place: str, step: Step, target: Target) -> str:
        inner = self._writer.fresh()
        if isinstance(step, Field):
            get = f"{place}.get({step.name!r})"
            if place not in ("agent", "shared"):
                get = f"{get} if type({place}) is dict else no_place({place}, {target.text!r})"
            self._writer.line(f"{inner} = {get}", step.column)
        else:
            key = self._emitter.key(step)
            self._writer.line(f"{inner} = index({place}, {key.code})", step.column)
        return inner

    def _shape(self, target: Target, steps: tuple[Step, ...]) -> Shape | None:
        """The shape of the object at ``steps``; None if the schema leaves it open."""
        if not self._app.state_schema:
            return None
        if not steps:
            wants_shared = target.root == "shared"
            return shape_of(f for f in self._app.state_schema if self._app.is_per_agent(f) != wants_shared)
        field = find_field(self._app, Target(target.text, target.root, target.agent, steps, target.tree))
        if isinstance(field, StateField) and field.properties is not None:
            return shape_of(field.properties)
        return None

    def _whole_state(self, block: UpdateBlock, target: Target, place: str, value: Operand) -> None:
        function = {"merge": "merge", "set": "replace"}[block.operation]
        new = self._writer.fresh()
        self._writer.line(f"{new} = {self._emitter.escape(value)}")
        if target.root != "shared":
            with self._writer.block(f"if type({new}) is dict and 'id' in {new}:"):
                self._writer.line("virtual_id()", 1)
        arguments = f"{place}, {new}, {target.text!r}, note, {self._shape(target, ())!r}, {self._meter}"
        self._grow(f"{function}({arguments})", 1)

    def _element(self, block: UpdateBlock, target: Target, place: str, value: Operand) -> None:
        writer, last = self._writer, target.steps[-1]
        name = step_name(last)
        if isinstance(last, Field):
            key = repr(last.name)
            if place not in ("agent", "shared"):
                with writer.block(f"if type({place}) is not dict:"):
                    writer.line(f"no_place({place}, {target.text!r})", last.column)
        else:
            wanted = self._emitter.key(last)
            key = writer.fresh()
            writer.line(f"{key} = slot({place}, {wanted.code}, {target.text!r})", last.column)
        shape = self._shape(target, target.steps[:-1])
        if shape is not None and name is None:
            with writer.block(f"if {key} not in {_constant_set(shape)}:"):
                writer.line(f"undeclared({key}, {target.text!r}, {list(shape)!r})", last.column)
        elif name is None and len(target.steps) == 1 and target.root != "shared":
            with writer.block(f"if {key} == 'id':"):
                writer.line("virtual_id()", last.column)
        field = find_field(self._app, target)
        if name is None and block.operation in ("append", "set"):
            self._limits = self._max_items(target)
        self._operation(block, target, place, key, value, None if isinstance(field, Missing) else field)
        self._limits = {}

    def _max_items(self, target: Target) -> dict[str, int]:
        """The ``maxItems`` of the fields among which a key that only the running action knows picks."""
        if len(target.steps) == 1:
            wants_shared = target.root == "shared"
            fields = [f for f in self._app.state_schema if self._app.is_per_agent(f) != wants_shared]
        else:
            steps = target.steps[:-1]
            around = find_field(self._app, Target(target.text, target.root, target.agent, steps, target.tree))
            fields = around.properties or [] if isinstance(around, StateField) else []
        return {field.name: field.max_items for field in fields if field.max_items is not None}

    def _operation(
        self,
        block: UpdateBlock,
        target: Target,
        place: str,
        key: str,
        value: Operand,
        field: StateField | None,
    ) -> None:
        writer = self._writer
        column = target.steps[-1].column
        old = writer.fresh()
        is_named = isinstance(target.steps[-1], Field)
        match block.operation:
            case "add" | "subtract":
                writer.line(f"{old} = {place}.get({key})" if is_named else self._read(old, place, key))
                self._arithmetic(block, place, key, old, value)
            case "set":
                writer.line(
                    f"{old} = {place}.get({key}, MISSING)"
                    if is_named
                    else f"{old} = old_value({place}, {key})"
                )
                new = writer.fresh()
                writer.line(f"{new} = {self._emitter.escape(value)}")
                if field is not None and field.max_items is not None:
                    with writer.block(f"if type({new}) is list and len({new}) > {field.max_items}:"):
                        writer.line(f"full({target.text!r}, {field.max_items})", column)
                elif self._limits:
                    limit = writer.fresh()
                    writer.line(f"{limit} = {self._limits!r}.get({key})")
                    with writer.block(
                        f"if {limit} is not None and type({new}) is list and len({new}) > {limit}:"
                    ):
                        writer.line(f"full({target.text!r}, {limit})", column)
                shape = self._shape(target, target.steps)
                if shape is not None:
                    writer.line(f"check_shape({new}, {target.text!r}, {shape!r})", column)
                change = writer.fresh()
                writer.line(f"{change} = change_in_size({place}, {key}, {old}, {new}, {self._meter})")
                writer.line(f"note(({place}, {key}, {old}))")
                writer.line(f"{place}[{key}] = {new}")
                self._grow(change)
            case "append" | "remove":
                writer.line(f"{old} = {place}.get({key})" if is_named else self._read(old, place, key))
                with writer.block(f"if type({old}) is not list:"):
                    writer.line(f"no_array({block.operation!r}, {old}, {target.text!r})", column)
                if block.operation == "append":
                    self._append(target, old, key, value, field, column)
                else:
                    element = self._named(value)
                    self._grow(f"remove_element({old}, {element}, {target.text!r}, note, meter)", column)
            case "merge":
                self._merge(target, place, key, old, value, field, column)
            case _:
                assert_never(block.operation)

    def _read(self, old: str, place: str, key: str) -> str:
        return f"{old} = index({place}, {key})"

    def _named(self, value: Operand) -> str:
        """A name for a value that is read more than once."""
        if value.constant or value.code.isidentifier():
            return value.code
        name = self._writer.fresh()
        self._writer.line(f"{name} = {value.code}")
        return name

    def _arithmetic(self, block: UpdateBlock, place: str, key: str, old: str, value: Operand) -> None:
        writer = self._writer
        operator, slow = {"add": ("+", "add_numbers"), "subtract": ("-", "op_subtract")}[block.operation]
        amount, new = self._named(value), writer.fresh()
        tests = f"type({old}) is int and type({amount}) is int"
        bounds = f"-{MAX_NUMBER} <= ({new} := {old} {operator} {amount}) <= {MAX_NUMBER}"
        with writer.block(f"if not ({tests} and {bounds}):"):
            writer.line(f"{new} = {slow}({old}, {amount})", 1)
        writer.line(f"note(({place}, {key}, {old}))")
        writer.line(f"{place}[{key}] = {new}")
        writer.line(f"grown += {_NUMBER_GROWTH}")
        with writer.block("if grown > room:"):
            # Measured once, the state may prove to be far from the limit; if it is near, each number counts
            # as it is from then on, or the state would be measured at every block.
            with writer.block("if exact:"):
                writer.line(f"grown += json_size({new}) - json_size({old}) - {_NUMBER_GROWTH}")
            with writer.block("if grown > room:"):
                writer.line("room = measure(grown)")
            writer.line("exact = True")

    def _append(
        self, target: Target, array: str, key: str, value: Operand, field: StateField | None, column: int
    ) -> None:
        writer = self._writer
        if field is not None and field.max_items is not None:
            with writer.block(f"if len({array}) >= {field.max_items}:"):
                writer.line(f"full({target.text!r}, {field.max_items})", column)
        elif self._limits:
            limit = writer.fresh()
            writer.line(f"{limit} = {self._limits!r}.get({key})")
            with writer.block(f"if {limit} is not None and len({array}) >= {limit}:"):
                writer.line(f"full({target.text!r}, {limit})", column)
        new = writer.fresh()
        writer.line(f"{new} = {self._emitter.escape(value)}")
        size = f"measured({new}, meter)" if self._meter == "meter" else f"json_size({new})"
        writer.line(f"note(({array}, APPENDED, None))")
        writer.line(f"{array}.append({new})")
        self._grow(f"{size} + 1")

    def _merge(
        self,
        target: Target,
        place: str,
        key: str,
        old: str,
        value: Operand,
        field: StateField | None,
        column: int,
    ) -> None:
        writer = self._writer
        writer.line(f"{old} = old_value({place}, {key})")
        new = writer.fresh()
        writer.line(f"{new} = {self._emitter.escape(value)}")
        shape = self._shape(target, target.steps)
        with writer.block(f"if {old} is MISSING or {old} is None:"):
            made = writer.fresh()
            writer.line(f"{made} = {{}}")
            change = writer.fresh()
            writer.line(f"{change} = change_in_size({place}, {key}, {old}, {made}, {self._meter})")
            writer.line(f"note(({place}, {key}, {old}))")
            writer.line(f"{place}[{key}] = {old} = {made}")
            self._grow(change)
        self._grow(f"merge({old}, {new}, {target.text!r}, note, {shape!r}, {self._meter})", column)

    def _grow(self, change: str, column: int | None = None) -> None:
        writer = self._writer
        writer.line(f"grown += {change}", column)
        with writer.block("if grown > room:"):
            writer.line("room = measure(grown)")
