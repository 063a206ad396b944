"""Name the shape of a definition: its syntax tree, where a name that is bound inside of it may be another one."""

from functools import lru_cache
from typing import TYPE_CHECKING

from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.shape import shape

if TYPE_CHECKING:
    from tree_sitter import Tree


def shape_of(place: Place) -> str | None:
    """Return the hash of a definition's shape; None in languages that bind no names, and where nothing can be read."""
    language = language_of(place.path, place.side.content)
    tree = _tree(place.side) if language is not None and language.locals else None
    if language is None or tree is None:
        return None
    return shape(language, place.side.content, tree, place.definition).normalised


@lru_cache(4)
def _tree(side: Side) -> "Tree | None":
    language = language_of(side.path, side.content)
    try:
        return parsing.parse(language, side.content) if language is not None else None
    except parsing.UnparsableError:
        return None
