"""The dialect of each language."""

from functools import cache
from importlib import import_module
from typing import Final

from linetrail.projections.proof.terms.dialect import Dialect
from linetrail.projections.syntax.language import Language

# language -> module and class; every other language is compared as it is parsed
_DIALECTS: Final = {
    "python": ("python.python", "Python"),
    "javascript": ("ecmascript.ecmascript", "Ecmascript"),
    "typescript": ("ecmascript.ecmascript", "Ecmascript"),
    "tsx": ("ecmascript.ecmascript", "Ecmascript"),
    "java": ("java.java", "Java"),
    "go": ("go.go", "Go"),
    "rust": ("rust.rust", "Rust"),
}


def dialect_of(language: Language) -> Dialect:
    """Return the dialect of a language, imported when the first file in it is met."""
    module, name = _DIALECTS.get(language.name, ("generic", "Generic"))
    return _made(module, name, language if module == "generic" else None)


@cache
def _made(module: str, name: str, language: Language | None) -> Dialect:
    made = getattr(import_module(f"linetrail.projections.proof.dialects.{module}"), name)
    dialect: Dialect = made(language) if language is not None else made()
    return dialect
