"""Who the agent talks to: a script, or a model that plays the customer."""

from appeval_pipeline.taubench.users.modelled import ModelledUser
from appeval_pipeline.taubench.users.protocol import STOP, User, UserReply
from appeval_pipeline.taubench.users.scripted import ScriptedUser
from appeval_pipeline.taubench.users.strategies import (
    PlainStrategy,
    ReactStrategy,
    ReflectingStrategy,
    UserStrategy,
    VerifyingStrategy,
)

__all__ = [
    "STOP",
    "ModelledUser",
    "PlainStrategy",
    "ReactStrategy",
    "ReflectingStrategy",
    "ScriptedUser",
    "User",
    "UserReply",
    "UserStrategy",
    "VerifyingStrategy",
]
