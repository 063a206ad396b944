"""Show a difference to people: a unified diff with its authors on the left."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.diff_lines import ADDED, DELETED, LEFT, MOVED, ChangedFile, ChangedLine, Difference
from linetrail.queries.answers.blame_text import tone_of
from linetrail.queries.render.terminal import painted
from linetrail.queries.render.text import SHORT, columns, counted, plain, short

LEGEND = (
    "Left of each line: the intent (- for a person, ? where nobody knows who), who wrote it or, of a deleted line, who "
    "deleted it, the session or commit, the day, and of a deleted line whose it was. A name in parentheses is presumed "
    "from git, one with ? behind it is doubtful. Signs: + added, - deleted, < moved away, > moved here. White space is "
    "no difference. RANGE is read as by git diff; a file that is not tracked yet is part of the work tree."
)
_SIGNS = {ADDED: "+", DELETED: "-", MOVED: ">", LEFT: "<"}
_WHY = {"binary": "binary", "symlink": "a symbolic link", "submodule": "a submodule"}


class _Row(NamedTuple):
    """A line to show: the cells of the gutter, their colour, and the rest."""

    cells: tuple[str, ...]
    tone: str | None
    rest: str


def page(found: Difference, *, colour: bool) -> str:
    """Return a difference as text; the last line sums it up."""
    rows = [[[_row(line) for line in hunk] for hunk in file.hunks] for file in found.files]
    gutters = [row.cells for file in rows for hunk in file for row in hunk]
    widths = [max(map(columns, column)) for column in zip(*gutters, strict=True)]
    out: list[str] = []
    for file, hunks in zip(found.files, rows, strict=True):
        out += _heading(file)
        for hunk, shown in zip(file.diff.hunks, hunks, strict=True):
            out.append(f"@@ -{_range(hunk.old_start, hunk.old)} +{_range(hunk.new_start, hunk.new)} @@")
            out += [_line(row, widths, colour=colour) for row in shown]
    return "\n".join([*out, summary(found)])


def summary(found: Difference) -> str:
    """Return how many lines were added, deleted and moved, and by whom."""
    lines = list(found.lines())
    happened = Counter(line.change for line in lines)
    counts = [f"{happened[what]:,} {what}" for what in (ADDED, DELETED, MOVED) if happened[what] or what != MOVED]
    parts = [
        f"{', '.join(counts)} lines in {counted(len(found.files), 'file')}",
        _by("added by", (line.by for line in lines if line.change == ADDED)),
        _by("deleted by", (line.deleted_by for line in lines if line.deleted_by)),
    ]
    return " | ".join(filter(None, parts))


def _by(label: str, who: Iterable[Attribution]) -> str:
    kinds = Counter(by.contributor_type for by in who)
    told = ", ".join(f"{kind} {kinds[kind]:,}" for kind in ("ai", "human", "unknown", "none") if kinds[kind])
    return f"{label}: {told}" if told else ""


def _heading(file: ChangedFile) -> Iterator[str]:
    old, new = (plain(name) if name else "/dev/null" for name in (file.diff.old, file.diff.new))
    yield f"--- {old}"
    yield f"+++ {new}"
    if file.diff.left_out:
        yield f"{_WHY[file.diff.left_out]}: its lines are not told"
    elif not file.diff.hunks:
        yield _without_lines(file)


def _without_lines(file: ChangedFile) -> str:
    if file.diff.old is None or file.diff.new is None:
        return "empty"
    return "renamed" if file.diff.old != file.diff.new else "no line differs but in white space, or its mode does"


def _row(line: ChangedLine) -> _Row:
    who = line.deleted_by or line.by
    whose = f"of {_who(line.by)}" if line.deleted_by else ""
    identity = short(who.session_id or "") if who.contributor_type == "ai" else (who.vcs_revision or "")[:SHORT]
    mixed = "~" if line.by.mixed and not line.deleted_by else " "
    cells = (_intent(who), _who(who), identity, (who.written_at or "")[:10], whose, mixed)
    old = line.old_line_no if line.change in {DELETED, LEFT} else None
    new = line.line_no if line.change in {ADDED, MOVED} else None
    text = plain(line.text.decode("utf-8", "replace").expandtabs())
    return _Row(tuple(map(plain, cells)), tone_of(who), f"{old or '':>5}{new or '':>6} {_SIGNS[line.change]}{text}")


def _line(row: _Row, widths: Sequence[int], *, colour: bool) -> str:
    left = "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row.cells, widths, strict=True))
    return f"{painted(left, row.tone if colour else None)}{row.rest}".rstrip()


def _intent(by: Attribution) -> str:
    return {"ai": by.intent_id or "", "human": "-", "none": ""}.get(by.contributor_type, "?")


def _who(by: Attribution) -> str:
    return f"{_name(by)}?" if by.doubtful else _name(by)


def _name(by: Attribution) -> str:
    if by.contributor_type == "ai":
        return by.agent_name or "agent"
    if by.contributor_type == "human":
        return f"({by.author})" if by.evidence == "git" else by.author or "human"
    return "never there" if by.contributor_type == "none" else "unknown"


def _range(start: int, lines: Sequence[bytes]) -> str:
    return str(start) if len(lines) == 1 else f"{start},{len(lines)}"
