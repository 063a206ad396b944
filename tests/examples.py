"""How many examples a property is tried on: a few each day, many in `pytest --hypothesis-profile=thorough`."""

from hypothesis import settings

DAILY, THOROUGH = "daily", "thorough"

# How long an example takes says something about the machine, not about the code.
settings.register_profile(DAILY, deadline=None, max_examples=10)
settings.register_profile(THOROUGH, deadline=None, max_examples=100)


def examples(thorough: int) -> int:
    """Return how many examples to try here of a property that is tried on this many where nobody waits."""
    return thorough if settings.get_current_profile_name() == THOROUGH else min(10, max(1, thorough // 10))
