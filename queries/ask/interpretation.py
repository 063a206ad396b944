"""Understand a question: which words say what is asked for, when, by whom and where; the rest is looked for.

Nothing is guessed that is not said: every word ends as a filter, a term or an ignored word, and the answer tells which.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from linetrail.queries.ask import lexicon, words
from linetrail.queries.ask.lexicon import LEAST, MOST, NEWEST, OLDEST
from linetrail.queries.ask.said import Known, Said

# Of several kinds in one question the first counts: a denied command is a denial, a prompt about edits is a prompt.
_ORDER = (
    *("violation", "refusal", "approval", "lesson", "thought", "recovery point", "decision", "prompt", "intent"),
    *("session", "test", "command", "read", "change"),
)
# kind -> the outcomes that make it what is asked for
_COMES_TO = {
    "delete": ("change",),
    "rename": ("change",),
    "failed": ("test", "command"),
    "rejected": ("decision", "approval"),
    "superseded": ("decision",),
    "proposed": ("decision",),
    "DONE": ("intent",),
    "IN_PROGRESS": ("intent",),
}
_WITH_FILES = frozenset({"change", "decision", "refusal", "violation", "lesson", "read", "command"})
# Where it may stand why something was changed.
_REASONS = ("decision", "prompt", "lesson", "change")
# A person did none of the others, or did all of them.
_BY_SOMEBODY = frozenset({"change", "decision", "command", "test"})
_HUMAN, _USER = "human", "user"
_ID = re.compile(r"[A-Za-z]{1,12}-\d+|[DLR]-[0-9a-f]{4,}|[0-9a-f]{8}-[0-9a-f-]{4,}|[0-9a-f]{7,40}")


class Term(NamedTuple):
    """A word that is looked for, by its pattern; `alike` finds what else is called so."""

    word: str
    pattern: str
    alike: str | None


class Understanding(NamedTuple):
    """What a question asks for. Empty filters let everything through; `places` are patterns of paths, by the word."""

    kinds: tuple[str, ...] = ()
    preferred: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[str, ...] = ()
    contributor: str | None = None
    agents: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    places: tuple[tuple[str, str], ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    order: str | None = None
    terms: tuple[Term, ...] = ()
    times: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    # what was taken for something, and then said nothing
    unused: tuple[str, ...] = ()


class _Found:
    """What the words of one question were taken for so far: what is said, by the word that says it."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.outcomes: dict[str, str] = {}
        self.orders: dict[str, str] = {}
        self.who: dict[str, str] = {}
        self.statuses: dict[str, str] = {}
        # what makes rows likelier: a column and its value
        self.hints: dict[str, tuple[str, str]] = {}
        self.places: list[tuple[str, str]] = []
        self.cost: list[str] = []
        self.terms: list[str] = []
        self.ignored: list[str] = []


def understand(question: str, now: datetime, known: Known) -> Understanding:
    """Return what a question asks for, at a moment, in a ledger that has these names."""
    said, found = Said(question, now, known, ()), _Found()
    behind = -1
    for at, (token, low) in enumerate(zip(said.tokens, said.low, strict=True)):
        if at == behind:
            found.ignored.append(token)
        elif at in said.places:
            found.places.append(said.places[at])
            behind = at + 1 if _is_of_place(found, said, at) else behind
        elif at not in said.names:
            _say(found, token, low)
    return _settled(found, said)


def _is_of_place(found: _Found, said: Said, at: int) -> bool:
    """Return whether the word behind a place says only what it is: `the web folder`, `python files`."""
    following = said.word(at + 1)
    if said.low[at] in words.vocabulary()["languages"] and following not in words.meanings("kinds"):
        found.kinds.setdefault("file", "change")
        return True
    return following in words.meanings("folder")


def _say(found: _Found, token: str, low: str) -> None:
    """Take a word for what the vocabulary says of it, else for one to look for."""
    outcome, kind, hint, status = (words.meanings(one).get(low) for one in ("outcomes", "kinds", "hints", "statuses"))
    order, is_cost = lexicon.degrees().get(low), lexicon.concept(low) in ("cost", "tokens")
    who = _USER if low.removesuffix("s") == _USER else lexicon.somebody(low)
    if outcome:
        found.outcomes[token] = outcome
    elif kind:
        found.kinds[token] = kind
    if order:
        found.orders[token] = order
    found.cost += [token] if is_cost else []
    if words.is_idle(low, "why"):
        found.hints[token] = ("kind", "decision")
    elif outcome or kind or order or is_cost:
        return
    elif who:
        found.who[token] = who
    elif hint:
        found.hints[token] = ("outcome", hint)
    elif status:
        found.statuses[token] = status
    else:
        (found.ignored if words.is_idle(low) or not any(map(str.isalnum, low)) else found.terms).append(token)


