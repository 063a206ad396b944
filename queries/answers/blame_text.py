"""Show who wrote each line: for people, and for tools that read what `git blame --porcelain` prints."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from linetrail.projections.git.history import Blamed, Commit, GitLine
from linetrail.projections.git.shell import command, operand
from linetrail.projections.lines.attribution import Attribution
from linetrail.queries.answers.blame import Row
from linetrail.queries.render.terminal import AGENT, DOUBT, painted
from linetrail.queries.render.text import SHORT, columns, escaped, plain, short

_UNCOMMITTED = "0" * 40
_UNSAFE = re.compile(rb'[\x00-\x1f\x7f"\\]')
_UNSAFE_OR_HIGH = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')
# `json.dumps` makes a new one for each line
_encoder = json.JSONEncoder(ensure_ascii=False)
_SHORT = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


def page(
    rows: Sequence[Row], path: str, revision: str | None, *, of: Sequence[Row] = (), directory: str = ".", colour: bool
) -> str:
    """Return lines for a person: intent, author, session or commit, day, number, text.

    A name in parentheses is presumed from git or a trailer, one with `?` behind it is doubtful, a `?` alone is
    unknown, `~` stands where both kinds of author had a hand in it. The last line sums up what the rows are chosen
    out `of`.
    """
    cells = {by: _cells(by) for by in dict.fromkeys(row.by for row in rows)}
    widths = [max(map(columns, column)) for column in zip(*cells.values(), strict=True)]
    left = {by: _left(by, cell, widths, colour=colour) for by, cell in cells.items()}
    lines = [f"{left[row.by]} {row.number:>4}) {plain(row.text.expandtabs())}".rstrip() for row in rows]
    return "\n".join([*lines, summary(of or rows, path, revision, directory)])


def summary(rows: Sequence[Row], path: str, revision: str | None, directory: str) -> str:
    """Return how many lines each kind of author wrote, and the `linetrail why` command for the first by an agent."""
    kinds = [row.by.contributor_type for row in rows]
    presumed = sum(row.by.evidence == "git" and row.by.contributor_type == "human" for row in rows)
    counts = [
        f"{kinds.count('ai')} of {len(rows)} lines by agents",
        _count(sum(row.by.doubtful for row in rows), "doubtful"),
        _count(sum(row.by.mixed for row in rows), "mixed"),
        _count(kinds.count("human"), f"human ({presumed} presumed)" if presumed else "human"),
        _count(kinds.count("unknown"), "unknown"),
    ]
    parts = [", ".join(filter(None, counts))]
    if rows:
        known = len(rows) - kinds.count("unknown")
        first = next((row.number for row in rows if row.by.contributor_type == "ai"), rows[0].number)
        started = ["linetrail", *(["-C", operand(directory)] if directory != "." else []), "why"]
        why = [*started, f"{operand(path)}:{first}", *(["--rev", revision] if revision else [])]
        parts += [f"{100 * known // len(rows)}% known", command(why)]
    return " | ".join(parts)


def porcelain(rows: Sequence[Row], git: Blamed, *, every_line: bool, quote_high: bool = True) -> bytes:
    """Print what `git blame --porcelain` prints, with `linetrail-…` headers on each line.

    `quote_high` is what git is set to do with names that are not ASCII.
    """
    origins = {(row.git.revision, row.git.filename) for row in rows}
    several = {revision for revision, times in Counter(revision for revision, _ in origins).items() if times > 1}
    told: set[str | None] = set()
    ours = {row.by: _our_headers(row.by) for row in rows}
    out: list[bytes] = []
    for row, group in zip(rows, _groups(rows), strict=True):
        revision, original, _, _ = row.git
        size = f" {group}" if group else ""
        out.append(f"{revision or _UNCOMMITTED} {original} {row.number}{size}\n".encode())
        new = every_line or revision not in told
        if new:
            told.add(revision)
            out += _commit_headers(row.git, git.commits)
        if new or (group and revision in several):
            out += _file_headers(row.git, high=quote_high)
        out += [ours[row.by], b"\t", row.raw, b"\n"]
    return b"".join(out)


def json_rows(rows: Iterable[Row], path: str | None = None) -> Iterator[str]:
    """Yield one JSON object for each line; with its path in front where several files are asked for."""
    tails: dict[Attribution, str] = {}
    front = "{" if path is None else f'{{"path": {_json(path)}, '
    for row in rows:
        if row.by not in tails:
            tails[row.by] = _json(row.by._asdict()).removeprefix("{")
        yield f'{front}"line_no": {row.number}, "text": {_json(row.text)}, {tails[row.by]}'


def _cells(by: Attribution) -> tuple[str, str, str, str, str]:
    intent = (by.intent_id or "") if by.contributor_type == "ai" else "-" if by.contributor_type == "human" else "?"
    identity = short(by.session_id or "") if by.contributor_type == "ai" else (by.vcs_revision or "")[:SHORT]
    day = (by.written_at or "")[:10]
    return (plain(intent), plain(_who(by)), plain(identity), day, "~" if by.mixed else " ")


def tone_of(by: Attribution) -> str | None:
    """Return the colour of an author; words or signs always say the same."""
    return DOUBT if by.doubtful else {"ai": AGENT, "unknown": DOUBT}.get(by.contributor_type)


def _who(by: Attribution) -> str:
    return f"{_name(by)}?" if by.doubtful else _name(by)


def _name(by: Attribution) -> str:
    if by.contributor_type == "ai":
        name = by.agent_name or "agent"
        return f"({name})" if by.evidence == "trailer" else name
    if by.contributor_type == "unknown":
        return "unknown"
    return f"({by.author})" if by.evidence == "git" else by.author or "human"


def _left(by: Attribution, cells: Sequence[str], widths: Sequence[int], *, colour: bool) -> str:
    left = "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths, strict=True))
    return painted(left, tone_of(by) if colour else None)


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number else ""


def _groups(rows: Sequence[Row]) -> Iterator[int]:
    """Yield for each line the length of the run of lines from its commit that starts here; 0 inside a run."""
    starts = [at for at, row in enumerate(rows) if at == 0 or not _continues(rows[at - 1], row)]
    ends = [*starts[1:], len(rows)]
    sizes = {start: end - start for start, end in zip(starts, ends, strict=False)}
    return (sizes.get(at, 0) for at in range(len(rows)))


def _continues(above: Row, row: Row) -> bool:
    one, two = above.git, row.git
    same = (one.revision, one.filename) == (two.revision, two.filename)
    return same and two.original_line == one.original_line + 1 and row.number == above.number + 1


def _commit_headers(line: GitLine, commits: Mapping[str, Commit]) -> Iterator[bytes]:
    headers: Iterable[str] = commits[line.revision].headers if line.revision else _not_committed(line.filename)
    return (header.encode(errors="surrogateescape") + b"\n" for header in headers)


def _file_headers(line: GitLine, *, high: bool) -> Iterator[bytes]:
    if line.previous:
        yield b"previous " + line.previous[0].encode() + b" " + _quoted(line.previous[1], high=high) + b"\n"
    yield b"filename " + _quoted(line.filename, high=high) + b"\n"


def _not_committed(path: str) -> list[str]:
    people = ("author", "committer")
    zone = time.strftime("%z")
    fields = {"": "Not Committed Yet", "-mail": "<not.committed.yet>", "-time": int(time.time()), "-tz": zone}
    return [f"{who}{key} {value}" for who in people for key, value in fields.items()] + [
        f"summary Version of {path} from {path}"
    ]


def _our_headers(by: Attribution) -> bytes:
    return "".join(f"linetrail-{name} {value}\n" for name, value in _headers(by)).encode()


def _headers(by: Attribution) -> Iterator[tuple[str, object]]:
    """Yield a header for each field of a line that is known."""
    yield "contributor", by.contributor_type
    if by.mixed:
        yield "mixed", "true"
    named = ("agent_name", "model_id", "session_id", "intent_id", "event_id", "tool_call_id", "origin_event_id")
    for name in named:
        value = getattr(by, name)
        if value is not None:
            yield name.removesuffix("_name").removesuffix("_id").replace("_", "-"), value
    if by.mutation_class is not None:
        yield "class", by.mutation_class
    yield "evidence", by.evidence
    yield "confidence", by.confidence


def _quoted(name: str, *, high: bool) -> bytes:
    raw = name.encode(errors="surrogateescape")
    unsafe = _UNSAFE_OR_HIGH if high else _UNSAFE
    if not unsafe.search(raw):
        return raw
    return b'"' + unsafe.sub(lambda found: b"\\" + _SHORT.get(found[0][0], b"%03o" % found[0][0]), raw) + b'"'


def _json(value: object) -> str:
    return escaped(_encoder.encode(value))
