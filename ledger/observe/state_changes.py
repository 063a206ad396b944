"""The way between two remembered states of a file, and the events that tell it."""

from collections.abc import Iterator, Sequence

from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.observe.mutation import Entry, groups, snapshot, transition, unread
from linetrail.ledger.observe.states import ABSENT, Sight, State, States

MAX_WORD = 40


def unseen(states: States, state: State, base: bytes | None) -> list[Entry]:
    """Describe the way from the last recorded state, or from the commit, to the noted one."""
    if state.noted in (None, state.recorded):
        return []
    content = noted(states, state)
    if state.recorded is not None:
        return _way(states, state.path, state.recorded, state.noted, content)
    if content is None or content == base:
        return []
    return snapshot(state.path, content) if base is None else transition(state.path, base, content)


def difference(states: States, state: State, sight: Sight) -> list[Entry]:
    """Describe the way from the noted state to what is on disk."""
    return _way(states, state.path, state.noted or ABSENT, sight.hash, sight.content)


def noted(states: States, state: State) -> bytes | None:
    """Return the noted content; None where there was no file, or where it is no longer kept."""
    return states.objects.read(state.noted) if state.noted else None


def mutations(
    entries: Sequence[Entry], via: str = "unseen", signal: Signal | None = None, tool: Tool | None = None
) -> Iterator[Draft]:
    """Spread the entries over events that each fit a line. What nobody was seen doing names no tool."""
    claimed, by_person = via in ("tool", "shell"), via == "human"
    result = signal.result if signal and claimed else None
    known = via != "unseen"
    contributor = "ai" if claimed else "human" if by_person else "unknown"
    facts = {
        "tool_call_id": tool.call_id if tool and known else None,
        "tool_name": tool.name if tool and known else None,
        "via": via,
        "agent_id": signal.agent_id if signal and claimed else None,
        "user_modified": True if by_person else result.user_modified if result else None,
        "declared_class": _declared(tool) if tool and claimed else None,
    }
    for group in groups(entries):
        yield Draft("mutation.observed", contributor, facts | {"files": group})


def _declared(tool: Tool) -> str | None:
    """Return what the call says that its change is, where its tool has a word for that."""
    word = tool.input.get("mutation_class")
    if not isinstance(word, str) or len(word) > MAX_WORD:
        return None
    return word if word.isascii() and word.replace("_", "").isalpha() else None


def _way(states: States, path: str, old: str, new: str | None, content: bytes | None) -> list[Entry]:
    """Describe how a file came from one remembered hash to another, as far as contents are there to tell."""
    if old == new:
        return []
    before = None if old == ABSENT else states.objects.read(old)
    lost = before is None and old != ABSENT
    if new == ABSENT:
        return [unread(path, old, None, "content lost")] if lost else transition(path, before, None)
    if content is None:
        return [unread(path, old or None, new, "too large")]
    return snapshot(path, content) if lost else transition(path, before, content)
