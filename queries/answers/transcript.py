"""Read the conversation of a session from the files in which its agent keeps it.

What is said there is shown and never kept: nothing of it reaches the ledger or the cache. Files that are gone are an
error that says so; a line that cannot be read is counted, and the rest is shown. Secrets are taken out of every text.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError, PayloadError, UsageError
from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.event.signal import Result, Tool
from linetrail.ledger.redact.redactor import cut
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.arguments import prefixes
from linetrail.queries.importers.histories import claude_code, entire
from linetrail.queries.importers.histories.calls import texts
from linetrail.queries.importers.histories.history import History, HistoryError, Source
from linetrail.queries.importers.histories.sources import SOURCES
from linetrail.queries.importers.steps import Step
from linetrail.queries.importers.transcript import Pending, unix_ns
from linetrail.queries.statements import statement

# Of one text: what is longer is looked up where it stands.
MAX_TEXT = 64 * 1024
# How much of a file is searched for the name of a session that its path does not have.
_HEAD_BYTES = 64 * 1024
_CHUNK = 1024 * 1024
_READERS: dict[str, Source] = {claude_code.NAME: claude_code, **SOURCES}

PROMPT, ANSWER, THOUGHT, CALL, RESULT, FAILURE = "prompt", "answer", "thought", "call", "result", "failure"


class TranscriptGoneError(LinetrailError):
    """The agent's own record of a session does not exist any more."""

    def __init__(self, session: "Session") -> None:
        where = f"where {session.agent_name} keeps its own" if session.agent_name in _READERS else "here"
        named = f" (it was {session.transcript})" if session.transcript else ""
        super().__init__(f"the transcript of session {session.session_id} is gone{named}: no file {where} tells of it")
        self.hint = (
            f"linetrail show {session.session_id}; or name a copy: linetrail transcript {session.session_id} PATH"
        )


class Session(NamedTuple):
    """A session that the ledger knows; `transcript` is the name of its file, without the folders."""

    session_id: str
    agent_name: str | None
    transcript: str | None


class Utterance(NamedTuple):
    """Something that was said or called: `turn` is the number of prompts so far, `length` that of the whole text."""

    turn: int
    occurred_at: str
    kind: str
    text: str
    length: int
    tool_name: str | None
    tool_call_id: str | None
    agent_id: str | None
    path: str
    line: int | None
    offset: int | None
    address: str

    @property
    def is_cut(self) -> bool:
        return self.length > MAX_TEXT


class Conversation(NamedTuple):
    """What the files of a session contain in the order of time, and how many records could not be read, by reason."""

    session: Session
    said: Sequence[Utterance]
    rejected: Counter[str]


class Anchor(NamedTuple):
    """The call, or else the moment, around which a reader wants to see the conversation."""

    tool_call_id: str | None
    occurred_at: str | None


def session_of(tables: Tables, text: str) -> Session:
    """Return the session whose id starts with a text."""
    session_id = prefixes.session(tables, text)
    found = next(iter(tables.ask(statement("transcript_session"), {"id": session_id}).rows), None)
    if found is None:
        raise UsageError(
            f"no session is recorded that begins with {text}",
            "linetrail sql 'select session_id, agent_name, started_at from v_sessions'",
        )
    return Session(*found)


def anchor_of(tables: Tables, session: Session, text: str) -> Anchor:
    """Return the event or call of a session whose id a text abbreviates."""
    found = next(
        iter(tables.ask(statement("transcript_anchor"), {"session": session.session_id, "id": text}).rows), None
    )
    if found is None:
        raise UsageError(
            f"session {session.session_id} has no turn, event or call {text}",
            f"linetrail log --session {session.session_id}",
        )
    return Anchor(*found)


def conversation(repository: Repository, session: Session, paths: Iterable[str] = ()) -> Conversation:
    """Read a conversation from the given files, else from the agent's own, else from checkpoints of Entire."""
    with tempfile.TemporaryDirectory(prefix="linetrail-") as folder:
        for files in _places(repository, session, list(paths), folder):
            read = _Reading(repository, session, folder)
            for file in files:
                read.file(file)
            if read.said:
                return Conversation(session, read.in_order(), read.rejected)
    raise TranscriptGoneError(session)


def place(said: Sequence[Utterance], anchor: Anchor) -> int:
    """Return the index of the utterance that an anchor names: that call, or else the one nearest in time."""
    calls = [at for at, one in enumerate(said) if anchor.tool_call_id and one.tool_call_id == anchor.tool_call_id]
    if calls:
        return calls[0]
    moment = unix_ns(anchor.occurred_at) or 0
    return min(range(len(said)), key=lambda at: abs((unix_ns(said[at].occurred_at) or 0) - moment))


def around(said: Sequence[Utterance], at: int, *, before: int = 3, after: int = 3) -> list[Utterance]:
    """Return the prompt of an utterance's turn and its neighbours within that turn."""
    turn = [number for number, one in enumerate(said) if one.turn == said[at].turn]
    near = [number for number in turn if at - before <= number <= at + after]
    return [said[number] for number in sorted({turn[0], *near})]


class _File(NamedTuple):
    """A file to read, the source that reads it, and the name to show for it."""

    path: str
    source: Source
    # where a branch of git has it, if it is a copy
    label: str | None = None


