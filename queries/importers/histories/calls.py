"""Calls of tools in a history: read as the agent's hook payloads are, and remembered until their results come."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import MAX_ID, whole
from linetrail.ledger.event.drafts import text_digest
from linetrail.ledger.event.signal import Result, Signal
from linetrail.ledger.observe import hunks
from linetrail.queries.importers.recent import Recent
from linetrail.queries.importers.steps import Change, Talk

_CALLS_BYTES, _CALL_BYTES = 16 * 1024 * 1024, 1024
_MAX_PATH = 4096
_NS, _MS = 1_000_000_000, 1_000_000


class Call(NamedTuple):
    """A call whose result is still to come, and what it says that it will do to files."""

    signal: Signal
    changes: tuple[Change, ...] = ()


class Calls:
    """The calls of one history that wait for their results."""

    def __init__(self) -> None:
        self._waiting: Recent[Call] = Recent(_CALLS_BYTES)

    def put(self, call: Call) -> None:
        """Remember a call without what its result will not need."""
        tool = call.signal.tool
        if tool is None:
            return
        texts = [text for change in call.changes for text in (change.before, change.after) if text is not None]
        texts += [line for change in call.changes for hunk in change.hunks for line in (*hunk.old, *hunk.new)]
        texts += [text for change in call.changes for edit in change.edits for text in (edit.old, edit.new)]
        lean = call.signal._replace(tool=tool._replace(input={}, proposal=None))
        size = _CALL_BYTES + sum(map(sys.getsizeof, texts))
        self._waiting.put(tool.call_id or "", call._replace(signal=lean), size)

    def get(self, call_id: str) -> Call | None:
        """Return a call; None when it was never made, or is forgotten."""
        return self._waiting.get(call_id)


def asked(
    read: Callable[[Mapping[str, Any], str | None], Signal], event: str, talk: Talk, payload: Mapping[str, Any]
) -> Signal:
    """Read what an agent asked a tool for, as its adapter does; PayloadError when that is none of its payloads."""
    signal = read({"hook_event_name": event, "session_id": talk.session_id, **payload}, event)
    return signal._replace(
        cwd=talk.cwd, prompt_id=talk.prompt_id, permission_mode=talk.permission_mode, agent_id=talk.agent_id
    )


def ended(
    call: Signal,
    *,
    output: Any = None,
    error: str | None = None,
    duration_ms: Any = None,
    exit_code: Any = None,
) -> Signal:
    """Return the signal of a call that ended: failed where there is an error."""
    code = exit_code if isinstance(exit_code, int) and not isinstance(exit_code, bool) else None
    told = output if output is not None else error
    result = Result(output=told, error=error, duration_ms=whole(duration_ms), exit_code=code)
    return call._replace(kind="post_tool" if error is None else "tool_failure", result=result)


def prompted(talk: Talk, text: str) -> Signal:
    return Signal("prompt", "prompt", talk.session_id, talk.cwd, prompt_id=talk.prompt_id, text=text)


def name_of(value: Any) -> str | None:
    """Return an id or a name as a history has it; None where there is none that can be kept."""
    return value if isinstance(value, str) and 0 < len(value) <= MAX_ID else None


def path_of(value: Any) -> str | None:
    """Return a path as a history has it; None where there is none."""
    return value if isinstance(value, str) and 0 < len(value) <= _MAX_PATH else None


def made_name(*parts: str) -> str:
    """Make a name for a call that has none: the same whenever the history is read."""
    return text_digest("\0".join(parts)).removeprefix("sha256:")[:32]


def epoch_ns(value: Any) -> int | None:
    """Read a time in milliseconds, or seconds, since 1970; None when it is none.

    >>> epoch_ns(1767603600250), epoch_ns("soon")
    (1767603600250000000, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e9 <= value < 1e13:
        return None
    return int(value * _MS) if value > 1e11 else int(value * _NS)


def patched(patch: str) -> Iterator[Change]:
    """Yield what a patch in the V4A format does."""
    for one in hunks.files(patch):
        if one.verb == hunks.ADD:
            yield Change(one.path, after=one.content or "", new=True)
        elif one.verb == hunks.DELETE:
            yield Change(one.path, gone=True)
        else:
            yield Change(one.move_to or one.path, hunks=one.hunks, from_path=one.path if one.move_to else None)


def patch_in(text: str) -> str:
    """Return the patch in a text, as a shell's command may hold it; nothing where there is none."""
    text = text.replace("\r\n", "\n")
    begin = text.find("*** Begin Patch\n")
    end = text.find("\n*** End Patch", begin)
    return text[begin:end] if 0 <= begin < end else ""


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value that is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def document(text: Any) -> Mapping[str, Any]:
    """Return the object that a text is as JSON, else an empty one."""
    try:
        return mapping(json.loads(text or "{}"))
    except (TypeError, ValueError, RecursionError):
        return {}


def listed(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; none where there is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def texts(value: Any) -> str:
    """Return a text that is plain, or in parts each of which has a `text`."""
    if isinstance(value, str):
        return value
    return "\n".join(part["text"] for part in listed(value) if isinstance(part.get("text"), str))
