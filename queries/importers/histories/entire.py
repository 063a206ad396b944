"""Checkpoints of Entire: transcripts of agents, kept on a branch of the repository beside the code.

Confirmed by entireio/cli at f446dcfc: the branch and its folders by `docs/architecture/sessions-and-checkpoints.md`,
the files by `cmd/entire/cli/checkpoint/checkpoint.go`, long transcripts in parts (``full.jsonl.001``) by
`agent/chunking.go`, the names of agents by `agent/registry.go`; by the branches of that repository and of
PackmindHub/context-evaluator, entireio/git-sync (Codex, and newer checkpoints, each at a ref
``refs/entire/checkpoints/XX/ID`` of its own), EntityProcess/agentv (Copilot CLI) and dayhaysoos/nimbus (OpenCode).
Not confirmed: the name that newer versions give to Cursor. Folders are known by the files in them, wherever they are.

The transcript of a session is in each of its checkpoints, longer every time: what was read in one of them is not
read again in another.
"""

import contextlib
import hashlib
import io
import os
import re
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import IO, NamedTuple

from linetrail.ledger.adapters.claude_code import NAME as CLAUDE
from linetrail.ledger.errors import GitError, UsageError
from linetrail.ledger.repository import Repository, git, invocation
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.progress import working
from linetrail.queries.importers import intake
from linetrail.queries.importers.histories import codex, copilot_cli, cursor, gemini_cli, history, opencode
from linetrail.queries.importers.histories.calls import document
from linetrail.queries.importers.sink import Import, Report, Sink
from linetrail.queries.importers.survey import Survey
from linetrail.queries.importers.survey import place as place_of
from linetrail.queries.importers.transcript import Counts, time_of

SOURCE = "entire"
# why lines were skipped
REPEATED = "line of another checkpoint"
# Newer versions keep each checkpoint at a ref of its own below this.
OWN_REFS = "refs/entire/checkpoints/"
_REFS = ("refs/heads/entire/checkpoints/**", "refs/remotes/*/entire/checkpoints/**", f"{OWN_REFS}**")
# A checkpoint that has a ref of its own is named by its time and chance, in Crockford's base 32.
_OWN_REF = re.compile(r"^[0-9A-HJKMNP-TV-Z]{26}$", re.MULTILINE)
_NAMED = "--format=%(trailers:key=Entire-Checkpoint,valueonly,unfold)"
_TRANSCRIPT = re.compile(r"(.*/)?full\.jsonl(?:\.(\d{3}))?\Z")
_HEAD_BYTES = 64 * 1024
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:')
_LINE = re.compile(rb"\d+ blob ([0-9a-f]{40,64}) +(\d+|-|BAD)\t(.+)", re.DOTALL)
# agent as Entire names it -> how we name it, and what its own file would be called
_AGENTS = {
    "Claude Code": (CLAUDE, ".jsonl"),
    "Gemini CLI": (gemini_cli.NAME, ".json"),
    "Codex": (codex.NAME, ".jsonl"),
    "Cursor": (cursor.NAME, ".jsonl"),
    "Copilot CLI": (copilot_cli.NAME, ".jsonl"),
    "OpenCode": (opencode.NAME, ".json"),
}
_OTHERS: dict[str, history.Source] = {one.NAME: one for one in (gemini_cli, codex, cursor, copilot_cli, opencode)}
# A beginning is remembered for so many lines.
_EVERY = 32


class Checkpoint(NamedTuple):
    """One session in one checkpoint; `parts` are the objects that its transcript is made of, in order."""

    label: str
    parts: tuple[str, ...]
    about: str | None
    size: int


class Rest(NamedTuple):
    """What of a transcript was not read before: from which byte on, and behind how many lines.

    `time` is that of the last record before it, `reached` the latest of all before it, `start` that of the first
    record of the whole; 0 where none has one.
    """

    offset: int
    lines: int
    time: int
    reached: int
    start: int


class Session(NamedTuple):
    """A transcript in a file of our own; `known` is what of it another checkpoint has."""

    label: str
    known: Rest | None
    survey: Survey | None


def refs(repository: Repository, named: Iterable[str]) -> list[str]:
    """Return the branches of checkpoints that were named, else all; a remote's where there is none of ours."""
    wanted = list(named)
    for name in wanted:
        if name.startswith("-") or git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{tree}}") is None:
            raise UsageError(f"no checkpoints in {name}: no such branch")
    if wanted or repository.git_dir is None:
        return wanted
    found = _present(repository)
    branches = {ref for ref in found if ref.startswith("refs/heads/")}
    return [ref for ref in found if not (branches and ref.startswith("refs/remotes/"))]


