"""The story of a line: who wrote it, for what, what was asked, decided and refused on the way, and what came of it."""

from collections.abc import Iterable, Sequence

from linetrail.ledger.errors import UsageError
from linetrail.projections.git import target as targets
from linetrail.projections.git.target import TargetError
from linetrail.projections.lines.states import ranges
from linetrail.queries.answers.why.line import Found, Span, explained, table, together
from linetrail.queries.answers.why.text import corrected
from linetrail.queries.page.view import Asked, Record, Shown


def show(asked: Asked) -> Shown:
    """Return the story of the line that the options `path` and `line` name, now or in the commit that `rev` names."""
    path, revision = asked.option("path"), asked.option("rev")
    if path is None or asked.option("line") is None:
        raise UsageError("the address of a story has ?path= and &line=")
    line = asked.number("line", 1)
    stored = targets.locate(asked.repository, asked.repository.root, path)
    told = stories(asked, revision, Span(stored, line, line))
    return Shown(f"{stored}:{line}", told, {"path": stored, "rev": revision, "line": line})


def stories(asked: Asked, revision: str | None, span: Span) -> Sequence[Record]:
    """Return what `linetrail why` says of a range, once for lines that share it."""
    content = targets.find_target(asked.repository, span.path, revision)
    with asked.lent() as opened:
        groups = list(together(explained(asked.repository, content, span, asked.until, opened)))
    before = {} if asked.whole else _before(asked, span.path, groups)  # in a report, no other revision is to be had
    return [
        {
            **row,
            "numbers": one.numbers,
            "lines": ranges(one.numbers),
            "before": before.get(one.by.vcs_revision),
            "amended": list(map(corrected, one.why.corrections)),
        }
        for one, row in zip(groups, table(groups).mappings(), strict=True)
    ]


def _before(asked: Asked, path: str, groups: Iterable[Found]) -> dict[str | None, str]:
    """Return for each commit the revision that has the file as it was before, where there is one."""
    found: dict[str | None, str] = {}
    for commit in {one.by.vcs_revision for one in groups if one.by.vcs_revision}:
        try:
            found[commit] = targets.at_revision(asked.repository, path, f"{commit}^").revision or ""
        except TargetError:
            continue
    return found
