"""What a signal says, as the data of an event: the same words whether a hook told us or a transcript did.

Pure: nothing here looks at a file. Where a path lies is for the caller to say.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.files import sha256
from linetrail.ledger.redact.redactor import Redactor, marked, without_fingerprints

MAX_COMMAND, MAX_NAME = 4000, 290
MAX_TARGETS = 200
MAX_LIST_BYTES = 30_000
# Where data name files, on their own or in a sentence.
_LISTS, _PATHS = {"targets", "files", "paths"}, {"path", "from_path", "reason"}


class Draft(NamedTuple):
    """An event before it has an id, a time and a place."""

    type: str
    contributor: str
    data: dict[str, Any]


def prompt(signal: Signal, redactor: Redactor) -> Draft:
    """Say what a person asked for; the text itself is not stored."""
    text = signal.text or ""
    data = {"prompt_id": signal.prompt_id, "excerpt": redactor.excerpt(text), "length": len(text)}
    return Draft("prompt.submitted", "human", data)


def thought(text: str, prompt_id: str | None, agent_id: str | None, redactor: Redactor) -> Draft:
    """Say that an agent thought, and how it began; the text itself is not stored."""
    data = {"excerpt": redactor.excerpt(text), "length": len(text), "prompt_id": prompt_id, "agent_id": agent_id}
    return Draft("thought.recorded", "ai", data)


def requested(signal: Signal, tool: Tool, targets: Iterable[tuple[str | None, str, str]], redactor: Redactor) -> Draft:
    """Say what a tool is asked to do; a target is its stored path, None outside, then as the agent spelled it."""
    command = None if tool.command is None else redactor.cut(tool.command, MAX_COMMAND)
    # All but the secret can be read: a hash over the secret, too, would tell whether a guess at it is right.
    given = {**tool.input, "command": without_fingerprints(command)} if command and marked(command) else tool.input
    data = {
        "tool_call_id": tool.call_id,
        "tool_name": tool.name,
        "operation": tool.operation,
        "targets": _named(targets, redactor),
        "command": command,
        "input_sha256": _digest_of(given),
        "prompt_id": signal.prompt_id,
        "permission_mode": signal.permission_mode,
        "agent_id": signal.agent_id,
        "agent_type": signal.agent_type,
    }
    return Draft("tool.requested", "ai", data)


def ended(
    signal: Signal, tool: Tool, redactor: Redactor, *, targets: Iterable[tuple[str | None, str, str]] | None = None
) -> Draft:
    """Say how a tool ended; `targets`, as for `requested`, where nothing else in the ledger names them."""
    result = signal.result
    data: dict[str, Any] = {
        "tool_call_id": tool.call_id,
        "tool_name": tool.name,
        "operation": tool.operation,
        "duration_ms": result and result.duration_ms,
        "exit_code": result and result.exit_code,
        "output_sha256": None if result is None or result.output is None else _digest_of(result.output),
        "interrupted": result and result.interrupted,
        "agent_id": signal.agent_id,
        "unscanned": None,
    }
    if targets is not None:
        data["targets"] = _named(targets, redactor)
    if signal.kind == "tool_failure":
        data["error"] = None if result is None or result.error is None else redactor.excerpt(result.error)
    return Draft("tool.completed" if signal.kind == "post_tool" else "tool.failed", "ai", data)


def fitting(items: Iterable[Any], room: int = MAX_LIST_BYTES) -> list[Any]:
    """Return the first of these items, as many as an event has room for."""
    kept = []
    for item in items:
        room -= len(json.dumps(item)) + 1
        if room < 0:
            break
        kept.append(item)
    return kept


def file_name(path: str, redactor: Redactor) -> str:
    """Return the last part of a path of any system; where a person keeps things is nobody's business."""
    return redactor.cut(path.replace("\\", "/").rstrip("/").rpartition("/")[2], MAX_NAME)


def without_secrets_in_paths(data: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return the data of an event with marks for secrets in the names of files: one may be called like a token.

    Nothing is found by such a path any more, so the lines of that file are its committer's.
    """
    clean = dict(data)
    for key in _LISTS & data.keys():
        clean[key] = [
            without_secrets_in_paths(item, redactor) if isinstance(item, dict) else item for item in data[key]
        ]
    for key in _PATHS & data.keys():
        if isinstance(data[key], str):
            clean[key] = redactor.cut(data[key], len(data[key]) + MAX_NAME)
    return clean


def input_digest(tool: Tool) -> str:
    """Name what a tool was given by its hash."""
    return _digest_of(tool.input)


def call_key(signal: Signal, tool: Tool) -> tuple[str, str]:
    """Name a call between its hooks: by its id, else by what it was given."""
    return signal.session_id or "", tool.call_id or input_digest(tool)


def text_digest(text: str) -> str:
    """Name a text by the hash of its UTF-8."""
    return f"sha256:{sha256(text.encode(errors='replace')).hexdigest()}"


def _named(targets: Iterable[tuple[str | None, str, str]], redactor: Redactor) -> list[Any]:
    return fitting(
        {"path": stored or f"outside:{file_name(path, redactor)}", "role": role} for stored, path, role in targets
    )


def _digest_of(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text_digest(text)
