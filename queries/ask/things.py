"""Read what can be counted: files of SQL in ``queries/things/``, each a select with a row for one thing.

The first comment says what a row is; `-- words:` are the nouns for it, `-- also:` other things whose nouns may stand
for it (a refused *call* is a verdict), `-- figures:` its columns with numbers. Every column has a plain name, and the
same one in each file: `agent`, `intent`, `file`, `at`. Where a thing has several of something they stand on lines.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_COLUMN = re.compile(r"^    .*?(\w+),?$", re.MULTILINE)
_HERE = Path(__file__).resolve().parent.parent / "things"


class Thing(NamedTuple):
    """What can be counted; the columns are those of its select."""

    name: str
    meaning: str
    words: tuple[str, ...]
    also: tuple[str, ...]
    figures: tuple[str, ...]
    columns: tuple[str, ...]
    sql: str


@cache
def things() -> Mapping[str, Thing]:
    """Return every thing by its name."""
    return {path.stem: read(path.stem, path.read_text("utf-8")) for path in sorted(_HERE.glob("*.sql"))}


def read(name: str, text: str) -> Thing:
    r"""Read a thing from its text.

    >>> read("x", "-- One row is one x.\n-- words: x, ex\nselect\n    a.b as c,\n    d\nfrom t\n").columns
    ('c', 'd')
    """

    def listed(header: str) -> tuple[str, ...]:
        found = re.search(rf"^-- {header}: (.+)$", text, re.MULTILINE)
        return tuple(found[1].split(", ")) if found else ()

    select = text.partition("\nselect\n")[2].partition("\nfrom ")[0]
    meaning = text.partition("\n")[0].removeprefix("-- ")
    sql = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    columns = tuple(_COLUMN.findall(select))
    return Thing(name, meaning, listed("words"), listed("also"), listed("figures"), columns, sql)
