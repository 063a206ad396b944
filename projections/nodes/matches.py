"""Follow definitions through one step, a change of one or several files: which of them is which afterwards.

Every answer says what happened and how that is known. What resembles may carry identity; it never proves that nothing
else was changed.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.lines.align import align
from linetrail.projections.nodes.sides import Place, Side, share
from linetrail.projections.nodes.step import Step
from linetrail.projections.nodes.tiers import LEAST, match

# What may have happened to a definition. `carried`: what is around it has another name, or its file has.
RENAMED, MOVED, CARRIED, EDITED, REFORMATTED = "renamed", "moved", "carried", "edited", "reformatted"
SPLIT, MERGED = "split", "merged"
# So many lines, and such a share of its lines of code, have to be in the other; more where names do not count.
MIN_LINES, MOST = 2, 0.6
MIN_SHAPES, MOST_SHAPES = 4, 0.8

_Lines = Callable[[Place], Counter[str]]


class Part(NamedTuple):
    """A definition, the other that it was cut out of or put into, and how much of it is in that one."""

    part: Place
    whole: Place
    share: float


class Match(NamedTuple):
    """A definition before a step and what became of it; no kind where nothing happened to it.

    Of what was cut out of `before` or put into `after`, both go on besides.
    """

    before: Place
    after: Place
    kinds: tuple[str, ...]
    share: float
    evidence: tuple[str, ...]


def follow(before: Iterable[Side], after: Iterable[Side], renamed: Mapping[str, str] | None = None) -> list[Match]:
    """Match the definitions of a step's files; `renamed` are files known to bear another name, old -> new.

    What is in no match was deleted, or is new.
    """
    step = Step(before, after, renamed or {})
    match(step)
    found = [_told(step, old, new) for old, new in step.now.items()]
    found += [_cut_out(part) for part in _parts(step.came, step.before, step.now)]
    return found + [_put_in(part) for part in _parts(step.gone, step.after, step.was)]


class Followed:
    """The matches of a step, by what each definition is after it."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self.matches = matches
        self._of: dict[Place, list[Match]] = defaultdict(list)
        for one in matches:
            self._of[one.after].append(one)

    def past_of(self, place: Place) -> Match | None:
        """Return what a definition was before the step."""
        return next((one for one in self._of.get(place, ()) if not {SPLIT, MERGED} & {*one.kinds}), None)

    def now(self, place: Place) -> Place | None:
        """Return what a definition is after the step."""
        same = (one.after for one in self.matches if one.before == place and not {SPLIT, MERGED} & {*one.kinds})
        return next(same, None)

    def cut_out(self, place: Place) -> Match | None:
        """Return what a definition was cut out of."""
        return next((one for one in self._of.get(place, ()) if SPLIT in one.kinds), None)

    def put_in(self, place: Place) -> list[Match]:
        """Return what was put into a definition."""
        return [one for one in self._of.get(place, ()) if MERGED in one.kinds]


NOTHING = Followed(())


def paired_lines(side: Side, matches: Iterable[Match]) -> dict[int, tuple[str, int]]:
    """Pair lines of a later side, by number, with equal ones of what its definitions were made from: path and number.

    Short definitions say nothing of their lines, which may stand anywhere. Blank and trivial lines are paired by where
    they stand alone.
    """
    found: dict[int, tuple[str, int]] = {}
    pairs = ((one.before, one.after) for one in matches if one.after.side is side and one.before.size >= LEAST)
    for old, new in pairs:
        for at, line in enumerate(align(old.hashes, new.hashes)):
            if line is not None:
                number = new.definition.start_line + at
                found.setdefault(number, (old.path, old.definition.start_line + line))
    return found


def _told(step: Step, old: Place, new: Place) -> Match:
    told = [*_whereabouts(step, old, new), *_content(old, new)]
    return Match(old, new, tuple(kind for kind, _ in told if kind), _alike(old, new), tuple(text for _, text in told))


def _whereabouts(step: Step, old: Place, new: Place) -> Iterator[tuple[str, str]]:
    """Yield what became of a definition's name and place, with how it is seen."""
    one, other = old.definition, new.definition
    if one.name != other.name:
        uses = step.uses(old, new)
        yield RENAMED, f"renamed `{one.name}` → `{other.name}`" + (f", in {uses} places" if uses > 1 else "")
    if not step.in_one_file(old, new):
        yield MOVED, f"moved from {old.path} to {new.path}"
    elif not step.stayed(old, new):
        yield MOVED, f"moved from {_home(old)} to {_home(new)}"
    elif old.path != new.path:
        yield CARRIED, f"its file was renamed {old.path} → {new.path}"
    elif _home(old) != _home(new):
        yield CARRIED, f"{_home(old)} around it was renamed {_home(new)}"


def _content(old: Place, new: Place) -> Iterator[tuple[str, str]]:
    """Yield what became of a definition's text; an equal one is evidence, and nothing that happened."""
    one, other = old.definition, new.definition
    if one.raw == other.raw:
        yield "", "text identical"
    elif one.tokens == other.tokens:
        yield REFORMATTED, "only layout and comments differ"
    elif one.body_tokens == other.body_tokens:
        yield "", "body identical"
    else:
        yield EDITED, f"{_alike(old, new):.2f} of its lines"


def _alike(old: Place, new: Place) -> float:
    return 1.0 if old.definition.body_tokens == new.definition.body_tokens else share(old.body, new.body)


def _home(place: Place) -> str:
    """Name what is around a definition."""
    return f"`{place.around.definition.qualified}`" if place.around else place.path


def _cut_out(part: Part) -> Match:
    said = f"{part.share:.2f} of its lines were cut out of `{part.whole.definition.qualified}`"
    return Match(part.whole, part.part, (SPLIT,), part.share, (said,))


def _put_in(part: Part) -> Match:
    said = f"{part.share:.2f} of its lines were put into `{part.whole.definition.qualified}`"
    return Match(part.part, part.whole, (MERGED,), part.share, (said,))


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
        inside[part.around].update(lines(part))
    looked_for = set().union(*map(lines, wanted))
    having: dict[str, dict[Place, int]] = defaultdict(dict)
    for whole in wholes:
        here, counterpart = lines(whole), same.get(whole)
        there, cut = (lines(counterpart), inside[counterpart]) if counterpart else (Counter[str](), Counter[str]())
        for line in looked_for.intersection(here):
            times = here[line] - max(there[line] - cut[line], 0)
            if times > 0:
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