def absent(repository: Repository) -> set[str]:
    """Return the checkpoints that commits name and that have refs of their own, which a clone does not bring along."""
    if repository.git_dir is None:
        return set()
    named = _OWN_REF.findall((git(repository, "log", _NAMED) or b"").decode(errors="replace"))
    return set(named).difference(ref.rpartition("/")[2] for ref in _present(repository)) if named else set()


def fetching(remote: str) -> str:
    """Return the command that brings the checkpoints of a remote: branches, and those with refs of their own."""
    return f"git fetch {remote} '+refs/heads/entire/*:refs/remotes/{remote}/entire/*' '+refs/entire/*:refs/entire/*'"


def _present(repository: Repository) -> list[str]:
    return (git(repository, "for-each-ref", "--format=%(refname)", *_REFS) or b"").decode().split()


def import_checkpoints(paths: Iterable[str], into: Import) -> Report:
    with tempfile.TemporaryDirectory(prefix="linetrail-") as folder:
        all_counts, sessions = _unpacked(into.repository, list(_checkpoints(into.repository, paths)), folder)
        with into.sink() as sink:
            for agent, found in sessions.items():
                all_counts += _read(agent, found, sink, into)
    return Report(all_counts, sink.events)


def _unpacked(
    repository: Repository, checkpoints: Sequence[Checkpoint], folder: str
) -> tuple[list[Counts], dict[str, dict[str, Session]]]:
    """Write the transcripts to files; return what cannot be read, and by agent and path what can."""
    unread: list[Counts] = []
    sessions: dict[str, dict[str, Session]] = {}
    seen = Copies()
    names = [name for one in checkpoints for name in (one.about, *one.parts) if name]
    with (
        working("reading checkpoints", sum(one.size for one in checkpoints)) as advance,
        contextlib.closing(bulk(repository, names)) as contents,
    ):
        for one in checkpoints:
            about = next(contents) if one.about else None
            parts = [next(contents) for _ in one.parts]
            advance(one.size)
            content = b"".join(part for part in parts if part is not None)
            named = _agent(about, content)
            reason = _unreadable(named, parts)
            if reason is not None:
                counts = Counts(one.label)
                counts.rejected[reason] += 1
                unread.append(counts)
                continue
            agent, ending = _AGENTS[named]
            known = seen.rest(content) if agent == CLAUDE else None
            rest = memoryview(content)[known.offset if known else 0 :]
            path = _written(one, rest, os.path.join(folder, agent), ending)
            found = None if known is None else Survey(known.start, *place_of(io.BytesIO(content)))
            sessions.setdefault(agent, {})[path] = Session(one.label, known, found)
    return unread, sessions


class Copy(NamedTuple):
    """A transcript of a checkpoint, written to a file: where the branch has it, and whose it is."""

    path: str
    label: str
    agent: str


def copies(repository: Repository, session_id: str, folder: str) -> list[Copy]:
    """Write the transcript of a session to a private folder, the longest that a checkpoint has; none where none has."""
    found = []
    with contextlib.closing(Objects(repository)) as objects:
        for one in _checkpoints(repository, refs(repository, ())):
            about = objects.read(one.about) if one.about else None
            content = b"".join(objects.read(part) or b"" for part in one.parts)
            agent, ending = _AGENTS.get(_agent(about, content), (None, ""))
            if agent is not None and _tells_of(about, content, session_id):
                path = _written(one, content, os.path.join(folder, agent), ending)
                label = one.label.removeprefix("refs/heads/").removeprefix("refs/remotes/")
                found.append(Copy(path, label, agent))
    return [max(found, key=lambda copy: os.path.getsize(copy.path))] if found else []


def _tells_of(about: bytes | None, content: bytes, session_id: str) -> bool:
    """Return whether a checkpoint is of a session: it says so, or its transcript does where it begins."""
    return (
        document(about).get("session_id") == session_id or session_id.encode(errors="replace") in content[:_HEAD_BYTES]
    )


def _unreadable(named: str, parts: Sequence[bytes | None]) -> str | None:
    """Return why a transcript cannot be read; None where it can."""
    if named not in _AGENTS:
        return f"agent not known: {named}"[:100]
    if len(parts) > 1 and _AGENTS[named][1] == ".json":
        return "in parts that are no lines"
    return "not in this clone" if all(part is None for part in parts) else None


def _read(agent: str, sessions: Mapping[str, Session], sink: Sink, into: Import) -> list[Counts]:
    """Import the sessions of one agent; those of Claude Code without what another checkpoint told."""
    if agent == CLAUDE:
        transcripts = [_transcript(path, session) for path, session in sessions.items()]
        intake.fill(sink, transcripts, into)
        all_counts = [transcript.counts for transcript in transcripts]
    else:
        all_counts = history.fill(sink, _OTHERS[agent], list(sessions), into)
    for counts in all_counts:
        counts.path = sessions[counts.path].label if counts.path in sessions else counts.path
    return all_counts


