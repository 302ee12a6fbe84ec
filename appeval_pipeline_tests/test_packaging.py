"""What is promised of the installation: pins for all, no addresses, a README that is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from appeval_pipeline.version import PACKAGE_VERSION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pins() -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in CONSTRAINTS:
        requirement = Requirement(line)
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def wanted() -> list[Requirement]:
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in [*PROJECT["dependencies"], *extras]]


def test_every_dependency_is_pinned_exactly_within_its_range() -> None:
    pinned = pins()
    for requirement in wanted():
        versions = pinned.get(canonicalize_name(requirement.name), [])
        assert versions, f"constraints.txt misses {requirement.name}: run .ci/constraints"
        for pin in versions:
            [specifier] = pin.specifier
            assert specifier.operator == "=="
            assert requirement.specifier.contains(specifier.version), f"{pin} is outside {requirement}"


def test_constraints_hold_pins_and_nothing_else() -> None:
    assert all(re.fullmatch(r"[a-z0-9_.-]+==[^\s;]+( ; .+)?", line) for line in CONSTRAINTS)


def test_duckdb_is_the_version_that_has_extension_packages() -> None:
    assert [str(pin) for pin in pins()["duckdb"]] == ["duckdb==1.5.5"]


def test_the_readme_gives_the_commands_of_ci_and_names_every_command_line_option() -> None:
    assert "pip install -c constraints.txt -e . && appeval run" in README
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "'&& pytest' README.md" in ci
    from typer.main import get_command

    from appeval_pipeline.cli.main import app

    command = get_command(app)
    for name, inner in command.commands.items():  # type: ignore[attr-defined]
        assert f"appeval {name}" in README, name
        for parameter in inner.params:
            options = [option for option in parameter.opts if option.startswith("--")]
            if options and options != ["--help"] and name in ("run", "check", "sql"):
                assert options[0] in README, f"appeval {name} {options[0]}"


def test_the_change_log_has_the_version() -> None:
    assert f"## {PACKAGE_VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
