"""The lines at HEAD that decisions are about, followed from where they were when each was made.

Looked at are the files that a decision names, under any name they had; `linetrail why` also finds lines that went from
there into others.
"""

from collections.abc import Iterator
from contextlib import closing

from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one line at HEAD that a decision is about"
COLUMNS = {
    "path": "VARCHAR",
    "line_no": "BIGINT",
    "decision_id": "VARCHAR",
    "nth": "BIGINT",
    "match_method": "VARCHAR",
}
VERSION = 1

_RENAMED = "select from_path, path from mutation_files where op = 'rename' order by position"


def key(asked: Asked) -> list[object]:
    """Name the lines: by the ledger and the commit."""
    return [ledger_key(asked), asked.head]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the lines by path; `nth` counts the decisions about a line, the newest first."""
    from linetrail.projections.git.history import Objects
    from linetrail.projections.lines.decision_lines import decisions, governed, places
    from linetrail.projections.survival.stats import tree

    named = {place.path for decision in decisions(asked.tables) for place in places(decision)}
    if not named or asked.head is None:
        return
    for former, path in asked.tables.ask(_RENAMED).rows:
        if former in named:
            named.add(path)
    with closing(Objects(asked.repository)) as store:
        for file in tree(asked.repository, asked.head):
            content = store.read(file.blob) if file.path in named else None
            if content is None:
                continue
            seen: dict[int, int] = {}
            for one in governed(asked.tables, file.path, content):
                for number, how in one.lines.items():
                    seen[number] = seen.get(number, 0) + 1
                    yield file.path, number, one.decision["decision_id"], seen[number], how
