"""Write notes of the format that git-ai reads: for each commit the lines that agents wrote in it.

A note that was imported leaves as it came. In one of ours a session is named by the hash of agent and conversation, as
the format wants it, and a call by the hash of its own name; so the same ledger gives the same notes, anywhere.
"""

import hashlib
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.files import git_blob
from linetrail.ledger.repository import Repository, git
from linetrail.projections.git.plumbing import answer
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.agent_lines import Authored, Stretch, authored
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.exporters import imported_records
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.history import commits as commits_of
from linetrail.queries.exporters.output import place, write_lines, writing
from linetrail.queries.importers.notes.authorship import AGENTS, DIVIDER, UNKNOWN_MODEL, VERSION, path_line
from linetrail.queries.importers.notes.gitai_notes import REF, full_ref, has_notes
from linetrail.queries.render.text import counted

# What a note of ours says it was made by. No version: another linetrail would write every note anew.
GENERATOR = "linetrail"
_OURS = f'"git_ai_version": "{GENERATOR}"'.encode()
_TOOLS = {ours: theirs for theirs, ours in AGENTS.items()}
_UNKNOWN = "unknown"
_DIGITS = 14


class Written(NamedTuple):
    """What came of writing notes under a ref. Those of other tools are kept; of some the commit is not here."""

    written: int
    there: int
    kept: int
    absent: int


def export(asked: Asked) -> None:
    """Attach the notes to their commits, write each into a file of its own, or print one a line."""
    commits = commits_of(asked.repository, asked.range)
    with open_tables(asked.repository) as tables:
        found = notes(asked.repository, tables, commits, limited=asked.range is not None)
        if asked.write:
            _export_ref(asked, found)
        elif asked.out is None or asked.dry_run:
            write_lines(asked, (_line(note) for note in found), "note")
        else:
            folder = place(asked) or ""
            with writing(folder):
                count = save(found, folder)
            print(f"{counted(count, 'note')} written to {asked.out}", file=sys.stderr)


def _export_ref(asked: Asked, found: Iterable[imported_records.Note]) -> None:
    ref = full_ref(asked.ref or REF)
    if git(asked.repository, "check-ref-format", ref) is None:
        raise UsageError(f"{asked.ref} is no name of a ref; notes are below refs/notes/, as in --ref ai")
    done = write(asked.repository, ref, found, dry_run=asked.dry_run)
    print(f"{counted(done.written, 'note')} {'would be ' * asked.dry_run}written to {ref}", file=sys.stderr)
    for count, said in (
        (done.there, "there already"),
        (done.kept, "left as another tool wrote it"),
        (done.absent, "left out: the commit is not here"),
    ):
        if count:
            print(f"{said}: {counted(count, 'note')}", file=sys.stderr)


def _line(note: imported_records.Note) -> bytes:
    """Return a note as a line of JSON; one that is no UTF-8 has a character for each byte, and says so."""
    try:
        said = {"revision": note.commit, "note": note.content.decode()}
    except UnicodeDecodeError:
        said = {"revision": note.commit, "note": note.content.decode("latin-1"), "encoding": "latin-1"}
    return f"{json.dumps(said, ensure_ascii=False)}\n".encode()


def notes(
    repository: Repository, tables: Tables, commits: Sequence[str], *, limited: bool
) -> Iterator[imported_records.Note]:
    """Yield the notes of these commits; unless `limited` to them, those too that were imported for others."""
    came = set()
    for note in imported_records.notes(repository, tables, set(commits) if limited else None):
        came.add(note.commit)
        yield note
    for found in authored(repository, tables, (commit for commit in commits if commit not in came)):
        yield imported_records.Note(found.commit, text(found).encode())


def text(found: Authored) -> str:
    """Return the note that says what agents wrote in a commit."""
    above = [line for path, stretches in found.files.items() for line in (path_line(path), *_entries(stretches))]
    told = [stretch.by for stretches in found.files.values() for stretch in stretches]
    metadata = {
        "schema_version": VERSION,
        "git_ai_version": GENERATOR,
        "base_commit_sha": found.commit,
        "prompts": {},
        "sessions": _sessions(told),
    }
    return "\n".join([*above, DIVIDER, json.dumps(metadata, indent=2, ensure_ascii=False)])


def session_key(tool: str, conversation: str) -> str:
    """Name a session as the format does.

    >>> session_key("claude", "conv_abc123")
    's_ee976e8f82d55b'
    """
    return f"s_{_hash(f'{tool}:{conversation}')}"


def save(found: Iterable[imported_records.Note], folder: str) -> int:
    """Write each note into a file that is named after its commit, and return how many there are."""
    os.makedirs(folder, exist_ok=True)
    count = 0
    for note in found:
        with open(os.path.join(folder, note.commit), "wb") as file:
            file.write(note.content)
        count += 1
    return count


