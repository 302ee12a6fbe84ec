"""One forward pass over an action's blocks: what is known at each, and what may fail there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AnyBlock,
    AppDefinition,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import CONTEXT_NAMES
from appeval_pipeline.evaluation.quality.guards import reading
from appeval_pipeline.evaluation.quality.guards.assumptions import Assumptions
from appeval_pipeline.evaluation.quality.guards.conditions import parameters_in_conditions
from appeval_pipeline.evaluation.quality.guards.facts import Each, Facts, Reads, join
from appeval_pipeline.evaluation.quality.guards.modes import EditKey, FailureMode, Found, Scan
from appeval_pipeline.evaluation.quality.guards.terms import (
    overlap,
    place_of,
    reads_of,
    text_of,
    with_variable,
)
from appeval_pipeline.evaluation.quality.guards.types import Items
from appeval_pipeline.evaluation.quality.guards.writes import Write, after_write, holds_element, surviving
from appeval_pipeline.expr.tree import (
    Expression,
    Index,
    Literal,
    Name,
    Path,
    Unary,
)


@dataclass(frozen=True, slots=True)
class KeyWrite:
    """A write that makes a key of an object from the caller's input, unless it is there already."""

    location: str
    subject: str
    checked: bool
    guard: str
    block: EditKey


@dataclass(frozen=True, slots=True)
class ActionAnalysis:
    """What can go wrong in an action, in the order of its blocks."""

    modes: tuple[FailureMode, ...]
    key_writes: tuple[KeyWrite, ...]


def analyse(app: AppDefinition, action: ActionDefinition, position: int) -> ActionAnalysis:
    """Find the failure modes of ``action``, which is ``app.actions[position]``."""
    flow = _Flow(app, action)
    keys: EditKey = ("actions", position, "logic")
    flow.run(action.logic, f"actions.{action.name}.logic", keys, Facts(), Items())
    return ActionAnalysis(
        (*_merged(flow.modes), *_unconstrained(action, keys)), tuple(dict.fromkeys(flow.key_writes))
    )


@dataclass(frozen=True, slots=True)
class _Here:
    """A block's place: as users write it, and as keys; and what it sees."""

    location: str
    block: EditKey
    scan: Scan


