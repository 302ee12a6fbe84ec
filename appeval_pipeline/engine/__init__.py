"""Running the actions of an app: compiled, atomic, limited, traced, reproducible."""

from appeval_pipeline.engine.engine import Engine
from appeval_pipeline.engine.result import ActionResult, TraceEvent
from appeval_pipeline.engine.session import Session
from appeval_pipeline.expr.context import Access, ExecutionContext, wall_clock

__all__ = ["Access", "ActionResult", "Engine", "ExecutionContext", "Session", "TraceEvent", "wall_clock"]
