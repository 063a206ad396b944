"""What the server offers: its tools, each with what it takes, and what the client is told about all of them.

Every word here is read by a model in every session, so there are few. `ledger/gate/inputs.py` says the same of the
arguments to the hook: what is taken here has to be there.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.event.mcp_names import (
    ARBITRATE,
    CHANGED,
    COMPLETE,
    CONTEXT,
    DECIDE,
    GET,
    GIVE_BACK,
    LAND,
    LEARN,
    LIST,
    PLAN,
    QUERY,
    SELECT,
    START,
    WHY,
    WORKERS,
)

NAME = "linetrail"
MAX_TRACES = 200
INSTRUCTIONS = (
    "This repository records for which intent each change is made. Before you change files, list the intents and "
    "select the one your work is for; change only its files; complete it with evidence. An error says what to do next."
)
TEMPLATE = "intent://{id}"
ABOUT_TEMPLATE = "One intent: scope, constraints, criteria."

_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_FLAG: Mapping[str, Any] = {"type": "boolean"}
_NUMBER: Mapping[str, Any] = {"type": "integer"}
_INTENT: Mapping[str, Any] = {"type": "string", "description": "e.g. INT-001"}


class Tool(NamedTuple):
    """One tool: what it is for, its arguments as JSON schema, those it needs, and whether it only reads."""

    name: str
    about: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    reads: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """Return what a call has to look like."""
        needed = {"required": list(self.required)} if self.required else {}
        properties = {name: dict(kind) for name, kind in self.arguments.items()}
        return {"type": "object", "properties": properties} | needed


def _said(about: str, kind: Mapping[str, Any] = _TEXT) -> dict[str, Any]:
    return {**kind, "description": about}


_HANDLE = {"session_handle": _TEXT}

TOOLS = (
    Tool(
        SELECT,
        "Select the intent your next changes are for. Returns its scope, constraints and acceptance criteria.",
        {
            "intent_id": _INTENT,
            "reasoning": _said("why this one"),
            "expected_mutations": _said("files you expect to change", _TEXTS),
            "switch": _said("leave the selected intent for it", _FLAG),
            "session_handle": _said("only where no session is known: your id, always the same"),
        },
        ("intent_id",),
    ),
    Tool(GET, "The intent selected in this session, with its scope and constraints.", _HANDLE, reads=True),
    Tool(
        CONTEXT,
        "What you are told of an intent, also of others.",
        {"intent_id": _TEXT},
        ("intent_id",),
        reads=True,
    ),
    Tool(
        LIST,
        "The intents you may select.",
        {"status_filter": _said("a status, or ALL; default: the open ones")},
        reads=True,
    ),
    Tool(
        COMPLETE,
        "Mark the selected intent DONE once every acceptance criterion is met.",
        {
            "intent_id": _TEXT,
            "verification_notes": _said("evidence for each criterion"),
            **_HANDLE,
        },
        ("intent_id",),
    ),
    Tool(
        DECIDE,
        "Keep a design decision, its reason and the ways not taken.",
        {
            "title": _said("what was decided, one sentence"),
            "rationale": _TEXT,
            "alternatives": _said("'option: why not'", _TEXTS),
            "lines": _said("PATH or PATH:A-B it is about", _TEXTS),
            "supersedes": _said("id of the decision it replaces"),
            **_HANDLE,
        },
        ("title",),
    ),
    Tool(
        LEARN,
        "Keep a lesson that later sessions are told.",
        {
            "text": _TEXT,
            "resolution": _TEXT,
            "pattern": _said("how it is recognised"),
            "path": _said("file or folder it is about"),
            **_HANDLE,
        },
        ("text",),
    ),
    Tool(
        QUERY,
        "What happened here, newest first: changes, prompts, refusals, selections.",
        {
            "path": _said("file or folder"),
            "intent_id": _TEXT,
            "session": _TEXT,
            "type": _said("e.g. mutation.observed, gate.decided"),
            "since": _said("e.g. 7d, 2026-01-05"),
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_TRACES, "default": 20},
        },
        reads=True,
    ),
    Tool(
        WHY,
        "Who wrote lines or a definition, for which intent and prompt, under which decisions.",
        {"place": _said("PATH:12, PATH:12-20 or PATH:Class.method")},
        ("place",),
        reads=True,
    ),
    Tool(CHANGED, "What others changed in files that you read, since you last did.", _HANDLE, reads=True),
    Tool(
        PLAN,
        "Which intents may run together, which would meet in a file, or how to split one.",
        {
            "intent_ids": _TEXTS,
            "risk": _said("pairs less likely to meet may run together", {"type": "number"}),
            "scope_only": _FLAG,
            "definitions": _FLAG,
            "suggest": _said("instead: split one intent", _FLAG),
            "parts": _NUMBER,
        },
        reads=True,
    ),
    Tool(
        START,
        "Begin an intent in a worktree of its own; a worker or command runs there with the brief as input.",
        {
            "intent_id": _TEXT,
            "role": _said("architect, builder or tester"),
            "agent": _said("of `workers` in config.yaml"),
            "command": _TEXTS,
            "seconds": _NUMBER,
        },
        ("intent_id",),
    ),
    Tool(
        WORKERS,
        "Who works on which intent, how far, where, and who may meet whom.",
        {"stalled_after": _said("minutes", _NUMBER)},
        reads=True,
    ),
    Tool(
        GIVE_BACK,
        "Freeze the work for an intent, run its checks, write down what it changes.",
        {"intent_id": _TEXT, "abandon": _said("give it up instead", _FLAG), "reason": _TEXT},
        ("intent_id",),
    ),
    Tool(
        LAND,
        "Merge what was given back, once no line is lost and the check passes; what fails is evicted.",
        {
            "intent_ids": _TEXTS,
            "check": _said("a shell command"),
            "seconds": _NUMBER,
            "accept": _said("only a person may", _FLAG),
        },
    ),
    Tool(
        ARBITRATE,
        "Lay two works beside each other; with `for` and `why` record which goes first.",
        {"one": _TEXT, "other": _TEXT, "for": _TEXT, "why": _TEXT},
        ("one", "other"),
    ),
)
