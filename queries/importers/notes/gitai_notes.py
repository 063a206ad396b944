"""Import the notes that git-ai attached to commits: which lines are whose, without conversations.

A note speaks of the lines of its commit and of nothing else, so nothing is concluded here; `blame` asks it where
nothing that was recorded tells of a line. A note that cannot be read is kept all the same, with the reason.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import GitError, UsageError
from linetrail.ledger.event.event import Event, batches, derived_id, rfc3339
from linetrail.ledger.repository import Repository, git, invocation, object_id
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.progress import each
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.notes.authorship import VERSION, Author, Lines, Note, author_key
from linetrail.queries.importers.notes.note_text import kept
from linetrail.queries.importers.older.received import slices, weight
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.importers.transcript import Counts

SOURCE = "gitai-notes"
EVENT = "authorship.stated"
NOTES = "refs/notes/"
REF = f"{NOTES}ai"
# Where the notes of a remote are after a fetch: as git-ai brings them, or by a refspec of one's own.
_REMOTE = (f"{NOTES}ai-remote/*", f"{NOTES}*/ai", "refs/remotes/*/notes/ai", "refs/remotes/*/refs/notes/ai")
# A longer note is counted and never held.
MAX_NOTE_BYTES = 16 * 1024 * 1024
_FACTS_BYTES, _MAX_RANGES = 15_000, 300
_NAME = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# Folders above a note, two digits each: enough for more notes than there will be.
_FAN_OUT = 3
_COMMITTED = re.compile(rb"^committer .*> ([0-9]{1,11}) [+-]", re.MULTILINE)


class Attached(NamedTuple):
    """A note and its commit. `commit` is None where none is told, `content` where it is too long to be held."""

    commit: str | None
    content: bytes | None
    size: int


class Listed(NamedTuple):
    """A note under a ref, and when its commit was made."""

    time: int
    commit: str
    blob: str


def import_notes(paths: Iterable[str], into: Import) -> Report:
    """Import the notes of these refs and files; what is counted are notes."""
    all_counts = [Counts(path) for path in paths]
    with into.sink() as sink, contextlib.closing(Objects(into.repository)) as store:
        # By time, as notes were written: what is alike in two segments is looked for by the times of both.
        for notes in sorted(
            (_Notes(counts, into.repository, store) for counts in all_counts), key=lambda notes: notes.begins
        ):
            try:
                for found in notes.events():
                    sink.add(found)
            except OSError as error:
                notes.counts.rejected[f"cannot be read: {error.strerror}"] += 1
    return Report(all_counts, sink.events)


def full_ref(name: str) -> str:
    """Return the ref of notes that a person means, as `git notes --ref` does.

    >>> full_ref("ai"), full_ref("refs/notes/other")
    ('refs/notes/ai', 'refs/notes/other')
    """
    return name if name.startswith(NOTES) else f"{NOTES}{name.removeprefix('notes/')}"


def is_ref(path: str) -> bool:
    """Return whether this is a ref of notes, and no file."""
    return path.startswith("refs/")


def refs(repository: Repository) -> list[str]:
    """Return the refs that have notes of git-ai: our own, else those that came from remotes."""
    if repository.git_dir is None:
        return []
    found = (git(repository, "for-each-ref", "--format=%(refname)", REF, *_REMOTE) or b"").decode().split()
    return [REF] if REF in found else found


def has_notes(repository: Repository, ref: str) -> bool:
    return git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{tree}}") is not None


def note_files(paths: Iterable[str]) -> list[str]:
    """Return the files named, and those in the folders named whose names are those of commits."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            below = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
            found.update(dict.fromkeys(sorted(name for name in below if _commit_of(name))))
        elif os.path.isfile(path):
            found[path] = None
        else:
            raise UsageError(f"no such file or folder: {path}")
    return list(found)


