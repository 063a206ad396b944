"""Chats of Gemini CLI: ``chats/session-*.json`` and, newer, ``.jsonl`` in its folder for a project, and ``logs.json``.

Confirmed by google-gemini/gemini-cli at 5411f113: the records by `packages/core/src/services/chatRecordingTypes.ts` and
`chatRecordingService.ts` (a message is written again whenever it grows; ``$set`` replaces, ``$rewindTo`` takes back),
``logs.json`` by `core/logger.ts`, the folder of a project and its ``.project_root`` by `config/storage.ts` and
`projectRegistry.ts`; older folders are named by the SHA-256 of the path of the project. Calls that were taken back were
made: they stay. ``logs.json`` has only what people typed, and is read for sessions whose chats are gone.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from linetrail.ledger.adapters import gemini_cli as hooks
from linetrail.ledger.event.drafts import text_digest
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.repository import Repository
from linetrail.queries.importers import discovery
from linetrail.queries.importers.histories import documents, files
from linetrail.queries.importers.histories.calls import asked, ended, mapping, name_of, path_of, prompted, texts
from linetrail.queries.importers.histories.calls import listed as objects
from linetrail.queries.importers.histories.history import History
from linetrail.queries.importers.names import Names
from linetrail.queries.importers.steps import Change, Step, Talk, Usage
from linetrail.queries.importers.survey import survey
from linetrail.queries.importers.transcript import Counts, Pending, records, unix_ns

NAME = hooks.NAME
NAMED_CALLS = False

_LOGS = "logs.json"
_TOUCHED = re.compile(rb'"(?:file_path|filePath)":\s?"((?:[^"\\]|\\.){1,4096})"')
_HEAD_BYTES = 64 * 1024
_OPENING = re.compile(rb'"(sessionId|projectHash|startTime|kind)":\s*"([^"\\]{1,256})"')
_ENDS = {"success": False, "error": True, "cancelled": True}
# What the client puts before what a person typed, and commands of its own.
_NOT_TYPED = re.compile(r"\s*(?:<session_context>|<hook_context>|/(?:quit|exit|clear|chat|stats|help)\b)")


def listed(paths: Iterable[str]) -> list[str]:
    named = list(paths)
    return [path for path in discovery.below(named, (".json", ".jsonl")) if path in named or _is_chat(path)]


def kept(repository: Repository) -> list[str]:
    home = os.environ.get("GEMINI_CLI_HOME") or os.path.expanduser("~")
    folder = os.path.join(home, ".gemini", "tmp")
    roots = discovery.worktrees(repository)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    projects = [os.path.join(folder, name) for name in names]
    return listed(
        one for one in projects if os.path.isdir(one) and discovery.is_inside(_project(one, None, roots), roots)
    )


def histories(path: str, repository: Repository, _folder: str) -> Iterator[History]:
    """Yield the one session of a chat, or what people typed in those whose chats are gone."""
    with open(path, "rb") as file:
        head = {key.decode(): value.decode(errors="replace") for key, value in _OPENING.findall(file.read(_HEAD_BYTES))}
    is_log = os.path.basename(path) == _LOGS
    project = os.path.dirname(path) if is_log else _project_folder(path)
    cwd = _project(project, head.get("projectHash"), discovery.worktrees(repository))
    started = unix_ns(head.get("startTime")) or 0
    found = survey(path, _TOUCHED)

    def read(counts: Counts, start: int) -> Iterator[Pending]:
        if path.endswith(".jsonl"):
            return records(path, counts, start)
        return documents.objects(path, counts, start, _time, member=None if is_log else "messages")

    reader = Log(project, cwd) if is_log else Chat(_talk(path, head, cwd), is_main=head.get("kind") != "subagent")
    start = started or found.start or files.changed_ns(path)
    yield History(Counts(path), start, cwd, found.touched, read, reader)


class Chat:
    """One session as far as it was read."""

    def __init__(self, talk: Talk | None, *, is_main: bool) -> None:
        self._talk = talk
        self._is_main = is_main
        # messages come again whenever they grow: what of them was told
        self._told = Names()

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        """Yield what a message says that no earlier form of it said."""
        if "$set" in record:
            for message in objects(mapping(record["$set"]).get("messages")):
                yield from self.read(message, unix_ns(message.get("timestamp")) or time, counts)
            return
        if self._talk is None or "$rewindTo" in record:
            counts.skip("no session" if self._talk is None else "taken back")
            return
        name, kind = name_of(record.get("id")) or str(time), record.get("type")
        if kind not in ("user", "gemini"):
            for message in objects(record.get("messages")):
                yield from self.read(message, unix_ns(message.get("timestamp")) or time, counts)
            counts.skip("session" if "sessionId" in record else f"type {kind}")
        elif kind == "user":
            yield from self._typed(self._talk, name, record, time)
        else:
            yield from self._answered(self._talk, name, record, time)

    def _typed(self, talk: Talk, name: str, record: Mapping[str, Any], time: int) -> Iterator[Step]:
        text = texts(record.get("displayContent")) or texts(record.get("content"))
        if not text or not self._is_main or _NOT_TYPED.match(text) or not self._told.add(f"prompt {name}"):
            return
        self._talk = talk._replace(prompt_id=name)
        yield Step(time, self._talk, name, prompted(self._talk, text))

    def _answered(self, talk: Talk, name: str, record: Mapping[str, Any], time: int) -> Iterator[Step]:
        model = name_of(record.get("model"))
        self._talk = talk = talk._replace(model_id=model or talk.model_id)
        for number, thought in enumerate(objects(record.get("thoughts"))):
            text = "\n".join(filter(None, (_text(thought, "subject"), _text(thought, "description"))))
            if text and self._told.add(f"thought {name} {number}"):
                at = unix_ns(thought.get("timestamp")) or time
                yield Step(at, talk, f"{name} {number}", thought=text)
        answer = texts(record.get("content"))
        if answer and self._told.add(f"said {name} {text_digest(answer)}"):
            yield Step(time, talk, f"{name} said", said=answer)
        for call in objects(record.get("toolCalls")):
            yield from self._called(talk, call, time)
        tokens = mapping(record.get("tokens"))
        if isinstance(tokens.get("input"), int) and self._told.add(f"tokens {name} {sorted(map(str, tokens.items()))}"):
            yield Step(time, talk, name, usage=_usage(f"{talk.session_id}:{name}", talk.model_id, tokens))

    def _called(self, talk: Talk, call: Mapping[str, Any], time: int) -> Iterator[Step]:
        """Yield a call once it has ended: until then the record of it grows."""
        call_id, name, failed = name_of(call.get("id")), name_of(call.get("name")), _ENDS.get(str(call.get("status")))
        if call_id is None or name is None or failed is None or not self._told.add(f"call {call_id}"):
            return
        at = unix_ns(call.get("timestamp")) or time
        talk = talk._replace(agent_id=name_of(call.get("agentId")) or talk.agent_id)
        signal = asked(hooks.read, "BeforeTool", talk, {"tool_name": name, "tool_input": mapping(call.get("args"))})
        if signal.tool is None:
            return
        signal = signal._replace(tool=signal.tool._replace(call_id=call_id))
        yield Step(at, talk, call_id, signal)
        output = call.get("result")
        error = (texts(output) or _shown(call) or str(call.get("status")))[:4000] if failed else None
        changes = () if failed else tuple(_changes(signal, call))
        yield Step(at, talk, call_id, ended(signal, output=output, error=error), changes)


class Log:
    """What people typed, in sessions whose chats are gone."""

    def __init__(self, project: str, cwd: str | None) -> None:
        self._cwd = cwd
        self._kept = {session for session in map(_session_of, _chats(project)) if session}

    def read(self, record: Mapping[str, Any], time: int, counts: Counts) -> Iterator[Step]:
        """Yield what a person typed."""
        session_id, text = name_of(record.get("sessionId")), record.get("message")
        if session_id is None or not isinstance(text, str) or not text or record.get("type") != "user":
            counts.skip("no prompt")
        elif session_id in self._kept:
            counts.skip("told by a chat")
        elif not _NOT_TYPED.match(text):
            talk = Talk(session_id, self._cwd)
            yield Step(time, talk, f"log {time} {record.get('messageId')}", prompted(talk, text))


def _changes(signal: Signal, call: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what an edit did: what was shown of it has the whole text before and after."""
    tool, shown = signal.tool, mapping(call.get("resultDisplay"))
    if tool is None or tool.operation not in ("write", "edit"):
        return
    path = path_of(shown.get("filePath")) or next((path for path, _ in tool.targets), None)
    before, after = shown.get("originalContent"), shown.get("newContent")
    if path is None:
        return
    if isinstance(after, str):
        is_new = shown.get("isNewFile") is True or before is None
        yield Change(path, None if is_new or not isinstance(before, str) else before, after, new=is_new)
    elif tool.proposal is not None:
        yield Change(path, after=tool.proposal.content, edits=tool.proposal.edits)