def _transcript(path: str, session: Session) -> intake.Transcript:
    counts, known = Counts(path), session.known
    if known is None:
        return intake.Transcript(counts, session.survey)
    counts.read = known.lines
    if known.lines:
        counts.skipped[REPEATED] = known.lines
    return intake.Transcript(counts, session.survey, known.time, known.reached)


def _checkpoints(repository: Repository, branches: Iterable[str]) -> Iterator[Checkpoint]:
    """Yield the transcripts of all checkpoints; one that several checkpoints hold unchanged comes once."""
    seen: set[tuple[str, ...]] = set()
    for branch in branches:
        blobs = dict(_blobs(repository, branch))
        parts: dict[str, list[str]] = {}
        sizes: dict[str, int] = {}
        for path in sorted(blobs):
            found = _TRANSCRIPT.match(path)
            if found:
                name, sizes[name] = blobs[path][0], blobs[path][1]
                parts.setdefault(found[1] or "", []).append(name)
        for folder, named in parts.items():
            if tuple(named) not in seen:
                seen.add(tuple(named))
                about, _ = blobs.get(f"{folder}metadata.json", (None, 0))
                size = sum(sizes[name] for name in named)
                yield Checkpoint(f"{branch}:{folder}full.jsonl", tuple(named), about, size)


def _blobs(repository: Repository, branch: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the path, the name and the size of each file; one that this clone does not have has no size."""
    listing = git(repository, "ls-tree", "-r", "-l", "-z", branch) or b""
    for line in listing.split(b"\0"):
        found = _LINE.fullmatch(line)
        if found:
            yield os.fsdecode(found[3]), (found[1].decode(), int(found[2]) if found[2].isdigit() else 0)


def _agent(about: bytes | None, content: bytes) -> str:
    """Return whose transcript this is, as Entire names it; where nobody says, what it begins with tells."""
    named = document(about).get("agent")
    if named not in (None, "", "Agent"):
        return str(named)
    if _EXPORT.match(content):
        return "OpenCode"
    return "Gemini CLI" if content[: content.find(b"\n") + 1].strip() == b"{" else "Claude Code"


def _written(checkpoint: Checkpoint, content: bytes | memoryview, folder: str, ending: str) -> str:
    """Write a transcript to a file of our own, named as the agent would."""
    place = os.path.join(folder, "chats")
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, f"session-{checkpoint.parts[0]}{ending}")
    with open(path, "wb") as file:
        file.write(content)
    return path


def bulk(repository: Repository, names: Sequence[str]) -> Generator[bytes | None]:
    """Yield the content of each object; None where git does not have it."""
    command, environment = invocation(repository, "cat-file", "--batch", "--buffer")
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{name}\n" for name in names).encode())
        asked.seek(0)
        try:
            process = subprocess.Popen(
                command, env=environment, stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise GitError(f"cannot run git: {error.strerror}") from None
    with process:
        try:
            for name in names:
                yield _object(process.stdout, name) if process.stdout else None
        finally:
            process.kill()


def _object(answers: IO[bytes], name: str) -> bytes | None:
    heading = answers.readline()
    if heading.endswith(b" missing\n"):
        return None
    told = heading.split()
    content = answers.read(int(told[2]) + 1) if len(told) == 3 else b""
    if not content.endswith(b"\n"):
        raise GitError(f"git cat-file ended before it came to {name}")
    return content[:-1]


class Copies:
    """The beginnings of all transcripts that were met."""

    def __init__(self) -> None:
        self._known: dict[bytes, Rest] = {}

    def rest(self, content: bytes) -> Rest:
        """Return what of a transcript is new, and know all of it from now on."""
        lines = list(io.BytesIO(content))
        ended = len(lines) if content.endswith(b"\n") else len(lines) - 1
        digest = hashlib.sha256()
        names = []
        for line in lines[:ended]:
            digest.update(line)
            names.append(digest.digest())
        known = next((self._known[name] for name in reversed(names) if name in self._known), Rest(0, 0, 0, 0, 0))
        offset, _, time, reached, start = known
        for at in range(known.lines, len(lines)):
            time = time_of(lines[at]) or time
            reached, start, offset = max(reached, time), start or time, offset + len(lines[at])
            if at < ended and ((at + 1) % _EVERY == 0 or at + 1 == ended):
                self._known[names[at]] = Rest(offset, at + 1, time, reached, start)
        return known._replace(start=start)