class _Notes:
    """The notes of one ref, or of one file, as they are imported."""

    def __init__(self, counts: Counts, repository: Repository, store: Objects) -> None:
        self.counts, self._repository, self._store = counts, repository, store
        self._ref = counts.path if is_ref(counts.path) else None
        self._name = self._ref or repository.relative(counts.path) or os.path.basename(counts.path)
        self._times: dict[str, int] = {}

    @property
    def begins(self) -> int:
        """When the commit was made that a file is named after."""
        commit = None if self._ref else _commit_of(self.counts.path)
        return self._time(commit) if commit else 0

    def events(self) -> Iterator[list[Found]]:
        for attached in self._attached():
            self.counts.read += 1
            yield self._accept(attached)

    def _attached(self) -> Iterator[Attached]:
        if self._ref is not None:
            yield from self._of_ref(self._ref)
            return
        size = os.path.getsize(self.counts.path)
        with open(self.counts.path, "rb") as file:
            content = file.read() if size <= MAX_NOTE_BYTES else None
        yield Attached(_commit_of(self.counts.path), content, size)

    def _accept(self, attached: Attached) -> list[Found]:
        if attached.content is None:
            self.counts.rejected[f"longer than {MAX_NOTE_BYTES} bytes"] += 1
            return []
        said = kept(attached.content)
        note, reason = said.note, said.reason
        commit = attached.commit or object_id(note and note.base)
        if reason is not None or commit is None:
            self.counts.rejected[reason or "names no commit"] += 1
        if commit is None:
            return []
        for why, count in note.passed_over.items() if note else ():
            self.counts.skipped[why] += count
        known = {
            "revision": commit,
            "note": said.blob,
            "generator": note and note.generator,
            "unread": reason,
        }
        received: dict[str, Any] = {"file": self._name, "line": 1}
        if said.redacted:
            received["redacted"] = True
        if said.left_out:
            received["left_out"] = said.left_out
        return self._founds(known, note, said.text, said.encoding or (VERSION if note else None), received)

    def _founds(
        self,
        known: Mapping[str, Any],
        note: Note | None,
        clean: str,
        dialect: str | None,
        received: dict[str, Any],
    ) -> list[Found]:
        """Make the events of a note: its text and what it says are spread over them, each from the first on."""
        texts = list(slices(clean))
        said = list(_said(note)) if note else []
        events = max(len(texts), len(said), 1)
        time = self._time(known["revision"])
        founds = []
        for at in range(events):
            data = dict(known)
            # What a second import looks for stands together: see `register`.
            if events > 1:
                data = {"revision": data.pop("revision"), "note": data.pop("note"), "part": at + 1, **data}
                data["parts"] = events
            data |= said[at] if at < len(said) else {"authors": [], "files": []}
            if at < len(texts):
                place = {"part": at + 1, "parts": len(texts)} if len(texts) > 1 else {}
                data |= {"dialect": dialect, "raw": texts[at], "received": received | place}
            event_id = derived_id(time, SOURCE, known["revision"], known["note"], str(at))
            event = Event(event_id, rfc3339(time), EVENT, None, None, "unknown", None, None, data)
            is_counted = at == 0 and note is not None
            founds.append(Found(self.counts if is_counted else Counts(self.counts.path), event))
        return founds

    def _of_ref(self, ref: str) -> Iterator[Attached]:
        """Yield the notes under a ref, in the order of their commits' times."""
        told = git(self._repository, "ls-tree", "-r", "-z", ref)
        if told is None:
            raise GitError(f"git ls-tree -r {ref} failed")
        entries = (line.partition("\t") for line in os.fsdecode(told).split("\0") if line)
        pairs = [(about.split(" ")[2], path.replace("/", "")) for about, _, path in entries]
        pairs = [(blob, commit) for blob, commit in pairs if _NAME.fullmatch(commit)]
        listed = sorted(Listed(self._time(commit), commit, blob) for blob, commit in pairs)
        lengths = sizes(self._repository, [note.blob for note in listed])
        for note in each(listed, f"reading {ref}", "notes"):
            size = lengths.get(note.blob, 0)
            yield Attached(note.commit, self._store.read(note.blob) if size <= MAX_NOTE_BYTES else None, size)

    def _time(self, commit: str) -> int:
        """Return when a commit was made; where it is not here, when its notes were last added to."""
        if commit not in self._times:
            heads = (_COMMITTED.search((name and self._store.read(name)) or b"") for name in (commit, self._ref))
            seconds = next((int(found[1]) for found in heads if found), 0)
            self._times[commit] = seconds * 1_000_000_000
        return self._times[commit]


def sizes(repository: Repository, blobs: Sequence[str]) -> dict[str, int]:
    """Return how long these objects are, as far as git has them."""
    command, environment = invocation(repository, "cat-file", "--batch-check=%(objectname) %(objectsize)")
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    done = subprocess.run(command, env=environment, input=asked, capture_output=True, check=False)
    answers = (line.split(b" ") for line in done.stdout.splitlines())
    return {name.decode(): int(size) for name, size in answers if size.isdigit()}


def _commit_of(path: str) -> str | None:
    """Return the commit that a file is named after; git puts the first digits into names of folders."""
    parts = path.split(os.sep)
    names = ("".join(parts[-count:]) for count in range(1, _FAN_OUT + 2))
    return next(filter(_NAME.fullmatch, names), None)


def _said(note: Note) -> Iterator[dict[str, Any]]:
    """Spread what a note says over as many events as it needs, each with the authors that it names."""
    units = [
        (file.path, Lines(lines.key, lines.ranges[at : at + _MAX_RANGES]))
        for file in note.files
        for lines in file.by
        for at in range(0, len(lines.ranges), _MAX_RANGES)
    ]
    for group in batches(units, lambda unit: _weight(unit, note.authors), _FACTS_BYTES):
        keys = dict.fromkeys(author_key(lines.key) for _, lines in group)
        files: list[dict[str, Any]] = []
        for path, lines in group:
            if not files or files[-1]["path"] != path:
                files.append({"path": path, "by": []})
            files[-1]["by"].append({"key": lines.key, "ranges": [list(one) for one in lines.ranges]})
        yield {"authors": [note.authors[key]._asdict() for key in keys], "files": files}


def _weight(unit: tuple[str, Lines], authors: Mapping[str, Author]) -> int:
    return weight(unit) + weight(authors[author_key(unit[1].key)]._asdict()) + 40
