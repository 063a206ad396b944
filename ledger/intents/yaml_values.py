"""Write values as YAML in the manner of the text around them.

What a reader of YAML 1.1 or 1.2 could take for something else than text, or for two values, stands in quotes.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_PLAIN = re.compile(r"""[A-Za-z](?:[A-Za-z0-9_./@+*(),;'"!?%=&$-]| (?! ))*""")
_SPLITS = re.compile("[,;?!&*]")  # within brackets, or where somebody reads only half of YAML
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Written as escapes: what ends a line, turns text around, or is no sign at all.
_HIDDEN = re.compile("[\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\uffff]")


class Manner(NamedTuple):
    """How the text around writes: its line ends, its quotes, and how far a dash stands behind the key above it."""

    newline: str = "\n"
    quote: str | None = None
    dash: int = 2


def scalar(value: str | int | None, quote: str | None = None, *, inside: bool = False) -> str:
    r"""Write a text, a whole number or null on one line; `inside` brackets a comma would end it.

    >>> print(scalar("src/**"), scalar("*.ts"), scalar("no"), scalar("it's", "'"), scalar("a\nb", "'"), scalar(7))
    src/** "*.ts" "no" 'it''s' "a\nb" 7
    """
    if value is None:
        return "null"
    if not isinstance(value, str):
        return str(value)
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    bare = quote is None and _PLAIN.fullmatch(value) and value[-1] != " " and value.lower() not in _WORDS
    if bare and not (inside and _SPLITS.search(value)):
        return value
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def flow(value: Any, quote: str | None, *, inside: bool = True) -> str:
    """Write a value on one line, lists and maps in brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(key, inside=True)}: {flow(item, quote)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item, quote) for item in value) + "]"
    return scalar(value, quote, inside=inside)


def member(key: str, value: Any, column: int, manner: Manner) -> str:
    """Write `key: value` for a block whose keys stand in this column; the first line without its indentation."""
    if isinstance(value, list | tuple) and value:
        indent = manner.newline + " " * (column + manner.dash)
        return f"{key}:{indent}" + indent.join(element(item, column + manner.dash + 2, manner) for item in value)
    if isinstance(value, Mapping) and value:
        return f"{key}:{manner.newline}{' ' * (column + 2)}{members(value, column + 2, manner)}"
    return f"{key}: {flow(value, manner.quote, inside=False)}"


def element(value: Any, column: int, manner: Manner, gap: int = 1) -> str:
    """Write `- value` for a list whose values stand in this column; the first line without its indentation."""
    if isinstance(value, Mapping) and value:
        return "-" + " " * gap + members(value, column, manner)
    return "-" + " " * gap + flow(value, manner.quote, inside=False)


def members(value: Mapping[str, Any], column: int, manner: Manner) -> str:
    """Write the members of a map as a block; the first line without its indentation."""
    indent = manner.newline + " " * column
    return indent.join(member(scalar(key), item, column, manner) for key, item in value.items())
