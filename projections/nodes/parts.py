"""Find definitions that were cut out of another one, or put into another one.

Their lines went from one to the other: what a definition lost is in a new one, what it gained was in one that is gone.
Names may have changed on the way, since what was local in one is not in the other.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.nodes.step import Step

# So many lines, and such a share of its lines of code, have to be in the other; more where names do not count.
MIN_LINES, MOST = 2, 0.6
MIN_SHAPES, MOST_SHAPES = 4, 0.8

_Lines = Callable[[Place], Counter[str]]


class Part(NamedTuple):
    """A definition, the other that it was cut out of or put into, and how much of it is in that one."""

    part: Place
    whole: Place
    share: float


def split_off(step: Step) -> Iterator[Part]:
    """Yield what is new with what it was cut out of, as it was before the step."""
    return _parts(step.came, step.before, step.now)


def merged_into(step: Step) -> Iterator[Part]:
    """Yield what is gone with what it was put into, as it is after the step."""
    return _parts(step.gone, step.after, step.was)


def _parts(wanted: Sequence[Place], sides: Sequence[Side], same: Mapping[Place, Place]) -> Iterator[Part]:
    """Yield definitions whose lines another side has where its counterpart, as far as there is one, lacks them."""
    if not wanted:
        return
    wholes = [place for side in sides for place in side.places()]
    found = list(_found(wanted, wholes, same, Place.code, MIN_LINES, MOST))
    named = {part.part for part in found}
    rest = [place for place in wanted if place not in named]
    found += _found(rest, wholes, same, Place.shapes, MIN_SHAPES, MOST_SHAPES)
    parts = Counter(part.whole for part in found)
    # what is itself without a counterpart was divided, or it is just another one
    yield from (part for part in found if part.whole in same or parts[part.whole] > 1)


def _found(
    wanted: Sequence[Place],
    wholes: Sequence[Place],
    same: Mapping[Place, Place],
    lines: _Lines,
    least: int,
    most: float,
) -> Iterator[Part]:
    inside: dict[Place | None, Counter[str]] = defaultdict(Counter)
    for part in wanted:
        inside[part.around] += lines(part)
    having: dict[str, dict[Place, int]] = defaultdict(dict)
    for whole in wholes:
        counterpart = same.get(whole)
        rest = lines(counterpart) - inside[counterpart] if counterpart else Counter()
        for line, times in (lines(whole) - rest).items():
            having[line][whole] = times
    for part in wanted:
        shared: Counter[Place] = Counter()
        for line, times in lines(part).items():
            for whole, has in having.get(line, {}).items():
                shared[whole] += min(times, has)
        # of a method and its class, the method
        best = max(shared, key=lambda whole: (shared[whole], -whole.size), default=None)
        if best is not None and shared[best] >= max(least, most * lines(part).total()):
            yield Part(part, best, shared[best] / lines(part).total())
