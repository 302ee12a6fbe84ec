"""The real tasks, read once."""

import pytest

from appeval_pipeline.taubench import TauSuite, load_suite


@pytest.fixture(scope="session")
def retail() -> TauSuite:
    return load_suite("retail", "test")


@pytest.fixture(scope="session")
def airline() -> TauSuite:
    return load_suite("airline", "test")
