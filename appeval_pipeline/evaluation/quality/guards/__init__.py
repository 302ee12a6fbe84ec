"""Which failures an action's logic can run into, and which of them its guards exclude.

`analyse` walks the blocks once, forward, with what is known on every path that reaches each of them:
conditions of `validate` blocks and branch arms, taken apart at `&&`, `||` and `!`; arithmetic on both sides
of a comparison; what loops found of each element. An update changes or ends what was known of its target, and
of every path that may name the same element. Bounds in parameter specs and in `config_schema` always hold.

What counts as a failure mode, where the specification leaves it open:

* A key is the caller's if it is made of parameters, or of items of a loop over them; what is read from the
  state is not, even under a key of the caller's. A bare lookup counts as a dereference, except where it is
  compared with `==` or `!=`, which take null. `set` and `merge` may make their last key. Keys that an enum
  keeps within the declared properties of a closed object cannot be absent.
* A dereference that is itself compared with `==` or `!=` is guarded by that condition if whatever goes on
  after it has the key.
* A subtraction is `subtract`, `add` of a negated value, or `a - b` where `a` is a number out of the state;
  not one that is compared, or held up by `max(0, …)` or `abs`. For a count, more than 0 is at least 1.
* A divisor counts unless it is a number, or its spec or function excludes zero.
* An index needs both bounds. A constrained parameter is no failure mode, an unconstrained required one is an
  unguarded one.
* Each expression of a block counts a subject once. Blocks that are never reached count nothing.
"""

from appeval_pipeline.evaluation.quality.guards.flow import ActionAnalysis, KeyWrite, analyse
from appeval_pipeline.evaluation.quality.guards.modes import FailureMode

__all__ = ["ActionAnalysis", "FailureMode", "KeyWrite", "analyse"]
