"""Read the payload of a hook from where the agent put it, and say what it is: whose, and about which repository."""

import json
import os
import select
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import Adapter, adapter, first_text
from linetrail.ledger.agents import (
    BORROWERS,
    CALL_IDS,
    KEYS,
    LATE_KEYS,
    LENDERS,
    LOWER_TOOLS,
    NAMES_TRANSCRIPT,
    PROJECT_VARIABLES,
    TRANSCRIPTS,
)
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.drafts import input_digest, text_digest
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.files import sha256
from linetrail.ledger.gate.policy import told_mode
from linetrail.ledger.gate.settings import MODES
from linetrail.ledger.repository import Repository, holding, is_in_agent_worktree, is_linked, require_own

# So long does a hook wait for what its agent has to say. Of a pipe that is never closed, what is whole is taken after
# a pause: an agent that still writes leaves shorter ones.
STDIN_SECONDS, PAUSE_SECONDS = 0.9, 0.1
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024
# Where payloads name their events.
EVENT_KEYS = ("hook_event_name", "hookEventName", "agent_action_name", "hookName", "hook", "event")
# Tools that no other agent spells like this one.
_NUMBERED = frozenset({"bash", "task", "todowrite", "multiedit"})


def read(fd: int, chunks: list[bytes]) -> bytes:
    """Return what can be read until the other side closes it, of what is too long only so much that this shows.

    `chunks` has what was read before, and then all of it.

    The rest is read, too: an agent that cannot get rid of its payload takes the hook for broken. What is there already
    is read however late it is: on a busy machine, time has passed without us.
    """
    end = time.monotonic() + STDIN_SECONDS
    size = sum(map(len, chunks))
    while True:
        left = end - time.monotonic()
        if left < 0 and size > MAX_PAYLOAD_BYTES:
            break
        if not select.select([fd], [], [], max(min(left, PAUSE_SECONDS), 0))[0]:
            if left <= 0 or _is_whole(chunks):
                break
            continue
        chunk = os.read(fd, 1 << 20)
        if not chunk:
            break
        if size <= MAX_PAYLOAD_BYTES:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def decode(payload: bytes) -> dict[str, Any]:
    """Read a payload as agents really send them: byte order marks, UTF-16, raw control characters in strings."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise PayloadError(f"payload longer than {MAX_PAYLOAD_BYTES} bytes")
    try:
        text = payload.decode(json.detect_encoding(payload)).removeprefix("\ufeff")
        fields = json.loads(text, strict=False)
        fields = _whole_characters(fields) if "\\ud" in text.lower() else fields
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"payload is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise PayloadError(f"payload is a JSON {type(fields).__name__}, not an object")
    return fields


class Heard(NamedTuple):
    """What arrived: from which agent, at which event, and what it says; of none, why it could not be `unread`."""

    module: Adapter
    event: str
    signal: Signal | None
    fields: Mapping[str, Any]
    unread: str = ""


def recognise(agent: str, payload: bytes, event: str | None) -> Heard:
    """Read a payload in the words of the agent that really sent it; PayloadError for an agent that is not known."""
    module = adapter(agent)
    if module is None:
        raise PayloadError(f"no adapter for {agent}")
    fields: dict[str, Any] = {}
    told = event
    try:
        fields = decode(payload)
        host = sender(agent, fields)
        if host != agent:
            module, event = adapter(host) or module, first_text(fields, "hook_event_name", "hookEventName") or event
        told = event or first_text(fields, *EVENT_KEYS)
        signal = module.read(fields, _gated(module, told) or event)
    except PayloadError as error:
        told = told or module.GATED[0]
        return Heard(module, _gated(module, told) or told, None, fields, str(error))
    if signal.kind == "other":
        signal = signal._replace(fields=tuple(fields))
    return Heard(module, signal.name, signal, fields)


def sender(agent: str, payload: Mapping[str, Any]) -> str:
    """Return the agent that sent this payload to a hook that was installed for `agent`.

    >>> sender("claude-code", {"session_id": "s", "cursor_version": "3.9.0"})
    'cursor'
    """
    if agent not in LENDERS:
        return agent
    return _marked(payload) or _named(agent, payload)


def identity(agent: str, signal: Signal, fields: Mapping[str, Any], payload: bytes) -> str:
    """Name what arrived, so that what arrives twice is recorded once.

    Agents that run the hooks of others, too, may tell one event in two ways: what it means counts then.
    """
    if agent not in BORROWERS:
        # The command line names the event, too, where a plugin calls us, and not always where a project does.
        name = "" if fields.get("hook_event_name") == signal.name else signal.name
        return sha256(f"{agent}\0{name}\0".encode() + payload).hexdigest()
    tool = signal.tool
    about = [agent, signal.kind, signal.session_id, signal.agent_id, signal.prompt_id, signal.text]
    if signal.kind == "other":
        about.append(signal.name)
    if tool is not None:
        about += [tool.call_id, tool.operation, repr(tool.targets), tool.command, repr(tool.proposal)]
        about += [] if tool.targets or tool.command else [input_digest(tool)]
        # Without an id, calls of tools that do nothing to files differ by name, which may be told in two ways, too.
        about += [tool.name] if tool.operation == "other" and tool.call_id is None else []
    return text_digest(repr(about)).removeprefix("sha256:")


def folders(signal: Signal | None, fields: Mapping[str, Any], cwd: str) -> Iterator[str]:
    """Yield the folders that a payload may be about: its own, then ours, then the agent's project.

    A file in a worktree that an agent made for a session is that worktree's, wherever the agent works.
    """
    told = (*_worktrees(signal), *_nearest(signal)) if signal else (fields.get("cwd"),)
    for start in (*told, cwd, *map(os.environ.get, PROJECT_VARIABLES)):
        if isinstance(start, str) and "\0" not in start and os.path.isdir(start):
            yield start


def place(folders: Iterable[str], fallback: str) -> Repository | None:
    """Return the repository around the first folder that is in one; None where linetrail is not set up.

    The others count, too: an agent that went elsewhere can still write in the project that the hook was installed in.
    Where one of these, or one around them, is stricter than the nearest, it counts: an agent could have made the
    nearest itself.
    """
    found = [repository for start in dict.fromkeys(folders) for repository in _with_ledgers(start)]
    if not found:
        return None
    modes = [MODES.index(told_mode(repository, fallback)) for repository in found] if len(found) > 1 else [0]
    chosen = found[modes.index(max(modes))]
    # A linked worktree has its own root, and is as strict as the main one by itself.
    return require_own(found[0] if chosen.common_dir and chosen.common_dir == found[0].common_dir else chosen)


def _is_whole(chunks: Sequence[bytes]) -> bool:
    """Return whether what was read is a payload to which nothing can be missing."""
    if not chunks or not chunks[-1].rstrip().endswith((b"}", b"}\0")):
        return False
    try:
        decode(b"".join(chunks))
    except PayloadError:
        return False
    return True


def _gated(module: Adapter, told: str | None) -> str | None:
    """Return the event before a call that this is, in whatever case it was written; None for any other."""
    return next((name for name in module.GATED if told and name.lower() == told.lower()), None)


def _marked(payload: Mapping[str, Any]) -> str | None:
    """Return who left a mark that nobody else leaves."""
    for key, name in KEYS.items():
        if key in payload:
            return name
    call_id = _text(payload, "tool_use_id") or _text(payload, "toolUseId")
    transcript = (_text(payload, "transcript_path") or _text(payload, "transcriptPath")).replace("\\", "/")
    for marks, text in ((CALL_IDS, call_id), (TRANSCRIPTS, transcript)):
        found = next((name for mark, name in marks.items() if mark in text), None)
        if found is not None:
            return found
    return None


def _named(agent: str, payload: Mapping[str, Any]) -> str:
    """Return who sends what is there where the agent itself would have named a transcript."""
    if agent not in NAMES_TRANSCRIPT or _text(payload, "transcript_path"):
        return agent
    for key, name in LATE_KEYS.items():
        if key in payload:
            return name
    tool = _text(payload, "tool_name")
    # An agent that names its transcript numbers its calls, too, however somebody spells its tools.
    numbered = _text(payload, "tool_use_id") or tool in _NUMBERED
    in_lower_case = tool[:1].islower() and not tool.startswith("mcp__") and not numbered
    return next(iter(LOWER_TOOLS), agent) if in_lower_case else agent


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def _worktrees(signal: Signal) -> Iterator[str]:
    """Yield the worktree of an agent, known to git, that the first file of a call lies in."""
    named = signal.tool.targets[0][0] if signal.tool and signal.tool.targets else ""
    if os.path.isabs(named) and is_in_agent_worktree(named):
        folder = os.path.dirname(named)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        repository = holding(folder)
        if repository and repository.is_of_agent and is_linked(repository):
            yield repository.root


def _nearest(signal: Signal) -> Sequence[str | None]:
    """Return the folders an agent works in, of several roots the one with the file that is named first."""
    folders = (signal.cwd, *signal.roots)
    named = signal.tool.targets[0][0] if signal.roots and signal.tool and signal.tool.targets else ""
    return sorted(folders, key=lambda folder: not (folder and named.startswith(os.path.join(folder, ""))))


def _with_ledgers(start: str) -> Iterator[Repository]:
    """Yield the repositories around a folder that have ledgers, the nearest first."""
    while repository := holding(start):
        if repository.has_ledger():
            yield repository
        start = os.path.dirname(repository.root)
        if start == repository.root:
            return


def _whole_characters(value: Any) -> Any:
    """Replace halves of characters, which an agent leaves where it cuts a text short, as JavaScript writes them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return [_whole_characters(item) for item in value] if isinstance(value, list) else value