def _places(repository: Repository, session: Session, paths: list[str], folder: str) -> Iterator[list[_File]]:
    """Yield lists of files that may contain a session, the likeliest first."""
    source = _READERS.get(session.agent_name or "")
    named = [source] if source else list(_READERS.values())
    if paths:
        yield [_File(path, one) for one in named for path in one.listed(paths)]
        return
    kept = [_File(path, one) for one in named for path in (one.kept(repository) if source else ())]
    own = [file for file in kept if session.session_id in file.path]
    yield own
    yield [file for file in kept if file not in own and _may_tell(file.path, session)]
    yield [
        _File(copy.path, _READERS[copy.agent], copy.label)
        for copy in entire.copies(repository, session.session_id, folder)
    ]


def _may_tell(path: str, session: Session) -> bool:
    """Return whether a file may contain a session, by its name or by what it starts with."""
    if os.path.basename(path) == session.transcript or path.endswith((".vscdb", ".zst")):
        return True
    try:
        with open(path, "rb") as file:
            return session.session_id.encode(errors="replace") in file.read(_HEAD_BYTES)
    except OSError:
        return False


class _Reading:
    """The utterances of one session, read from one file after the other."""

    def __init__(self, repository: Repository, session: Session, folder: str) -> None:
        self._repository, self._session, self._folder = repository, session, folder
        self.said: list[Utterance] = []
        self.rejected: Counter[str] = Counter()
        # a fork of a session repeats it
        self._known: set[tuple[str, str, str, str]] = set()

    def file(self, file: _File) -> None:
        """Read one file; one that cannot be read is counted."""
        try:
            for history in file.source.histories(file.path, self._repository, self._folder):
                if history.session_id in (None, self._session.session_id):
                    self._history(file, history)
        except HistoryError as error:
            self.rejected[str(error)] += 1
        except OSError as error:
            self.rejected[f"cannot be read: {error.strerror}"] += 1

    def in_order(self) -> list[Utterance]:
        """Return all utterances in the order of time, with their turns numbered."""
        found, turn = [], 0
        for one in sorted(self.said, key=lambda one: one.occurred_at):
            turn += one.kind == PROMPT
            found.append(one._replace(turn=turn))
        return found

    def _history(self, file: _File, history: History) -> None:
        lines: dict[str, _Lines] = {}
        for waiting in history.records(history.counts, history.start):
            spot = _Spot(file.label or file.path, None, None)
            if isinstance(waiting, Pending):
                line = lines.setdefault(waiting.path, _Lines(waiting.path)).at(waiting.offset)
                is_copy = waiting.path.startswith(self._folder)
                spot = _Spot(file.label or (file.path if is_copy else waiting.path), line, waiting.offset)
            try:
                for step in history.reader.read(waiting.load(), waiting.time, history.counts):
                    if step.talk.session_id == self._session.session_id:
                        self._step(step, spot, None if file.label else Path(os.path.abspath(spot.path)).as_uri())
            except PayloadError as error:
                self.rejected[str(error)] += 1
        self.rejected.update(history.counts.rejected)

    def _step(self, step: Step, spot: "_Spot", uri: str | None) -> None:
        kind, text = _told(step, self._repository.root)
        clean = cut(text.encode(errors="replace").decode(), MAX_TEXT)
        call = step.signal.tool if step.signal else None
        known = (kind, step.name, call.call_id or "" if call else "", clean)
        if not kind or not text.strip() or known in self._known:
            return
        self._known.add(known)
        self.said.append(
            Utterance(
                turn=0,
                occurred_at=rfc3339(step.time),
                kind=kind,
                text=clean,
                length=len(text),
                tool_name=call.name if call else None,
                tool_call_id=call.call_id if call else None,
                agent_id=step.talk.agent_id,
                path=spot.path,
                line=spot.line,
                offset=spot.offset,
                address=spot.path if uri is None else uri if spot.line is None else f"{uri}#L{spot.line}",
            )
        )


class _Spot(NamedTuple):
    """Where a record is in a file; a row of a database has no line."""

    path: str
    line: int | None
    offset: int | None


class _Lines:
    """Turns byte offsets of a file into line numbers, reading on from the offset before."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._offset, self._line = 0, 1

    def at(self, offset: int) -> int:
        """Return the number of the line in which a byte stands."""
        with open(self._path, "rb") as file:
            if offset < self._offset:
                self._offset, self._line = 0, 1
            file.seek(self._offset)
            while self._offset < offset and (chunk := file.read(min(_CHUNK, offset - self._offset))):
                self._offset += len(chunk)
                self._line += chunk.count(b"\n")
        return self._line


def _told(step: Step, root: str) -> tuple[str, str]:
    """Return the kind of a step and its text; both are empty where nothing was said."""
    signal = step.signal
    if step.said is not None:
        return ANSWER, step.said
    if step.thought is not None:
        return THOUGHT, step.thought
    if signal is not None and signal.kind == "prompt":
        return PROMPT, signal.text or ""
    if signal is None or signal.tool is None:
        return "", ""
    return (CALL, _called(signal.tool, root)) if signal.kind == "pre_tool" else _answered(signal.result or Result())


def _answered(result: Result) -> tuple[str, str]:
    return (RESULT, _shown(result.output)) if result.error is None else (FAILURE, result.error)


def _called(tool: Tool, root: str) -> str:
    """Return the command of a call, else the files that it names, else its input."""
    paths = ", ".join(path.removeprefix(os.path.join(root, "")) for path, _ in tool.targets)
    return tool.command or paths or _shown(dict(tool.input)) or tool.name


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}: {one if isinstance(one, str) else _shown(one)}" for key, one in value.items())
    return texts(value) or ("" if value is None else str(value))
