"""Change single values in JSON text and leave every other byte as it is."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from linetrail.ledger.redact.redactor import mark_in, scrub

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]|[^\s\[\]{}:,"]+', re.DOTALL)
_COLON = re.compile(r"\s*+:")
_LITERALS = frozenset({"true", "false", "null"})
_PASSES = 4
# What would end a text in quotes early, when its name and it are searched together.
_ENDS = re.compile(r"['\"\n]")


class Token(NamedTuple):
    """A text, a literal or a bracket; `name` is that of the nearest member that it stands in, or is.

    `depth` counts the lists and objects around it; of a bracket, those around what it opens or closes.
    """

    start: int
    end: int
    word: str
    name: str
    is_name: bool
    depth: int

    @property
    def is_text(self) -> bool:
        """Return whether this is a text, or a name."""
        return self.word[0] == '"'


class Edit(NamedTuple):
    """What is to stand in the place of a stretch of text."""

    start: int
    end: int
    text: str


def is_json(text: str, *, strict: bool = False) -> bool:
    """Return whether this is one JSON value; `strict` takes no name that occurs twice in an object."""
    try:
        json.loads(text.removeprefix("\ufeff"), object_pairs_hook=unique_keys if strict else None)
    except (ValueError, RecursionError):
        return False
    return True


def tokens(text: str) -> Iterator[Token]:
    """Yield what valid JSON is made of, but for colons and commas, in order."""
    name = ""
    around: list[str] = []
    for found in _TOKEN.finditer(text):
        word = found[0]
        is_name = word[0] == '"' and _COLON.match(text, found.end()) is not None
        if is_name:
            name = json.loads(word)
        elif word in ("]", "}"):
            name = around.pop()
        yield Token(found.start(), found.end(), word, name, is_name, len(around))
        if word in ("[", "{"):
            around.append(name)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with each of these edits, which come in order, made."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def scrub_json(text: str) -> str:
    r"""Take secrets out of JSON so that it is JSON still; any other text is redacted as text.

    >>> scrub_json('{"PASS:": null, "password": "abcdef\\"ghi"}')
    '{"PASS:": null, "password": "[redacted:assignment]"}'
    """
    # What was not told apart from its surroundings at first may be afterwards.
    for _ in range(_PASSES):
        found = _scrubbed(text)
        if found == text:
            break
        text = found
    return text


def _scrubbed(text: str) -> str:
    clean = scrub(text)
    if clean == text and "\\u" not in text and "\\/" not in text:
        return text
    if not is_json(text, strict=True):
        return clean
    alike = is_json(clean, strict=True) and _outline(clean) == _outline(text)
    base = clean if alike else text
    return edited(base, _marks(base))


def _marks(text: str) -> Iterator[Edit]:
    """Yield the edits that take secrets out, one value and one name after another."""
    times: Counter[str] = Counter()
    for token in tokens(text):
        if not token.is_text:
            if token.word not in _LITERALS and token.word not in "[]{}":
                mark = mark_in(f'"{token.name}": ', token.word)
                if mark is not None:
                    yield Edit(token.start, token.end, json.dumps(mark))
            continue
        said = json.loads(token.word)
        clean = scrub(said) if token.is_name else _clean(token.name, said)
        if token.is_name and clean != said:
            times[clean] += 1
            # Two secrets may have one mark, and a name must not occur twice.
            clean = clean if times[clean] == 1 else f"{clean} {times[clean]}"
        if clean != said:
            # A text without escapes is made of what the text around it can be encoded with.
            yield Edit(token.start, token.end, json.dumps(clean, ensure_ascii="\\u" in token.word))


def _clean(name: str, value: str) -> str:
    clean = scrub(value)
    # By its name all of it is secret, whatever quotes are in it.
    return mark_in(f'"{name}": "', _ENDS.sub("x", clean), '"') or clean


def _outline(text: str) -> list[str]:
    """Return everything but what texts say."""
    return ['"' if token.is_text else token.word for token in tokens(text)]


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object that these pairs are; ValueError where a key occurs twice."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key occurs twice")
    return fields
