"""What is at the edge of what an app takes: derived, looked for in scenarios, and run.

What counts, where the spec leaves it open:

* A step that is refused is about one thing: the parameter that the engine refuses it for. It meets that
  parameter's case alone; a step whose parameters are accepted meets the cases of all of them.
* Descriptions that come to the same value are one case: the text of length 0 just below a least length of 1
  is the empty string. Where nothing lies (inside of equal bounds, between an enum's values) is no case.
* Missing and null are valid where the parameter is optional or has a default.
* Valid input may be refused by the logic: that is its answer, and behaves.
* A case for which no input was found is unsolved, unless a step meets it; it then counts as covered, so that
  more results never lower coverage.
"""

from appeval_pipeline.evaluation.edge_cases.analysis import edge_cases
from appeval_pipeline.evaluation.edge_cases.examples import candidate_parameters, example_parameters
from appeval_pipeline.evaluation.edge_cases.report import EdgeCase, EdgeCaseReport, UnsolvedCase

__all__ = [
    "EdgeCase",
    "EdgeCaseReport",
    "UnsolvedCase",
    "candidate_parameters",
    "edge_cases",
    "example_parameters",
]
