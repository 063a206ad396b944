"""Histories for hypothesis: the same stretches as the random ones, shrinking to fewer steps and small numbers."""

from hypothesis import strategies as st

from tests.simulation.choice import Choice
from tests.simulation.play import Step
from tests.simulation.random_histories import AGENTS, ANY, CHANGES, LAYOUT, PLACES, STRETCHES

# One number in so many leaves a step out, and it is the smallest one.
KEPT = 12

_choices = st.builds(
    Choice, st.integers(0, 2), st.integers(0, 3), st.integers(0, 99), st.integers(0, 9), st.integers(0, 99)
)
_changes = st.sampled_from([*AGENTS, *CHANGES, *CHANGES, *LAYOUT, *PLACES])
_stretches = st.sampled_from([(ANY,), (ANY, ANY), *STRETCHES])


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """Return a history that begins with what an agent does."""
    names = [draw(st.sampled_from(AGENTS))]
    for stretch in draw(st.lists(_stretches, min_size=1, max_size=4)):
        names += [draw(_changes) if name == ANY else name for name in stretch if draw(st.integers(0, KEPT))]
    return [Step(name, draw(_choices)) for name in names]
