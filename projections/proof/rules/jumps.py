"""Find where a path through statements ends."""

from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_JUMPS: Final = frozenset((t.RETURN, t.THROW, t.BREAK, t.CONTINUE))


def leaves(statement: Term) -> bool:
    """Return whether what stands after a statement is never reached from it."""
    kind = statement.kind
    if kind in _JUMPS:
        return True
    if kind == t.BLOCK:
        return any(map(leaves, statement.kids))
    if kind == t.CATCH:
        return leaves(statement.kids[-1])
    if kind == t.IF:
        return leaves(statement.kids[1]) and leaves(statement.kids[2])
    if kind == t.TRY:
        body, *catches, otherwise, last = statement.kids
        if leaves(last):
            return True
        return all(map(leaves, catches)) and (leaves(body) or leaves(otherwise))
    return False
