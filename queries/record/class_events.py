"""Make the events that say what changes were judged to be.

They travel with the repository, so they hold names, ranges and short notes, and no content: each note is searched for
secrets and cut, and of very large changes the first files and notes are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.drafts import fitting
from linetrail.ledger.event.event import Event, Vcs, new_id, rfc3339
from linetrail.ledger.redact.fingerprints import Redactor
from linetrail.projections.classify.claims import decided
from linetrail.projections.classify.classify import Judged
from linetrail.projections.classify.steps import File

TYPE = "mutation.classified"
MAX_NOTES, MAX_FILE_NOTES = 12, 4
# Room in an event for the files of a change, and for the mutations that a commit holds.
FILES_BYTES, IDS_BYTES = 36_000, 12_000


class Basis(NamedTuple):
    """Who or what speaks for a class, in whose words, and the events that show it."""

    by: str
    mutation_class: str
    words: str | None = None
    event_ids: tuple[str, ...] = ()


def data(
    about: Mapping[str, Any], judged: Judged, files: Iterable[File], spoken: Sequence[Basis], redactor: Redactor
) -> dict[str, Any]:
    """Return the data of an event; `about` says what was judged, `spoken` what else is known of it."""
    whole = judged.whole
    declared = next((basis.mutation_class for basis in spoken if basis.by != "tests"), None)
    told = [_file(file, judged, redactor) for file in files if file.path in judged.files]
    kept = fitting(told, FILES_BYTES)
    evolved = {entry["path"] for entry in told}.intersection(judged.evolved)
    basis = [Basis("syntax", whole.mutation_class), *spoken]
    left_out = {"files_left_out": len(told) - len(kept)} if len(kept) < len(told) else {}
    return {
        **about,
        "rule_version": whole.rule_version,
        "label": whole.label,
        "kind": whole.kind,
        "computed_class": whole.mutation_class,
        "mutation_class": decided(
            whole.mutation_class, declared, repaired=any(basis.by == "tests" for basis in spoken)
        ),
        "declared_class": declared,
        "evidence": _notes(whole.evidence, MAX_NOTES, redactor),
        "basis": [_basis(one, redactor) for one in basis],
        "files": kept,
        **left_out,
        "evolved_files": len(evolved),
    }


def of_commit(revision: str, mutation_ids: Sequence[str]) -> dict[str, Any]:
    """Say that a commit was judged, and which recorded mutations it holds."""
    return {"about": "commit", "revision": revision, "mutation_ids": fitting(mutation_ids, IDS_BYTES)}


def event(body: dict[str, Any], now_ns: int, vcs: Vcs | None) -> Event:
    """Return an event that nobody's session is charged with."""
    return Event(new_id(now_ns), rfc3339(now_ns), TYPE, None, None, "unknown", None, vcs, body)


def _file(file: File, judged: Judged, redactor: Redactor) -> dict[str, Any]:
    of = judged.files[file.path]
    renamed = {} if file.from_path is None else {"from_path": file.from_path}
    return {
        "path": file.path,
        **renamed,
        "before_hash": file.before,
        "after_hash": file.after,
        "label": of.label,
        "kind": of.kind,
        "evidence": _notes(of.evidence, MAX_FILE_NOTES, redactor),
    }


def _basis(basis: Basis, redactor: Redactor) -> dict[str, Any]:
    words = {} if basis.words is None else {"words": redactor.excerpt(basis.words)}
    ids = {"event_ids": list(basis.event_ids)} if basis.event_ids else {}
    return {"by": basis.by, "mutation_class": basis.mutation_class, **words, **ids}


def _notes(notes: Iterable[str], most: int, redactor: Redactor) -> list[str]:
    return [redactor.excerpt(note.encode(errors="replace").decode()) for note in list(notes)[:most]]
