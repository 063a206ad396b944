"""Say where the lines of a finding are now: a reviewer looks at HEAD, not at the file as it was."""

from collections.abc import Sequence

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.tables.tables import Tables
from linetrail.queries.audit.finding import Finding, leading

# So many files are blamed for it, those of the worst findings; for the others what was recorded has to do.
MAX_FILES = 50

_LINES = """
select path, event_id, min(line_no) as first_line, max(line_no) as last_line
from v_blame_lines
where event_id is not null
group by path, event_id
"""


def placed(tables: Tables, findings: Sequence[Finding], shown: int | None = None) -> list[Finding]:
    """Return the findings with the lines that their changes still have at HEAD, as far as they have any.

    With `shown`, so many findings of each rule are read by anybody: the files of others are not blamed.
    """
    paths = list(dict.fromkeys(one.path for one in findings if one.path is not None and one.line is not None))
    read = {one.path for one in (findings if shown is None else leading(findings, shown))}
    wanted = [path for path in paths[:MAX_FILES] if path in read and not path.startswith('"')]
    if not wanted:
        return list(findings)
    before = tables.paths
    tables.look_at(*wanted)
    try:
        rows = tables.ask(_LINES).rows
    except LinetrailError:
        return list(findings)  # without git, or in a clone that ends early, what was recorded stands
    finally:
        tables.look_at(*before)
    now = {(path, event_id): (first, last) for path, event_id, first, last in rows}
    return [_at(one, now.get((one.path, one.event_id))) for one in findings]


def _at(finding: Finding, lines: tuple[int, int] | None) -> Finding:
    if lines is None:
        return finding
    return finding._replace(line=lines[0], end_line=lines[1], present=True)
