"""Take words apart as people and programs write them, and say what they look like in a text.

Endings are taken off, for English; what is left is looked for at the beginnings of words, also of those in the
middle of `camelCase` and `snake_case`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
# British spellings, of which the stemmer knows the American ones.
_BRITISH = re.compile(r"is(?=(?:e[sdr]?|ing|ations?|ers)$)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PARTS = re.compile(r"[^\W_]+")
# Shorter stems begin too many words: of these the whole word counts.
MIN_STEM = 4
# A word that is no part of a name, a path or a call.
_WORD = re.compile(r"(?<![\w./@-])[A-Za-z]+(?:-[A-Za-z]+)*(?![\w/@(-]|\.\w)")


@cache
def vocabulary() -> Mapping[str, Any]:
    """Return what words mean, as words.toml has it."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@cache
def meanings(table: str) -> Mapping[str, str]:
    """Return what the words of a table mean, in each of their plain forms."""
    listed = [(word, meaning) for meaning, words in vocabulary()[table].items() for word in words]
    forms = {form: meaning for word, meaning in listed for form in inflected(word)}
    return forms | dict(listed)


@cache
def is_idle(word: str, table: str = "ignored") -> bool:
    """Return whether a word, or the form that `gets` is of `get`, says nothing."""
    return word in _idle(table)


@cache
def stem(word: str) -> str:
    """Return what the forms of a word have in common, as Porter's second stemmer has it.

    >>> stem("authentication"), stem("denied"), stem("deny"), stem("css"), stem("refactoring"), stem("refactor")
    ('authent', 'deni', 'deni', 'css', 'refactor', 'refactor')
    """
    low = word.lower().removesuffix("'s").removesuffix("\N{RIGHT SINGLE QUOTATION MARK}s")
    return str(_STEMMER.stemWord(_BRITISH.sub("iz", low)))


def phrased(text: str) -> str:
    """Put the word that is known in the place of those that mean it, and two where a hyphen ties one on.

    >>> phrased("authentication-related edits by hand"), phrased("one-time codes"), phrased("tickets about tickets")
    ('authentication related edits manually', 'one-time codes', 'intents about tickets')
    """
    text = re.sub(r"(?<!\S)--(\w[\w-]*)", lambda found: found[1].replace("-", " "), text)
    for phrase, word in vocabulary()["phrases"].items():
        text = re.sub(rf"\b{phrase}\b", word, text, flags=re.IGNORECASE)
    text = _WORD.sub(_known, text)
    tied = "|".join(vocabulary()["hyphened"]["words"])
    return re.sub(rf"(?<=\w)-(?={tied}\b)", " ", text, flags=re.IGNORECASE)


def _known(found: re.Match[str]) -> str:
    """Return the word that stands for one in the thesaurus, unless it is a name or quoted."""
    before = found.string[: found.start()].lower().split()[-1:]
    is_quoted = before and (found[0].istitle() or before[0] in vocabulary()["quoting"]["words"])
    return found[0] if is_quoted else _thesaurus().get(found[0].lower(), found[0])


@cache
def _thesaurus() -> Mapping[str, str]:
    """Return each form of the words that mean others, with the same form of those."""
    pairs = [(one, word) for word, some in vocabulary()["thesaurus"].items() for one in some]
    return {mine: its for one, word in pairs for mine, its in zip(_forms_of(one), _forms_of(word), strict=True)}


def _forms_of(word: str) -> tuple[str, ...]:
    """Return a word, several of it, what was done and what is being done.

    >>> _forms_of("erase"), _forms_of("deny")
    (('erase', 'erases', 'erased', 'erasing'), ('deny', 'denies', 'denied', 'denying'))
    """
    root = f"{word[:-1]}i" if word.endswith("y") and not word.endswith("ay") else word
    return (
        word,
        f"{root}es" if root != word else f"{word}s",
        f"{root.removesuffix('e')}ed",
        f"{word.removesuffix('e')}ing",
    )


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


@cache
def _idle(table: str) -> frozenset[str]:
    listed = vocabulary()[table]["words"]
    return frozenset(form for word in listed for form in (word, *(inflected(word) if len(word) > 2 else ())))


def inflected(word: str) -> Iterator[str]:
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
        spelled = re.escape(root).removesuffix("i") + "[iy]" if root.endswith("i") else re.escape(root)
        return re.sub("iz$", "i[sz]", spelled), ""
    if whole.endswith(("y", "ies", "ied")) and len(whole) > 3:
        return re.escape(root.removesuffix("i").removesuffix("y")), "(?:y|ie[sd]|ying|ials?)(?:[^a-z]|$)"
    bare = whole.removesuffix("s") if len(whole) > 3 and not whole.endswith("ss") else whole
    return re.escape(bare), "(?:s|es|ed|d|ing)?(?:[^a-z]|$)"
