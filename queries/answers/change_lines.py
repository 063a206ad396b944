"""The lines that recorded changes took and brought, from contents that are still on this machine.

The ledger has ranges and hashes alone. A content comes from what hooks kept, from the disk or from git; of a side that
is nowhere, the range is told without its text. Secrets are taken out of every text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.signal import Edit, Proposal
from linetrail.ledger.observe.diff import Change
from linetrail.ledger.observe.states import expected
from linetrail.ledger.observe.substance import Split, split, substance_changes
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import file_path
from linetrail.projections.classify.contents import Contents

Record = Mapping[str, Any]

# Lines around a change, and how many of one file are shown at most.
CONTEXT, MOST = 3, 200


class Line(NamedTuple):
    """A line of a difference: its number before and after, `-`, `+` or a space, and its text."""

    old_line_no: int | None
    line_no: int | None
    sign: str
    text: str


class Hunk(NamedTuple):
    """Lines that became others; `old` and `new` are the numbers of those whose text is nowhere."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: Sequence[Line]
    old: int
    new: int


class FileChange(NamedTuple):
    """What happened to one file; `omitted` says why there are no hunks, `more` counts the lines that are not shown."""

    path: str
    from_path: str | None
    op: str
    found: bool
    omitted: str | None
    hunks: Sequence[Hunk]
    more: int


def changes(payload: str, revision: str | None, contents: Contents | None) -> Iterator[FileChange]:
    """Yield what a mutation did to each file; without contents, no text is looked for."""
    for file in json.loads(payload).get("files") or ():
        before, after = _sides(file, revision, contents)
        hunks = list(_hunks(file, before, after))
        shown, more = _cut(hunks)
        yield FileChange(
            path=file["path"],
            from_path=file.get("from_path"),
            op=file.get("op") or "modify",
            found=bool(file.get("snapshot")),
            omitted=file.get("omitted"),
            hunks=shown,
            more=more,
        )


def proposed(path: str, before: bytes | None, proposal: Proposal) -> FileChange:
    """Return what a call would do to a file as it is now; an edit that does not fit it stands as it was asked for."""
    old, after = split(before or b""), expected(proposal, before)
    hunks = list(_whole(old, split(after))) if after is not None else [_unplaced(edit) for edit in proposal.edits]
    shown, more = _cut(hunks)
    op = "add" if before is None else "modify"
    return FileChange(path, None, op, found=False, omitted=None, hunks=shown, more=more)


def plain(change: FileChange) -> Record:
    """Return what happened to a file as records."""
    hunks = [hunk._asdict() | {"lines": [line._asdict() for line in hunk.lines]} for hunk in change.hunks]
    return change._asdict() | {"hunks": hunks}


def _unplaced(edit: Edit) -> Hunk:
    old, new = (split(text.encode(errors="replace")) for text in (edit.old, edit.new))
    went, came = _lines(old, 0, len(old.lines), "-"), _lines(new, 0, len(new.lines), "+")
    lines = [line._replace(old_line_no=None, line_no=None) for line in (*went, *came)]
    return Hunk(0, len(went), 0, len(came), lines, 0, 0)


def _sides(file: Record, revision: str | None, contents: Contents | None) -> tuple[Split | None, Split | None]:
    """Return the lines before and after; None for those that nobody has."""
    if contents is None or file.get("omitted"):
        return None, None
    path = file.get("from_path") or file["path"]
    likely = [name for name in (file.get("before_blob"), revision and f"{revision}:{file_path(path)}") if name]
    old, new = file.get("before_hash"), file.get("after_hash")
    before = contents.find(old, path, likely) if old else b"" if file.get("op") == "add" else None
    after = contents.find(new, file["path"]) if new else b"" if file.get("op") == "delete" else None
    return (None if before is None else split(before)), (None if after is None else split(after))


def _hunks(file: Record, before: Split | None, after: Split | None) -> Iterator[Hunk]:
    if before is not None and after is not None and not file.get("part"):
        yield from _whole(before, after)
        return
    for told in file.get("hunks") or ():
        a0 = told["old_start"] - bool(told["old_lines"])
        b0 = told["new_start"] - bool(told["new_lines"])
        change = Change(a0, a0 + told["old_lines"], b0, b0 + told["new_lines"])
        went = [] if before is None else _lines(before, change.a0, change.a1, "-")
        came = [] if after is None else _lines(after, change.b0, change.b1, "+")
        old, new = told["old_lines"] - len(went), told["new_lines"] - len(came)
        yield Hunk(told["old_start"], told["old_lines"], told["new_start"], told["new_lines"], went + came, old, new)


def _whole(before: Split, after: Split) -> Iterator[Hunk]:
    """Yield the changes from one content to the other, each with the lines around it; none stands there twice."""
    found, shown = substance_changes(before, after), 0
    ends = [*(one.a0 for one in found[1:]), len(before.lines)]
    for (a0, a1, b0, b1), end in zip(found, ends, strict=False):
        above, below = min(CONTEXT, a0 - shown), min(CONTEXT, end - a1)
        shown = a1 + below
        lines = [
            *_lines(after, b0 - above, b0, " ", a0 - b0),
            *_lines(before, a0, a1, "-"),
            *_lines(after, b0, b1, "+"),
            *_lines(after, b1, b1 + below, " ", a1 - b1),
        ]
        yield Hunk(a0 + (a1 > a0), a1 - a0, b0 + (b1 > b0), b1 - b0, lines, 0, 0)


def _lines(side: Split, first: int, last: int, sign: str, shift: int = 0) -> list[Line]:
    """Return lines of one side; `shift` leads from a number after to the one before."""
    raw = [line.decode("utf-8", "replace") for line in side.lines[first:last]]
    clean = scrub("\n".join(raw)).split("\n") if raw else []
    if len(clean) != len(raw):  # a secret over several lines was taken out
        clean = [scrub(line) for line in raw]
    return [
        Line(
            number + shift if sign == " " else number if sign == "-" else None,
            None if sign == "-" else number,
            sign,
            text,
        )
        for number, text in enumerate(clean, first + 1)
    ]


def _cut(hunks: Sequence[Hunk]) -> tuple[list[Hunk], int]:
    """Return as much as is shown of one file, and how many lines that leaves out."""
    shown, room = [], MOST
    for hunk in hunks:
        shown.append(hunk._replace(lines=hunk.lines[:room]))
        room -= len(shown[-1].lines)
    return shown, sum(len(hunk.lines) for hunk in hunks) - (MOST - room)
