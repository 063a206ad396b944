"""Return whether a declared type changes the value that it is declared with: widened, boxed, or seen as its base."""

from typing import Final

from linetrail.projections.proof.dialects.operators import words
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_NUMBERS: Final = words(
    "byte short char int long float double rune i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 usize isize int8 int16 "
    "int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128"
)
_BOXES: Final = words("Byte Short Character Integer Long Float Double Boolean Number Object Comparable Serializable")
# Languages that convert nothing on their own but literals.
_STRICT: Final = frozenset(("go", "rust"))
# Types whose values are always of exactly that type.
_TRUTHS: Final = words("bool boolean Boolean")
_TRUE_OR_FALSE: Final = frozenset((t.COMPARE, t.LOGIC, t.NOT))


def keeps(typed: Term, value: Term, language: str) -> bool:
    """Return whether a value stays what it is when it is declared to be of a type; no type at all keeps everything."""
    if typed.kind == t.NONE or (language in _STRICT and value.kind != t.LIT):
        return True
    names = [str(one.value) for one in typed.walk() if one.kind in (t.NAME, t.TYPE, t.TOKEN) and one.value]
    if not names or "var" in names:
        return True
    first = names[0]
    if first in _TRUTHS and value.kind in _TRUE_OR_FALSE:
        return True
    if value.kind == t.LIT:
        return _is_of(first, value)
    if first in _NUMBERS or first in _BOXES or value.kind == t.LAMBDA:
        return False
    if value.kind == t.CALL and value.value == "new":
        return any(str(one.value) == first for one in value.kids[0].walk())
    return True


def _is_of(name: str, literal: Term) -> bool:
    """Return whether a literal by itself has the type of this name."""
    kind, text = literal.value
    if kind == "constant":
        return name in ("bool", "boolean")
    if kind == "int" and name in _NUMBERS:
        return name in ("int", "i32") or (name == "long" and text.endswith("l")) or text.endswith(name)
    if kind == "float" and name in _NUMBERS:
        return (name in ("double", "float64", "f64") and not text.endswith("f")) or (
            name == "float" and text.endswith("f")
        )
    return kind in ("str", "raw", "text", "char") and name not in _BOXES and name not in _NUMBERS - {"char", "rune"}
