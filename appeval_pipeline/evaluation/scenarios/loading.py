"""Reading a scenario, every fault with file, line and key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from appeval_pipeline.appdef.documents import Document, DocumentError, Key, read_document
from appeval_pipeline.appdef.loading import find_key, schema_faults
from appeval_pipeline.appdef.schema import SchemaModel
from appeval_pipeline.errors import ExpressionError, Fault, ScenarioError
from appeval_pipeline.evaluation.scenarios.matching import check_matchers
from appeval_pipeline.evaluation.scenarios.paths import parse_state_path
from appeval_pipeline.evaluation.scenarios.schema import (
    Expectation,
    ExpectedObservation,
    InitialState,
    Scenario,
    ScenarioAgent,
    Setup,
    Step,
)
from appeval_pipeline.expr.compiled import check_names
from appeval_pipeline.expr.functions import FUNCTIONS
from appeval_pipeline.expr.parsing import parse

_CONTAINERS: Final[Mapping[str, type[SchemaModel]]] = {
    "steps": Step,
    "setup": Setup,
    "agents": ScenarioAgent,
    "initial_state": InitialState,
    "expect": Expectation,
    "observations": ExpectedObservation,
}
_FINAL: Final = re.compile(r"\s*Final\s+(?=[^\s=<>&|.+*/]|!(?!=))(?!!=)(?![-\[]\s)")


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario, and the document that it was read from."""

    scenario: Scenario
    document: Document

    def line(self, location: str) -> int | None:
        """The 1-based line of a place such as ``steps[0].params.amount``; None where there are no lines."""
        return self.document.line(find_key(self.document.data, location))


def load_scenario(source: str | Path | Mapping[str, object]) -> Scenario:
    """Read and check a scenario.

    Args:
        source: A path, a mapping, or YAML or JSON text.

    Raises:
        ScenarioError: It cannot be used; ``faults`` lists everything that is wrong.
    """
    return read_scenario(source).scenario


def read_scenario(source: str | Path | Mapping[str, object]) -> LoadedScenario:
    """As `load_scenario`, for those who need to know where in the document something stands.

    Raises:
        ScenarioError: As `load_scenario`.
    """
    try:
        document = read_document(source)
    except DocumentError as error:
        raise ScenarioError([error.fault], error.source) from None
    try:
        scenario = Scenario.model_validate(document.data)
    except ValidationError as error:
        faults = schema_faults(error, document, Scenario, _CONTAINERS, {})
        raise ScenarioError(faults, document.source) from None
    problems = [
        Fault(at, message, document.line(key or find_key(document.data, at)))
        for at, message, key in _check(scenario)
    ]
    if problems:
        raise ScenarioError(problems, document.source)
    return LoadedScenario(scenario, document)


def assertion_expression(text: str) -> str:
    """The expression of an assertion: without the leading word ``Final``."""
    return _FINAL.sub("", text, count=1) if _FINAL.match(text) else text


def assertion_names(scenario: Scenario) -> frozenset[str]:
    """What assertions may name: every agent, and the state around them."""
    return frozenset((*scenario.setup.agent_ids, "agents", "shared", "config"))


def _check(scenario: Scenario) -> Iterator[tuple[str, str, Key | None]]:
    """What is wrong beyond the schema: location, message, and the key where the location does not tell it."""
    names = assertion_names(scenario)
    for index, text in enumerate(scenario.assertions):
        try:
            check_names(parse(assertion_expression(text)), names)
        except ExpressionError as error:
            yield f"assertions[{index}]", _with_accepted(error.message, names), None
    named = [agent.id for agent in scenario.setup.agents]
    for index, name in enumerate(named):
        if name in named[:index]:
            yield f"setup.agents[{index}]", f"Agent '{name}' is given twice", None
    agents = scenario.setup.agent_ids
    for index, step in enumerate(scenario.steps):
        at = f"steps[{index}].expect"
        for path, expected in step.expect.state.items():
            key: Key = ("steps", index, "expect", "state", path)
            for place, message in check_matchers(expected, f"{at}.state.{path}"):
                yield place, message, key
            try:
                parse_state_path(path, agents)
            except ExpressionError as error:
                yield f"{at}.state.{path}".rstrip("."), error.message, key
        for place, message in _check_values(step.expect, at):
            yield place, message, None


def _check_values(expect: Expectation, at: str) -> Iterator[tuple[str, str]]:
    yield from check_matchers(expect.data, f"{at}.data")
    for position, observation in enumerate(expect.observations or ()):
        yield from check_matchers(observation.data, f"{at}.observations[{position}].data")
        yield from check_matchers(observation.message, f"{at}.observations[{position}].message")


def _with_accepted(message: str, names: frozenset[str]) -> str:
    """``message``, and what an assertion may name or call where it says that something is not known."""
    if message.startswith("Variable "):
        return f"{message}; expected one of: {', '.join(sorted(names))}"
    if message.startswith("Unknown function "):
        return f"{message}; accepted: {', '.join(sorted(FUNCTIONS))}"
    return message
