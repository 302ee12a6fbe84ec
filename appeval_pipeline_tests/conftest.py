"""What holds for all tests."""

from hypothesis import settings

# How fast an example runs says nothing on a busy machine; what must be bounded has its own bar.
settings.register_profile("without_deadline", deadline=None)
settings.load_profile("without_deadline")
