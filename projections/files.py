"""Write the files that people read and git tracks: for now ``intent_map.md``.

The text depends on who holds which lines and on nothing else: neither time nor the ledger's head stands in it, so an
event that changed no line leaves it as it is.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from linetrail.projections.tables import Table

INTENT_MAP = "intent_map.md"

_HEAD = """\
<!-- Made from the ledger by `linetrail rebuild`: what is written here by hand is lost. -->

# Intent map

Which lines each intent still has: as of the last recorded state of each file, by the last change of substance to each
line. `hash` names the lines without their white space; `trace` is the last event that wrote one, and its session
(`linetrail show`).
"""
_NO_INTENT = "Without an intent"


def intent_map(holdings: Table, intents: Table) -> str:
    """Return the map of intents to files to lines."""
    told = {intent["intent_id"]: intent for intent in intents.mappings()}
    rows = sorted(holdings.mappings(), key=_order)
    sections = [
        _section(intent_id, told.get(intent_id, {}), list(held))
        for intent_id, held in groupby(rows, key=lambda row: row["intent_id"])
    ]
    return "\n".join([_HEAD, *sections]) if sections else f"{_HEAD}\nNo line is known to belong to anybody yet.\n"


def _order(row: Mapping[str, Any]) -> tuple[bool, str, str, str]:
    """Sort by intent, then path; lines without an intent come last."""
    return row["intent_id"] is None, row["intent_id"] or "", row["path"], row["session_id"] or ""


def _section(intent_id: str | None, intent: Mapping[str, Any], held: Sequence[Mapping[str, Any]]) -> str:
    title = f"{intent_id} {intent.get('title') or ''}".strip() if intent_id else _NO_INTENT
    about = [f"{_text(intent['status'])}\n"] if intent.get("status") else []
    table = ["| file | lines | hash | trace |", "|---|---|---|---|", *map(_row, held)]
    return "\n".join([f"## {_text(title)}\n", *about, *table, ""])


def _row(holding: Mapping[str, Any]) -> str:
    session = f" in {_code(holding['session_id'])}" if holding["session_id"] else ""
    trace = f"{_code(holding['event_id'] or '')}{session}"
    return f"| {_code(holding['path'])} | {holding['lines']} | {_code(holding['lines_hash'])} | {trace} |"


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
