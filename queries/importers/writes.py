"""Turn the result of a write tool into the transition of a file, and what went on unseen before it into another."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import Any, NamedTuple

from linetrail.ledger.drafts import Draft
from linetrail.ledger.mutation import Entry, snapshot, transition
from linetrail.ledger.repository import FOLDER
from linetrail.ledger.signal import Tool
from linetrail.queries.importers.conversation import Found, Scene
from linetrail.queries.importers.edits import outcome
from linetrail.queries.importers.files import Files
from linetrail.queries.importers.register import Register

# What an id is made of besides the call; never changed, or a second import would tell everything again.
_UNSEEN, _MADE = "unseen", "mutation"
_PATHS = ("filePath", "notebook_path")


class Write(NamedTuple):
    """One file before and after a write; `past` is False where the state before is not known."""

    place: str
    path: str
    before: bytes | None
    after: bytes
    past: bool


class Writes:
    """The writes of all sessions; what a file held last is remembered from one to the next."""

    def __init__(self, register: Register, files: Files) -> None:
        self._register = register
        self._files = files

    def read(self, scene: Scene, tool: Tool, response: Mapping[str, Any], told: str) -> Iterator[Found]:
        """Yield the events of one write: all, or none where it is recorded."""
        recorded = self._register.has_mutation(scene.session.session_id, tool.call_id or "")
        if recorded:
            scene.tally.duplicates += self._count(scene, tool)
        write = self._write(scene, tool, response, told) if scene.fresh else None
        if write is None:
            return
        if not recorded:
            yield from self._events(scene, tool, response, write)
        self._files.note(write.place, write.after)

    def _write(self, scene: Scene, tool: Tool, response: Mapping[str, Any], told: str) -> Write | None:
        """Return what was written, or count why that is not known or not ours."""
        path = next((response[key] for key in _PATHS if isinstance(response.get(key), str)), None)
        path = path or next((target for target, _ in tool.targets), None)
        if path is None or response.get("staged") is True:
            return None
        stored = scene.stored(path)
        if stored is None or stored.startswith(f"{FOLDER}/"):
            scene.tally.skip("file outside the repository")
            return None
        place = f"{scene.root.prefix}\0{stored}"
        result = outcome(tool.name, tool.proposal, response, told, self._files.text(place))
        if result is None:
            scene.tally.skip("content not recorded")
            return None
        before = self._files.content(place, result.before)
        return Write(place, stored, before, self._files.content(place, result.after) or b"", result.past)

    def _events(self, scene: Scene, tool: Tool, response: Mapping[str, Any], write: Write) -> Iterator[Found]:
        """Yield what nobody was seen doing, then what the tool did."""
        modified = response.get("userModified")
        claim = {
            "tool_call_id": tool.call_id,
            "tool_name": tool.name,
            "via": "import",
            "agent_id": scene.said.agent_id,
            "user_modified": modified if isinstance(modified, bool) else None,
            "declared_class": None,
        }
        nobody = {**dict.fromkeys(claim), "via": "unseen"}
        if write.past:
            unseen = self._files.unseen(write.place, write.path, write.before)
            made = transition(write.path, write.before, write.after)
        else:
            unseen, made = snapshot(write.path, write.after), []
        yield from _found(scene, tool, _UNSEEN, nobody, unseen)
        yield from _found(scene, tool, _MADE, claim, made)

    def _count(self, scene: Scene, tool: Tool) -> int:
        """Count the events of a write that is recorded; what the hooks recorded has other ids and counts as one."""
        recorded = sum(
            1
            for role in (_UNSEEN, _MADE)
            for _ in takewhile(self._register.has_event, (scene.event_id(*_key(scene, tool, role, n)) for n in count()))
        )
        return max(recorded, 1)


def _found(scene: Scene, tool: Tool, role: str, claim: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[Found]:
    """Spread the parts of a transition over events."""
    contributor = "unknown" if role == _UNSEEN else "ai"
    for part, entry in enumerate(entries):
        draft = Draft("mutation.observed", contributor, {**claim, "files": [entry]})
        yield scene.found(draft, *_key(scene, tool, role, part))


def _key(scene: Scene, tool: Tool, role: str, part: int) -> tuple[str, str, str]:
    return scene.unique(tool.call_id or ""), role, str(part)
