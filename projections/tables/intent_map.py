"""Write the files that people read and git tracks: for now ``intent_map.md``.

The text depends on who holds which lines and on nothing else: neither time nor the ledger's head stands in it, so an
event that changed no line leaves it as it is.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote, unquote

from linetrail.ledger.repository import file_path
from linetrail.projections.tables.table import Table

INTENT_MAP = "intent_map.md"

_HEAD = """\
<!-- Made from the ledger by `linetrail rebuild`: what is written here by hand is lost. -->

# Intent map

Which lines each intent still has: as of the last recorded state of each file, by the last change of substance to each
line. `node` is the function, class or section they are part of (`linetrail lineage`), once a commit that the ledger
tells of has the file in that state, or its last change was judged; `hash` names the lines without their white space;
`class` is what the last event that wrote one was judged to be; `trace` is that event, and its session (`linetrail
show`).
"""
_NO_INTENT = "Without an intent"
_UNKNOWN = "\N{EN DASH}"
# The first two cells of a row: the address of the file, and the definition where there is one.
_HELD = re.compile(r"^\| \[.*?\]\(\.\./([^)#]*)\) \| (?:(`+)(.+?)\2 \||)", re.MULTILINE)
_COLUMNS = ("file", "node", "lines", "hash", "class", "trace")


def intent_map(held: Table, intents: Table, classes: Mapping[str, str] | None = None) -> str:
    """Return the map of intents to files to definitions to lines; `classes` are what events were judged to be."""
    told = {intent["intent_id"]: intent for intent in intents.mappings()}
    rows = sorted(held.mappings(), key=_order)
    sections = [
        _section(intent_id, told.get(intent_id, {}), [_row(row, classes or {}) for row in group])
        for intent_id, group in groupby(rows, key=lambda row: row["intent_id"])
    ]
    return "\n".join([_HEAD, *sections]) if sections else f"{_HEAD}\nNo line is known to belong to anybody yet.\n"


def definitions_of(text: str, intent_id: str) -> dict[str, list[str]]:
    """Return the files of an intent as its map tells them, each with the definitions in which it has lines."""
    found: dict[str, list[str]] = {}
    sections = re.split(r"(?m)^## ", text)
    own = (section for section in sections if re.match(rf"{re.escape(_text(intent_id))}[ \n]", section))
    for row in _HELD.finditer(next(own, "")):
        nodes = found.setdefault(unquote(row[1]), [])
        node = row[3] and row[3].replace("\\|", "|").strip()
        if node and node not in nodes:
            nodes.append(node)
    return found


def _order(row: Mapping[str, Any]) -> tuple[bool, str, str, int, str]:
    """Sort by intent, path and the first line; lines without an intent come last."""
    first = int(re.split("[-,]", row["lines"], maxsplit=1)[0])
    return row["intent_id"] is None, row["intent_id"] or "", row["path"], first, row["session_id"] or ""


def _section(intent_id: str | None, intent: Mapping[str, Any], rows: Sequence[str]) -> str:
    title = f"{intent_id} {intent.get('title') or ''}".strip() if intent_id else _NO_INTENT
    about = [f"{_text(intent['status'])}\n"] if intent.get("status") else []
    table = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}", *rows]
    return "\n".join([f"## {_text(title)}\n", *about, *table, ""])


def _row(held: Mapping[str, Any], classes: Mapping[str, str]) -> str:
    event, session, node = held["event_id"] or "", held["session_id"], held.get("node")
    cells = [
        f"[{_code(held['path'])}]({_address(held['path'])})",
        _code(node) if node else _UNKNOWN,
        ", ".join(f"[{run}]({_address(held['path'], run)})" for run in held["lines"].split(", ")),
        _code(held["lines_hash"]),
        _text(classes.get(event, _UNKNOWN)),
        f"{_code(event)} in {_code(session)}" if session else _code(event),
    ]
    return f"| {' | '.join(cells)} |"


def _address(path: str, lines: str = "") -> str:
    """Return where a forge shows a file, and lines of it, as seen from the folder of the map.

    >>> _address("a b.py", "3-5"), _address("a.py", "7")
    ('../a%20b.py#L3-L5', '../a.py#L7')
    """
    name = quote(file_path(path).encode(errors="surrogateescape"))
    return f"../{name}" + (f"#L{lines.replace('-', '-L')}" if lines else "")


def _text(value: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    >>> _text("a|b <i>*c*")
    'a\\|b \\<i\\>\\*c\\*'
    """
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in _one_line(value))


def _code(value: str) -> str:
    r"""Return text as code in a table; neither a backtick nor a bar gets it out of its cell.

    >>> _code("a|b`c")
    '`` a\\|b`c ``'
    """
    text = _one_line(value).replace("|", "\\|")
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{fence} {text} {fence}"


def _one_line(value: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in value)
