"""Spell the words of a question that mean nothing as the nearest words that mean something."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.said import Known, components
from linetrail.queries.ask.things import things

_WORD = re.compile(r"(?<![\w./-])[A-Za-z]{2,}(?![\w./-])")
# Of words with more than one slip this share of the letters is the same.
_NEAR = 0.81
# Shorter words are near to many; only a question that begins with them is known to ask.
_SHORT = 4


def respelled(question: str, known: Known, is_recorded: Callable[[str], bool] = lambda _: False) -> str | None:
    """Return a question with its slips of the pen mended; None where it has none. What a ledger has is none.

    >>> respelled("wich agent wrote the most lines", Known()), respelled("authentication changes", Known())
    ('which agent wrote the most lines', None)
    >>> respelled("hw many linse did claud write", Known(agents=["claude-code"])), respelled("how many stars", Known())
    ('how many lines did claude write', None)
    """
    names = [part for name in (*known.agents, *known.models) for part in components(name)]
    people = " ".join(known.people).lower()

    def mended(found: re.Match[str]) -> str:
        low, before = found[0].lower(), question[: found.start()].lower().split()
        named = before[-1:] in (["by"], ["using"], ["with"])  # what is said to have done it is a name
        if named or low in names or low in people or lexicon.is_known(low) or low in _vocabulary() or is_recorded(low):
            return found[0]
        if len(low) < _SHORT:
            some = sorted(lexicon.plain("shapes")) if len(before) < 2 else []
            return next((one for one in some if len(one) > len(low) and _slip(low, one)), found[0])
        return _nearest(low, [*names, *_vocabulary()], is_counted=before[-1:] in (["many"], ["of"])) or found[0]

    other = _WORD.sub(mended, question)
    return other if other != question else None


def _nearest(low: str, some: Sequence[str], *, is_counted: bool) -> str | None:
    """Return the word that one is a slip of; what is counted can be no verb."""
    found = {one: slip for one in some if (slip := _slip(low, one))}
    close = difflib.get_close_matches(low, some, n=3, cutoff=_NEAR)
    near = (one for one in close if one not in found and abs(len(one) - len(low)) < 2 and one[:-1] != low[:-1])
    # another form of a word is no slip of it
    forms = {one for one in some if words.stem(one) == words.stem(low) and found.get(one, "d") > "c"}
    alike = [one for one in (*sorted(found, key=lambda one: found[one]), *near) if one not in forms]
    other = (one for one in alike if one[0] == low[0] and f"{one}s" != low and f"{low}s" != one)
    return next((one for one in other if not (is_counted and _is_verb(one))), None)


def _slip(low: str, other: str) -> str | None:
    """Return which one slip of the pen lies between a word and another, in the order of how often they are made."""
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(low, other, strict=False)))
    mine, right = low[at:], other[at:]
    slips = {
        "a letter left out": mine == right[1:],
        "b two letters swapped": mine[:2] == right[:2][::-1] and mine[2:] == right[2:],
        "c a letter too many": mine[1:] == right,
        "d another letter": mine[1:] == right[1:] != "",  # `product` is no slip of `produce`
    }
    return next((slip for slip, is_made in slips.items() if is_made), None) if low != other else None


def _is_verb(low: str) -> bool:
    return lexicon.noun(low)[0] is None and any(low in some for some in lexicon.forms("verbs").values())


@cache
def _vocabulary() -> Mapping[str, None]:
    """Return the words that mean something, with their plain forms, in an order that is the same each time."""
    nouns = (word for thing in things().values() for word in thing.words)
    texts = {*_leaves(lexicon.tables()), *_leaves(words.vocabulary()), *nouns}
    single = sorted(word for word in texts if word.isalpha() and word.islower())
    return dict.fromkeys([*single, *(f"{word}s" for word in single if not word.endswith("s"))])


def _leaves(node: Any) -> Iterator[str]:
    """Yield the texts of a tree of tables and lists."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping | list | tuple):
        for child in node.values() if isinstance(node, Mapping) else node:
            yield from _leaves(child)
