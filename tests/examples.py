"""Which examples a property is tried on: a few each day, many in `pytest --hypothesis-profile=thorough`.

Both try the same ones each time, so what passed passes again; `--hypothesis-profile=random` looks for more others.
"""

from hypothesis import settings

DAILY, THOROUGH, RANDOM = "daily", "thorough", "random"

# How long an example takes says something about the machine, not about the code.
settings.register_profile(DAILY, deadline=None, max_examples=10, derandomize=True)
settings.register_profile(THOROUGH, deadline=None, max_examples=25, derandomize=True)
settings.register_profile(RANDOM, deadline=None, max_examples=100)


def examples(whole: int) -> int:
    """Return how many examples to try here of a property that continuous integration tries on a quarter as many."""
    number = {DAILY: min(10, whole // 10), THOROUGH: whole // 4}.get(settings.get_current_profile_name(), 10 * whole)
    return max(1, number)
