"""One file: who wrote each line, and the story of the lines that were asked about."""

from collections.abc import Sequence
from contextlib import closing

from linetrail.ledger.errors import UsageError
from linetrail.projections.git import target as targets
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import TargetError
from linetrail.projections.lines.surviving_lines import ranges
from linetrail.queries.answers.blame import Files, Found, blame
from linetrail.queries.answers.why import Span, explained, table, together
from linetrail.queries.page.view import Asked, Record, Shown

SIZE = 2_000


def show(asked: Asked) -> Shown:
    """Return the lines of the file that the option `path` names, now or in the commit that `rev` names.

    With `line`, the story of that line is told, and the lines around it are shown.
    """
    path, revision = asked.option("path"), asked.option("rev")
    if path is None:
        raise UsageError("the address of a file has ?path=")
    stored = targets.locate(asked.repository, asked.repository.root, path)
    found = _blamed(asked, stored, revision)
    line = asked.number("line", 0) if asked.option("line") else None
    if line is not None and line > len(found.rows):
        raise TargetError(f"{found.path} has {len(found.rows)} lines, and none with the number {line}")
    first = 1 if asked.whole else asked.number("from", (line - 1) // SIZE * SIZE + 1 if line else 1)
    shown = found.rows[first - 1 :] if asked.whole else found.rows[first - 1 : first - 1 + SIZE]
    rows = [{"line_no": row.number, "text": row.text, **row.by._asdict(), "doubtful": row.by.doubtful} for row in shown]
    span = Span(stored, 1, len(rows)) if asked.whole else Span(stored, line or 1, line or 0)
    stories = _stories(asked, revision, span) if span.first <= span.last else []
    about = {
        "path": found.path,
        "revision": None if revision is None else targets.resolve(asked.repository, revision),
        "rev": revision,
        "line": line,
        "stories": stories,
        "told": {number: at for at, one in enumerate(stories) for number in one["numbers"]},
        "counts": _counts(found),
        "page": {"first": first, "last": first - 1 + len(rows), "of": len(found.rows), "size": SIZE},
        "shallow": found.cut,
    }
    return Shown(found.path, rows, about)


def _blamed(asked: Asked, path: str, revision: str | None) -> Found:
    targets.find_target(asked.repository, path, revision)  # one that is not there, or has no lines, says so itself
    with closing(Objects(asked.repository)) as store:
        files = Files(asked.repository, asked.repository.root, [path], revision, store)
        return next(iter(blame(asked.repository, files, until=asked.until)))


def _stories(asked: Asked, revision: str | None, span: Span) -> Sequence[Record]:
    """Return what `linetrail why` says of a range, once for lines that share it."""
    content = targets.find_target(asked.repository, span.path, revision)
    groups = list(together(explained(asked.repository, content, span, asked.until)))
    return [
        {
            **row,
            "numbers": one.numbers,
            "lines": ranges(one.numbers),
            "before": _before(asked, span.path, one.by.vcs_revision),
        }
        for one, row in zip(groups, table(groups).mappings(), strict=True)
    ]


def _before(asked: Asked, path: str, commit: str | None) -> str | None:
    """Return the revision that has the file as it was before a commit; None where it has none."""
    if commit is None:
        return None
    try:
        return targets.at_revision(asked.repository, path, f"{commit}^").revision
    except TargetError:
        return None


def _counts(found: Found) -> dict[str, int]:
    kinds = [row.by.contributor_type for row in found.rows]
    return {kind: kinds.count(kind) for kind in ("ai", "human", "unknown")}
