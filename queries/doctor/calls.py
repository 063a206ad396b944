"""Calls of tools as each agent would ask about them, and what it would take an answer for.

Both are what the vendors publish. The adapters read the one and say the other; here it is tried, without them, whether
the agent would hear it. An answer that is neither a denial nor leave to go on is wrong, too: one agent runs the tool
when a key is unknown, another refuses it when an exit status is not 0. Ids and names are made up.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters import agent as templates
from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.adapters.agent import TEXT
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import UNKNOWN, Tool

SESSION = templates.SESSION
FILE = "file.py"
DENIED, LET_THROUGH = "denied", "let through"
# A process that ends with it has refused the call, where the agent reads nothing else.
REFUSED = 2


class Said(NamedTuple):
    """What a hook printed, and the status it ended with."""

    stdout: bytes
    stderr: bytes
    status: int


def write(agent: str, folder: str) -> bytes:
    """Return what an agent asks before it writes a file in this folder."""
    return _payload(agent, folder, *CATALOGUE[agent].question.write)


def read(agent: str, folder: str) -> bytes | None:
    """Return what an agent asks before it reads a file; None where it does not ask."""
    told = CATALOGUE[agent].question.read
    return None if told is None else _payload(agent, folder, *told)


def what_is(agent: str, tool: str) -> Tool | None:
    """Return how the adapter of an agent reads a call of a tool by this name; None where it cannot, or is not whole."""
    try:
        module = adapter(agent)
        return None if module is None else module.read(_asked(agent, os.sep, tool, {}), module.GATED[0]).tool
    except (PayloadError, ImportError):
        return None


def is_unknown(agent: str, tool: str) -> bool:
    """Return whether nobody knows what a tool does: neither by its name, nor by how it is asked for."""
    found = what_is(agent, tool)
    return found is not None and found.operation == "other" and found.kind == UNKNOWN


def meaning(agent: str, event: str, said: Said) -> str:
    """Return what an agent takes an answer for, in words: one of the two above, or what is wrong with it.

    >>> meaning("windsurf", "pre_write_code", Said(b"", b"Refused", 2))
    'denied'
    >>> meaning("codex", "PreToolUse", Said(b"", b"", 2))
    'it ended with 2'
    """
    denial = CATALOGUE[agent].denial
    if denial.answer is None:
        return _by_status(said)
    if said.status:
        return f"it ended with {said.status}"
    if not said.stdout:
        return LET_THROUGH if not denial.must_answer else "it said nothing, which the agent takes for a denial"
    try:
        told = json.loads(said.stdout)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        return "what it said is no JSON object"
    if _has(told, _filled(denial.answer, {templates.EVENT: event}), closed=denial.closed):
        return DENIED
    passes = told in denial.passes
    return LET_THROUGH if passes else "the call was let through with an answer the agent may not read"


def _payload(agent: str, folder: str, tool: str, given: Mapping[str, Any]) -> bytes:
    placed = _filled(given, {templates.FILE: os.path.join(folder, FILE)})
    return json.dumps(_asked(agent, folder, tool, placed)).encode()


def _asked(agent: str, folder: str, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload of an agent around the call of one tool."""
    places = {templates.FOLDER: folder, templates.TOOL: tool, templates.INPUT: dict(given)}
    asked: dict[str, Any] = _filled(CATALOGUE[agent].question.payload, places)
    return asked


def _filled(template: Any, places: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {key: _filled(value, places) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, places) for value in template]
    return places.get(template, template) if isinstance(template, str) else template


def _by_status(said: Said) -> str:
    if said.stdout:
        return "it printed something, which the agent does not read"
    if said.status == REFUSED and said.stderr.strip():
        return DENIED
    return f"it ended with {said.status}" if said.status else LET_THROUGH


def _has(told: Any, wanted: Any, *, closed: bool) -> bool:
    """Return whether an answer holds what is wanted and, where it is `closed`, nothing else."""
    if not isinstance(wanted, Mapping):
        return bool(told == wanted) if wanted is not TEXT else isinstance(told, str) and bool(told)
    if not isinstance(told, Mapping) or (closed and set(told) != set(wanted)):
        return False
    return all(_has(told.get(key), value, closed=closed) for key, value in wanted.items())
