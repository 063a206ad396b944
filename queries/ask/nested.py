"""Find the question inside another: in `which files did the longest session change` the one for that session.

What it answers is named in its place, and the other question is asked of that; the superlative would otherwise be taken
for the order of what the whole question asks for.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.choice import Figure
from linetrail.queries.ask.grammar import LIST
from linetrail.queries.render.text import timestamp

# what can be named in another question, and the column that has the name where rows are listed
_THINGS = {"session": "id", "commit": "id", "intent": "id", "file": "id", "decision": "id", "function": "what"}
_GROUPS = ("agent", "model")
# what else says which of them is meant: `of codex`, `on january 19`
_TAIL = (
    r"(?: (?:of|by|to|on|in|for|from|during) (?!(?:the )?(?:last|first|latest|most|{})\b)"
    r"(?:the )?[\w./-]+(?: \d+\w*)?)*"
)
# a moment that is said by what happened then
_MOMENT = re.compile(
    r"\b(?P<when>after|since|before) (?P<what>"
    r"(?:the )?(?P<thing>session|commit|intent|decision) \S*\d\S*\b|(?!D-)[A-Z]+-\d+"
    r"|(?=[a-f]*\d)[0-9a-f]{7,40}"
    r"|the (?:last|latest|first|most recent) (?P<noun>\w+)(?: (?:of|by|to|in|on) (?!the )[\w./-]+)?)"
    r"(?: (?:was |were |had |has |been )*(?P<did>\w+ed|began|made|done)\b)?",
    re.IGNORECASE,
)
# what is said of the one that is meant, up to the end
_CLAUSE = re.compile(r"\b(?P<thing>session|commit|intent|prompt|decision)-that (?P<said>.+?)\W*$", re.IGNORECASE)
# behind these a question says which of several is meant, and no more than that
_COMPARING = frozenset({"more", "less", "fewer", "most", "least", "top", "common", "frequent"})


class Inside(NamedTuple):
    """A question inside another, what it asks for, and the other one with a place for the answer."""

    thing: str
    question: str
    outer: str


def inside(question: str) -> Inside | None:
    """Return the question for the one thing that another question is about.

    >>> inside("which files did the longest session of codex change?")
    Inside(thing='session', question='longest session of codex', outer='which files did session {} change?')
    >>> inside("who made the last commit"), inside("the intent with the most refusals")
    (None, None)
    """
    text = words.phrased(question).replace("{", "(").replace("}", ")")
    for pattern in _patterns():
        found = pattern.search(text)
        if found and _asks(text[: found.start()], text[found.end() :]):
            thing, asked = found["thing"].lower(), found["asked"].removeprefix("the ")
            kind = f"{thing} " if thing in ("session", "commit", "decision", "function") else ""
            return Inside(thing, asked, f"{text[: found.start()]}{kind}{{}}{text[found.end() :]}")
    if found := _CLAUSE.search(text):
        thing = found["thing"].lower()
        return Inside(thing, f"which {thing} {found['said']}", f"{text[: found.start()]}{thing} {{}}")
    found = _MOMENT.search(text)
    if found is None or (found["noun"] and lexicon.noun(found["noun"].lower())[0] is None):
        return None
    is_end = found["when"].lower() == "after" and found["thing"] == "session"
    happened = found["did"] or ("ended" if is_end else "")
    outer = f"{text[: found.start('what')]}{{}}{text[found.end() :]}"
    return Inside("moment", f"when was {found['what']} {happened}".strip(), outer)


def names(thing: str, figure: Figure | None, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the rows that come first are called; nothing where that cannot be told."""
    if figure is None or not rows:
        return []
    if thing == "moment":
        return [f"{timestamp(row['happened_at'])[:19]}Z" for row in rows[:1] if row.get("happened_at")]
    column = thing if thing in rows[0] and figure.by == thing else _THINGS.get(thing, "")
    if column not in rows[0]:
        return []
    first = [row for row in rows if figure.shape == LIST or row.get(figure.column) == rows[0].get(figure.column)]
    if figure.shape == LIST and figure.column != "id":
        return [str(row[column]) for row in first]
    return [str(row[column]) for row in (rows[:1] if figure.column == "id" else first)]


def _asks(*around: str) -> bool:
    """Return whether something is asked besides which one it is."""
    low = [one for text in around for one in re.findall(r"[\w/.-]*\w", text.lower())]
    return any(not lexicon.is_filler(one) or one in ("long", "much", "changed") for one in low)


@cache
def _patterns() -> Sequence[re.Pattern[str]]:
    ranks = "|".join(sorted(lexicon.degrees().keys() - _COMPARING))
    ranked = rf"(?:{ranks}|(?:most|least) (?:{ranks}|recent|recently \w+|busy|active))"
    things = rf"(?P<thing>{'|'.join((*_THINGS, *_GROUPS))})\b"
    begins = r"(?:\bthe (?:very )?|(?<=\bof )|(?<=\bin )|(?<=\bby )|(?<=\bdid ))"
    tail = _TAIL.format("s?|".join(lexicon.table("units")))
    most = rf"(?:most|fewest|least|highest|lowest|{ranks})"
    return [
        re.compile(text, re.IGNORECASE)
        for text in (
            rf"{begins}(?P<asked>{ranked} (?:[\w-]+ )?{things}{tail})",
            rf"(?P<asked>\b(?:the |an? )?{things} with (?:the )?{most} (?:number of )?(?:(?:\w*[^s\W] )?\w+s|\w+)\b)",
        )
    ]
