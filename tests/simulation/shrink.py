"""Make a history that fails as short as it gets, while the same thing goes wrong."""

from collections.abc import Callable, Sequence

from tests.simulation.choice import Choice
from tests.simulation.play import History, Step

MAX_TRIES = 90


def shrunk(history: History, fails: Callable[[History], bool]) -> History:
    """Leave out steps, then make their numbers small; give up after a number of tries."""
    tries = [MAX_TRIES]

    def still(candidate: Sequence[Step]) -> bool:
        tries[0] -= 1
        return tries[0] > 0 and fails(candidate)

    steps = list(history)
    size = len(steps) // 2
    while size:
        at = 0
        while at < len(steps):
            candidate = steps[:at] + steps[at + size :]
            if still(candidate):
                steps = candidate
            else:
                at += size
        size //= 2
    for at, step in enumerate(steps):
        for field in Choice._fields:
            for value in dict.fromkeys((0, getattr(step.choice, field) % 2)):
                smaller = Step(step.operation, steps[at].choice._replace(**{field: value}))
                if getattr(steps[at].choice, field) > value and still([*steps[:at], smaller, *steps[at + 1 :]]):
                    steps[at] = smaller
    return steps
