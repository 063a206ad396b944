"""The rows in which `linetrail classify` answers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from linetrail.projections.classify.classify import UNPARSED, Judged
from linetrail.projections.classify.judgement import EVOLUTION, RULE_VERSION, Judgement, contradiction, decided
from linetrail.projections.classify.revisions import Commit, Difference

_LEFT_OUT = {"symlink": "a symbolic link", "submodule": "a submodule"}


class FileRow(NamedTuple):
    """One file of a change, judged."""

    path: str
    from_path: str | None
    label: str
    kind: str
    mutation_class: str
    evidence: Sequence[str]
    rule_version: int


class CommitRow(NamedTuple):
    """One commit, judged, and the class that its message declares; `evolved` are its code files that evolved."""

    vcs_revision: str
    subject: str
    declared_class: str | None
    label: str
    kind: str
    mutation_class: str
    contradiction: str | None
    files: int
    evolved: Sequence[str]
    evidence: Sequence[str]
    rule_version: int


class StepRow(NamedTuple):
    """A recorded change, or a run of them, judged; the label is None where its contents are not available."""

    about: str
    mutation_id: str
    first_mutation_id: str | None
    seq: int
    paths: Sequence[str]
    label: str | None
    kind: str | None
    mutation_class: str | None
    declared_class: str | None
    contradiction: str | None
    evidence: Sequence[str]
    rule_version: int | None


FILES, COMMITS, STEPS = FileRow._fields, CommitRow._fields, StepRow._fields
EVOLVES, CONTRADICTS = "evolution", "contradiction"


def fails(wanted: str | None, rows: Sequence[CommitRow | StepRow]) -> bool:
    """Return whether any row is what `--fail-on` names."""
    if wanted == CONTRADICTS:
        return any(row.contradiction for row in rows)
    return wanted is not None and any(row.label == EVOLUTION for row in rows)


def file_rows(judged: Judged | None, found: Difference) -> list[FileRow]:
    """Return a row for each file in git's order; a moved file is listed under its new name."""
    rows = [
        file_row(change.path, change.from_path, judged.files[change.path])
        for change in found.step
        if judged is not None and change.path in judged.files
    ]
    left_out = [file_row(path, None, _unread(why)) for path, why in found.left_out.items()]
    return [*rows, *left_out]


def file_row(path: str, from_path: str | None, judged: Judgement) -> FileRow:
    return FileRow(
        path, from_path, judged.label, judged.kind, judged.mutation_class, list(judged.evidence), judged.rule_version
    )


def commit_row(commit: Commit, judged: Judged) -> CommitRow:
    computed = judged.whole.mutation_class
    return CommitRow(
        vcs_revision=commit.revision,
        subject=commit.subject,
        declared_class=commit.claim,
        label=judged.whole.label,
        kind=judged.whole.kind,
        mutation_class=decided(computed, commit.claim),
        contradiction=contradiction(commit.claim, computed, len(judged.evolved)),
        files=len(judged.files),
        evolved=list(judged.evolved),
        evidence=list(judged.whole.evidence),
        rule_version=judged.whole.rule_version,
    )


def whole(judged: Judged | None, found: Difference) -> dict[str, Any]:
    """Return the judgement of a change over all of its files; null where nothing changed."""
    one = judged.whole if judged else None
    if found.left_out and (one is None or one.label != EVOLUTION):
        one = _unread(next(iter(found.left_out.values())))
    return {
        "label": one and one.label,
        "kind": one and one.kind,
        "mutation_class": one and one.mutation_class,
        "evidence": list(one.evidence) if one else [],
        "rule_version": RULE_VERSION,
    }


def _unread(why: str) -> Judgement:
    return Judgement(EVOLUTION, UNPARSED, (f"{_LEFT_OUT[why]}: it has no text that could be compared",))