class _Flow:
    def __init__(self, app: AppDefinition, action: ActionDefinition) -> None:
        self._action = action
        self._assumptions = Assumptions(app, action)
        self.modes: list[FailureMode] = []
        self.key_writes: list[KeyWrite] = []

    def run(
        self, blocks: Sequence[AnyBlock], location: str, keys: EditKey, facts: Facts | None, items: Items
    ) -> Facts | None:
        """What is known after ``blocks``; None if nothing gets there. Blocks never reached cannot fail."""
        for index, block in enumerate(blocks):
            if facts is None:
                return None
            here = _Here(f"{location}[{index}]", (*keys, index), Scan(self._assumptions, facts, items))
            facts = self._block(block, here)
        return facts

    def _block(self, block: AnyBlock, here: _Here) -> Facts | None:
        facts, scope = here.scan.facts, (*CONTEXT_NAMES, *(name for name, _ in here.scan.items.collections))
        match block:
            case ValidateBlock():
                return self._validate(block, here)
            case UpdateBlock():
                return self._update(block, here, scope)
            case BranchBlock():
                return self._branch(block, here)
            case LoopBlock():
                return self._loop(block, here)
            case _:
                for part, node in reading.parts(block, scope):
                    self._record(here, part, here.scan.find(node))
                return None if isinstance(block, ReturnBlock | ErrorBlock) else facts

    def _validate(self, block: ValidateBlock, here: _Here) -> Facts | None:
        condition = reading.expression(block.condition)
        passed = self._assumptions.assume(here.scan.facts, condition, True)
        failed = self._assumptions.assume(here.scan.facts, condition, False)
        self._record(here, "condition", _resolved(here.scan.find(condition), (passed,)))
        if failed is not None:
            message = reading.template(block.error_message)
            self._record(here, "errorMessage", replace(here.scan, facts=failed).find(message))
        return passed

    def _branch(self, block: BranchBlock, here: _Here) -> Facts | None:
        condition = reading.expression(block.condition)
        arms = []
        goes_on = []
        for key, blocks, truth in (("then", block.then, True), ("else", block.else_ or [], False)):
            facts = self._assumptions.assume(here.scan.facts, condition, truth)
            arms.append((key, blocks, facts))
            if not always_fails(blocks):
                goes_on.append(facts)
        self._record(here, "condition", _resolved(here.scan.find(condition), goes_on))
        after: Facts | None = None
        for key, blocks, facts in arms:
            location, keys = f"{here.location}.{key}", (*here.block, key)
            after = join(after, self.run(blocks, location, keys, facts, here.scan.items))
        return after

    def _loop(self, block: LoopBlock, here: _Here) -> Facts | None:
        collection = reading.expression(block.collection)
        self._record(here, "collection", here.scan.find(collection))
        items = here.scan.items.adding(block.item, collection)
        before = here.scan.facts
        writes = tuple(_writes(block.body, items))
        at_start = before.without_variable(block.item)
        while (kept := self._surviving(at_start, writes)) != at_start:
            at_start = kept
        item = Name(block.item)
        for fact in at_start.known:
            if isinstance(fact, Each) and fact.collection == collection:
                condition = with_variable(fact.condition, fact.item, item)
                at_start = self._assumptions.assume(at_start, condition, fact.truth) or at_start
        own = Write.of(collection, "remove", item)
        others = any(_may_take(write, collection) for write in writes if write != own)
        if not others and _times(block.body, own, items) <= 1:
            at_start = at_start.adding((holds_element(collection, item),))
        body = self.run(block.body, f"{here.location}.body", (*here.block, "body"), at_start, items)
        if body is None:
            return before
        after = join(before.without_variable(block.item), body.without_variable(block.item))
        return after and after.adding(_checked_of_each(block, collection, writes, self._assumptions))

    def _surviving(self, facts: Facts, writes: Iterable[Write]) -> Facts:
        for write in writes:
            facts = surviving(facts, write, self._assumptions)
        return facts

    def _update(self, block: UpdateBlock, here: _Here, scope: Iterable[str]) -> Facts:
        scan = here.scan
        target = reading.expression(block.target)
        value = reading.value(block.value, tuple(scope))
        creates = block.operation in ("set", "merge")
        self._record(here, "value", scan.find(value))
        if isinstance(target, Path):
            self._record(here, "target", scan.keys(target, creates=creates))
            for step in target.steps:
                if isinstance(step, Index):
                    self._record(here, "target", scan.find(step.index))
            if creates:
                self._record_key_write(here, target, value, block)
        taken = _taken(block, value)
        if taken is not None:
            self._record(here, "value", scan.subtraction(target, taken))
        if block.operation == "remove":
            self._record(here, "value", scan.removal(target, value))
        return after_write(scan.facts, Write.of(target, block.operation, value), self._assumptions)

    def _record_key_write(self, here: _Here, target: Path, value: Expression, block: UpdateBlock) -> None:
        scan, step = here.scan, target.steps[-1]
        types = self._assumptions.types
        if block.operation == "merge" and scan.items.from_caller(value) and isinstance(value, Path | Name):
            field = types.field(target)
            closed = field is not None and field.properties is not None
            subject = f"{text_of(target)} with {text_of(value)}"
            self.key_writes.append(KeyWrite(f"{here.location}.value", subject, closed, "", here.block))
        if not isinstance(step, Index) or not scan.items.from_caller(step.index):
            return
        container = Path(target.base, target.steps[:-1]) if len(target.steps) > 1 else target.base
        if container != Name("agents") and scan.is_index(container, step.index):
            return
        checked = container == Name("agents") or scan.facts.is_present(place_of(target) or ())
        field = types.field(container)
        closed = field is not None and field.properties is not None
        text = text_of(target)
        self.key_writes.append(
            KeyWrite(f"{here.location}.target", text, checked or closed, f"{text} != null", here.block)
        )

    def _record(self, here: _Here, part: str, found: Iterable[Found]) -> None:
        for mode in found:
            self.modes.append(
                FailureMode(
                    action=self._action.name,
                    kind=mode.kind,
                    location=f"{here.location}.{part}",
                    subject=mode.subject,
                    description=mode.description,
                    guarded=mode.guarded,
                    guard=here.scan.guard_of(mode),
                    block=here.block,
                )
            )