def _settled(found: _Found, said: Said) -> Understanding:
    """Decide what kind of thing is asked for."""
    kinds = _chosen(found)
    intents, sessions, agents, models = (
        tuple(dict.fromkeys(said.called(kind))) for kind in ("intent", "session", "agent", "model")
    )
    if kinds == ("change",) and ("kind", "decision") in found.hints.values():
        kinds = _REASONS
    if kinds == ("intent",):
        found.outcomes |= found.statuses
    outcomes = tuple(dict.fromkeys(one for one in found.outcomes.values() if set(_COMES_TO[one]) & set(kinds)))
    if intents and kinds == ("intent",):
        outcomes = ()  # whether it is done, is answered by what it is
        found.outcomes.clear()
    order = _order(found, kinds)
    happened = any(words.stem(word) == "happen" for word in found.ignored)
    if intents and not (happened or kinds or found.terms or found.places or found.who or found.hints):
        kinds = ("intent",)
    contributor = _contributor(found, kinds)
    if contributor and not kinds:
        kinds = ("change",)
    places = found.places if not kinds or _WITH_FILES & set(kinds) else []
    named = [word for word, kind in found.kinds.items() if kind in kinds and words.alike(word)]
    others = found.statuses.keys() - found.outcomes.keys() if kinds != ("intent",) else ()
    dear = found.cost if order not in (MOST, LEAST) else ()
    wanted = [*found.terms, *named, *sorted(others), *dear, *(word for word, _ in found.places if not places)]
    unused = (*_unused(found, kinds, outcomes), *(() if contributor else found.who))
    return Understanding(
        kinds=kinds,
        preferred=tuple(dict.fromkeys(found.hints.values())) if len(kinds) != 1 else (),
        outcomes=outcomes,
        contributor=contributor,
        agents=agents,
        models=models,
        intents=intents,
        sessions=sessions,
        places=tuple(places),
        since=said.since,
        until=said.until,
        order=order,
        terms=tuple(map(_term, dict.fromkeys(wanted))),
        times=said.times,
        ignored=(*found.ignored, *unused),
        unused=unused,
    )


def _unused(found: _Found, kinds: Sequence[str], outcomes: Sequence[str]) -> Iterator[str]:
    """Yield the words that were taken for something, and then said nothing."""
    yield from (word for word, kind in found.kinds.items() if kind not in kinds and word != "file")
    yield from (word for word, outcome in found.outcomes.items() if outcome not in outcomes)
    yield from (word for word, (column, _) in found.hints.items() if column == "outcome")


def _chosen(found: _Found) -> tuple[str, ...]:
    said = set(found.kinds.values())
    implied = [kind for outcome in found.outcomes.values() for kind in _COMES_TO[outcome]]
    failed = "failed" in found.outcomes.values()
    wanted = next((kind for kind in _ORDER if kind in said), None)
    if wanted == "test" and "change" in said and not failed:
        return ("change",)
    if wanted in ("test", "command") or (wanted in (None, "change") and failed):
        return ("test",) if wanted == "test" else ("command", "test")
    if wanted in (None, "change") and implied:
        return tuple(dict.fromkeys(implied)) if wanted is None or "change" in implied else ("change",)
    if wanted in (None, "session") and found.cost:
        return ("session",)
    return (wanted,) if wanted else ()


def _order(found: _Found, kinds: Sequence[str]) -> str | None:
    orders = list(found.orders.values())
    if found.cost and tuple(kinds) == ("session",):
        return LEAST if LEAST in orders else MOST
    return next((order for order in orders if order in (NEWEST, OLDEST)), None)


def _contributor(found: _Found, kinds: Sequence[str]) -> str | None:
    people = [who for who in found.who.values() if who != _USER]
    if not people or (kinds and not _BY_SOMEBODY & set(kinds)):
        return None
    return _HUMAN if _HUMAN in people else "ai"


def _term(word: str) -> Term:
    others = words.alike(word)
    pattern = re.escape(word) if is_id(word) or not words.parts(word) else words.pattern([word])
    return Term(word, pattern, words.pattern(others) if others else None)


def is_id(word: str) -> bool:
    """Return whether a word is spelled as ids are: such a one is looked for as it stands, and means nothing else."""
    return _ID.fullmatch(word) is not None