def write(
    repository: Repository, ref: str, found: Iterable[imported_records.Note], *, dry_run: bool = False
) -> Written:
    """Attach notes to their commits in one commit of the ref; what other tools attached stays as it is."""
    listed = git(repository, "notes", f"--ref={ref}", "list") or b""
    there = {commit: blob for blob, commit in (line.decode().split(" ") for line in listed.splitlines())}
    ours = _ours(repository, there.values())
    known = list(found)
    here = _commits(repository, [note.commit for note in known])
    new = []
    counts = {"there": 0, "kept": 0, "absent": 0}
    for note in known:
        if note.commit not in here:
            counts["absent"] += 1
        elif there.get(note.commit) == git_blob(note.content):
            counts["there"] += 1
        elif note.commit in there and there[note.commit] not in ours:
            counts["kept"] += 1
        else:
            new.append(note)
    if new and not dry_run:
        _attach(repository, ref, new, begun=has_notes(repository, ref))
    return Written(len(new), **counts)


def _attach(repository: Repository, ref: str, found: Sequence[imported_records.Note], *, begun: bool) -> None:
    who = answer(repository, "var", "GIT_COMMITTER_IDENT").strip()
    stream = [b"commit %s\ncommitter %s\n" % (ref.encode(), who), _data(b"notes of linetrail"), b"\n"]
    if begun:
        stream.append(b"from %s^0\n" % ref.encode())
    for note in found:
        stream += [b"N inline %s\n" % note.commit.encode(), _data(note.content), b"\n"]
    answer(repository, "fast-import", "--quiet", "--done", stdin=b"".join([*stream, b"done\n"]))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s" % (len(content), content)


def _ours(repository: Repository, blobs: Iterable[str]) -> Collection[str]:
    """Return those of these notes that we wrote."""
    found = set()
    names = list(blobs)
    told = answer(repository, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in names).encode())
    at = 0
    for name in names:
        end = told.index(b"\n", at)
        size = int(told[at:end].rpartition(b" ")[2])
        if _OURS in told[end : end + 1 + size]:
            found.add(name)
        at = end + size + 2
    return found


def _commits(repository: Repository, names: Sequence[str]) -> Collection[str]:
    """Return those of these commits that are here."""
    asked = "".join(f"{name}\n" for name in names).encode()
    told = answer(repository, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked)
    return {line.split(b" ")[0].decode() for line in told.splitlines() if line.endswith(b" commit")}


def _entries(stretches: Sequence[Stretch]) -> Iterator[str]:
    """Yield one line for each key, in the order in which they appear in the file."""
    ranges: dict[str, list[str]] = {}
    for stretch in _joined(stretches):
        told = f"{stretch[1]}" if stretch[1] == stretch[2] else f"{stretch[1]}-{stretch[2]}"
        ranges.setdefault(stretch[0], []).append(told)
    for key, each in ranges.items():
        yield f"  {key} {','.join(each)}"


def _joined(stretches: Sequence[Stretch]) -> Iterator[tuple[str, int, int]]:
    """Join stretches in a row that have one key: a note does not tell all that an attribution does."""
    last: tuple[str, int, int] | None = None
    for stretch in stretches:
        key = _key(stretch.by)
        if last is not None and last[0] == key and last[2] + 1 == stretch.first:
            last = (key, last[1], stretch.last)
            continue
        if last is not None:
            yield last
        last = (key, stretch.first, stretch.last)
    if last is not None:
        yield last


def _key(by: Attribution) -> str:
    tool, conversation = _names(by)
    return f"{session_key(tool, conversation)}::t_{_hash(by.tool_call_id or by.event_id or '')}"


def _names(by: Attribution) -> tuple[str, str]:
    """Return agent and conversation; what has no session is one of its own."""
    name = by.agent_name or _UNKNOWN
    return _TOOLS.get(name, name), by.session_id or by.event_id or _UNKNOWN


def _sessions(told: Iterable[Attribution]) -> dict[str, Any]:
    """Say who the keys stand for; where a session changed its model, the one that wrote last is told."""
    sessions: dict[str, Any] = {}
    intents: dict[str, set[str]] = {}
    for by in sorted(told, key=lambda by: by.written_at or ""):
        tool, conversation = _names(by)
        key = session_key(tool, conversation)
        model = by.model_id or sessions.get(key, {}).get("agent_id", {}).get("model") or UNKNOWN_MODEL
        sessions[key] = {"agent_id": {"tool": tool, "id": conversation, "model": model}}
        if by.intent_id:
            intents.setdefault(key, set()).add(by.intent_id)
        if key in intents:
            sessions[key]["custom_attributes"] = {"intent_id": ", ".join(sorted(intents[key]))}
    return dict(sorted(sessions.items()))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGITS]
