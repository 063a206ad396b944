"""Which programs a command line runs: what stands first in it, and behind each operator of the shell."""

import re
from collections.abc import Iterable, Mapping

# The text of a command without what is quoted in it, in SQL.
UNQUOTED = """regexp_replace({0}, '''[^'']*''|"[^"]*"', '', 'g')"""
_BEFORE = r"(?:^|[;|&(\n])\s*(?:\w+=\S*\s+)*(?:[^\s;|&]*/)?"
# what a program is told first: `push --force`, `-m unittest`
_WORDS = r"(?: -{0,2}[a-z][\w-]*){0,2}"
# the first program of a command, in SQL
FIRST = rf"nullif(regexp_extract({{0}}, '{_BEFORE}([a-z][\w.+-]*)', 1), '')"
NAMES = rf"""
select list(distinct name)
from (
    select unnest(regexp_extract_all({UNQUOTED.format("command")}, '{_BEFORE}([a-z][\w.+-]*{_WORDS})', 1)) as name
    from v_tool_calls
)
"""  # noqa: S608  clauses of this module


def phrases(runs: Iterable[str]) -> Mapping[str, str]:
    """Return programs, alone and with what they are told first, by how a question spells them.

    >>> for spelled, run in phrases(["git push --force"]).items():
    ...     print(spelled, "is", run)
    push force is git push --force
    force-push is git push --force
    force push is git push --force
    git is git
    git push is git push
    git push force is git push --force
    """
    spelled = [" ".join(run.split(" ")[:length]) for run in runs for length in (1, 2, 3)]
    found = {re.sub(r"(?<!\S)-+", "", run).lower(): run for run in spelled}
    named: dict[str, str] = {}
    for run in spelled:
        _, *told = re.sub(r"(?<!\S)-+", "", run).lower().split(" ")
        if len(told) == 2 and " --" in run:
            named |= dict.fromkeys((" ".join(told), "-".join(reversed(told)), " ".join(reversed(told))), run)
    return named | found


def pattern(program: str) -> str:
    """Return the expression that finds a program where a command runs it.

    >>> bool(re.search(pattern("git"), "cd x && git add .")), bool(re.search(pattern("add"), "git add ."))
    (True, False)
    """
    return rf"{_BEFORE}{re.escape(program)}(?:[\s;|&)]|$)"
