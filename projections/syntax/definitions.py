"""What a file defines: functions, classes, headings, keys, each with its range, its name and its hashes."""

import hashlib
from typing import NamedTuple

from linetrail.projections.syntax.language import Language


class Definition(NamedTuple):
    """A named part of a file.

    Lines are counted from 1 and include the last; decorators and comments directly above belong to it. A hash is
    the first 16 hex digits of SHA-256: `raw` of the bytes, `tokens` of what is left without layout and comments,
    `body_tokens` of the same without the definition's own name. `parent` is the index of the definition around it.
    """

    kind: str
    name: str
    qualified: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    parent: int | None
    raw: str
    tokens: str
    body_tokens: str
    broken: bool


def index(language: Language, content: bytes) -> list[Definition]:
    """Return what this content defines, in the order of the text; what is broken, as far as it can be read."""
    raise NotImplementedError


def digest(data: bytes) -> str:
    """Return the hash that definitions carry."""
    return hashlib.sha256(data).hexdigest()[:16]
