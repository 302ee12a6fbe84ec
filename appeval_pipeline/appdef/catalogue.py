"""The catalogue of app versions: one folder an app, one file a version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from appeval_pipeline.appdef.documents import DocumentError, read_document
from appeval_pipeline.appdef.loading import load_document
from appeval_pipeline.appdef.schema import AppDefinition
from appeval_pipeline.errors import CatalogueError, DefinitionError, Fault

ROOTS: Final = ("apps", "benchmarks")
_VERSION_FILE: Final = re.compile(r"v([1-9][0-9]*)\.(yaml|yml|json)")
APP_FOLDER: Final = re.compile(r"[a-z][a-z0-9_]{1,49}")
SUFFIXES: Final = (".yaml", ".yml", ".json")
_PARTITION: Final = re.compile(r"([a-z][a-z0-9_]{1,49})@([1-9][0-9]*)")


def partition_key(app_id: str, version: int) -> str:
    """The name of an app version: ``paypal@2``."""
    return f"{app_id}@{version}"


def parse_partition_key(key: str) -> tuple[str, int]:
    """The app id and version that a partition key names.

    Raises:
        CatalogueError: It is no partition key.
    """
    match = _PARTITION.fullmatch(key)
    if match is None:
        raise CatalogueError(f"'{key}' names no app version; expected <app_id>@<version>, e.g. paypal@2")
    return match.group(1), int(match.group(2))


@dataclass(frozen=True, slots=True, order=True)
class CatalogueEntry:
    """A file that defines an app version.

    Attributes:
        root: The catalogue's root it stands in: ``apps`` or ``benchmarks``.
        path: Relative to the data directory.
    """

    app_id: str
    version: int
    root: str
    path: PurePosixPath

    @property
    def partition_key(self) -> str:
        return partition_key(self.app_id, self.version)


@dataclass(frozen=True, slots=True, order=True)
class CatalogueProblem:
    """Something in the catalogue's folders that breaks its rules; ``path`` is relative to the data."""

    path: PurePosixPath
    message: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the folders hold; entries in natural order: by app, then version as a number."""

    entries: tuple[CatalogueEntry, ...]
    problems: tuple[CatalogueProblem, ...]

    def versions(self, app_id: str) -> tuple[CatalogueEntry, ...]:
        """The versions of one app, oldest first."""
        return tuple(entry for entry in self.entries if entry.app_id == app_id)

    def entry(self, app_id: str, version: int) -> CatalogueEntry:
        """One version.

        Raises:
            CatalogueError: There is no such app or version; the message lists those there are.
        """
        versions = self.versions(app_id)
        if not versions:
            known = ", ".join(sorted({entry.app_id for entry in self.entries})) or "none"
            raise CatalogueError(f"There is no app '{app_id}'; known apps: {known}")
        for entry in versions:
            if entry.version == version:
                return entry
        known = ", ".join(str(entry.version) for entry in versions)
        raise CatalogueError(f"App '{app_id}' has no version {version}; known versions: {known}")

    def baseline(self, app_id: str, version: int) -> CatalogueEntry | None:
        """The greatest version below ``version``."""
        below = [entry for entry in self.versions(app_id) if entry.version < version]
        return below[-1] if below else None


@dataclass(frozen=True, slots=True)
class LoadedVersion:
    """A definition with its effective version, and the SHA-256 of its file's bytes."""

    app: AppDefinition
    file_sha256: str


def scan(data_dir: Path) -> Catalogue:
    """Look through the catalogue's folders; nothing is read but names.

    Raises:
        CatalogueError: The data directory does not exist.
    """
    if not data_dir.is_dir():
        raise CatalogueError(f"The data directory '{data_dir}' does not exist; set APPEVAL_DATA_DIR")
    found: dict[tuple[str, int], CatalogueEntry] = {}
    homes: dict[str, str] = {}
    problems: list[CatalogueProblem] = []
    for root in ROOTS:
        for folder in _folders(data_dir / root):
            place = PurePosixPath(root, folder.name)
            if not APP_FOLDER.fullmatch(folder.name):
                problems.append(CatalogueProblem(place, f"'{folder.name}' is no app id"))
                continue
            if homes.setdefault(folder.name, root) != root:
                problems.append(CatalogueProblem(place, f"App '{folder.name}' stands under both roots"))
                continue
            for path in definition_files(folder):
                match = _VERSION_FILE.fullmatch(path.name)
                if match is None:
                    message = f"'{path.name}' is no version; expected v<N>.yaml or .json"
                    problems.append(CatalogueProblem(place / path.name, message))
                    continue
                entry = CatalogueEntry(folder.name, int(match.group(1)), root, place / path.name)
                other = found.setdefault((entry.app_id, entry.version), entry)
                if other is not entry:
                    message = f"Version {entry.version} is also defined by '{other.path.name}'"
                    problems.append(CatalogueProblem(entry.path, message))
    return Catalogue(tuple(sorted(found.values())), tuple(sorted(problems)))


def _folders(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield from sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


def definition_files(folder: Path) -> Iterator[Path]:
    """Files with a definition's ending; what editors leave behind (hidden, ``~``, ``#``) is passed over."""
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix in SUFFIXES and not path.name.startswith((".", "#", "~")):
            yield path


def load_version(data_dir: Path, entry: CatalogueEntry) -> LoadedVersion:
    """Read the definition of ``entry``, with the version that its path gives it.

    Raises:
        DefinitionError: It is not valid, or says another app id or version than its path.
    """
    source = str(entry.path)
    try:
        document = read_document(data_dir / entry.path)
    except DocumentError as error:
        raise DefinitionError([error.fault], source) from None
    faults = []
    if isinstance(document.data, Mapping):
        for key, given, expected in (
            ("app_id", document.data.get("app_id", document.data.get("appId")), entry.app_id),
            ("version", document.data.get("version", entry.version), entry.version),
        ):
            if given != expected and given is not None:
                message = f"The path says {expected}, the file says {given}"
                faults.append(Fault(key, message, document.line((key,))))
    if faults:
        raise DefinitionError(faults, source)
    try:
        app = load_document(document)
    except DefinitionError as error:
        raise DefinitionError(error.faults, source) from None
    return LoadedVersion(app.model_copy(update={"version": entry.version}), document.sha256 or "")


def scenario_paths(data_dir: Path, app_id: str, root: str) -> tuple[PurePosixPath, ...]:
    """The scenario files of an app, relative to the data directory, sorted."""
    return _files_of(data_dir, PurePosixPath(root, app_id, "scenarios"))


def task_paths(data_dir: Path, app_id: str, root: str) -> tuple[PurePosixPath, ...]:
    """The files of an app's tasks for agents, relative to the data directory, sorted."""
    return _files_of(data_dir, PurePosixPath(root, app_id, "tasks"))


def _files_of(data_dir: Path, place: PurePosixPath) -> tuple[PurePosixPath, ...]:
    folder = data_dir / place
    return tuple(place / path.name for path in definition_files(folder)) if folder.is_dir() else ()
