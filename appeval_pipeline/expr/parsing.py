"""Text to syntax tree, with errors that name the text, the column and what was expected."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.exceptions import VisitError

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.limits import MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_NESTING, MAX_NUMBER
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
    Step,
    Unary,
    nesting,
)

_QUOTED: Final = 80
_ESCAPES: Final = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
# An unclosed string runs to the end: were it no token, looking for one would begin anew at every quote.
_TOKEN: Final = re.compile(r"""[\[({]|[\])}]|[!-]|\s+|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|.""", re.DOTALL)
_VALUE_START: Final = "NUMBER"
_EXPECTED: Final = {
    "NAME": "a name", "STRING": "a string", "RPAR": "')'", "RSQB": "']'", "RBRACE": "'}'", "COMMA": "','",
    "COLON": "':'", "$END": "the end",
}  # fmt: skip
_OPERATORS: Final = frozenset({
    "OR", "AND", "EQUAL", "UNEQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "PLUS", "MINUS",
    "TIMES", "DIVIDE", "DOT", "OPEN_INDEX", "LPAR",
})  # fmt: skip
_HINTS: Final = {
    "and": "use '&&'",
    "or": "use '||'",
    "not": "use '!'",
    "=": "use '=='",
    "%": "there is no '%'",
}


def parse(text: str) -> Expression:
    """The syntax tree of ``text``.

    Raises:
        ExpressionError: The text is no expression, too long (10,000 characters) or nested too deeply
            (64 levels); with message and 1-based column.
    """
    if len(text) > MAX_EXPRESSION_LENGTH:
        raise ExpressionError(
            f"Expression is {len(text)} characters long; at most {MAX_EXPRESSION_LENGTH} are accepted"
        )
    return _parse(text)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Expression:
    _check_nesting(text)
    try:
        tree: Expression = _parser().parse(text)  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise _syntax_error(text, error) from None
    except VisitError as error:  # pragma: no cover - the transformer runs inside the parser
        raise error.orig_exc from None
    if nesting(tree) > MAX_EXPRESSION_NESTING:
        raise ExpressionError(f"Expression nests deeper than {MAX_EXPRESSION_NESTING} levels", column=1)
    return tree


def _check_nesting(text: str) -> None:
    """Refuse more than 64 brackets and signs inside one another, before any recursive work."""
    depth = signs = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        signs = signs + 1 if token in "!-" else signs if token.isspace() else 0
        if depth + signs > MAX_EXPRESSION_NESTING:
            raise ExpressionError(
                f"Expression nests deeper than {MAX_EXPRESSION_NESTING} levels", column=match.start() + 1
            )


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", transformer=_TreeBuilder())


def _column(token: Token) -> int:
    return (token.start_pos or 0) + 1


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, Expression]):
    def chain(self, *parts: Expression | Token) -> Expression:
        if len(parts) == 1:
            return parts[0]  # type: ignore[return-value]
        operators = parts[1::2]
        return Chain(
            operators=tuple(str(operator) for operator in operators),  # type: ignore[misc]
            operands=parts[::2],  # type: ignore[arg-type]
            columns=tuple(_column(operator) for operator in operators),  # type: ignore[arg-type]
        )

    def unary(self, operator: Token, operand: Expression) -> Expression:
        return Unary(str(operator), operand, _column(operator))  # type: ignore[arg-type]

    def path(self, base: Expression, *steps: Step) -> Expression:
        if isinstance(base, Path):
            return Path(base.base, base.steps + steps, base.column)
        return Path(base, steps, base.column)

    def field(self, dot: Token, name: Token) -> Step:
        return Field(str(name), _column(dot))

    def index(self, bracket: Token, index: Expression) -> Step:
        return Index(index, _column(bracket))

    def number(self, token: Token) -> Expression:
        value = float(token) if "." in token else int(token) if len(token) < 25 else MAX_NUMBER + 1
        if value > MAX_NUMBER and (isinstance(value, int) or value == float("inf")):
            raise ExpressionError("Number out of range", column=_column(token))
        return Literal(value, _column(token))

    def string(self, token: Token) -> Expression:
        return Literal(_unescape(token), _column(token))

    def true(self, token: Token) -> Expression:
        return Literal(True, _column(token))

    def false(self, token: Token) -> Expression:
        return Literal(False, _column(token))

    def null(self, token: Token) -> Expression:
        return Literal(None, _column(token))

    def name(self, token: Token) -> Expression:
        return Name(str(token), _column(token))

    def call(self, name: Token, arguments: tuple[Expression, ...] | None) -> Expression:
        return Call(str(name), arguments or (), _column(name))

    def group(self, inner: Expression) -> Expression:
        return inner

    def array(self, bracket: Token, items: tuple[Expression, ...] | None) -> Expression:
        return ArrayLiteral(items or (), _column(bracket))

    def object(self, brace: Token, *entries: tuple[str, Expression, int] | None) -> Expression:
        seen: dict[str, Expression] = {}
        for entry in entries:
            if entry is not None:
                key, value, column = entry
                if key in seen:
                    raise ExpressionError(f"Key '{key}' stands twice in an object", column=column)
                seen[key] = value
        return ObjectLiteral(tuple(seen.items()), _column(brace))

    def arguments(self, *items: Expression) -> tuple[Expression, ...]:
        return items

    def entry(self, key: Token, value: Expression) -> tuple[str, Expression, int]:
        return (_unescape(key) if key.type == "STRING" else str(key), value, _column(key))


def _unescape(token: Token) -> str:
    def replace(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] == "u" and len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _ESCAPES:
            raise ExpressionError(
                f"Unknown escape '\\{code}' in a string; accepted: "
                "\\n \\t \\r \\b \\f \\/ \\\\ \\' \\\" \\uXXXX",
                column=_column(token) + match.start() + 1,
            )
        return _ESCAPES[code]

    text = _ESCAPE.sub(replace, token[1:-1])
    # A pair of \u escapes may spell one character beyond the basic plane; a lone half is no text.
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ExpressionError("A string holds half of a surrogate pair", column=_column(token)) from None


def _syntax_error(text: str, error: UnexpectedInput) -> ExpressionError:
    position = min(error.pos_in_stream if error.pos_in_stream is not None else len(text), len(text))
    found, hint = "the end of the text", ""
    expected: set[str] = set()
    match error:
        case UnexpectedToken():
            expected = set(error.accepts or error.expected)
            if error.token.type == "$END":
                position = len(text)
            else:
                found, hint = f"'{_shorten(str(error.token), 20)}'", _HINTS.get(str(error.token), "")
        case UnexpectedCharacters():
            # The lexer knows the grammar's state but not the brackets that are open.
            expected = _without_other_closers(set(error.allowed or ()), text[:position])
            found, hint = f"'{error.char}'", _HINTS.get(error.char, "")
            if error.char in "\"'":
                hint = "the string is not closed"
    suffix = f" ({hint})" if hint else ""
    return ExpressionError(
        f"Syntax error in '{_shorten(text, _QUOTED)}' at column {position + 1}: "
        f"expected {_describe(expected)}, found {found}{suffix}",
        column=position + 1,
    )


_CLOSERS: Final = {"(": "RPAR", "[": "RSQB", "{": "RBRACE"}


def _without_other_closers(expected: set[str], before: str) -> set[str]:
    """``expected`` without brackets and commas that would not close what is open in ``before``."""
    opened: list[str] = []
    for match in _TOKEN.finditer(before):
        if match.group() in ("(", "[", "{"):
            opened.append(match.group())
        elif match.group() in (")", "]", "}") and opened:
            opened.pop()
    fitting = {_CLOSERS[opened[-1]]} if opened else {"$END"}
    ending = bool(expected & _OPERATORS)
    return (expected - {*_CLOSERS.values(), "COMMA"}) | (fitting if ending else set())


def _describe(expected: set[str]) -> str:
    if _VALUE_START in expected:
        parts = ["a value"]
        expected = expected - {"NAME", "STRING"}
    else:
        parts = []
        if expected & _OPERATORS:
            parts.append("an operator")
    parts.extend(_EXPECTED[name] for name in sorted(expected) if name in _EXPECTED)
    return " or ".join(parts) or "an expression"


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
