"""Whether a model can be asked at all, before anything is run with it."""

from __future__ import annotations

from appeval_pipeline.agents.models.library import load_litellm
from appeval_pipeline.agents.models.litellm_model import find_place
from appeval_pipeline.agents.models.settings import ModelSettings
from appeval_pipeline.errors import SettingsError


def check_model(settings: ModelSettings) -> None:
    """Look for the library, the provider and the key; nothing is sent.

    A service of one's own (``api_base``) that speaks as OpenAI's does needs no key. Other ways
    to prove who one is than an API key, such as profiles of AWS, are left to the provider.

    Raises:
        SettingsError: The model cannot be asked; says what is missing.
    """
    place = find_place(settings)
    if place.is_own_service:
        return
    environment = load_litellm().validate_environment(model=f"{place.provider}/{place.name}")
    missing = [key for key in environment["missing_keys"] if key.endswith("API_KEY")]
    if missing:
        raise SettingsError(
            f"The model '{settings.model}' of {place.provider} takes a key, and there is none in the "
            f"environment: set {' or '.join(missing)}"
        )
