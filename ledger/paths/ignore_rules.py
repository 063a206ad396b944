"""Read patterns the way git reads those of `.gitignore`: byte for byte, its odd corners included.

Git's rules are not those of a scope (`globs.py`): a pattern without a slash matches at any depth, the last pattern
wins, ``!`` takes back. What is not odd in them is in gitignore(5); what is odd is said here where it is done. Texts
are bytes as Latin-1, since git compares bytes: ``?`` is one of the two bytes of an ``é``.
"""

from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.paths.globs import DEEP, MOST_TOKENS, ONE, REST, STAR, Chars, Token, TooComplexError

_BOM = b"\xef\xbb\xbf"
_SPECIAL = "*?[\\"
_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CLASSES = {
    "alnum": _LOWER + _UPPER + _DIGITS,
    "alpha": _LOWER + _UPPER,
    "blank": " \t",
    "cntrl": "".join(map(chr, range(32))) + "\x7f",
    "digit": _DIGITS,
    "graph": _LOWER + _UPPER + _DIGITS + _PUNCTUATION,
    "lower": _LOWER,
    "print": _LOWER + _UPPER + _DIGITS + _PUNCTUATION + " ",
    "punct": _PUNCTUATION,
    "space": " \t\n\r",
    "upper": _UPPER,
    "xdigit": _DIGITS + "abcdefABCDEF",
}


class NoMatchError(ValueError):
    """A pattern that git reads, and that matches nothing."""


class Rule(NamedTuple):
    """One pattern as git would print it, and where it stands."""

    line_no: int
    pattern: str
    negated: bool
    # only folders match
    folder: bool
    tokens: tuple[Token, ...]


def rules(content: bytes) -> Iterator[Rule]:
    """Yield the patterns of a file that can match anything."""
    for at, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        text = line.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1")
        if not text or text.startswith("#"):
            continue
        if len(text) > MOST_TOKENS:
            raise TooComplexError(f"line {at} is longer than {MOST_TOKENS} bytes")
        try:
            yield _rule(at, _without_trailing_spaces(text))
        except NoMatchError:
            continue


def _without_trailing_spaces(text: str) -> str:
    """Take spaces off the end; one behind a backslash stays, as does what follows a backslash at the very end."""
    spaces_from = None
    at = 0
    while at < len(text):
        if text[at] == " ":
            spaces_from = at if spaces_from is None else spaces_from
        else:
            spaces_from = None
            if text[at] == "\\":
                at += 1
                if at == len(text):
                    return text
        at += 1
    return text if spaces_from is None else text[:spaces_from]


def _rule(line_no: int, text: str) -> Rule:
    negated = text.startswith("!")
    body = text[negated:]
    folder = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        raise NoMatchError
    tokens = _of_path(body) if "/" in body else [DEEP, *_wild(body, of_path=False)]
    return Rule(line_no, text.encode("latin-1").decode(errors="surrogateescape"), negated, folder, tuple(tokens))


def _of_path(body: str) -> list[Token]:
    """Read a pattern that is held against the whole path.

    Git compares what stands before the first special character on its own, and begins to read patterns only there: the
    two stars in `a/b**/c` stand at a beginning for it, and cross folders.
    """
    literal = min((at for at in map(body.find, _SPECIAL) if at != -1), default=len(body))
    return [*body[:literal].removeprefix("/"), *_wild(body[literal:], of_path=True)]


def _wild(text: str, *, of_path: bool) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
            tokens.append(_char(text, at))
        elif char == "?":
            tokens.append(ONE)
        elif char == "[":
            chars, at = _set(text, at + 1)
            tokens.append(chars)
        elif char == "*":
            token, at = _stars(text, at, of_path=of_path)
            if not (tokens and token == tokens[-1]):
                tokens.append(token)
            continue
        else:
            tokens.append(char)
        at += 1
    return tokens


def _stars(text: str, first: int, *, of_path: bool) -> tuple[int, int]:
    """Return what a row of stars means, and where the pattern goes on."""
    end = first
    while text[end : end + 1] == "*":
        end += 1
    alone = first == 0 or text[first - 1] == "/"
    if not (of_path and end - first > 1 and alone):
        return STAR, end
    if text[end : end + 1] == "/":
        return DEEP, end + 1
    # Before an escaped slash git does not try to pass over no folder at all.
    return (REST if end == len(text) or text[end : end + 2] == "\\/" else STAR), end


def _set(text: str, at: int) -> tuple[Chars, int]:
    """Return the characters of a set and where its closing bracket is."""
    negated = text[at : at + 1] in {"!", "^"}
    at += negated
    singles, ranges = "", []
    before = ""
    while True:
        char = _char(text, at)
        if char == "\\":
            at += 1
            before = _char(text, at)
            singles += before
        elif char == "-" and before and text[at + 1 : at + 2] not in {"", "]"}:
            at += 1
            if text[at] == "\\":
                at += 1
            ranges.append((before, _char(text, at)))
            before = ""
        elif char == "[" and text[at + 1 : at + 2] == ":":
            end = text.find("]", at + 2)
            if end == -1:
                raise NoMatchError
            if end > at + 2 and text[end - 1] == ":":
                singles += _named(text[at + 2 : end - 1])
                before, at = "", end
            else:
                before = "["
                singles += before
        else:
            before = char
            singles += before
        at += 1
        if _char(text, at) == "]":
            return Chars(negated, singles, tuple(ranges)), at


def _named(name: str) -> str:
    if name not in _CLASSES:
        raise NoMatchError
    return _CLASSES[name]


def _char(text: str, at: int) -> str:
    if at >= len(text):
        raise NoMatchError
    return text[at]
