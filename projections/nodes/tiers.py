"""The criteria by which a definition is recognised after a step, the surest first.

Each is asked for pairs among what the ones before it left over. Equal ones that nothing tells apart keep their order.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

from linetrail.projections.nodes.sides import Place, share
from linetrail.projections.nodes.step import Home, Pair, Step

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
