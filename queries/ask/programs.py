"""Which programs a command line runs: what stands first in it, and behind each operator of the shell."""

import re

# The text of a command without what is quoted in it, in SQL.
UNQUOTED = """regexp_replace({0}, '''[^'']*''|"[^"]*"', '', 'g')"""
_BEFORE = r"(?:^|[;|&(\n])\s*(?:\w+=\S*\s+)*(?:[^\s;|&]*/)?"
NAMES = rf"""
select list(distinct name)
from (
    select unnest(regexp_extract_all({UNQUOTED.format("command")}, '{_BEFORE}([a-z][\w.+-]*)', 1)) as name
    from v_tool_calls
)
"""  # noqa: S608  clauses of this module


def pattern(program: str) -> str:
    """Return the expression that finds a program where a command runs it.

    >>> bool(re.search(pattern("git"), "cd x && git add .")), bool(re.search(pattern("add"), "git add ."))
    (True, False)
    """
    return rf"{_BEFORE}{re.escape(program)}(?:[\s;|&)]|$)"
