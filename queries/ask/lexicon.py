"""What the words of a question mean that asks of things, as grammar.toml and the files of things/ say it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.queries.ask import words
from linetrail.queries.ask.things import things

MOST, LEAST, NEWEST, OLDEST = "most", "least", "newest", "oldest"
# How the values of a column are meant: one of them, a part of one, a file or the end of one, a program that a
# command runs, that there is none or some, or more or less than a number.
EQUAL, PART, FILE, PROGRAM, NAMED, MISSING, GIVEN, MORE, LESS, EXACTLY = (
    *("equal", "part", "file", "program", "named", "missing", "given", "more", "less", "exactly"),
)


class Condition(NamedTuple):
    """What a column has to be."""

    column: str
    values: tuple[str, ...]
    how: str = EQUAL
    denied: bool = False
    # whether it has to be each of the values, and not only one of them
    every: bool = False


def table(name: str) -> Mapping[str, Any]:
    """Return a table of grammar.toml."""
    found: Mapping[str, Any] = tables()[name]
    return found


@cache
def plain(name: str) -> frozenset[str]:
    """Return words that stand for themselves."""
    return frozenset(table("plain")[name])


@cache
def idle() -> frozenset[str]:
    """Return the words that say nothing here, in all their forms, and those that say the shape of a question."""
    return in_all_forms(table("plain")["idle"]) | plain("shapes")


@cache
def forms(name: str) -> Mapping[str, frozenset[str]]:
    """Return what a table means by each of its words, in all their forms."""
    return {meaning: in_all_forms(some) for meaning, some in table(name).items()}


@cache
def values(thing: str) -> Mapping[str, frozenset[str]]:
    """Return the words for what the columns of a thing hold, and for when it happened, in all their forms."""
    listed = {**table("values").get(thing, {}), **table("moments")}
    return {meaning: in_all_forms(some) for meaning, some in listed.items()}


@cache
def is_value(low: str) -> bool:
    """Return whether a word stands for what a column of any thing holds."""
    return any(low in some for thing in table("values") for some in values(thing).values())


@cache
def noun(low: str) -> tuple[str | None, tuple[Condition, ...]]:
    """Return the thing that a noun means, and which of them."""
    for meaning, some in forms("nouns").items():
        if low in some:
            name, *conditions = meaning.split()
            return name, tuple(map(condition, conditions))
    return next((thing.name for thing in things().values() if low in in_all_forms(thing.words)), None), ()


@cache
def dimensions(low: str) -> tuple[str, ...]:
    """Return by what a word says that is summed up."""
    return tuple(name for name, some in forms("dimensions").items() if low in some)


@cache
def figures(low: str) -> tuple[str, ...]:
    """Return the figures that a word means."""
    return tuple(name for name, some in forms("figures").items() if low in some)


@cache
def degrees() -> Mapping[str, str]:
    """Return in which order each word puts what is asked for."""
    return {word: degree for degree, some in table("degrees").items() for word in some}


@cache
def plain_degrees() -> frozenset[str]:
    """Return the concepts of the words for an order that name no figure: `most`, and not `longest`."""
    named = [set(some) for rank, some in table("ranks").items() if table("rank_figures")[rank]]
    return frozenset(concept(low) for low in degrees() if not any(low in some for some in named))


@cache
def somebody(low: str) -> str | None:
    """Return whether a word stands for people or for agents, as `contributor` has it."""
    return next((kind for kind, some in table("contributors").items() if low in some), None)


@cache
def counts() -> frozenset[str]:
    """Return the words that say that something is to be counted or summed up."""
    return plain("many") | plain("share") | plain("total") | {"much"}


@cache
def concept(low: str) -> str:
    """Return the one word that stands for all that mean the same where a question of the list is looked for.

    >>> concept("denied") == concept("blocks"), concept("heeded") == concept("obey"), concept("unicorns")
    (True, True, 'unicorn')
    """
    meant = (words.meanings(name).get(low) for name in ("concepts", "outcomes", "kinds"))
    return next(filter(None, (somebody(low), *meant)), words.stem(low))


@cache
def is_known(low: str) -> bool:
    """Return whether a word says what is asked for, or nothing."""
    if words.is_idle(low) or low in idle() or low in degrees() or not re.search(r"[^\W\d]", low):
        return True
    ranks = any(low in some for some in table("ranks").values())
    meant = any(low in words.meanings(name) for name in ("outcomes", "kinds"))
    return meant or ranks or is_common(low) or bool(somebody(low) or figures(low) or dimensions(low))


@cache
def is_filler(low: str) -> bool:
    """Return whether a word says nothing by itself."""
    return words.is_idle(low) or low in idle() or not re.search(r"[^\W_]", low)


@cache
def is_common(low: str) -> bool:
    """Return whether a word is a noun or a verb of the grammar, and so a value only where it is spelled as one."""
    return noun(low)[0] is not None or any(low in some for some in forms("verbs").values())


def in_all_forms(some: Iterable[str]) -> frozenset[str]:
    """Return words with their plain endings."""
    return frozenset(form for word in some for form in (word, *words.inflected(word)))


def condition(text: str) -> Condition:
    """Read a condition of the grammar.

    >>> condition("status=deny")
    Condition(column='status', values=('deny',), how='equal', denied=False, every=False)
    """
    column, _, value = text.partition("=")
    return Condition(column, (value,))


def letters(text: str) -> str:
    """Return a text without what is neither letter nor digit.

    >>> letters("OUT_OF_SCOPE")
    'outofscope'
    """
    return re.sub(r"[\W_]", "", text.lower())


@cache
def tables() -> Mapping[str, Any]:
    """Return all of grammar.toml, with what the files of things say: the words for them, and for what they hold."""
    said = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text("utf-8"))
    some = [things()[name] for name in said["listed"]["order"]]
    said["nouns"] = {f"{one.name} {held}": words for one in some for held, words in one.nouns.items()}
    said["verbs"] = {one.name: one.verbs for one in some if one.verbs}
    said["values"] = {one.name: one.values for one in some}
    return said
