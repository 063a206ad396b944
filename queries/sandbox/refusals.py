"""Say why a query was refused: in the engine's words, or in better ones where a name is not known."""

import difflib
import re

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables.models import views
from linetrail.projections.tables.tables import named, needs

_TABLE = re.compile(r"Table with name (\S+) does not exist")
_COLUMN = re.compile(r'(?:column named|[Rr]eferenced column) "([^"]+)"')
_CANDIDATES = re.compile(r"Candidate bindings: (.+)")
# `session`, not `"s.session"`: how the engine knows a column is none of the reader's business
_NAME = re.compile(r'(?<![^ ])"(?:\w+\.)?(\w+)"(?=,|$)')


def refusal(sql: str, said: str) -> UsageError:
    """Return the error for what the engine said about a query."""
    if table := _TABLE.search(said):
        return _unknown_table(table[1])
    if column := _COLUMN.search(said):
        return _unknown_column(sql, column[1], said)
    error = UsageError(said)
    if "Values were not provided" in said:
        error.hint = "give each $NAME of the query a value: -p NAME VALUE"
    elif "pytz" in said:
        error = UsageError("a column of the answer is a moment with a time zone, which has no one spelling")
        error.hint = "cast it: cast(now() as timestamp) is UTC"
    elif "Could not convert" in said or "Conversion Error" in said:
        error.hint = "what -p gives is text: cast($n as integer) makes a number of it"
    return error


def _unknown_table(name: str) -> UsageError:
    """Name the tables that sound alike, those that people may rely on first."""
    there = sorted(needs(), key=lambda known: not known.startswith("v_"))
    plain = name.strip('"').lower()
    alike = difflib.get_close_matches(plain, there, n=2) + difflib.get_close_matches(f"v_{plain}", there, n=3)
    stable = [known for known in dict.fromkeys(alike) if known.startswith("v_")]
    error = UsageError(f"no table is called {name}{_meant(stable or alike)}")
    error.hint = "linetrail sql 'show tables'"
    return error


def _unknown_column(sql: str, name: str, said: str) -> UsageError:
    candidates = _CANDIDATES.search(said)
    alike = list(dict.fromkeys(_NAME.findall(candidates[1]))) if candidates else []
    error = UsageError(f"no column is called {name} there{_meant(alike)}")
    stable = {view.name for view in views()}
    asked = sorted(named(sql) & stable) or sorted(named(sql)) or ["v_events"]
    error.hint = f"linetrail sql 'describe {asked[0]}'"
    return error


def _meant(alike: list[str]) -> str:
    return f"; is it {' or '.join(alike)}?" if alike else ""
