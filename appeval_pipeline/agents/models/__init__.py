"""Language models: what is asked of them, and how they are reached. litellm is loaded when one is asked."""

from appeval_pipeline.agents.models.checking import check_model
from appeval_pipeline.agents.models.litellm_model import LitellmModel
from appeval_pipeline.agents.models.protocol import (
    UNREADABLE,
    Message,
    Model,
    ModelReply,
    RequestedCall,
    Role,
)
from appeval_pipeline.agents.models.settings import ModelSettings

__all__ = [
    "UNREADABLE",
    "LitellmModel",
    "Message",
    "Model",
    "ModelReply",
    "ModelSettings",
    "RequestedCall",
    "Role",
    "check_model",
]
