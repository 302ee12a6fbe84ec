"""A small language model on this machine, so that everything that needs one can be tried without a key."""

from appeval_pipeline.local_model.model_file import find_model_file
from appeval_pipeline.local_model.serving import (
    DEFAULT_PORT,
    DEFAULT_URL,
    LOCAL_MODEL,
    RunningServer,
    local_url,
    reachable_or_serving,
    running_server,
    serving,
)

__all__ = [
    "DEFAULT_PORT",
    "DEFAULT_URL",
    "LOCAL_MODEL",
    "RunningServer",
    "find_model_file",
    "local_url",
    "reachable_or_serving",
    "running_server",
    "serving",
]
