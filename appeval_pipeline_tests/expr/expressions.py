"""Generated expressions: syntax trees of every kind, well-typed or not, over variables of every type."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from appeval_pipeline.expr.tree import (
    ArrayLiteral,
    Call,
    Chain,
    Expression,
    Field,
    Index,
    Literal,
    Name,
    ObjectLiteral,
    Path,
    Unary,
)

VARIABLES: dict[str, Any] = {
    "n": 7,
    "zero": 0,
    "half": 0.5,
    "big": 2**62,
    "text": "Ab c",
    "empty": "",
    "yes": True,
    "no": False,
    "nothing": None,
    "list": [1, "two", None, [3.0], {"k": 4}],
    "record": {"n": 1, "text": "x", "inner": {"n": None}, "list": [True, False], "two words": 2},
}
KEYS = ["n", "text", "inner", "list", "absent", "k"]

numbers = st.one_of(
    st.integers(0, 12),
    st.integers(0, 2**63),
    st.floats(0, 1e12, allow_nan=False).map(lambda number: round(number, 6)),
    st.floats(0, allow_nan=False, allow_infinity=False),
)
texts = st.one_of(
    st.sampled_from(
        ["", "a", "Ab", "two", "n", "true", "it's", 'say "hi"', "back\\slash", "é☕😀", "\n\t\x00"]
    ),
    st.text(st.characters(codec="utf-8"), max_size=8),
)
literals = st.one_of(st.sampled_from([None, True, False]), numbers, texts).map(Literal)
names = st.sampled_from([*VARIABLES, "undefined"]).map(Name)
FUNCTIONS = ["len", "contains", "lower", "upper", "trim", "abs", "min", "max", "bool", "num", "str"]
LEVELS = [("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/")]


def _chains(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def of_level(operators: tuple[str, ...]) -> st.SearchStrategy[Expression]:
        rests = st.lists(st.tuples(st.sampled_from(operators), inner), min_size=1, max_size=3)
        return st.builds(
            lambda first, rest: Chain(
                tuple(operator for operator, _ in rest), (first, *(operand for _, operand in rest))
            ),
            inner,
            rests,
        )

    return st.sampled_from(LEVELS).flatmap(of_level)


def _paths(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    steps = st.lists(
        st.one_of(
            st.sampled_from([*KEYS, "true", "null", "__class__"]).map(Field),
            inner.map(Index),
            st.integers(0, 5).map(lambda number: Index(Literal(number))),
            st.integers(1, 5).map(lambda number: Index(Unary("-", Literal(number)))),
            st.sampled_from(KEYS).map(lambda key: Index(Literal(key))),
        ),
        min_size=1,
        max_size=3,
    )
    bases = inner.filter(lambda node: not isinstance(node, Path))
    return st.builds(lambda base, made: Path(base, tuple(made)), bases, steps)


def _calls(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def of_function(name: str) -> st.SearchStrategy[Expression]:
        count = {"contains": (2, 2), "min": (1, 3), "max": (1, 3)}.get(name, (1, 1))
        arguments = st.lists(inner, min_size=count[0], max_size=count[1])
        return arguments.map(lambda made: Call(name, tuple(made)))

    return st.sampled_from(FUNCTIONS).flatmap(of_function)


def _extend(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    keys = st.one_of(st.sampled_from(["a", "b", "true", "two words"]), texts)
    return st.one_of(
        _chains(inner),
        _chains(inner),
        _paths(inner),
        _calls(inner),
        st.builds(Unary, st.sampled_from(["!", "-"]), inner),
        st.lists(inner, max_size=3).map(lambda items: ArrayLiteral(tuple(items))),
        st.dictionaries(keys, inner, max_size=3).map(lambda made: ObjectLiteral(tuple(made.items()))),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(literals, names, names), _extend, max_leaves=12
)


def _typed(depth: int) -> dict[str, st.SearchStrategy[Expression]]:
    """Expressions that evaluate without a type error, by the type of their value."""
    leaves: dict[str, st.SearchStrategy[Expression]] = {
        "number": st.one_of(st.integers(0, 9).map(Literal), st.sampled_from(["n", "zero", "half"]).map(Name)),
        "string": st.one_of(texts.map(Literal), st.sampled_from(["text", "empty"]).map(Name)),
        "boolean": st.sampled_from([Literal(True), Literal(False), Name("yes"), Name("no")]),
    }
    if depth == 0:
        return leaves
    inner = _typed(depth - 1)

    def chain(operator: str, kind: str) -> st.SearchStrategy[Expression]:
        return st.builds(lambda a, b: Chain((operator,), (a, b)), inner[kind], inner[kind])

    anything = st.one_of(*inner.values())
    return {
        "number": st.one_of(
            leaves["number"],
            *(chain(operator, "number") for operator in "+-*"),
            inner["number"].map(lambda a: Unary("-", a)),
            inner["string"].map(lambda a: Call("len", (a,))),
            st.builds(lambda a, b: Call("max", (a, b)), inner["number"], inner["number"]),
        ),
        "string": st.one_of(
            leaves["string"], chain("+", "string"), inner["string"].map(lambda a: Call("upper", (a,)))
        ),
        "boolean": st.one_of(
            leaves["boolean"],
            *(chain(operator, "boolean") for operator in ("&&", "||")),
            *(chain(operator, kind) for operator in ("<", ">=") for kind in ("number", "string")),
            st.builds(lambda a, b: Chain(("==",), (a, b)), anything, anything),
            inner["boolean"].map(lambda a: Unary("!", a)),
        ),
    }


well_typed: st.SearchStrategy[Expression] = st.one_of(*_typed(3).values())
