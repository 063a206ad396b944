"""Know what the ledger has, so that each record is imported once, however often and from wherever it is read.

A record is known by its id. What the hooks recorded has other ids, so a tool call is also known by its own name, and
a prompt by its session, its text and the minute.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator

from linetrail.ledger.event.event import Event
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import SPOOL, Ledger
from linetrail.ledger.redact.redactor import marked, without_fingerprints
from linetrail.queries.importers.names import Names
from linetrail.queries.importers.transcript import unix_ns

_MINUTE_NS = 60_000_000_000
# A name at least this long is nobody else's; a shorter one may come back in another session.
_UNIQUE_LENGTH = 20
_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_ENVELOPE = re.compile(
    rb'\{"v":\d+,"id":"([^"]+)","seq":\d+,"prev":"[^"]*","timestamp":"([^"]+)","type":"([^"]+)",'
    rb'"session_id":(?:' + _TEXT + rb"|null)"
)
_CALL = re.compile(rb'"tool_call_id":' + _TEXT)
_GIVEN = re.compile(rb'"input_sha256":"([^"]+)"')
_NOTE = re.compile(rb'"data":\{"revision":"([0-9a-f]+)","note":"([0-9a-f]+)"(?:,"part":([0-9]+))?')
_PROMPT = re.compile(rb'"excerpt":' + _TEXT + rb'(?:,"sha256":"[^"]*")?,"length":(\d+)')
# Of an excerpt with marks, what is compared: where it was cut depends on the rules of its day.
_COMPARED = 60
_STATE = re.compile(rb'\{"path":' + _TEXT + rb',"op":"[a-z]+",(?:[^{]*?,)?"after_hash":"([^"]+)"')


class Register:
    """The names of all events of a ledger, and of those claimed since."""

    def __init__(self) -> None:
        self._names = Names()
        self._claimed = Names()

    def load(self, ledger: Ledger) -> None:
        """Load the names in the ledger and its spool; lines are searched and not parsed, a damaged one has none."""
        for line in _lines(ledger):
            found = _ENVELOPE.match(line)
            if found is None:
                continue
            event_id, timestamp, kind, session = (part.decode(errors="replace") for part in found.groups(default=b""))
            self._names.add(event_id)
            for name in _other_names(line, kind, session, unix_ns(timestamp) or 0):
                self._names.add(name)

    def claim(self, event: Event) -> bool:
        """Return whether an event is new, and remember it."""
        if event.type == "prompt.submitted" and self.told_by_a_hook(event):
            return False
        name = _name(event)
        new = self._names.add(name)
        if new:
            self._claimed.add(name)
        if new and event.type == "mutation.observed":
            self._note_mutation(event, event.session_id or "")
        return new

    def was_claimed(self, event: Event) -> bool:
        """Return whether an event that is not new was claimed before; else the ledger had it."""
        return _name(event) in self._claimed

    def claim_record(self, name: str) -> bool:
        """Return whether a record is read for the first time, and remember it."""
        return self._names.add(f"record {name}")

    def has_mutation(self, session: str, call_id: str) -> bool:
        return call_name("mutation.observed", session, call_id) in self._names

    def claimed_mutation(self, session: str, call_id: str) -> bool:
        """Return whether the outcome of a write was claimed, and not in the ledger before."""
        return call_name("mutation.observed", session, call_id) in self._claimed

    def has_session(self, session: str) -> bool:
        return _session_name("session.started", session) in self._names

    def has_event(self, event_id: str) -> bool:
        return event_id in self._names

    def has_state(self, path: str, content_hash: str) -> bool:
        """Return whether the ledger leads a file to this content."""
        return _state_name(path, content_hash) in self._names

    def told_by_a_hook(self, event: Event) -> bool:
        """Look for the same prompt, or the same call, at about the same time: two clocks are read at different moments.

        Of calls that are recorded under the very name that they have here, `claim` knows.
        """
        minute = (unix_ns(event.timestamp) or 0) // _MINUTE_NS
        near = range(minute - 1, minute + 2)
        session, data = event.session_id or "", event.data
        if event.type == "tool.requested":
            if call_name(event.type, session, data["tool_call_id"]) in self._names:
                return False
            return any(_given_name(session, data["input_sha256"], one) in self._names for one in near)
        return any(_prompt_name(session, data["excerpt"], data["length"], one) in self._names for one in near)

    def _note_mutation(self, event: Event, session: str) -> None:
        if event.data["tool_call_id"]:
            name = call_name(event.type, session, event.data["tool_call_id"])
            if self._names.add(name):
                self._claimed.add(name)
        for entry in event.data["files"]:
            if entry["after_hash"]:
                self._names.add(_state_name(entry["path"], entry["after_hash"]))


def _name(event: Event) -> str:
    """Return what an event is known by."""
    session = event.session_id or ""
    if event.type.startswith("tool."):
        return call_name(event.type, session, event.data["tool_call_id"])
    if event.type == "authorship.stated":
        # Its id has the time of a commit that may not have been here the first time.
        return _note_name(event.data["revision"], event.data["note"], event.data.get("part"))
    if event.type == "session.started":
        return _session_name(event.type, session)
    return event.id


def call_name(kind: str, session: str, call_id: str) -> str:
    """Return the name of the event of this type that a tool call gave."""
    return f"{kind} {unique(call_id, session)}"


def unique(name: str, session: str) -> str:
    """Return a name that no other session has."""
    return name if len(name) >= _UNIQUE_LENGTH else f"{session} {name}"


def _lines(ledger: Ledger) -> Iterator[bytes]:
    spool = os.path.join(ledger.folder, SPOOL)
    paths = [segments.path(ledger.folder, name) for name in segments.names(ledger.folder)]
    paths.append(ledger.tail_path())
    with contextlib.suppress(OSError):
        paths += sorted(os.path.join(spool, name) for name in os.listdir(spool))
    for path in paths:
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
            # A line that was never finished was never acknowledged, and will be moved away.
            yield from (line for line in file if line.endswith(b"\n"))


def _other_names(line: bytes, kind: str, session: str, time: int) -> Iterator[str]:
    """Yield what a line is known by besides its id."""
    if kind == "session.started":
        yield _session_name(kind, session)
    elif kind == "prompt.submitted":
        for excerpt, length in _PROMPT.findall(line)[:1]:
            yield _prompt_name(session, _unquoted(excerpt), int(length), time // _MINUTE_NS)
    elif kind == "authorship.stated":
        for revision, note, part in _NOTE.findall(line)[:1]:
            yield _note_name(revision.decode(), note.decode(), int(part) if part else None)
    elif kind.startswith("tool.") or kind == "mutation.observed":
        yield from (call_name(kind, session, _unquoted(found)) for found in _CALL.findall(line)[:1])
    if kind == "tool.requested":
        yield from (_given_name(session, found.decode(), time // _MINUTE_NS) for found in _GIVEN.findall(line)[:1])
    if kind == "mutation.observed":
        yield from (_state_name(_unquoted(path), after.decode()) for path, after in _STATE.findall(line))


def _session_name(kind: str, session: str) -> str:
    return f"{kind} {session}"


def _note_name(revision: str, note: str, part: int | None) -> str:
    return f"note {revision} {note} {part or 1}"


def _prompt_name(session: str, excerpt: str, length: int, minute: int) -> str:
    """Return the name of a prompt, from what every clone can read: its hash is lost once the salt is erased."""
    bare = without_fingerprints(excerpt)[:_COMPARED] if marked(excerpt) else excerpt
    return f"prompt {session} {length} {minute} {bare}"


def _given_name(session: str, input_sha256: str, minute: int) -> str:
    """Return the name of a call from its input: some agents give their hooks no id."""
    return f"given {session} {input_sha256} {minute}"


def _state_name(path: str, content_hash: str) -> str:
    return f"state {content_hash} {path}"


def _unquoted(text: bytes) -> str:
    if b"\\" not in text:
        return text.decode(errors="replace")
    unquoted: str = json.loads(b'"' + text + b'"')
    return unquoted
