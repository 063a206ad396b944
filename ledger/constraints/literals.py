"""Texts that code may not hold, or must: literal text with `*` for anything on the line, never a regular expression.

A rule is often written as a sentence. "No console.log in production code" names a text, and is read as if it had been
given with `forbid`; a sentence that names none is for people.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

# Where code is that nobody delivers.
TESTS = (
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/*.test.*",
    "**/*.spec.*",
    "**/test_*",
    "**/*_test.*",
    "**/*Test.*",
    "**/*Tests.*",
    "**/conftest.py",
)
MAX_PATTERN = 1000
_QUOTES = {"`": "`", '"': '"', "'": "'", "\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}"}
_FORBIDDING = {"no", "never", "avoid", "don't", "dont", "forbid", "ban", "disallow", "without"}
_FORBIDDING_PAIRS = {("do", "not"), ("must", "not"), ("should", "not"), ("may", "not")}
_ASKING = {"Use", "Only", "Always", "All", "Every", "Each", "Prefer", "Must", "Should", "Ensure", "Keep", "Require"}
_END = ".,;:!?"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_ABBREVIATIONS = {"e.g", "i.e", "node.js", "vue.js", "next.js"}
_JOINTS = re.compile(r"\.|::|->")


class Pattern(NamedTuple):
    """A pattern, ready to be looked for: its parts in order, and whether it begins and ends at the borders of words."""

    text: str
    parts: tuple[str, ...]
    whole_words: bool = False


class Sentence(NamedTuple):
    """What a sentence says: the texts it forbids, none where it names none, and whether tests may hold them."""

    forbids: tuple[str, ...]
    outside_tests: bool


def compiled(text: str, *, whole_words: bool = False) -> Pattern:
    r"""Return a pattern; `\*` is an asterisk, and white space stands for any run of it.

    >>> compiled("import  * from"), compiled(r"a \* b").parts
    (Pattern(text='import  * from', parts=('import ', ' from'), whole_words=False), ('a * b',))
    """
    parts = [[""]]
    signs = iter(" ".join(text.split()))
    for sign in signs:
        if sign == "*":
            parts.append([""])
        else:
            parts[-1].append(next(signs, "\\") if sign == "\\" and text.count("\\*") else sign)
    return Pattern(text, tuple(part for part in map("".join, parts) if part), whole_words)


def found(pattern: Pattern, line: str) -> bool:
    """Return whether a line holds a pattern, in one pass over it; its white space is folded already."""
    if not pattern.parts:
        return False
    first, *rest = pattern.parts
    whole = pattern.whole_words
    for at in _places(first, line) if whole else (line.find(first),):
        if at < 0 or (whole and not _begins(line, at)):
            continue
        if not rest:
            if not whole or _ends(line, at + len(first)):
                return True
            continue
        # What holds from the first place on holds from none that is behind it, either.
        return _follow(rest, line, at + len(first), whole=whole)
    return False


def folded(line: str) -> str:
    """Return a line with every run of white space as one space, and none around it."""
    return " ".join(line.split())


def added(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines, counted from 1 and folded, that are new in `after`: one that only moved is none of them."""
    begin = 0
    while begin < min(len(before), len(after)) and before[begin] == after[begin]:
        begin += 1
    end = 0
    while end < min(len(before), len(after)) - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    known: dict[str, int] = {}
    for line in map(folded, before[begin : len(before) - end]):
        known[line] = known.get(line, 0) + 1
    for at, line in enumerate(map(folded, after[begin : len(after) - end]), begin + 1):
        if known.get(line):
            known[line] -= 1
        else:
            yield at, line


def sentence(text: str, more: str = "") -> Sentence | None:
    """Read a text as a sentence about code; None when it is code itself. `more` is said elsewhere about the same.

    >>> sentence("No console.log in production code")
    Sentence(forbids=('console.log',), outside_tests=True)
    >>> sentence("No magic numbers, please").forbids, sentence("eval(")
    ((), None)
    """
    words = text.split()
    if len(words) < 2:
        return None
    lower = [word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'") for word in words]
    forbidding = lower[0] in _FORBIDDING or any(pair in _FORBIDDING_PAIRS for pair in pairwise(lower))
    if not forbidding and (len(words) < 3 or words[0] not in _ASKING):
        return None
    said = f"{text} {more}".lower()
    outside = any(
        word in said for word in ("production", "outside test", "outside of test", "except in test", "non-test")
    )
    names = _quoted(text) or list(dict.fromkeys(_called(bare) for bare in map(_bare, words) if _is_code(bare)))
    # Of several, one may be what is to be used instead.
    return Sentence(tuple(names) if forbidding and len(names) == 1 else (), outside)


def _quoted(text: str) -> list[str]:
    """Return the texts in quotation marks; an apostrophe within a word is none."""
    quoted: list[str] = []
    at = 0
    while at < len(text):
        closing = _QUOTES.get(text[at])
        alone = at == 0 or not text[at - 1].isalnum()
        end = text.find(closing, at + 1) if closing and alone else -1
        if end > at + 1:
            quoted.append(_called(text[at + 1 : end]))
        at = end + 1 if end >= 0 else at + 1
    return list(dict.fromkeys(quoted))


def _bare(word: str) -> str:
    """Return a word without the punctuation of the sentence around it."""
    word = word.rstrip(_END)
    if word[:1] in _PAIRS.values():
        word = word[1:]
    while word and word[-1] in _PAIRS and _PAIRS[word[-1]] not in word:
        word = word[:-1].rstrip(_END)
    return word


def _is_code(word: str) -> bool:
    """Return whether a word is a name or a call that no prose has: `a.b`, `a_b`, `aB`, `a()`, `@a-b`."""
    name = word.removesuffix("()").removesuffix("(")
    if not name or word.lower() in _ABBREVIATIONS:
        return False
    if name[0] in "@$":
        return name[1:].replace("-", "_").isidentifier()
    parts = _JOINTS.split(name)
    if not all(part.isidentifier() for part in parts):
        return False
    camel = name[0].islower() and name != name.lower()
    return len(parts) > 1 or name != word or "_" in name or camel


def _called(name: str) -> str:
    """Return a name as a call begins: `eval()` forbids `eval(`."""
    return name.removesuffix(")") if name.endswith("()") else name


def _follow(parts: Sequence[str], line: str, at: int, *, whole: bool) -> bool:
    """Return whether these parts come one after the other from a place on."""
    for part in parts[:-1]:
        at = line.find(part, at)
        if at < 0:
            return False
        at += len(part)
    last = parts[-1]
    return any(not whole or _ends(line, place + len(last)) for place in _places(last, line, at))


def _places(part: str, line: str, at: int = 0) -> Iterator[int]:
    at = line.find(part, at)
    while at >= 0:
        yield at
        at = line.find(part, at + 1)


def _begins(line: str, at: int) -> bool:
    return at == 0 or not (_is_word(line[at]) and _is_word(line[at - 1]))


def _ends(line: str, end: int) -> bool:
    return end == len(line) or not (_is_word(line[end - 1]) and _is_word(line[end]))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in "_$"
