"""Reduce a file's bytes to its tokens: what is left when layout and comments are gone.

White space is dropped, save where it tells two tokens apart: between two words, and where the language says that it
counts. This is done to the whole text at once and keeps every offset: a loop over the nodes of a tree costs more than
parsing it.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

from linetrail.projections.syntax.language import Language
from linetrail.projections.syntax.outline import Draft, Span

_SPACE = b" \t\n\r\f\v"
# White space that counts becomes bytes that no UTF-8 text has, and so do a part's end and a definition's name.
_KEEP = bytes.maketrans(_SPACE, b"\xf8\xf9\xfa\xfb\xfc\xfd")
_SPACE_COUNTS, _LINE_COUNTS, _PART, _NAME = b"\xf8", b"\xfa", b"\xfe", b"\xff"
_DROPPED = _SPACE + b"\0"
_WORDS = bytes(byte if byte > 0x7F or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
_TRAILING = re.compile(rb"(?<![ \t\r\n])[ \t\r]++(?=\n)")

_CLOSE, _OPEN, _CALL = range(3)


def digest(data: bytes) -> str:
    """Return the first 16 hex digits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def masked(language: Language, content: bytes, comments: Iterable[Span], verbatim: Iterable[Span]) -> bytes:
    """Return the content with blanks for its comments, and other bytes for the white space that counts."""
    text = bytearray(content)
    for start, end in comments:
        ends_line = b"\n" in text[start : end + 2]
        text[start:end] = (b"\n" if ends_line else b" ") * (end - start)
    for start, end in verbatim:
        # A line end is the same line end, however it is spelt.
        text[start:end] = text[start:end].replace(b"\r\n", b"\0\n").translate(_KEEP)
    if language.lines:
        # Blanks before a line end belong to it.
        text = _TRAILING.sub(lambda blanks: b"\n" * len(blanks[0]), text)
        text = language.lines.sub(_LINE_COUNTS, text)
    if language.space:
        text = language.space.sub(_SPACE_COUNTS, text)
    return bytes(text)


def hashes(text: bytes, drafts: Sequence[Draft], parts: Iterable[Span]) -> list[tuple[str, str]]:
    """Return the hash of each definition with its name and without.

    Inside of another definition stands the hash in place of the text, so that each byte is read once.
    """
    found = [("", "")] * len(drafts)
    pieces: list[list[bytes]] = [[]]
    at = 0
    for place, what, _, _, number in _cuts(drafts, parts):
        if at < place:
            pieces[-1].append(text[at:place])
            at = place
        if number < 0:
            pieces[-1].append(_PART)
        elif what == _OPEN:
            pieces.append([])
        elif what == _CALL:
            pieces[-1].append(_NAME)
            at = drafts[number].name[1]
        else:
            start, end = drafts[number].name
            body = digest(_canonical(b"".join(pieces.pop())))
            tokens = digest(b"%b\0%b" % (text[start:end], body.encode()))
            found[number] = tokens, body
            pieces[-1].append(b"\0%b\0" % tokens.encode())
    return found


def _cuts(drafts: Sequence[Draft], parts: Iterable[Span]) -> list[tuple[int, int, int, bool, int]]:
    """Return where something begins or ends; what ends in one place does so from the inside."""
    cuts = [(end, _CLOSE, -start, True, -1) for start, end in parts]
    for number, draft in enumerate(drafts):
        cuts.append((draft.end, _CLOSE, -draft.node[0], False, number))
        cuts.append((draft.start, _OPEN, -draft.end, False, number))
        if draft.name[0] < draft.name[1]:
            cuts.append((draft.name[0], _CALL, 0, False, number))
    cuts.sort()
    return cuts


def _canonical(text: bytes) -> bytes:
    """Return the same bytes for masked texts of the same tokens: the text without white space, then its words."""
    return text.translate(None, _DROPPED) + b"\0" + b" ".join(text.translate(_WORDS).split())
