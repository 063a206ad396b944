"""Turn the result of a write tool into a transition of a file, and a change that nobody saw before it into another."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, takewhile, tee
from typing import Any, NamedTuple

from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Tool
from linetrail.ledger.observe.mutation import Entry, snapshot, transition
from linetrail.ledger.repository import FOLDER
from linetrail.queries.importers.conversation import Found, MessageRecord, Record
from linetrail.queries.importers.edits import outcome
from linetrail.queries.importers.files import Files
from linetrail.queries.importers.outcomes import REPLAYED, Outcome, Past
from linetrail.queries.importers.register import Register

# What an id is made of besides the call; never changed, or a second import would tell everything again.
_UNSEEN, _MADE = "unseen", "mutation"
_PATHS = ("filePath", "notebook_path")


class Write(NamedTuple):
    """One file before and after a write, None is no file; `past` is False where the state before is not known.

    `origin` and `from_path` are where a file was before it was moved. `basis` says how the text before is known, where
    the history itself does not tell it.
    """

    place: str
    path: str
    before: bytes | None
    after: bytes | None
    past: bool
    from_path: str | None = None
    origin: str | None = None
    basis: str | None = None


class Writes:
    """The writes of all sessions; what a file held last is remembered from one to the next."""

    def __init__(self, register: Register, files: Files, past: Past) -> None:
        self._register = register
        self._files = files
        self._past = past

    def read(self, source: MessageRecord, tool: Tool, response: Mapping[str, Any], told: str) -> Iterator[Found]:
        """Yield the events of one write: all, or none where it is recorded."""
        recorded = self._register.has_mutation(source.session.session_id, tool.call_id or "")
        if recorded:
            repeated = self._register.claimed_mutation(source.session.session_id, tool.call_id or "")
            source.counts.know(self.count(source, tool), repeated=repeated)
        write = self._write(source, tool, response, told) if source.fresh else None
        if write is None:
            return
        if not recorded:
            modified = response.get("userModified")
            by = {
                "agent_id": source.said.agent_id,
                "user_modified": modified if isinstance(modified, bool) else None,
            }
            yield from self.events(source, tool, by, [write])
        self.note(write)

    def _write(self, source: MessageRecord, tool: Tool, response: Mapping[str, Any], told: str) -> Write | None:
        """Return what was written, or count why that is not known or not ours."""
        path = next((response[key] for key in _PATHS if isinstance(response.get(key), str)), None)
        path = path or next((target for target, _ in tool.targets), None)
        if path is None or response.get("staged") is True:
            return None
        stored = source.stored(path)
        if stored is None or stored.startswith(f"{FOLDER}/"):
            source.counts.skip("file outside the repository")
            return None
        place = f"{source.root.prefix}\0{stored}"
        basis, result = self._outcome(place, stored, source.said.time, tool, response, told)
        if result is None:
            source.counts.skip("content not recorded")
            return None
        before = self._files.content(place, result.before)
        after = self._files.content(place, result.after) or b""
        return Write(place, stored, before, after, result.past, basis=basis)

    def _outcome(
        self, place: str, stored: str, time: int, tool: Tool, response: Mapping[str, Any], told: str
    ) -> tuple[str | None, Outcome | None]:
        """Return what was written, and how the text before is known where the result does not tell it.

        That is the last text that the change belongs to. Where the lines of all of them have moved since, as by edits
        of which nothing is known, it is the very last one that has what was replaced.
        """
        last = self._files.text(place)
        written = functools.partial(outcome, tool.name, tool.proposal, response, told)
        result = written(last)
        if result is not None:
            return None, result
        placed, anywhere = tee(self._past.texts(stored, None, time))
        tried = chain(
            ((basis, written(text)) for basis, text in placed),
            ((basis, written(text, anywhere=True)) for basis, text in chain([(REPLAYED, last)], anywhere)),
        )
        return next((found for found in tried if found[1] is not None), (None, None))

    def events(self, record: Record, tool: Tool, by: Mapping[str, Any], writes: Sequence[Write]) -> Iterator[Found]:
        """Yield, for each file of a call, what nobody was seen doing, and then what the tool did."""
        claim = {"tool_call_id": tool.call_id, "tool_name": tool.name, "via": "import", **by, "declared_class": None}
        nobody = {**dict.fromkeys(claim), "via": "unseen"}
        unseen: list[Entry] = []
        made: list[tuple[str | None, Entry]] = []
        for write in writes:
            if write.past:
                place, path = write.origin or write.place, write.from_path or write.path
                unseen += self._files.unseen(place, path, write.before)
                entries = transition(write.path, write.before, write.after, from_path=write.from_path)
                made += [(write.basis, entry) for entry in entries]
            elif write.after is not None:
                unseen += snapshot(write.path, write.after)
        yield from _found(record, tool, _UNSEEN, [nobody | {"files": [entry]} for entry in unseen])
        based = [claim | ({"basis": basis} if basis else {}) | {"files": [entry]} for basis, entry in made]
        yield from _found(record, tool, _MADE, based)

    def note(self, write: Write) -> None:
        """Remember the content that a write left."""
        if write.origin is not None:
            self._files.note(write.origin, None)
        self._files.note(write.place, write.after)

    def count(self, record: Record, tool: Tool) -> int:
        """Count the events of a write that is recorded; what the hooks recorded has other ids and counts as one."""
        recorded = sum(
            1
            for role in (_UNSEEN, _MADE)
            for _ in takewhile(
                self._register.has_event, (record.event_id(*_key(record, tool, role, n)) for n in count())
            )
        )
        return max(recorded, 1)


def _found(record: Record, tool: Tool, role: str, data: Sequence[dict[str, Any]]) -> Iterator[Found]:
    """Make an event of each part of a transition."""
    contributor = "unknown" if role == _UNSEEN else "ai"
    for part, one in enumerate(data):
        yield record.found(Draft("mutation.observed", contributor, one), *_key(record, tool, role, part))


def _key(record: Record, tool: Tool, role: str, part: int) -> tuple[str, str, str]:
    return record.unique(tool.call_id or ""), role, str(part)
