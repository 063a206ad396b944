"""Read ECMAScript's literals: what they are worth, not how they are spelled."""

import re
from typing import Final

from linetrail.projections.proof.terms import term as t

_ESCAPE: Final = re.compile(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]+)\}|u(?P<unit>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<octal>[0-3][0-7]{0,2}|[4-7][0-7]?)|(?P<nothing>\r\n|[\n\r\u2028\u2029])|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONE: Final = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_PLAIN: Final = re.compile(r"(?:[^\W\d]|\$)(?:\w|\$)*")
_OCTAL: Final = re.compile(r"0[0-7]+")
_LARGEST_PLAIN: Final = 1e21
Value = tuple[str, str]


def text_value(spelled: str) -> Value:
    r"""Return the value of text between quotes.

    >>> text_value(r"\x41\u{42}\
    ... C")
    ('str', 'ABC')
    """
    if "\\" not in spelled:
        return ("str", spelled)
    value = _ESCAPE.sub(_escaped, spelled)
    if _SURROGATE.search(value) is None:
        return ("str", value)
    if _LONE.search(value):
        # text that no encoding of text can hold
        return ("utf-16", value.encode("utf-16-be", "surrogatepass").hex())
    return ("str", value.encode("utf-16", "surrogatepass").decode("utf-16"))


def _escaped(found: re.Match[str]) -> str:
    if found["sign"] is not None:
        return _SIGNS.get(found["sign"], found["sign"])
    if found["nothing"] is not None:
        return ""
    if found["octal"] is not None:
        return chr(int(found["octal"], 8))
    point = int(found["point"] or found["unit"] or found["byte"], 16)
    return chr(point) if point <= 0x10FFFF else found[0]


def line_feeds(spelled: str) -> str:
    """Return a stretch of text as its program sees it: the kind of line ends is not part of it."""
    return spelled.replace("\r\n", "\n").replace("\r", "\n") if "\r" in spelled else spelled


def number_value(spelled: str) -> Value:
    """Return the value of a number.

    >>> [number_value(number)[1] for number in ("0XFF", "1.0", ".5", "1_000n", "017")]
    ['255', '1', '0.5', '1000', '15']
    """
    plain = spelled.replace("_", "").lower()
    try:
        if plain.endswith("n"):
            return ("bigint", str(int(plain[:-1], 0)))
        if _OCTAL.fullmatch(plain):
            value = float(int(plain, 8))
        else:
            value = float(int(plain, 0)) if plain[:2] in ("0x", "0b", "0o") else float(plain)
    except (ValueError, OverflowError):  # more digits than may be converted
        return ("number", plain)
    return ("number", str(int(value)) if value.is_integer() and value < _LARGEST_PLAIN else repr(value))


def key_value(value: Value) -> tuple[str, object]:
    """Return kind and value of the term for a literal that names a property: `{"a": 1}` is `{a: 1}`.

    >>> key_value(("str", "a")), key_value(("number", "1"))
    (('field', 'a'), ('literal', ('str', '1')))
    """
    kind, name = value
    if kind == "str" and _PLAIN.fullmatch(name):
        return (t.FIELD, name)
    return (t.LIT, value if kind == "utf-16" else ("str", name))


def regex_value(spelled: str) -> Value:
    """Return a regular expression; the order of its flags means nothing."""
    pattern, _, flags = spelled.rpartition("/")
    return ("regex", f"{pattern}/{''.join(sorted(flags))}")


def name_value(spelled: str) -> str:
    r"""Return an identifier without escapes.

    >>> name_value(r"\u0061b")
    'ab'
    """
    return _ESCAPE.sub(_escaped, spelled) if "\\" in spelled else spelled


def _name(spelled: str) -> tuple[str, object]:
    return (t.NAME, name_value(spelled))


def _field(spelled: str) -> tuple[str, object]:
    return (t.FIELD, name_value(spelled))


def _string(spelled: str) -> tuple[str, object]:
    return (t.LIT, text_value(spelled[1:-1]))


def _number(spelled: str) -> tuple[str, object]:
    return (t.LIT, number_value(spelled))


def _regex(spelled: str) -> tuple[str, object]:
    return (t.LIT, regex_value(spelled))


def _constant(spelled: str) -> tuple[str, object]:
    return (t.LIT, ("constant", spelled))


def _token(spelled: str) -> tuple[str, object]:
    return (t.TOKEN, spelled)


def _words(spelled: str) -> tuple[str, object]:
    return (t.TOKEN, " ".join(spelled.split()))


def _nothing(_spelled: str) -> tuple[str, object]:
    return (t.NONE, "")


LEAVES: Final = {
    **dict.fromkeys(("identifier", "type_identifier", "undefined", "this", "super", "this_type"), _name),
    **dict.fromkeys(("property_identifier", "private_property_identifier", "statement_identifier"), _field),
    **dict.fromkeys(("string_fragment", "escape_sequence", "jsx_text", "html_character_reference"), _token),
    **dict.fromkeys(("optional_chain", "accessibility_modifier", "override_modifier", "import"), _token),
    **dict.fromkeys(("true", "false", "null"), _constant),
    "string": _string,
    "number": _number,
    "regex": _regex,
    "predefined_type": _words,
    "empty_statement": _nothing,
}
