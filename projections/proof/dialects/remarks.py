"""What a file says besides its code: comments for people, and directives that tools obey."""

import re
from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.terms.term import Term

# Terms that hold remarks while a file is lowered. A directive stays in the code, where it stands; a comment does not.
COMMENT: Final = "comment"
DIRECTIVE: Final = "directive"
# A comment that the code can see: documentation inside the arguments of a macro.
CODE: Final = "remark"

_OPENING: Final = re.compile(r"/\*[*!]?|//[/!]?|--|<!--|#")
_MARGIN: Final = re.compile(r"\n[ \t]*\*+(?!/)|\*+/$|-->$")


class Remarks:
    """The remarks of a file, in order; comments with no code between them are one."""

    def __init__(self) -> None:
        self.found: list[Term] = []
        self._open = False

    def comment(self, text: str, node: Node) -> None:
        """Note a comment."""
        mark, words = _read(text)
        last = self.found[-1] if self._open and self.found else None
        if last is not None and last.kind == COMMENT and str(last.value).split(" ", 1)[0] == mark:
            self.found[-1] = last.but(value=f"{last.value} {words}".rstrip())
        else:
            self.found.append(Term(COMMENT, f"{mark} {words}".rstrip(), line=node.start_point.row + 1))
        self._open = True

    def directive(self, text: str, node: Node) -> None:
        """Note a directive."""
        self.found.append(Term(DIRECTIVE, text.rstrip().replace("\r\n", "\n"), line=node.start_point.row + 1))

    def interrupt(self) -> None:
        """End the current comment, as code follows it."""
        self._open = False

    def recall(self, remarks: Sequence[Term]) -> None:
        """Note the remarks of a stretch of code that was read before."""
        self.found += remarks
        self._open = False

    def texts(self, kind: str) -> list[str]:
        """Return the texts of the remarks of a kind."""
        return [str(remark.value) for remark in self.found if remark.kind == kind]


def _read(text: str) -> tuple[str, str]:
    r"""Return the sign that opens a comment, and its words: where its lines break says nothing.

    >>> _read("/* some\n * words */")
    ('/*', 'some words')
    """
    opening = _OPENING.match(text)
    mark = opening.group() if opening else ""
    return mark, " ".join(_MARGIN.sub("\n", text[len(mark) :].rstrip()).split())
