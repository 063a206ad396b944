"""Make events of the histories of agents: the same that the hooks of these agents would have given.

A history is read many times, and hooks may have recorded the same calls: what is recorded is not told again. Agents
without names for their calls are known by what a call was given, and by the minute.
"""

from collections.abc import Iterator
from typing import Any

from linetrail.ledger.event import drafts
from linetrail.ledger.event.commitments import committed
from linetrail.ledger.event.drafts import MAX_TARGETS, Draft, file_name
from linetrail.ledger.event.event import Agent
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.repository import FOLDER, Vcs
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.conversation import Found, Record, count_of
from linetrail.queries.importers.files import Files
from linetrail.queries.importers.outcomes import Past, resolved
from linetrail.queries.importers.recent import Recent
from linetrail.queries.importers.register import Register
from linetrail.queries.importers.roots import Root
from linetrail.queries.importers.sink import Import
from linetrail.queries.importers.steps import Change, Step, Usage
from linetrail.queries.importers.transcript import Counts
from linetrail.queries.importers.writes import Write, Writes

# Names of calls that hooks recorded under other names, until their results come.
_RECORDED_BYTES, _NAME_BYTES = 4 * 1024 * 1024, 200


class StepRecord(Record):
    """One step of a history."""

    def __init__(self, agent: str, step: Step, root: Root, counts: Counts) -> None:
        talk = step.talk
        who, vcs = Agent(agent, talk.version, talk.model_id), Vcs("git", None, talk.branch) if talk.branch else None
        super().__init__(who, root, counts, talk.session_id, step.time, cwd=talk.cwd, vcs=vcs)
        self.step = step


class EventBuilder:
    """Makes events of the steps of all histories, in the order in which they happened; thoughts only where wanted."""

    def __init__(
        self, agent: str, register: Register, objects: Objects, into: Import, *, named_calls: bool = True
    ) -> None:
        self._agent = agent
        self._named_calls = named_calls
        self._register = register
        self._redactor = into.redactor()
        self._thoughts = into.thoughts
        self._past = Past(into.repository, objects)
        self._files = Files(objects, register)
        self._writes = Writes(register, self._files, self._past)
        self._recorded: Recent[bool] = Recent(_RECORDED_BYTES)

    def build(self, step: Step, root: Root, counts: Counts) -> Iterator[Found]:
        record = StepRecord(self._agent, step, root, counts)
        if self._register.claim_record(f"session {step.talk.session_id}"):
            yield self._started(record)
        if step.usage is not None:
            yield from self._used(record, step.usage)
        if step.thought is not None and self._thoughts:
            yield self._thought(record, step.thought)
        if step.signal is not None:
            yield from self._signalled(record, step.signal)

    def _signalled(self, record: StepRecord, signal: Signal) -> Iterator[Found]:
        if signal.kind == "prompt":
            found = record.found(
                drafts.prompt(signal, self._redactor), signal.session_id or "", record.step.name, "prompt"
            )
            yield found._replace(event=committed(found.event, signal.text or "", self._redactor.folder))
        elif signal.kind == "session_end":
            yield record.found(Draft("session.ended", "unknown", {"reason": signal.text}), record.step.name, "ended")
        elif signal.tool is not None and signal.kind == "pre_tool":
            yield from self._requested(record, signal, signal.tool)
        elif signal.tool is not None:
            yield from self._ended(record, signal, signal.tool)

    def _started(self, record: StepRecord) -> Found:
        talk = record.step.talk
        facts = {
            "source": None,
            "transcript": file_name(record.counts.path, self._redactor),
            "cwd": record.stored(talk.cwd) if talk.cwd else None,
            "permission_mode": talk.permission_mode,
            "parent_session_id": talk.parent_id,
        }
        return record.found(Draft("session.started", "unknown", facts), talk.session_id, "started")

    def _used(self, record: StepRecord, usage: Usage) -> Iterator[Found]:
        """Yield each report on an answer once, however often the history repeats it."""
        tokens = {name: count_of(value) for name, value in usage._asdict().items() if name.endswith("_tokens")}
        if not self._register.claim_record(f"usage {usage.key} {sorted(tokens.items())}"):
            return
        facts = {
            "usage_key": f"{usage.key}:",
            "message_id": usage.key,
            "request_id": None,
            "model_id": usage.model_id,
            **tokens,
        }
        yield record.found(Draft("usage.recorded", "ai", facts), usage.key, str(sorted(tokens.items())), "usage")

    def _thought(self, record: StepRecord, text: str) -> Found:
        talk = record.step.talk
        draft = drafts.thought(text, talk.prompt_id, talk.agent_id, self._redactor)
        found = record.found(draft, talk.session_id, record.step.name, "thought", drafts.text_digest(text))
        return found._replace(event=committed(found.event, text, self._redactor.folder))

    def _requested(self, record: StepRecord, signal: Signal, tool: Tool) -> Iterator[Found]:
        targets = [(record.stored(path), path, role) for path, role in tool.targets[:MAX_TARGETS]]
        draft = drafts.requested(signal, tool, targets, self._redactor)
        found = record.found(draft, record.unique(tool.call_id or ""), "requested")
        if not self._named_calls and self._register.told_by_a_hook(found.event):
            self._recorded.put(record.unique(tool.call_id or ""), value=True, size=_NAME_BYTES)
            record.counts.duplicates += 1
            return
        yield found

    def _ended(self, record: StepRecord, signal: Signal, tool: Tool) -> Iterator[Found]:
        name = record.unique(tool.call_id or "")
        recorded = self._recorded.get(name) or False
        known = recorded or self._register.has_mutation(record.step.talk.session_id, tool.call_id or "")
        writes = [write for change in record.step.changes for write in self._written(record, change)]
        if writes and not known:
            modified = next((one.user_modified for one in record.step.changes if one.user_modified is not None), None)
            by: dict[str, Any] = {"agent_id": record.step.talk.agent_id, "user_modified": modified}
            yield from self._writes.events(record, tool, by, writes)
        elif writes:
            repeated = self._register.claimed_mutation(record.step.talk.session_id, tool.call_id or "")
            record.counts.know(self._writes.count(record, tool), repeated=repeated)
        for write in writes:
            self._writes.note(write)
        if recorded:
            record.counts.duplicates += 1
            return
        yield record.found(drafts.ended(signal, tool, self._redactor), name, "ended")

    def _written(self, record: StepRecord, change: Change) -> Iterator[Write]:
        """Yield what a change did to a file of the repository, or count why that is not known or not ours."""
        stored = record.stored(change.path)
        source = record.stored(change.from_path) if change.from_path else None
        if stored is None or f"{stored}/".startswith(f"{FOLDER}/"):
            record.counts.skip("file outside the repository")
            return
        place = self._place(record, stored)
        origin = self._place(record, source) if source else place
        talk = record.step.talk
        texts = self._past.texts(source or stored, talk.revision, record.step.time)
        outcome = resolved(change, self._files.text(origin), texts)
        if outcome is None:
            record.counts.skip("content not recorded")
            return
        before = self._files.content(origin, outcome.before)
        after = self._files.content(place, outcome.after)
        write = Write(place, stored, before, after, outcome.past, basis=outcome.basis)
        if source not in (None, stored) and before is not None and after is not None:
            write = write._replace(from_path=source, origin=origin)
        yield write

    @staticmethod
    def _place(record: StepRecord, stored: str) -> str:
        return f"{record.root.prefix}\0{stored}"
