"""The words of the named questions, and which of them a question in other words is.

A question is known by the words of its sentence, of its name and of the phrases in which it is asked, each standing for
all that mean the same. A word counts more the fewer questions have it.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache

from linetrail.queries.ask import question_files, words

# One word that a single question has, or two that few have: less names no question.
ENOUGH = 3.9
# Of nearly every question: what they add is whose work is meant, or where.
_ANYWHERE = frozenset({"ai", "files", "lines"})


def nearest(said: Collection[str], helping: Collection[str]) -> list[str]:
    """Return the questions that have all words that were said, those with most of their weight first."""
    concepts, more = ({words.concept(word) for word in some} for some in (said, helping))
    wanted, more = concepts - _ANYWHERE, more | (concepts & _ANYWHERE)
    found = []
    for name, known in vocabularies().items():
        if wanted and wanted <= known:
            score = sum(_weights()[word] for word in wanted | (more & known))
            found.append((-score, len(known), name))
    return [name for score, _, name in sorted(found) if -score >= ENOUGH]


@cache
def vocabularies() -> Mapping[str, frozenset[str]]:
    """Return the concepts that each named question speaks of."""
    return {
        name: frozenset(
            words.concept(word)
            for text in (
                question.question,
                name.replace("_", " "),
                *(word for phrase in question.phrases for one in phrase for word in one),
            )
            for piece in text.lower().split()
            if (word := piece.strip("?,.:;"))
        )
        for name, question in question_files.questions().items()
    }


@cache
def _weights() -> Mapping[str, float]:
    counted = Counter(word for known in vocabularies().values() for word in known)
    return {word: math.log(len(vocabularies()) / questions) for word, questions in counted.items()}
