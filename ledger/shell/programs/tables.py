"""The tables of known/: one program a block, as its README tells."""

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import SourceLoader

__loader__: "SourceLoader"  # a hook's takes the tables from its bundle
_KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known")
FIELDS = ("verbs:", "flags:", "valued:", "options:", "operands:")


@cache
def rows(file: str) -> dict[str, str]:
    """Return the text of each row of a table by the names of its programs."""
    text, found = __loader__.get_data(f"{_KNOWN}/{file}.txt").decode(), dict[str, str]()
    for names, _, row in (block.partition("\n") for block in text.split("\n\n")[1:]):
        found.update(dict.fromkeys(names.split(", "), row))
    return found


def fields(row: str) -> dict[str, list[str]]:
    """Return the words of each field of a row."""
    found, words = {field: list[str]() for field in FIELDS}, list[str]()
    for word in row.split():
        if word in found:
            words = found[word]
        else:
            words.append(word)
    return found
