"""Spell the words of a question that mean nothing as the nearest words that mean something."""

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.interpretation import Known
from linetrail.queries.ask.things import things

_WORD = re.compile(r"(?<![\w./-])[A-Za-z]{4,}(?![\w./-])")
# Of `wich` and `which` this share of the letters is the same; of `bugs` and `by` less.
_NEAR = 0.81


def respelled(question: str, known: Known) -> str | None:
    """Return a question with its slips of the pen mended; None where it has none. Names that a ledger has are none.

    >>> respelled("wich agent wrote the most lines", Known()), respelled("authentication changes", Known())
    ('which agent wrote the most lines', None)
    """
    names = " ".join((*known.agents, *known.models, *known.people)).lower()
    other = _WORD.sub(lambda found: found[0] if found[0].lower() in names else _nearest(found[0]) or found[0], question)
    return other if other != question else None


def _nearest(word: str) -> str | None:
    low = word.lower()
    if lexicon.is_known(low) or low in _vocabulary():
        return None
    alike = difflib.get_close_matches(low, _vocabulary(), n=3, cutoff=_NEAR)
    return next((one for one in alike if one[0] == low[0] and words.stem(one) != words.stem(low)), None)


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
    elif isinstance(node, Mapping | list):
        for child in node.values() if isinstance(node, Mapping) else node:
            yield from _leaves(child)
