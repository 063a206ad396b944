"""Read what can be counted: files of SQL in ``queries/things/``, each a select with a row for one thing.

The first comment says what a row is; `-- words:` are the nouns for it, `-- words status=deny:` those for such ones,
`-- also:` other things whose nouns may stand for it (a refused *call* is a verdict), `-- verbs:` what is done with it,
`-- status=deny:` what is said where a column has that value, `-- figures:` its columns with numbers. Every column has a
plain name, and the same one in each file: `agent`, `intent`, `file`, `at`; `changes_ever` tells how often something was
done to one at all. Where a thing has several of something they stand on lines.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_COLUMN = re.compile(r"^    .*?(\w+),?$", re.MULTILINE)
_HEADER = re.compile(r"^-- ([\w= ]+): (.+)$", re.MULTILINE)
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
    verbs: tuple[str, ...]
    # by what a column holds: the words for that, and the nouns for a thing of which it holds that
    values: Mapping[str, tuple[str, ...]]
    nouns: Mapping[str, tuple[str, ...]]


@cache
def things() -> Mapping[str, Thing]:
    """Return every thing by its name."""
    return {path.stem: read(path.stem, path.read_text("utf-8")) for path in sorted(_HERE.glob("*.sql"))}


def read(name: str, text: str) -> Thing:
    r"""Read a thing from its text.

    >>> read("x", "-- One row is one x.\n-- words: x, ex\nselect\n    a.b as c,\n    d\nfrom t\n").columns
    ('c', 'd')
    """
    said: dict[str, tuple[str, ...]] = {}
    for header, some in _HEADER.findall(text):
        said[header] = said.get(header, ()) + tuple(some.split(", "))
    words, also, figures, verbs = (said.pop(header, ()) for header in ("words", "also", "figures", "verbs"))
    nouns = {header.removeprefix("words "): said.pop(header) for header in [*said] if header.startswith("words ")}
    select = text.partition("\nselect\n")[2].partition("\nfrom ")[0]
    meaning = text.partition("\n")[0].removeprefix("-- ")
    sql = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    columns = tuple(_COLUMN.findall(select))
    return Thing(name, meaning, words, also, figures, columns, sql, verbs, said, nouns)
