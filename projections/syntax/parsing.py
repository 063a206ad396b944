"""Parse a file's bytes with the grammar of its language, within a deadline.

Grammars are tables somebody else wrote, and some of them take for ever on hostile input. Bytes that are no UTF-8
are parsed as they are: the grammar sees an error where it cannot read them.
"""

import time
from typing import TYPE_CHECKING

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.syntax.language import Language

if TYPE_CHECKING:
    import tree_sitter

SECONDS = 2.0


class UnparsableError(LinetrailError):
    """The content is no text that a grammar could read."""


class TooSlowError(UnparsableError):
    """The grammar did not come to an end in time."""


def parse(language: Language, content: bytes, *, seconds: float = SECONDS) -> "tree_sitter.Tree":
    """Return the tree of this content, with error nodes where it is broken."""
    import tree_sitter

    view = memoryview(content)
    end = time.monotonic() + seconds
    try:
        return tree_sitter.Parser(language.load()).parse(
            lambda at, _: bytes(view[at:]), progress_callback=lambda _at, _broken: time.monotonic() > end
        )
    except ValueError:
        raise TooSlowError(f"{language.name} of {len(content)} bytes took longer than {seconds:g} s to parse") from None
