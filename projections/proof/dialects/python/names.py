"""The names that Python and its library bring along, and what is known of them: see python.toml."""

from typing import Final

from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_TABLE: Final = table("python")
BUILTINS: Final = _TABLE.builtins
PURE_CALLS: Final = _TABLE.words["pure_calls"]
QUIET_DECORATORS: Final = _TABLE.words["quiet_decorators"]
BLIND_DECORATORS: Final = _TABLE.words["blind_decorators"]
INTROSPECTION: Final = _TABLE.words["introspection"]
OF_ITSELF: Final = _TABLE.words["of_itself"]


def last_name(decorator: Term) -> str:
    """Return what a decorator is called, without the module it is from."""
    called = decorator.kids[0] if decorator.kind == t.CALL else decorator
    return str(called.kids[1].value if called.kind == t.ATTR else called.value)
