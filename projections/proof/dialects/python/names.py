"""The names that Python and its library bring along, and what is known of them: see python.toml."""

from typing import Final

from linetrail.projections.proof.dialects.tables import table

_TABLE: Final = table("python")
BUILTINS: Final = _TABLE.builtins
PURE_CALLS: Final = _TABLE.words["pure_calls"]
QUIET_DECORATORS: Final = _TABLE.words["quiet_decorators"]
BLIND_DECORATORS: Final = _TABLE.words["blind_decorators"]
INTROSPECTION: Final = _TABLE.words["introspection"]
OF_ITSELF: Final = _TABLE.words["of_itself"]
