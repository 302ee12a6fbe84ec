"""What ``appeval tau run`` tells while trials run."""

from __future__ import annotations

from dataclasses import dataclass

from appeval_pipeline.taubench.results import TauResult


@dataclass(slots=True)
class Tally:
    """The results so far: how many passed, how many broke down, and what is known to have been spent."""

    passed: int = 0
    broke_down: int = 0
    cost_usd: float = 0.0

    def add(self, result: TauResult) -> None:
        """Count one more."""
        self.passed += result.succeeded
        self.broke_down += result.reward is None
        self.cost_usd += (result.agent.cost_usd or 0.0) + (result.user.cost_usd or 0.0)

    def __str__(self) -> str:
        parts = [f"{self.passed} passed"]
        if self.broke_down:
            parts.append(f"{self.broke_down} broke down")
        if self.cost_usd:
            parts.append(f"${self.cost_usd:.2f}")
        return ", ".join(parts)
