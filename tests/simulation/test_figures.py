"""How often blame is right, in random histories: the figures that were promised."""

import pytest

from tests.simulation.play import play, stage
from tests.simulation.random_histories import random_history
from tests.simulation.score import examine, score

pytestmark = pytest.mark.in_turn

LEAST = {"precision": 0.99, "recall": 0.98, "session": 0.98, "person": 0.99}


def verdicts(seeds):
    for seed in seeds:
        with stage() as folder:
            yield from examine(play(random_history(seed), folder)).verdicts


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(10), id="10 histories"), pytest.param(range(1000, 1300), id="300", marks=pytest.mark.soak)],
)
def test_blame_is_as_often_right_as_was_promised(seeds):
    counts = score(verdicts(seeds))

    assert {name: min(getattr(counts, name), least) for name, least in LEAST.items()} == LEAST
