"""Agents whose actions a language model decides."""

from appeval_pipeline.agents.llm.agent import LlmAgent, Mode
from appeval_pipeline.agents.llm.schema_mode import SchemaStrategy
from appeval_pipeline.agents.llm.strategy import Question, Reading, Strategy
from appeval_pipeline.agents.llm.text_mode import TextStrategy
from appeval_pipeline.agents.llm.tool_mode import ToolStrategy

__all__ = [
    "LlmAgent",
    "Mode",
    "Question",
    "Reading",
    "SchemaStrategy",
    "Strategy",
    "TextStrategy",
    "ToolStrategy",
]
