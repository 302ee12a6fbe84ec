"""The agent that asks the small model on this machine."""

from __future__ import annotations

from typing import Final

from appeval_pipeline.agents.models import ModelSettings
from appeval_pipeline.evaluation.agents.naming import ModelOptions, NamedAgent, find_agent

LOCAL_NAME: Final = "local"
"""What stands for this model where models are named."""
LOCAL_AGENT: Final = f"llm:{LOCAL_NAME}"
_MOST_TOKENS: Final = 300
"""Of one answer: the model does not always find an end."""


def find_local_agent(url: str) -> NamedAgent:
    """The agent that asks the model at ``url``: by a schema, for it calls no tools."""
    return find_agent("llm", ModelOptions(local_settings(url), "schema", LOCAL_NAME))


def local_settings(url: str) -> ModelSettings:
    """How the model at ``url`` is asked; it costs nothing."""
    return ModelSettings(
        f"openai/{LOCAL_NAME}",
        api_base=url,
        max_completion_tokens=_MOST_TOKENS,
        timeout_s=300,
        input_cost_per_token=0.0,
        output_cost_per_token=0.0,
    )
