"""One file: who wrote each line, what it defines, which commits changed it, and the story of the line asked about."""

import os
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import file_path
from linetrail.projections.git import target as targets
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target, TargetError
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.queries.answers.blame import Files, Found, Row, blame
from linetrail.queries.answers.lineage import Symbols
from linetrail.queries.answers.lineage_text import what
from linetrail.queries.answers.why.line import Span
from linetrail.queries.page.view import Asked, Record, Shown, question
from linetrail.queries.page.views.story import stories

# So many lines are on a page, and in a part of it that a browser lays out only where it is looked at.
SIZE, WINDOW = 1_000, 100
_COMMITS, _EVENTS = 100, 50
# Of more definitions, a page lists those that it has lines of.
MOST_DEFINITIONS = 500


def show(asked: Asked) -> Shown:
    """Return the lines of the file that the option `path` names, now or in the commit that `rev` names.

    With `line`, the story of that line is told; with `find`, the next line `after` a number is looked for that has this
    text; with `symbol`, the history of that definition is shown. The page is the one that has the line, the text, or
    the line that `from` names.
    """
    path, revision = asked.option("path"), asked.option("rev")
    if path is None:
        raise UsageError("the address of a file has ?path=")
    stored = targets.locate(asked.repository, asked.repository.root, path)
    try:
        target = targets.find_target(asked.repository, stored, revision)
    except TargetError:
        gone = _gone(asked, stored) if revision is None and not asked.whole else None
        if gone is None:
            raise
        return gone
    found = _blamed(asked, stored, revision)
    line = asked.number("line", 0) if asked.option("line") else None
    if line is not None and line > len(found.rows):
        raise TargetError(f"{found.path} has {len(found.rows)} lines, and none with the number {line}")
    search = _search(asked, found.rows)
    size = max(len(found.rows), 1) if asked.whole else SIZE
    wanted = asked.number("from", line or (search and search["hit"]) or 1)
    first = (min(wanted, len(found.rows) or 1) - 1) // size * size + 1
    rows = [_row(one) for one in found.rows[first - 1 : first - 1 + size]]
    span = Span(stored, 1, len(rows)) if asked.whole else Span(stored, line or 1, line or 0)
    told = stories(asked, revision, span) if span.first <= span.last else []
    last = first - 1 + len(rows)
    defined = _definitions(asked, target)
    listed = defined if len(defined) <= MOST_DEFINITIONS else [one for one in defined if _is_between(one, first, last)]
    about = {
        "path": found.path,
        "revision": target.revision,
        "rev": revision,
        "line": line,
        "search": search,
        "stories": told,
        "told": {number: at for at, one in enumerate(told) for number in one["numbers"]},
        "counts": _counts(found),
        "page": {"first": first, "last": last, "of": len(found.rows), "size": size},
        "above": _row(found.rows[first - 2]) if first > 1 else None,
        "window": WINDOW,
        "shallow": found.cut,
        "commits": [] if asked.whole else targets.changed_by(asked.repository, stored, _COMMITS),
        "definitions": listed,
        "definitions_of": len(defined),
        "lineage": _lineage(asked, target) if asked.option("symbol") else None,
        "symbol": asked.option("symbol"),
    }
    return Shown(found.path, rows, about)


def _gone(asked: Asked, path: str) -> Shown | None:
    """Return what is known of a file that is no more: the commits that changed it, and the latest events about it."""
    if os.path.lexists(os.path.join(asked.repository.root, file_path(path))):
        return None
    commits = targets.changed_by(asked.repository, path, _COMMITS)
    with asked.tables() as tables:
        events = question(asked, tables, "log", path=file_path(path), limit=str(_EVENTS))
    if not commits and not events["rows"]:
        return None
    kept = targets.is_in_head(asked.repository, path)
    return Shown(path, [], {"path": path, "gone": True, "kept": kept, "commits": commits, "events": events})


def _blamed(asked: Asked, path: str, revision: str | None) -> Found:
    with closing(Objects(asked.repository)) as store, asked.lent() as opened:
        files = Files(asked.repository, asked.repository.root, [path], revision, store)
        return next(iter(blame(asked.repository, files, until=asked.until, opened=opened)))


def _row(row: Row) -> Record:
    return {"line_no": row.number, "text": row.text, **row.by._asdict(), "doubtful": row.by.doubtful}


def _search(asked: Asked, rows: Sequence[Row]) -> Record | None:
    """Return where the text that the option `find` names is next, behind the last such line at the first again."""
    text = asked.option("find")
    if text is None:
        return None
    hits = [row.number for row in rows if text.casefold() in row.text.casefold()]
    after = asked.number("after", 0) if asked.option("after") else 0
    hit = next((number for number in hits if number > after), hits[0] if hits else None)
    return {"text": text, "hit": hit, "nth": hits.index(hit) + 1 if hit else 0, "of": len(hits)}


def _definitions(asked: Asked, target: Target) -> Sequence[Record]:
    """Return what the file defines, in the order of its lines; `depth` is how many definitions are around each."""
    with closing(DefinitionIndex(asked.repository)) as indexed:
        defined = indexed.side(target.path, target.content).definitions
    depths: list[int] = []
    for one in defined:  # what is around a definition comes before it
        depths.append(0 if one.parent is None else depths[one.parent] + 1)
    names = ("kind", "name", "start_line", "end_line")
    return [
        {**{name: getattr(one, name) for name in names}, "qualified_name": one.qualified, "depth": depth}
        for one, depth in zip(defined, depths, strict=True)
    ]


def _is_between(definition: Record, first: int, last: int) -> bool:
    return bool(definition["start_line"] <= last and first <= definition["end_line"])


def _lineage(asked: Asked, target: Target) -> Sequence[Record]:
    """Return the versions of the definition that the option `symbol` names, the latest first."""
    symbol = f"{file_path(target.path)}:{asked.option('symbol')}"
    with closing(Symbols(asked.repository)) as symbols, asked.tables() as tables:
        meant = symbols.meant(symbol, directory=asked.repository.root, revision=target.revision)
        _, versions = symbols.history(tables, meant)
    return [{**version, "what": what(version)} for version in versions]


def _counts(found: Found) -> dict[str, Any]:
    kinds = [row.by.contributor_type for row in found.rows]
    return {kind: kinds.count(kind) for kind in ("ai", "human", "unknown")}
