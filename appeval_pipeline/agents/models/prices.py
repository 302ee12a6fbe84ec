"""What an answer cost: by the prices of the settings, else by those that litellm knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Final

from appeval_pipeline.agents.models.library import load_litellm
from appeval_pipeline.agents.models.settings import ModelSettings
from appeval_pipeline.agents.protocol import Usage

MOST_TOKENS: Final = 10**9
"""Of a prompt, or an answer, that a service is believed."""


@dataclass(frozen=True, slots=True)
class Prices:
    """USD for a token of a prompt, and of an answer."""

    input_usd: float
    output_usd: float


def prices_of(settings: ModelSettings) -> Prices | None:
    """What a model costs by the settings, else by litellm's list; None where neither says it by token.

    Raises:
        SettingsError: litellm is not installed.
    """
    if settings.input_cost_per_token is not None and settings.output_cost_per_token is not None:
        return Prices(settings.input_cost_per_token, settings.output_cost_per_token)
    return _listed_prices(settings)


@lru_cache(maxsize=64)
def _listed_prices(settings: ModelSettings) -> Prices | None:
    """litellm's own functions take a price that is missing for 0."""
    litellm = load_litellm()
    try:
        info = litellm.get_model_info(settings.model, custom_llm_provider=settings.provider)
        listed = litellm.model_cost[info["key"]]
        return Prices(listed["input_cost_per_token"], listed["output_cost_per_token"])
    except Exception:  # noqa: BLE001 - litellm raises bare Exception for models that it does not know
        return None


def usage_of(response: Any, settings: ModelSettings, litellm: ModuleType) -> Usage:
    """Tokens and cost of an answer; an answer without usage has no known cost.

    litellm fills in zeros where the service reported nothing; there is no prompt of no tokens. A number that
    cannot be is none either.
    """
    reported = getattr(response, "usage", None)
    prompt = _count(getattr(reported, "prompt_tokens", None))
    completion = _count(getattr(reported, "completion_tokens", None))
    if not (0 <= prompt <= MOST_TOKENS and 0 <= completion <= MOST_TOKENS and prompt + completion):
        return Usage(0, 0, None)
    if settings.input_cost_per_token is not None and settings.output_cost_per_token is not None:
        cost = prompt * settings.input_cost_per_token + completion * settings.output_cost_per_token
        return Usage(prompt, completion, cost)
    return Usage(prompt, completion, _listed_cost(reported, settings, litellm))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _listed_cost(reported: Any, settings: ModelSettings, litellm: ModuleType) -> float | None:
    """By litellm's list, cached tokens at their own price; None for what the list does not price by token."""
    if _listed_prices(settings) is None:
        return None
    try:
        info = litellm.get_model_info(settings.model, custom_llm_provider=settings.provider)
        costs = litellm.cost_per_token(
            model=info["key"], custom_llm_provider=info["litellm_provider"], usage_object=reported
        )
    except Exception:  # noqa: BLE001 - litellm raises bare Exception for models that it does not know
        return None
    return float(sum(costs))
