"""Which model, where it is, and how it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from appeval_pipeline.errors import SettingsError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model is asked; there is no key in it, for keys come from the environment.

    Attributes:
        model: Its name, as litellm has it: ``gpt-4o``, ``anthropic/claude-sonnet-4-5``, ``openai/whatever``.
        provider: Where the name does not tell: ``openai``, ``anthropic``.
        api_base: Address of a service of one's own, e.g. ``http://127.0.0.1:8080/v1``. It is shown, and kept
            with results: there is no place for a key in it.
        temperature: Left out for models that take none.
        timeout_s: Seconds for one try.
        max_retries: Tries after the first.
        max_completion_tokens: Of one answer; None leaves it to the service.
        input_cost_per_token, output_cost_per_token: USD; both or neither, in place of litellm's price list.

    Raises:
        SettingsError: A value cannot be used.
    """

    model: str
    provider: str | None = None
    api_base: str | None = None
    temperature: float | None = 0.0
    timeout_s: float = 60.0
    max_retries: int = 3
    max_completion_tokens: int | None = None
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None

    def __post_init__(self) -> None:
        wrong = [message for holds, message in self._requirements() if not holds]
        if wrong:
            raise SettingsError(f"The model '{self.model}' cannot be asked so: " + "; ".join(wrong))

    def _requirements(self) -> list[tuple[bool, str]]:
        prices = (self.input_cost_per_token, self.output_cost_per_token)
        most = self.max_completion_tokens
        return [
            (bool(self.model.strip()), "expected the name of a model"),
            ((fault := address_fault(self.api_base)) is None, f"the address {fault}"),
            (self.timeout_s > 0, f"timeout_s is {self.timeout_s}, expected more than 0"),
            (self.max_retries >= 0, f"max_retries is {self.max_retries}, expected at least 0"),
            (most is None or most > 0, f"max_completion_tokens is {most}, expected at least 1"),
            (
                all(price is None for price in prices)
                or all(price is not None and price >= 0 for price in prices),
                "expected a price, at least 0, of both input and output tokens, or of neither",
            ),
        ]


def address_fault(address: str | None) -> str | None:
    """Why an address of a service cannot be used; None if it can. The address itself is not told."""
    if address is None:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return _NO_ADDRESS
    if parts.username is not None or parts.query or parts.fragment:
        return "has a user, a password or a query in it: keys come from the environment only"
    return None if parts.scheme in ("http", "https") and parts.hostname else _NO_ADDRESS


_NO_ADDRESS = "is none; expected such as http://127.0.0.1:8080/v1"
