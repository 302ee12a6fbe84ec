"""The FastWorkflow agent, driven through its programmatic interface; it is loaded when an episode begins."""

from appeval_pipeline.agents.fastworkflow.agent import FastWorkflowAgent
from appeval_pipeline.agents.fastworkflow.library import installed_version

__all__ = ["FastWorkflowAgent", "installed_version"]
