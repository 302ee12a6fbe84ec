"""The expression language: text to syntax tree to compiled code.

`compile_expression` and `interpolate` serve those who have an expression; the modules below serve those
who compile whole actions.
"""

from appeval_pipeline.expr.compiled import CompiledExpression, compile_expression, interpolate
from appeval_pipeline.expr.context import Access, ExecutionContext, wall_clock
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.printing import print_expression

__all__ = [
    "Access",
    "CompiledExpression",
    "ExecutionContext",
    "compile_expression",
    "interpolate",
    "parse",
    "print_expression",
    "wall_clock",
]
