"""Exit codes."""

from typing import Final

OK: Final = 0
FAILED: Final = 1
"""Something was found wanting: below a bar, failing, or not evaluated."""
INVALID: Final = 2
"""The input cannot be used."""
INFRASTRUCTURE: Final = 3
"""A trial broke down through no fault of the agent's."""
INTERRUPTED: Final = 130
"""By Ctrl-C: 128 and the number of the signal."""
