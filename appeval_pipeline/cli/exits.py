"""Exit codes."""

from typing import Final

OK: Final = 0
FAILED: Final = 1
"""Something was found wanting: below a bar, failing, or not evaluated."""
INVALID: Final = 2
"""The input cannot be used."""
