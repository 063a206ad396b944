"""Follow definitions through one step, a change of one or several files: which of them is which afterwards.

Every answer says what happened and how that is known. What resembles may carry identity; it never proves that nothing
else was changed.

The criteria are asked the surest first, each for pairs among what the ones before it left over. Equal definitions that
nothing tells apart keep their order.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from linetrail.projections.lines.align import align
from linetrail.projections.nodes.sides import Place, Side, share
from linetrail.projections.nodes.step import Home, Pair, Step

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


# A definition of fewer lines stands in many files: it is not found in another one by its lines alone.
LEAST = 4
# One of fewer lines is told by nothing but its name and place.
SAYS_SOMETHING = 2
# Such a share of both is the same where one was made out of the other; it is by so much more than with any other.
ALIKE, AHEAD = 0.6, 0.05
# Such a share is enough where one name took the place of another everywhere.
ALIKE_WITH_USES = 0.3
# Such a share is enough where one of this name is gone and one came.
ALIKE_IN_NAME = 0.4
# A line that stands in more definitions tells none of them.
COMMON = 16
# So many pairs of equal ones are compared; of more, the order decides.
MANY = 10_000

# What a member of a class is called outside of one.
_FREE = {"method": "function", "property": "variable"}

Fits = Callable[[Place, Place], bool]


def unchanged(step: Step) -> Iterator[Pair]:
    """Yield what is equal, and where it was."""
    return _at_home(step, lambda old, new: old.definition.tokens == new.definition.tokens)


def edited(step: Step) -> Iterator[Pair]:
    """Yield what has its name, its place and most of its lines; what holds others needs no lines."""
    return _at_home(step, lambda old, new: (old.holds and new.holds) or share(old.body, new.body) >= ALIKE)


def moved_within(step: Step) -> Iterator[Pair]:
    """Yield what is equal in another place of its file."""
    return _equal(step, _tokens, lambda old, new: old.size >= SAYS_SOMETHING and step.in_one_file(old, new))


def renamed_in_place(step: Step) -> Iterator[Pair]:
    """Yield what lost nothing but its name."""

    def fits(old: Place, new: Place) -> bool:
        return step.stayed(old, new) and (old.size >= SAYS_SOMETHING or step.uses(old, new) > 1)

    return _equal(step, _body_tokens, fits)


def moved_away(step: Step) -> Iterator[Pair]:
    """Yield what is equal in another file, and long enough to be told by that."""
    return _equal(step, _tokens, lambda old, _: old.size >= LEAST)


def renamed_away(step: Step) -> Iterator[Pair]:
    """Yield what is equal but for its name, in another place or file."""
    return _equal(step, _body_tokens, lambda old, _: old.size >= LEAST)


def moved_along(step: Step) -> Iterator[Pair]:
    """Yield what is too short to be told by its lines, but went where others went, into a new file, or is linked to."""
    led = _led(step)
    return _equal(step, _tokens, lambda old, new: led(old, new) or step.is_new(new.path), alone=True)


def renamed_along(step: Step) -> Iterator[Pair]:
    """Yield what also got another name, if it has any lines to tell it by."""
    led = _led(step)
    return _equal(step, _body_tokens, lambda old, new: old.size >= SAYS_SOMETHING and led(old, new), alone=True)


def edited_along(step: Step) -> Iterator[Pair]:
    """Yield what has its name and most of its lines."""
    led = _led(step)
    return _equal(step, _named, lambda old, new: led(old, new) and share(old.body, new.body) >= ALIKE, alone=True)


def renamed_with_uses(step: Step) -> Iterator[Pair]:
    """Yield what was edited and has another name, which stands wherever the former one stood."""
    for old, new in step.renamed_in_use():
        if step.stayed(old, new) and share(old.body, new.body) >= ALIKE_WITH_USES:
            yield old, new


def resembling(step: Step) -> Iterator[Pair]:
    """Yield what shares most of its lines with one other and with no third, if neither has a namesake in its place."""
    scored = [*_scored(step)]
    rivals: dict[Place, list[float]] = defaultdict(list)
    for much, *both in scored:
        for one in both:
            rivals[one].append(much)
    for much, old, new in scored:
        if sum(other > much - AHEAD for one in (old, new) for other in rivals[one]) == len((old, new)):
            yield old, new


def namesakes(step: Step) -> Iterator[Pair]:
    """Yield what went elsewhere and was edited there, but is the only one of its name that is gone, and that came."""

    def fits(old: Place, new: Place) -> bool:
        return min(old.size, new.size) >= LEAST and share(old.body, new.body) >= ALIKE_IN_NAME

    return _equal(step, _named, fits, alone=True)


def rewritten(step: Step) -> Iterator[Pair]:
    """Yield what has nothing left but its name and place."""
    return _at_home(step, lambda _old, _new: True)


TIERS = (
    unchanged,
    edited,
    moved_within,
    renamed_in_place,
    moved_away,
    renamed_away,
    renamed_with_uses,
    resembling,
    namesakes,
    moved_along,
    renamed_along,
    edited_along,
    rewritten,
)


def match(step: Step) -> None:
    """Match what can be matched; what is part of something is looked for in it as soon as that is known."""
    settled = False
    for tier in TIERS:
        if step.is_done:
            return
        if step.join(tier(step)) or not settled:
            found = [step.join(within(step)) for within in (unchanged, edited)]
            settled = not any(found)


def _led(step: Step) -> Fits:
    """Return what tells whether others went from one file to another, or imports say that something did."""
    ways = {(old.path, new.path) for old, new in step.now.items()}
    return lambda old, new: (old.path, new.path) in ways or step.linked(old, new)


def _at_home(step: Step, fits: Fits) -> Iterator[Pair]:
    """Yield what has the same name in the same place, and fits."""
    olds: dict[tuple[Home | None, str, str], list[Place]] = defaultdict(list)
    for old in step.gone:
        olds[old.home, old.definition.kind, old.definition.name].append(old)
    news: dict[tuple[Home, str, str], list[Place]] = defaultdict(list)
    for new in step.came:
        news[new.home, new.definition.kind, new.definition.name].append(new)
    for (place, kind, name), found in news.items():
        # asked now: whoever takes the pairs may just have matched it
        former = olds.get((step.former_home(place), kind, name), [])
        yield from _closest(former, found, fits)


def _closest(olds: Sequence[Place], news: Sequence[Place], fits: Fits) -> Iterator[Pair]:
    """Yield the pairs that fit, the likest first: of one name there may be several."""
    pairs = [(old, new) for old in olds for new in news if fits(old, new)]
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: -share(pair[0].body, pair[1].body))
    yield from pairs


def _equal(step: Step, key: Callable[[Place], Hashable], fits: Fits, *, alone: bool = False) -> Iterator[Pair]:
    """Yield pairs with the same key that fit: those whose home stayed first, then those with the same name.

    With `alone`, only where one is gone and one came.
    """
    olds: dict[Hashable, list[Place]] = defaultdict(list)
    for old in step.gone:
        olds[key(old)].append(old)
    news: dict[Hashable, list[Place]] = defaultdict(list)
    for new in step.came:
        news[key(new)].append(new)
    for same, found in news.items():
        former = olds.get(same, [])
        if alone and len(former) * len(found) != 1:
            continue
        pairs = zip(former, found, strict=False) if len(former) * len(found) > MANY else product(former, found)
        yield from sorted((pair for pair in pairs if fits(*pair)), key=lambda pair: _distance(step, *pair))


def _distance(step: Step, old: Place, new: Place) -> tuple[bool, bool, bool]:
    one, other = old.definition, new.definition
    return not step.stayed(old, new), one.qualified != other.qualified, not step.in_one_file(old, new)


def _scored(step: Step) -> Iterator[tuple[float, Place, Place]]:
    """Yield what resembles each other enough to be the same, with how much."""
    taken = [*_at_home(step, lambda _old, _new: True)]
    named = {place for pair in taken for place in pair}
    having: dict[str, list[Place]] = defaultdict(list)
    for new in step.came:
        for line in new.body:
            having[line].append(new)
    for old in step.gone:
        near = {new: None for line in old.body if len(having[line]) <= COMMON for new in having[line]}
        for new in near:
            long_enough = step.in_one_file(old, new) or min(old.size, new.size) >= LEAST
            if _sort(old) == _sort(new) and long_enough and not {old, new} & named:
                much = share(old.body, new.body)
                if much >= ALIKE:
                    yield much, old, new


def _sort(place: Place) -> str:
    """Return the kind of a definition, whether it is part of a class or not."""
    kind = place.definition.kind
    return _FREE.get(kind, kind)


def _named(place: Place) -> Hashable:
    return _sort(place), place.definition.name


def _tokens(place: Place) -> Hashable:
    return place.definition.tokens


def _body_tokens(place: Place) -> Hashable:
    return place.definition.body_tokens
