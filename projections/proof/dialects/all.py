"""Which dialect a language is lowered by."""

from functools import cache

from linetrail.projections.proof.dialect import Dialect
from linetrail.projections.syntax.language import Language


@cache
def dialect_of(language: Language) -> Dialect:
    """Return the dialect of a language, imported when the first file in it is met."""
    if language.name == "python":
        from linetrail.projections.proof.dialects.python import Python

        return Python()
    raise KeyError(language.name)
