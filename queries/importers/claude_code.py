"""Turn the records of Claude Code's transcripts into the events that its hooks would have given.

A record may come many times, in several transcripts and in several imports: ids follow from the record alone, what
is recorded is not told again, and a copy never moves what is remembered of its session.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.event import drafts
from linetrail.ledger.event.commitments import committed, opening
from linetrail.ledger.event.drafts import MAX_TARGETS, Draft, file_name
from linetrail.ledger.event.signal import Proposal, Tool
from linetrail.ledger.observe.states import Objects as Texts
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.conversation import Found, MessageRecord, Session, count_of
from linetrail.queries.importers.edits import WRITERS, writer
from linetrail.queries.importers.files import Files
from linetrail.queries.importers.message import Message, local_command, message, name_in, prompt
from linetrail.queries.importers.outcomes import Past
from linetrail.queries.importers.recent import Recent
from linetrail.queries.importers.register import Register, unique
from linetrail.queries.importers.roots import Root
from linetrail.queries.importers.sink import Import
from linetrail.queries.importers.transcript import Counts
from linetrail.queries.importers.writes import Writes

# What is remembered of tool calls until their results come, and what one takes besides the text it would write.
_CALLS_BYTES, _CALL_BYTES = 16 * 1024 * 1024, 1024
_SESSION_START = "SessionStart:"
_ENDINGS = frozenset({"/exit", "/quit"})
# The model that the client names as the author of its own messages.
_NO_MODEL = "<synthetic>"
_ANSWER_NS = 10 * 60 * 1_000_000_000
_TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Call(NamedTuple):
    """A tool call whose result is still to come; `subagent` is the kind of agent that it starts."""

    tool: Tool
    subagent: str | None


class Translator:
    """Reads the records of all transcripts, in the order in which they happened; thoughts only where wanted."""

    def __init__(self, register: Register, objects: Objects, into: Import) -> None:
        self._register = register
        self._thoughts = into.thoughts
        self._redactor = into.redactor()
        self._texts = None if into.dry_run else Texts(into.repository)
        self._writes = Writes(register, Files(objects, register), Past(into.repository, objects))
        self._sessions: dict[str, Session] = {}
        # when each session that may still be answering was last heard of, the longest silent first
        self._answering: dict[str, int] = {}
        self._calls: Recent[Call] = Recent(_CALLS_BYTES)

    def read(self, record: Mapping[str, Any], time: int, root: Root, counts: Counts) -> Iterator[Found]:
        """Yield the events that a record gives; PayloadError when it is not as such a record must be."""
        said = message(record, time)
        session_id = said.session_id if said else name_in(record, "sessionId")
        if said is None:
            counts.skip(f"type {record.get('type')}")
        if session_id is None or not time:
            return
        yield from self._overdue(time)
        session = self._sessions.get(session_id)
        if session is None:
            if said is None and "cwd" not in record:
                return
            session = self._sessions[session_id] = Session(session_id, self._redactor)
            session.learn(record)
            yield _started(session, record, root, counts, time)
        fresh = said is None or said.name is None or self._register.claim_record(unique(said.name, session_id))
        if fresh:
            session.learn(record)
        if said is not None:
            yield from self._said(MessageRecord(session, said, root, counts, fresh=fresh))

    def rest(self) -> Iterator[Found]:
        """Yield what was held back for a later record that never came."""
        return self._overdue(sys.maxsize)

    def _overdue(self, time: int) -> Iterator[Found]:
        """Yield the reports that no later one will replace any more: an answer is not given for so long."""
        while self._answering and next(iter(self._answering.values())) + _ANSWER_NS < time:
            session = self._sessions[next(iter(self._answering))]
            del self._answering[session.session_id]
            yield from (found for _, found in session.usage.values())
            session.usage.clear()

    def _said(self, source: MessageRecord) -> Iterator[Found]:
        if source.said.role == "assistant":
            yield from _usage(source)
            self._answering.pop(source.session.session_id, None)
            self._answering[source.session.session_id] = source.said.time
            if self._thoughts:
                yield from _thoughts(source, self._texts)
            for block in source.said.of_type("tool_use"):
                yield from self._requested(source, block)
            return
        for block in source.said.of_type("tool_result"):
            yield from self._ended(source, block)
        text = prompt(source.said)
        if text is not None:
            yield _prompted(source, text)
        elif local_command(source.said) in _ENDINGS:
            yield source.found(
                Draft("session.ended", "unknown", {"reason": "prompt_input_exit"}), _name(source), "session ended"
            )

    def _requested(self, source: MessageRecord, block: Mapping[str, Any]) -> Iterator[Found]:
        call_id, name, given = name_in(block, "id"), name_in(block, "name"), block.get("input")
        if call_id is None or name is None:
            return
        parent = source.said.parent_call and self._calls.get(source.unique(source.said.parent_call))
        signal = source.signal(
            "PreToolUse",
            tool_use_id=call_id,
            tool_name=name,
            tool_input=given,
            agent_type=parent.subagent if parent else None,
        )
        tool = signal.tool
        if tool is not None:
            self._remember(source, tool)
            targets = [(source.stored(path), path, role) for path, role in tool.targets[:MAX_TARGETS]]
            yield source.found(
                drafts.requested(signal, tool, targets, source.session.redactor), source.unique(call_id), "requested"
            )

    def _ended(self, source: MessageRecord, block: Mapping[str, Any]) -> Iterator[Found]:
        call_id, told = name_in(block, "tool_use_id"), _text(block)
        response = source.said.record.get("toolUseResult") if len(source.said.of_type("tool_result")) == 1 else None
        details = response if isinstance(response, dict) else {}
        call = call_id and self._calls.get(source.unique(call_id))
        name = call.tool.name if call else writer(details)
        if call_id is None or name is None:
            source.counts.skip("result of an unknown call")
            return
        facts = {"tool_use_id": call_id, "tool_name": name, "duration_ms": _duration(details)}
        failed = block.get("is_error") is True
        if failed:
            signal = source.signal("PostToolUseFailure", **facts, error=told)
        else:
            signal = source.signal("PostToolUse", **facts, tool_response=told if response is None else response)
        tool = call.tool if call else signal.tool
        if tool is not None:
            if name in WRITERS and not failed:
                yield from self._writes.read(source, tool, details, told)
            yield source.found(drafts.ended(signal, tool, source.session.redactor), source.unique(call_id), "ended")

    def _remember(self, source: MessageRecord, tool: Tool) -> None:
        """Remember of a call what its result will not repeat."""
        proposal = tool.proposal or Proposal()
        texts = [proposal.content or "", *(text for edit in proposal.edits for text in (edit.old, edit.new))]
        call = Call(tool._replace(input={}), name_in(tool.input, "subagent_type"))
        self._calls.put(source.unique(tool.call_id or ""), call, _CALL_BYTES + sum(map(sys.getsizeof, texts)))


def _started(session: Session, record: Mapping[str, Any], root: Root, counts: Counts, time: int) -> Found:
    said = Message(None, time, session.session_id, "user", None, None, {}, record)
    source = MessageRecord(session, said, root, counts, fresh=True)
    data = record.get("data")
    hook = data.get("hookName") if isinstance(data, dict) else None
    started = isinstance(hook, str) and hook.startswith(_SESSION_START)
    facts = {
        "source": str(hook).removeprefix(_SESSION_START) if started else None,
        "transcript": file_name(counts.path, session.redactor),
        "cwd": source.stored(source.cwd) if source.cwd else None,
        "permission_mode": session.permission_mode,
        "parent_session_id": None,
    }
    return source.found(Draft("session.started", "unknown", facts), session.session_id, "started")


def _prompted(source: MessageRecord, text: str) -> Found:
    prompt_id = name_in(source.said.record, "promptId") or source.said.name
    if source.fresh:
        source.session.prompt_id = prompt_id
    signal = source.signal("UserPromptSubmit", prompt=text)._replace(prompt_id=prompt_id)
    redactor = source.session.redactor
    found = source.found(drafts.prompt(signal, redactor), _name(source), "prompt")
    return found._replace(event=committed(found.event, text, redactor.folder))


def _thoughts(source: MessageRecord, texts: Texts | None) -> Iterator[Found]:
    """Yield an excerpt of each thought that can be read; some are there as a signature alone.

    The whole of it is kept on this machine, under its commitment.
    """
    for at, block in enumerate(source.said.of_type("thinking")):
        text = block.get("thinking")
        if isinstance(text, str) and text.strip():
            redactor = source.session.redactor
            draft = drafts.thought(text, source.session.prompt_id, source.said.agent_id, redactor)
            found = source.found(draft, _name(source), "thought", str(at), drafts.text_digest(text))
            event = committed(found.event, text, redactor.folder)
            whole = opening(redactor.folder, event, text) if event.data.get("commitment") else None
            if whole is not None and texts is not None:
                texts.keep(event.data["commitment"], whole)
            yield found._replace(event=event)


def _usage(source: MessageRecord) -> Iterator[Found]:
    """Hold the report on an answer back until the next answer begins: the last one has the whole count."""
    body, agent_id, held = source.said.body, source.said.agent_id, source.session.usage
    model, message_id, usage = name_in(body, "model"), name_in(body, "id"), body.get("usage")
    if not source.fresh or model is None or model == _NO_MODEL:
        return
    model_id = model if "/" in model else f"anthropic/{model}"
    source.session.models[agent_id] = model_id
    source.agent = source.session.agent(agent_id)
    if message_id is None or not isinstance(usage, dict):
        return
    request_id = name_in(source.said.record, "requestId")
    key = f"{message_id}:{request_id or ''}"
    if agent_id in held and held[agent_id][0] != key:
        yield held[agent_id][1]
    facts = {
        "usage_key": key,
        "message_id": message_id,
        "request_id": request_id,
        "model_id": model_id,
        **{kind: count_of(usage.get(kind)) for kind in _TOKENS},
    }
    held[agent_id] = key, source.found(Draft("usage.recorded", "ai", facts), key, _name(source), "usage")


def _name(source: MessageRecord) -> str:
    """Return what tells a message from all others; before records had names, its text did."""
    return source.unique(source.said.name or drafts.text_digest(source.said.text))


def _duration(details: Mapping[str, Any]) -> Any:
    return details.get("durationMs", details.get("totalDurationMs"))


def _text(block: Mapping[str, Any]) -> str:
    """Return the text of a result, which is plain or in blocks."""
    content = block.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
