"""Which failures an action's logic can run into, and which of them its guards exclude.

`analyse` walks the blocks once, forward, with what is known on every path that reaches each of them.
"""

from appeval_pipeline.evaluation.quality.guards.flow import ActionAnalysis, KeyWrite, analyse
from appeval_pipeline.evaluation.quality.guards.modes import FailureMode

__all__ = ["ActionAnalysis", "FailureMode", "KeyWrite", "analyse"]
