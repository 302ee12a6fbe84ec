"""Where the results are: a DuckDB file, or a lake that many machines share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DUCKLAKE_PREFIX = "ducklake:postgres:"

SHARED = "accepted is 'ducklake:postgres:host=… dbname=… data_path=…' with a directory that every machine has"
ACCEPTED = f"accepted is a path ending in .duckdb; for many machines, {SHARED}"

_PAIR = re.compile(
    r"\s*(?P<key>[a-z_]+)\s*=\s*(?:'(?P<quoted>(?:[^'\\]|\\.)*)'|(?P<plain>[^\s'\\]+))(?=\s|$)"
)
_SECRETS = frozenset({"password", "passfile", "sslpassword"})


@dataclass(frozen=True, slots=True)
class DuckLakeAddress:
    """A DuckLake: its catalogue is in Postgres, its data in files.

    Attributes:
        connection: How libpq reaches the catalogue's database: ``key='value'`` pairs, without a password.
        data_path: The directory with the data files, absolute, the same on every machine.
    """

    connection: str
    data_path: Path

    def __str__(self) -> str:
        return f"{DUCKLAKE_PREFIX}{self.connection} data_path={_quote(str(self.data_path))}"


StoreAddress = Path | DuckLakeAddress


def seen_from_here(address: StoreAddress) -> str:
    """How a message names it: by a relative path if it lies in the working directory."""
    here = Path.cwd()
    if isinstance(address, Path) and address.is_relative_to(here):
        return str(address.relative_to(here))
    return str(address)


def parse_store_address(text: str) -> StoreAddress:
    """Read the value of ``APPEVAL_STORE``.

    Raises:
        ValueError: It is neither kind of address; the message says what would be accepted.
    """
    if text.startswith("ducklake:"):
        return _parse_ducklake(text)
    if not text.endswith(".duckdb") or text.endswith(".write.duckdb"):
        raise ValueError(f"{text!r} does not name a store file; {ACCEPTED}")
    return Path(text).expanduser().absolute()


def _parse_ducklake(text: str) -> DuckLakeAddress:
    if not text.startswith(DUCKLAKE_PREFIX):
        raise ValueError(f"{text!r} names no catalogue in Postgres; {ACCEPTED}")
    pairs = _pairs(text, len(DUCKLAKE_PREFIX))
    secrets = _SECRETS & pairs.keys()
    if secrets:
        raise ValueError(
            f"{min(secrets)} has no place here, because the address is shown in the UI and in logs: "
            "use PGPASSWORD or ~/.pgpass"
        )
    data_path = Path(pairs.pop("data_path", ""))
    if not data_path.is_absolute():
        raise ValueError(f"data_path must be an absolute directory; {ACCEPTED}")
    if "dbname" not in pairs:
        raise ValueError(f"dbname is missing; {ACCEPTED}")
    return DuckLakeAddress(" ".join(f"{key}={_quote(value)}" for key, value in pairs.items()), data_path)


def _pairs(text: str, position: int) -> dict[str, str]:
    pairs: dict[str, str] = {}
    end = len(text.rstrip())
    while position < end:
        match = _PAIR.match(text, position)
        if match is None:
            # Not the text itself: what cannot be read may hold a password.
            raise ValueError(f"column {position + 1} does not begin with key=value; {ACCEPTED}")
        quoted = match["quoted"]
        pairs[match["key"]] = match["plain"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        position = match.end()
    return pairs


def _quote(value: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", value) + "'"