def _resolved(found: Iterable[Found], goes_on: Iterable[Facts | None]) -> Iterator[Found]:
    """A comparison that tells an absent key apart guards itself where all that goes on has the key."""
    ways = tuple(facts for facts in goes_on if facts is not None)
    for mode in found:
        if mode.tested is not None and not mode.guarded:
            excluded = all(facts.is_present(mode.tested) for facts in ways)
            yield replace(mode, guarded=excluded)
        else:
            yield mode


def always_fails(blocks: Sequence[AnyBlock]) -> bool:
    """Whether every way through ``blocks`` ends in an ``error`` block."""
    for block in blocks:
        match block:
            case ErrorBlock():
                return True
            case BranchBlock(then=then, else_=otherwise) if always_fails(then) and always_fails(
                otherwise or []
            ):
                return True
            case ReturnBlock() | BranchBlock() | LoopBlock():
                return False
            case _:
                continue
    return False


def _taken(block: UpdateBlock, value: Expression) -> Expression | None:
    """What an update takes away from its target, if it does."""
    match block.operation, value:
        case "subtract", _:
            return value
        case "add", Unary("-", operand):
            return operand
        case "add", Literal(int() | float() as number) if not isinstance(number, bool) and number < 0:
            return Literal(-number)
        case _:
            return None


def _writes(blocks: Sequence[AnyBlock], items: Items) -> Iterator[Write]:
    """Every update in ``blocks``, at any depth."""
    names = tuple(name for name, _ in items.collections)
    for block in blocks:
        match block:
            case UpdateBlock():
                value = reading.value(block.value, (*CONTEXT_NAMES, *names))
                yield Write.of(reading.expression(block.target), block.operation, value)
            case BranchBlock():
                yield from _writes([*block.then, *(block.else_ or [])], items)
            case LoopBlock():
                inner = items.adding(block.item, reading.expression(block.collection))
                yield from _writes(block.body, inner)
            case _:
                pass


def _checked_of_each(
    block: LoopBlock, collection: Expression, writes: Sequence[Write], assumptions: Assumptions
) -> Iterator[Each]:
    """What each element was found to be, once a loop has gone through them all."""
    for inner in block.body:
        match inner:
            case ValidateBlock(condition=text):
                truth = True
            case BranchBlock(condition=text, then=then) if always_fails(then):
                truth = False
            case BranchBlock(condition=text, else_=otherwise) if always_fails(otherwise or []):
                truth = True
            case _:
                continue
        condition = reading.expression(text)
        reads = Reads.of((condition,)).adding(reads_of(collection)).without_variable(block.item)
        each = Each(collection, block.item, condition, truth, reads)
        if all(each in surviving(Facts((each,)), write, assumptions).known for write in writes):
            yield each


def _may_take(write: Write, collection: Expression) -> bool:
    """Whether ``write`` may take elements out of ``collection``."""
    place = place_of(collection)
    return write.operation != "append" and (place is None or overlap(write.place, place) != "no")


def _times(blocks: Sequence[AnyBlock], write: Write, items: Items) -> int:
    """How often ``blocks`` may do ``write``; twice stands for more often, too."""
    times = 0
    for block in blocks:
        match block:
            case UpdateBlock():
                times += write in _writes([block], items)
            case BranchBlock(then=then, else_=otherwise):
                times += max(_times(then, write, items), _times(otherwise or [], write, items))
            case LoopBlock():
                times += 2 * (write in _writes([block], items))
            case _:
                pass
    return times


def _merged(modes: Sequence[FailureMode]) -> Iterator[FailureMode]:
    """One mode for each expression and subject, guarded if it is wherever it stands in there."""
    groups: dict[tuple[str, str, str], list[FailureMode]] = {}
    for mode in modes:
        groups.setdefault((mode.location, mode.kind, mode.subject), []).append(mode)
    for group in groups.values():
        yield replace(group[0], guarded=all(mode.guarded for mode in group))


def _unconstrained(action: ActionDefinition, logic: EditKey) -> Iterator[FailureMode]:
    """Required parameters that neither their spec nor any condition restricts."""
    read = parameters_in_conditions(action, validates_only=False)
    for name, spec in action.parameters.items():
        if spec.required and not spec.is_constrained and name not in read:
            yield FailureMode(
                action=action.name,
                kind="parameter",
                location=f"actions.{action.name}.parameters.{name}",
                subject=f"params.{name}",
                description=f"required parameter '{name}' has no constraint, in its spec or in a guard",
                guarded=False,
                guard=None,
                block=(*logic, 0),
            )
