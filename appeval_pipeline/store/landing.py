"""The rule of the catalogue: a version lands with its first valid definition and never changes again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from appeval_pipeline.appdef import AppDefinition, check_app, load_app
from appeval_pipeline.appdef.catalogue import CatalogueEntry, load_version
from appeval_pipeline.errors import AppEvalError, DefinitionError
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import DEFINITIONS
from appeval_pipeline.store.files import file_sha256
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import AppVersionRow, Input, PartitionResult


@dataclass(frozen=True, slots=True)
class _Reading:
    """What became of one definition: the app, or why there is none, its file's hash, and its warnings."""

    app: AppDefinition | None
    file_sha256: str | None
    error: str | None
    warnings: tuple[dict[str, str], ...] = ()


def land(
    app_id: str, version: int, entry: CatalogueEntry | None, stored: StoredVersion | None, data_dir: Path
) -> PartitionResult:
    """What to store of one app version.

    Args:
        app_id: The app.
        version: The version.
        entry: Its file, None where the catalogue has none (any more).
        stored: What the store holds of it, None for a new one.
        data_dir: The data directory.

    Returns:
        One ``app_versions`` row. If a valid definition is stored already, it stays, and a file that says
        something else is a violation.
    """
    file_path: str | None = None
    definition: str | None = None
    definition_hash: str | None = None
    violation: Violation | None = None
    if stored is not None and stored.landed and stored.definition is not None:
        reading = _read_stored(stored.definition, stored.file_sha256)
        file_path, definition = stored.file_path, stored.definition
        violation = find_violation(entry, stored, data_dir)
        definition_hash = stored.definition_hash
    elif entry is None:
        reading = _Reading(None, None, "There is no definition file")
    else:
        file_path = str(entry.path)
        reading = _read_file(data_dir, entry)
        definition = canonical_json(reading.app.to_dict()) if reading.app else None
        definition_hash = reading.app.definition_hash if reading.app else None
    app = reading.app
    row = AppVersionRow(
        app_id=app_id,
        version=version,
        status="missing" if entry is None and definition is None else "valid" if app else "invalid",
        landed=definition is not None,
        root=file_path.split("/")[0] if file_path else "",
        name=app.name if app else None,
        category=str(app.category) if app else None,
        definition=definition,
        definition_hash=definition_hash,
        action_count=len(app.actions) if app else None,
        file_path=file_path,
        file_sha256=reading.file_sha256,
        error=reading.error,
        warning_count=len(reading.warnings),
        warnings=canonical_json(list(reading.warnings)),
        violation=violation.message if violation else None,
        violating_sha256=violation.file_sha256 if violation else None,
    )
    inputs = common_inputs(DEFINITIONS)
    if file_path and reading.file_sha256:
        source = Input(kind="file", key=file_path, version=reading.file_sha256, content_hash=definition_hash)
        inputs = (source, *inputs)
    return PartitionResult(app_id, version, (row,), inputs)


@dataclass(frozen=True, slots=True)
class Violation:
    """A landed version whose file says something else than the stored definition."""

    file_sha256: str
    message: str


def find_violation(entry: CatalogueEntry | None, stored: StoredVersion, data_dir: Path) -> Violation | None:
    """How the file of a landed version contradicts the stored definition; None if it does not."""
    if entry is None:
        return None
    path = str(entry.path)
    sha256 = file_sha256(data_dir, path)
    if sha256 is None or sha256 == stored.file_sha256:
        return None
    try:
        loaded = load_version(data_dir, entry)
        sha256 = loaded.file_sha256
        if loaded.app.definition_hash == stored.definition_hash:
            return None
        change = "was changed after it had landed"
    except DefinitionError:
        change = "was changed after it had landed, into something invalid"
    return Violation(
        sha256,
        f"{path} {change}; the stored definition stays in use: undo the edit, or add it as a new version",
    )


def _read_file(data_dir: Path, entry: CatalogueEntry) -> _Reading:
    """Load a definition file; the hash is of the bytes that the definition was read from."""
    # Of an invalid file there is no better hash than one from before: a repair in between is then seen.
    before = file_sha256(data_dir, str(entry.path))
    try:
        loaded = load_version(data_dir, entry)
    except AppEvalError as error:
        return _Reading(None, before, str(error))
    return _check(loaded.app, loaded.file_sha256)


def _read_stored(definition: str, sha256: str | None) -> _Reading:
    try:
        app = load_app(json.loads(definition))
    except AppEvalError as error:
        return _Reading(None, sha256, str(error))
    return _check(app, sha256)


def _check(app: AppDefinition, sha256: str | None) -> _Reading:
    try:
        findings = check_app(app)
    except AppEvalError as error:
        return _Reading(None, sha256, str(error))
    errors = [f"{finding.location}: {finding.message}" for finding in findings if finding.severity == "error"]
    if errors:
        return _Reading(None, sha256, "\n".join(errors))
    warnings = tuple(
        {"location": finding.location, "message": finding.message}
        for finding in findings
        if finding.severity != "error"
    )
    return _Reading(app, sha256, None, warnings)