def _usage(key: str, model_id: str | None, tokens: Mapping[str, Any]) -> Usage:
    given, cached, output, thoughts = (
        value if isinstance(value, int) else 0 for value in map(tokens.get, ("input", "cached", "output", "thoughts"))
    )
    return Usage(key, model_id, max(given - cached, 0), output + thoughts, cached)


def _shown(call: Mapping[str, Any]) -> str:
    shown = call.get("resultDisplay")
    return shown if isinstance(shown, str) else ""


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _time(record: Mapping[str, Any]) -> int | None:
    return unix_ns(record.get("timestamp"))


def _talk(path: str, head: Mapping[str, str], cwd: str | None) -> Talk | None:
    """Return whose chat this is: a subagent's lies in a folder named after the session that called it, as hooks are."""
    own, above = name_of(head.get("sessionId")), os.path.basename(os.path.dirname(path))
    if own is not None and head.get("kind") == "subagent" and above != "chats":
        return Talk(above[:256], cwd, agent_id=own)
    return None if own is None else Talk(own, cwd)


def _is_chat(path: str) -> bool:
    name = os.path.basename(path)
    return name == _LOGS or name.startswith("session-") or f"{os.sep}chats{os.sep}" in path


def _project_folder(path: str) -> str:
    """Return the folder of the project that a chat is about; chats of subagents lie one deeper."""
    above = os.path.dirname(path)
    while os.path.basename(above) != "chats" and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    return os.path.dirname(above)


def _project(folder: str, told: str | None, roots: Iterable[str]) -> str | None:
    """Return the path of a project: its folder says it, or is named by its hash and it is one of these."""
    try:
        with open(os.path.join(folder, ".project_root"), encoding="utf-8") as file:
            return path_of(file.read(8192).strip())
    except (OSError, UnicodeDecodeError):
        hashes = {told, os.path.basename(folder)}
        return next((root for root in roots if hashlib.sha256(os.fsencode(root)).hexdigest() in hashes), None)


def _chats(project: str) -> list[str]:
    folder = os.path.join(project, "chats")
    return discovery.below([folder], (".json", ".jsonl")) if os.path.isdir(folder) else []


def _session_of(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            head = dict(_OPENING.findall(file.read(_HEAD_BYTES)))
    except OSError:
        return None
    return head[b"sessionId"].decode(errors="replace") if b"sessionId" in head else None
