"""Take words apart as people and programs write them, and say what they look like in a text.

Endings are taken off by rule, for English; what is left is looked for at the beginnings of words, also of those in the
middle of `camelCase` and `snake_case`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_ENDINGS = (
    *("izations", "ization", "isations", "isation", "ational", "ations", "ation", "encies", "ingly", "ments", "ment"),
    *("nesses", "ness", "ings", "ing", "ions", "ion", "ities", "ity", "ies", "ied", "ers", "ors", "er", "or", "ed"),
    *("ely", "ly", "es", "e", "s", "y"),
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PARTS = re.compile(r"[^\W_]+")
# Shorter stems begin too many words: of these the whole word counts.
MIN_STEM = 4


@cache
def vocabulary() -> Mapping[str, Any]:
    """Return what words mean, as words.toml has it."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@cache
def meanings(table: str) -> Mapping[str, str]:
    """Return what the words of a table mean, in each of their plain forms."""
    listed = [(word, meaning) for meaning, words in vocabulary()[table].items() for word in words]
    inflected = {form: meaning for word, meaning in listed for form in _inflected(word)}
    return inflected | dict(listed)


@cache
def stem(word: str) -> str:
    """Take the ending off a word; what is left has three letters at least.

    >>> stem("authentication"), stem("denied"), stem("deny"), stem("css"), stem("edits")
    ('authentic', 'den', 'den', 'css', 'edit')
    """
    low = word.lower().removesuffix("'s").removesuffix("\N{RIGHT SINGLE QUOTATION MARK}s")
    if low.endswith("ss"):
        return low
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= 3:
            return _undoubled(low.removesuffix(ending))
    return low


def parts(word: str) -> list[str]:
    """Take a name apart.

    >>> parts("RateLimiter"), parts("one_time_code"), parts("one-time"), parts("HTTPServer2")
    (['Rate', 'Limiter'], ['one', 'time', 'code'], ['one', 'time'], ['HTTP', 'Server2'])
    """
    return [part for piece in _PARTS.findall(word) for part in _CAMEL.split(piece)]


def pattern(phrases: Sequence[str]) -> str:
    r"""Return the expression that finds one of these in a text: at the beginning of a word, whatever its ending.

    >>> bool(re.search(pattern(["limits"]), "new RateLimiter()")), bool(re.search(pattern(["art"]), "a party"))
    (True, False)
    """
    return "|".join(dict.fromkeys(one for phrase in phrases if parts(phrase) for one in _forms(phrase)))


def alike(word: str) -> list[str]:
    """Return what else is meant by a word: the other words of its groups."""
    wanted = stem(word)
    groups = [group for group in vocabulary()["synonyms"]["groups"] if wanted in map(_stemmed, group)]
    return list(dict.fromkeys(other for group in groups for other in group if _stemmed(other) != wanted))


def _inflected(word: str) -> Iterator[str]:
    """Yield the forms of a word that mean the same: `edits`, `edited`, `editing`, `denies`, `stopped`."""
    yield from (word + ending for ending in ("s", "es", "ed", "d", "ing"))
    if word.endswith("e"):
        yield f"{word[:-1]}ing"
    elif word.endswith("y"):
        yield from (f"{word[:-1]}ies", f"{word[:-1]}ied")
    else:
        yield from (f"{word}{word[-1]}ed", f"{word}{word[-1]}ing")


def _stemmed(phrase: str) -> str:
    return stem(phrase) if " " not in phrase else phrase


def _forms(phrase: str) -> Iterator[str]:
    """Yield an expression for the beginning of a word in any case, and one for a word inside of `camelCase`."""
    *first, last = parts(phrase)
    root, tail = _last(last)
    pieces = [*(re.escape(part.lower()) for part in first), root]
    between = "[^A-Za-z0-9]{0,3}"
    yield f"(?:^|[^A-Za-z0-9])(?i:{between.join(pieces)}){tail}"
    if pieces[0][0].isalpha():
        yield f"[a-z0-9]{pieces[0][0].upper()}(?i:{between.join([pieces[0][1:], *pieces[1:]])}){tail}"


def _last(part: str) -> tuple[str, str]:
    """Return what a word begins with, and how it may end: anyhow, or in a plain way where it is short."""
    root, whole = stem(part), part.lower()
    if whole[-1].isdigit():
        return re.escape(whole), "(?:[^0-9]|$)"
    if len(root) >= MIN_STEM:
        return re.escape(root), ""
    if whole.endswith(("y", "ies", "ied")) and len(whole) > 3:
        return re.escape(root), "(?:y|ie[sd]|ying|ials?)(?:[^a-z]|$)"
    bare = whole.removesuffix("s") if len(whole) > 3 and not whole.endswith("ss") else whole
    return re.escape(bare), "(?:s|es|ed|d|ing)?(?:[^a-z]|$)"


def _undoubled(root: str) -> str:
    """Undo the doubling of the last letter before an ending: `stopped`, `running`."""
    doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "aeioulsz"
    return root[:-1] if doubled else root
