"""Show who wrote each line: for people, and for tools that read what `git blame --porcelain` prints."""

import re
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.history import Blamed, Commit, GitLine
from linetrail.projections.lines import Attribution
from linetrail.queries.render import columns, plain

_AGENT, _PROBLEM, _PLAIN = "\033[36m", "\033[33m", "\033[0m"
_UNCOMMITTED = "0" * 40
_UNSAFE = re.compile(rb'[\x00-\x1f\x7f"\\]')
_SHORT = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


class Row(NamedTuple):
    """One line of the answer: its number, its bytes without the newline, who wrote it, and what git says of it."""

    number: int
    raw: bytes
    by: Attribution
    git: GitLine

    @property
    def text(self) -> str:
        """The line as text, without a carriage return that only ends it."""
        return self.raw.removesuffix(b"\r").decode("utf-8", "replace")


def page(rows: Sequence[Row], path: str, revision: str | None, *, directory: str = ".", colour: bool) -> str:
    """Lay the lines out for a person: intent, who, session or commit, day, number, text.

    A name in parentheses is presumed from git, `?` is unknown, `~` stands where both kinds of author had a hand in it.
    """
    cells = [_cells(row) for row in rows]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    lines = [_line(row, cell, widths, colour=colour) for row, cell in zip(rows, cells, strict=True)]
    return "\n".join([*lines, summary(rows, path, revision, directory)])


def summary(rows: Sequence[Row], path: str, revision: str | None, directory: str) -> str:
    """Count the lines by who wrote them, and name the command that tells more, as it works where this one did."""
    kinds = [row.by.contributor_type for row in rows]
    presumed = sum(row.by.evidence == "git" and row.by.contributor_type == "human" for row in rows)
    counts = [
        f"{kinds.count('ai')} of {len(rows)} lines by agents",
        _count(sum(row.by.mixed for row in rows), "mixed"),
        _count(kinds.count("human"), f"human ({presumed} presumed)" if presumed else "human"),
        _count(kinds.count("unknown"), "unknown"),
    ]
    parts = [", ".join(filter(None, counts))]
    if rows:
        known = len(rows) - kinds.count("unknown")
        first = next((row.number for row in rows if row.by.contributor_type == "ai"), rows[0].number)
        started = ["linetrail", *(["-C", directory] if directory != "." else []), "why"]
        why = [*started, f"{path}:{first}", *(["--rev", revision] if revision else [])]
        parts += [f"{100 * known // len(rows)}% known", shlex.join(why)]
    return " | ".join(parts)


def porcelain(rows: Sequence[Row], git: Blamed, *, every_line: bool) -> bytes:
    """Print what `git blame --porcelain` prints, with `linetrail-…` headers on each line."""
    told: set[tuple[str | None, str]] = set()
    out: list[bytes] = []
    for row, group in zip(rows, _groups(rows), strict=True):
        revision, original, filename, _ = row.git
        size = f" {group}" if group else ""
        out.append(f"{revision or _UNCOMMITTED} {original} {row.number}{size}".encode())
        if every_line or (revision, filename) not in told:
            told.add((revision, filename))
            out += _commit_headers(row.git, git.commits)
        out += [f"linetrail-{name} {value}".encode() for name, value in _headers(row.by)]
        out.append(b"\t" + row.raw)
    return b"".join(line + b"\n" for line in out)


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    by = row.by
    intent = (by.intent_id or "") if by.contributor_type == "ai" else "-" if by.contributor_type == "human" else "?"
    identity = (by.session_id if by.contributor_type == "ai" else by.vcs_revision) or ""
    day = (by.written_at or "")[:10]
    return (plain(intent), plain(_who(by)), plain(identity[:8]), day, "~" if by.mixed else " ")


def _who(by: Attribution) -> str:
    if by.contributor_type == "ai":
        return by.agent_name or "agent"
    if by.contributor_type == "unknown":
        return "unknown"
    return f"({by.author})" if by.evidence == "git" else by.author or "human"


def _line(row: Row, cells: Sequence[str], widths: Sequence[int], *, colour: bool) -> str:
    left = "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths, strict=True))
    tone = {"ai": _AGENT, "unknown": _PROBLEM}.get(row.by.contributor_type) if colour else None
    left = f"{tone}{left}{_PLAIN}" if tone else left
    return f"{left} {row.number:>4}) {plain(row.text.expandtabs())}".rstrip()


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number else ""


def _groups(rows: Sequence[Row]) -> Iterator[int]:
    """Yield, for each line, how many lines of its commit begin here in a row; 0 inside such a run."""
    starts = [at for at, row in enumerate(rows) if at == 0 or not _continues(rows[at - 1], row)]
    ends = [*starts[1:], len(rows)]
    sizes = {start: end - start for start, end in zip(starts, ends, strict=False)}
    return (sizes.get(at, 0) for at in range(len(rows)))


def _continues(above: Row, row: Row) -> bool:
    one, two = above.git, row.git
    same = (one.revision, one.filename) == (two.revision, two.filename)
    return same and two.original_line == one.original_line + 1 and row.number == above.number + 1


def _commit_headers(line: GitLine, commits: Mapping[str, Commit]) -> Iterator[bytes]:
    headers: Iterable[str] = commits[line.revision].headers if line.revision else _not_committed()
    yield from (header.encode(errors="surrogateescape") for header in headers)
    if line.previous:
        yield b"previous " + line.previous[0].encode() + b" " + _quoted(line.previous[1])
    yield b"filename " + _quoted(line.filename)


def _not_committed() -> list[str]:
    people = ("author", "committer")
    fields = {"": "Not Committed Yet", "-mail": "<not.committed.yet>", "-time": int(time.time()), "-tz": "+0000"}
    return [f"{who}{key} {value}" for who in people for key, value in fields.items()] + ["summary Not Committed Yet"]


def _headers(by: Attribution) -> Iterator[tuple[str, object]]:
    """Yield what is known of a line; what is not known has no header."""
    yield "contributor", by.contributor_type
    if by.mixed:
        yield "mixed", "true"
    named = ("agent_name", "model_id", "session_id", "intent_id", "event_id", "tool_call_id", "origin_event_id")
    for name in named:
        value = getattr(by, name)
        if value is not None:
            yield name.removesuffix("_name").removesuffix("_id").replace("_", "-"), value
    yield "evidence", by.evidence
    yield "confidence", by.confidence


def _quoted(name: str) -> bytes:
    raw = name.encode(errors="surrogateescape")
    if not _UNSAFE.search(raw):
        return raw
    return b'"' + _UNSAFE.sub(lambda found: b"\\" + _SHORT.get(found[0][0], b"%03o" % found[0][0]), raw) + b'"'
