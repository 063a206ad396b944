"""Show people what changes were judged to be, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linetrail.projections.classify.judgement import FIX_CHANGES_NOTHING, REFACTOR_NOT_PROVED
from linetrail.projections.tables.table import Table
from linetrail.queries.answers.classify_rows import CommitRow, FileRow, StepRow
from linetrail.queries.render.output import terminal_width
from linetrail.queries.render.text import counted, plain, text_table

if TYPE_CHECKING:
    from linetrail.queries.record.classes import Recorded

LEGEND = (
    "formatting: the same program, laid out otherwise; comment: what only people read; refactor: proved to do the "
    "same; evolution: all else, also what cannot be parsed or proved. A change over several files is judged as one: "
    "a function and its callers may be renamed together. With --record, each recorded change is judged once, and the "
    "judgement travels with the ledger."
)
_DOUBTS = {
    REFACTOR_NOT_PROVED: "says that it changes no behaviour, which is not proved",
    FIX_CHANGES_NOTHING: "says that it fixes something, and changes no behaviour",
}
MAX_NAMED = 3


def files(rows: Sequence[FileRow], said: Mapping[str, Any], *, explain: bool) -> str:
    """Return a line for each file, its notes with `explain`, and a summary."""
    if not rows:
        return "nothing differs"
    table = [(row.label, row.kind, _path(row)) for row in rows]
    lines = _explained(table, [row.evidence for row in rows] if explain else [])
    labels = Counter(row.label for row in rows)
    counts = ", ".join(f"{times:,} {label}" for label, times in labels.most_common())
    notes = _notes(said["evidence"]) if explain and len(rows) > 1 else ()
    return "\n".join([*lines, f"{said['label']} ({said['mutation_class']}): {counts}", *notes])


def commits(rows: Sequence[CommitRow], *, explain: bool) -> str:
    """Return a line for each commit, the latest first, with the class that its message declares."""
    if not rows:
        return "no commit changes a file"
    table = [(row.vcs_revision[:10], row.label, row.kind, row.declared_class, row.subject) for row in rows]
    lines = _explained(table, [row.evidence for row in rows] if explain else [])
    return "\n".join([*lines, *(f"! {doubt(row)}" for row in rows if row.contradiction)])


def doubt(row: CommitRow) -> str:
    """Return a sentence on why the class that a commit declares is doubtful."""
    named = [plain(path) for path in row.evolved[:MAX_NAMED]]
    more = [f"{len(row.evolved) - MAX_NAMED} more"] if len(row.evolved) > MAX_NAMED else []
    where = f": {', '.join([*named, *more])}" if named else ""
    return f'{row.vcs_revision[:10]} "{plain(row.subject)}" {_DOUBTS[row.contradiction or ""]}{where}'


def _explained(table: Sequence[tuple[Any, ...]], notes: Sequence[Sequence[str]]) -> Iterator[str]:
    columns = ("",) * len(table[0])
    lines = text_table(Table(columns, table), header=False, width=terminal_width()).splitlines()
    for at, line in enumerate(lines):
        yield line
        yield from _notes(notes[at] if notes else ())


def _notes(notes: Sequence[str]) -> Iterator[str]:
    return (f"    {plain(note)}" for note in notes)


def _path(row: FileRow) -> str:
    return f"{plain(row.from_path)} -> {plain(row.path)}" if row.from_path else plain(row.path)


def steps(rows: Sequence[StepRow], *, explain: bool) -> str:
    """Return a line for each step of a session; a run of steps follows its steps."""
    if not rows:
        return "no agent changed a file in it"
    table = [
        (
            row.seq,
            "" if row.about == "mutation" else "run",
            row.label or "?",
            row.kind,
            ", ".join(row.paths[:MAX_NAMED]),
        )
        for row in rows
    ]
    return "\n".join(_explained(table, [row.evidence for row in rows] if explain else []))


def recorded(done: "Recorded") -> str:
    """Return how many judgements were recorded, and how many could not be made."""
    parts = [counted(done.mutations, "mutation"), counted(done.runs, "run"), counted(done.commits, "commit")]
    lines = [f"recorded {', '.join(parts)}"]
    if done.unknown:
        lines.append(f"{counted(done.unknown, 'mutation')} cannot be judged: their contents are not known any more")
    if done.late:
        lines.append(f"{counted(done.late, 'change')} took too long to be judged")
    if done.failed:
        lines.append(f"{counted(done.failed, 'change')} met a bug in the rules; LINETRAIL_DEBUG=1 shows its traceback")
    return "\n".join(lines)
