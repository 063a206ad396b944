"""Decide what of a note's text the ledger keeps: all of it but conversations and secrets.

git-ai wrote whole conversations into its notes until version 1.3.4, in `messages` in every version of the format, and
what its tools were given is in them: the contents of files. Their places are left empty, so that a note stays one. Of
a note that cannot be read it is not known where a conversation ends, so nothing behind its beginning is kept.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.files import git_blob
from linetrail.ledger.redact.redactor import excerpt, scrub
from linetrail.queries.importers.notes.authorship import Note, NoteError, read
from linetrail.queries.importers.older.json_text import Edit, Token, edited, is_json, scrub_json, tokens
from linetrail.queries.importers.older.pieces import LATIN_1

CONVERSATION = "messages"
# What the format has names for and is no conversation.
_KNOWN = frozenset(
    {"schema_version", "git_ai_version", "base_commit_sha", "tool", "id", "model"}
    | {"human_author", "author", "messages_url"}
)
# A longer text of another name is no excerpt.
_MAX_TEXT = 300
_MAX_NAME = 120
_DIVIDER = re.compile(r"^---\r?(?:\n|\Z)", re.MULTILINE)
# Where a conversation begins in what is no JSON, unless it is empty; a name that is escaped may be its name.
_BEGINS = re.compile(
    r'"(?:messages|[^"\n]{0,200}\\u[0-9a-f]{4}[^"\n]{0,200})"\s*+(?::(?!\s*+(?:\[\s*\]|\{\s*\}|""|null|[-0-9tf]))|\Z)',
    re.IGNORECASE,
)
# What is inside of one.
_WITHIN = re.compile(r'"(?:text|input|content)"\s*+:\s*+["{\[]', re.IGNORECASE)


class Kept(NamedTuple):
    """What of a note is kept and what all of it says; `reason` is why it says nothing.

    `encoding` is None for UTF-8, `left_out` names the fields whose values were left out.
    """

    text: str
    encoding: str | None
    note: Note | None
    reason: str | None
    left_out: list[str]
    redacted: bool

    @property
    def blob(self) -> str:
        """Return the git object id of the text that is kept."""
        return git_blob(self.text.encode(self.encoding or "utf-8"))


def kept(content: bytes) -> Kept:
    """Read a note and take out what the ledger must not hold; the same bytes always leave the same text."""
    text, encoding = _decoded(content)
    note, reason = _read(text) if encoding is None else (None, "not UTF-8")
    short, names = _abridged(text)
    clean = _scrubbed(short)
    return Kept(clean, encoding, note, reason, names, redacted=clean != short)


def _abridged(text: str) -> tuple[str, list[str]]:
    """Return the text without conversations, and the names of what was left out."""
    divider = _DIVIDER.search(text)
    start = divider.end() if divider else 0
    below = text[start:]
    if is_json(below):
        found = list(_conversations(below))
        names = sorted({excerpt(token.name, _MAX_NAME) for token, _ in found})
        return text[:start] + edited(below, (edit for _, edit in found)), names
    return _torn(text, start)


def _torn(text: str, start: int) -> tuple[str, list[str]]:
    """Return a text that cannot be read up to its first conversation; nothing, where that has begun before."""
    begins, within = _BEGINS.search(text), _WITHIN.search(text)
    if begins is None and within is None:
        return text, []
    place = begins.start() if begins else len(text)
    whole = start <= place and (within is None or place < within.start()) and (start > 0 or text[:1] == "{")
    return text[:place] if whole else "", [CONVERSATION]


def _conversations(text: str) -> Iterator[tuple[Token, Edit]]:
    """Yield each conversation, and each long text that the format has no name for, with what to write there."""
    opened: Token | None = None
    said = False
    for token in tokens(text):
        if opened is not None:
            if token.depth > opened.depth:
                said = True
                continue
            if said:
                yield opened, Edit(opened.start, token.end, opened.word + token.word)
            opened = None
        elif token.is_name:
            continue
        elif token.word in ("[", "{"):
            if token.name.casefold() == CONVERSATION:
                opened, said = token, False
        elif token.is_text and len(token.word) > 2 and _is_left_out(token):
            yield token, Edit(token.start, token.end, '""')


def _is_left_out(token: Token) -> bool:
    return token.name.casefold() == CONVERSATION or (len(token.word) > _MAX_TEXT + 2 and token.name not in _KNOWN)


def _scrubbed(text: str) -> str:
    """Take secrets out of both parts of a note, and leave the line between them alone."""
    divider = _DIVIDER.search(text)
    if divider is None:
        return scrub_json(text)
    return scrub(text[: divider.start()]) + divider[0] + scrub_json(text[divider.end() :])


def _decoded(content: bytes) -> tuple[str, str | None]:
    try:
        return content.decode(), None
    except UnicodeDecodeError:
        return content.decode(LATIN_1), LATIN_1


def _read(text: str) -> tuple[Note | None, str | None]:
    try:
        return read(text), None
    except NoteError as error:
        return None, str(error)
