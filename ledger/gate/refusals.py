"""Put a refusal into words that an agent can act on: what, why, what to do, an example, and the reason for the rule.

The same again as one line of JSON, whose `type` and `code` never change. What an intent or a path says is quoted on
one line and without a sign that could steer a terminal or end the quotation: it is data, whoever wrote it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.gate.roles import SCOPES
from linetrail.ledger.intents.intent import Offer

MAX_QUOTED, MAX_NAME, MAX_LISTED, MAX_OWNERS, MAX_AVAILABLE = 300, 80, 8, 5, 20
_NO_TAGS = str.maketrans("<>", "\u2039\u203a")
REGISTRY = ".orchestration/active_intents.yaml"


# What became of the call; `warn` is one that was let through all the same.
_HEADS = {"deny": "Refused", "ask": "A person is asked", "warn": "Let through with a warning"}


class Refusal(NamedTuple):
    """What was refused, and what the reader needs to go on. `attempted` says in a few words what the agent tried."""

    code: str
    reason: str
    attempted: str
    intent_id: str | None = None
    scope: Sequence[str] = ()
    available: Offer = Offer()
    # ids of the open intents that own the path that was refused
    owners: Sequence[str] = ()
    approval_id: str | None = None
    # a command that a person could state to only read
    command: str | None = None
    # of whoever works in the worktree, where it has one
    role: str | None = None
    # who has the file: session, intent and worktree
    holder: Mapping[str, str] | None = None


class _Advice(NamedTuple):
    type: str
    action: str
    example: str
    why: str


_SCOPE = "A scope keeps one piece of work from changing what belongs to another."
_INTENT = "Each change is recorded with the intent it was made for, so that people can ask later why a line is there."
_PATHS = "A path has to mean the same file to the agent, to this check and to the file system."
_FRESH = "Writing over a version that was never read loses somebody else's change without a trace."
_REGISTRY = "Without a registry that can be read, nobody can say which files an intent owns, so nothing is written."
_GATE = "What watches the work cannot be changed by the work it watches."
_PERSON = "Some steps are hard to undo, or their effect cannot be seen before; a person answers for those."

_PATH_ADVICE = _Advice(
    "scope_violation",
    "Name a plain file inside the repository by its real path.",
    "src/module/file.py instead of a link, a device or a path outside",
    _PATHS,
)
_CHECKOUT = "Select the intent that this work is for, then repeat the call."
ADVICE = {
    "PROTECTED_PATH": _Advice(
        "scope_violation",
        "Leave this file as it is; ask the person you work for to change it where that is needed.",
        "tell them which line of the file should change, and why",
        _GATE,
    ),
    "UNKNOWN_TOOL": _Advice(
        "protocol_violation",
        "Use a tool whose effect on files can be seen, where there is one.",
        "a person adds it to .orchestration/config.yaml: `tools: {{safe: [{tool}]}}`",
        _PERSON,
    ),
    "INVALID_INPUT": _Advice(
        "validation_failed",
        "Repeat the call with the arguments that the tool's own schema asks for.",
        "each argument once, under the name and in the type that the schema gives",
        "A call that can be read in two ways is judged in one and carried out in the other.",
    ),
    "DANGEROUS_COMMAND": _Advice(
        "command_refused",
        "Reach the same with a command that stays in the workspace and can be undone, or leave the step to a person.",
        "tell the person you work for, in one sentence, what should be run and why",
        _PERSON,
    ),
    "NO_INTENT": _Advice("protocol_violation", _CHECKOUT, "linetrail select {id}", _INTENT),
    "UNKNOWN_INTENT": _Advice("protocol_violation", _CHECKOUT, "linetrail select {id}", _INTENT),
    "INTENT_CLOSED": _Advice("protocol_violation", _CHECKOUT, "linetrail select {id} --switch", _INTENT),
    "INTENT_FLAWED": _Advice(
        "validation_failed",
        f"Ask a person to repair the intent in {REGISTRY}, or select another.",
        "linetrail intents lint",
        _REGISTRY,
    ),
    "REGISTRY_MALFORMED": _Advice(
        "validation_failed",
        f"Ask a person to repair {REGISTRY} in the line that is named.",
        "linetrail intents lint",
        _REGISTRY,
    ),
    "SETTINGS_MALFORMED": _Advice(
        "validation_failed",
        "Ask a person to repair .orchestration/config.yaml in the line that is named.",
        "linetrail doctor",
        "Settings that cannot be read may say anything, so the strictest reading counts.",
    ),
    "OUT_OF_SCOPE": _Advice(
        "scope_violation",
        "Change only files in the scope of {intent}, or select the intent that owns this one: {owners}.",
        "linetrail select {id} --switch",
        _SCOPE,
    ),
    "STALE_FILE": _Advice(
        "stale_file", "Read the file again, then make the change against what is there now.", "Read {path}", _FRESH
    ),
    "FILE_BUSY": _Advice(
        "stale_file",
        "Wait a moment, read the file again, then repeat the call.",
        "Read {path}",
        _FRESH,
    ),
    "LEASE_HELD": _Advice(
        "stale_file",
        "Do something else meanwhile, and repeat the call once that work is given back, or its session has ended; tell "
        "the person you work for where this cannot wait.",
        'a person runs `linetrail workers --break {path} --reason "…"`',
        "Of two who change one file in two worktrees, whoever lands second has worked in vain.",
    ),
    "CONSTRAINT_VIOLATED": _Advice(
        "validation_failed",
        "Change the proposal so that it keeps the constraint of {intent}, then repeat the call.",
        "linetrail intents show {intent}",
        "Constraints of an intent are what its owner will not negotiate.",
    ),
    "CIRCUIT_OPEN": _Advice(
        "circuit_open",
        "Stop, tell the person what you are trying and what was refused, and go on when they say so.",
        "a person runs `linetrail gate reset`",
        "The same mistake again and again costs more than a question.",
    ),
    "APPROVAL_PENDING": _Advice(
        "user_rejection",
        "Wait until a person has answered, then repeat exactly this call; do something else meanwhile.",
        "a person runs `linetrail approve {approval}`",
        _PERSON,
    ),
    "APPROVAL_DEFERRED": _Advice(
        "user_rejection",
        "It is put off, not refused: go on with something else, and repeat exactly this call later.",
        "a person runs `linetrail approve {approval}` when the time has come",
        _PERSON,
    ),
    "APPROVAL_REQUIRED": _Advice(
        "user_rejection",
        "Tell the person you work for what you want to do and why; it is done once they agree.",
        "one sentence on what changes, and how it can be undone",
        _PERSON,
    ),
    "REJECTED": _Advice(
        "user_rejection",
        "Follow what the person said; do not repeat the call.",
        "ask what they would rather have",
        _PERSON,
    ),
    "TIMEOUT": _Advice(
        "internal", "Repeat the call once; if it is refused again, tell a person.", "linetrail doctor", _GATE
    ),
    "UNREADABLE": _Advice(
        "validation_failed", "Repeat the call; if it is refused again, tell a person.", "linetrail doctor", _GATE
    ),
    "LEDGER_UNWRITABLE": _Advice(
        "internal",
        "Tell a person: what cannot be recorded is not done here.",
        "linetrail doctor",
        "A change without a record could never be explained.",
    ),
    "INVALID_INTENT_ID": _Advice("validation_failed", "Use an id of the registry.", "linetrail select {id}", _INTENT),
    "INTENT_NOT_FOUND": _Advice("validation_failed", "Use an id of the registry.", "linetrail select {id}", _INTENT),
    "REGISTRY_UNREADABLE": _Advice(
        "validation_failed",
        f"Ask a person to create {REGISTRY}.",
        "linetrail intents add --name … --scope …",
        _REGISTRY,
    ),
    "INTENT_ALREADY_ACTIVE": _Advice(
        "state_error",
        "Finish or clear the intent that is selected, or switch on purpose.",
        "linetrail select {asked} --switch",
        "One intent at a time keeps it plain which change belongs to which.",
    ),
    "SELECTION_TO_APPROVE": _Advice(
        "user_rejection", "Wait until a person has agreed to this choice.", "say why this intent fits the work", _PERSON
    ),
    "INTENT_BLOCKED": _Advice(
        "state_error", "Select another intent, or ask its owner to unblock it.", "linetrail select {id}", _INTENT
    ),
    "INTENT_NOT_ACTIVE": _Advice(
        "state_error",
        "Only who works on an intent completes it: select it first, or complete the one that is selected.",
        "linetrail select {asked} --switch",
        _INTENT,
    ),
    "NOTES_MISSING": _Advice(
        "validation_failed",
        "Say for each acceptance criterion how it was verified.",
        'linetrail intents done {intent} --notes "…"',
        "Evidence is what makes a finished intent more than a claim.",
    ),
}


# The same where no open intent owns the path.
_NOBODY_S = _Advice(
    "scope_violation",
    "Change only files in the scope of {intent}. No open intent owns this one: tell the person you work for, who can "
    f"add it to a scope in {REGISTRY}.",
    "owned_scope: [ …, {path} ]",
    _SCOPE,
)
# The same where a role says what may be changed, whatever the intent owns.
_ROLE_S = _Advice(
    "scope_violation",
    "Change only what the role {role} may; leave this to whoever works on {intent} as its builder.",
    "tell the person you work for which file should change, and why",
    "Who plans, who builds and who tests see each other's mistakes as long as each does that alone.",
)
# The same where there is no intent that could be selected.
_NONE_OPEN = _Advice(
    "protocol_violation",
    "No intent is open: tell the person you work for what you want to change, so that they add one; then select it.",
    'a person runs `linetrail intents add --name "…" --scope "…" --status IN_PROGRESS`',
    _INTENT,
)


def message(refusal: Refusal, *, tool: str = "", path: str = "", asked: str = "", verdict: str = "deny") -> str:
    """Return the five parts, and the structured form in the last line; `asked` is the intent that a call was about."""
    advice = _advice(refusal)
    words = _words(refusal, tool, path, asked)
    lines = [
        f"{_HEADS[verdict]} ({refusal.code}): {quoted(refusal.attempted)}.",
        f"Why: {told(refusal.reason)}.",
        *_scope(refusal),
        f"Required action: {'Wait for the answer. ' if verdict == 'ask' else ''}{advice.action.format(**words)}",
        f"Example: {advice.example.format(**words)}",
        *_available(refusal, advice),
        *_statable(refusal),
        f"Reason for the rule: {advice.why}",
        json.dumps(structured(refusal), ensure_ascii=True, separators=(",", ":")),
    ]
    return "\n".join(lines)


def _statable(refusal: Refusal) -> list[str]:
    if refusal.command is None:
        return []
    setting = f'commands: [{{match: "{quoted(refusal.command)}", is: reads}}]'
    return [f"If this command only reads, a person can say so in .orchestration/config.yaml: {setting}"]


def action(refusal: Refusal, *, tool: str = "", asked: str = "") -> str:
    """Return what is to be done now, with an example."""
    advice, words = _advice(refusal), _words(refusal, tool, "", asked)
    return f"{advice.action.format(**words)} Example: {advice.example.format(**words)}"


def structured(refusal: Refusal) -> dict[str, Any]:
    """Return a refusal as programs read it."""
    return {
        "error": True,
        "type": ADVICE.get(refusal.code, _PATH_ADVICE).type,
        "code": refusal.code,
        "message": told(refusal.reason),
        "context": {
            "intent_id": refusal.intent_id,
            "attempted_action": quoted(refusal.attempted),
            "available_intents": [intent_id for intent_id, _ in refusal.available.named[:MAX_AVAILABLE]],
            "owner_of_path": list(refusal.owners[:MAX_OWNERS]),
            **({"holder": {name: quoted(text) for name, text in refusal.holder.items()}} if refusal.holder else {}),
        },
    }


def quoted(text: str) -> str:
    r"""Return a text on one line, without what steers terminals or hides signs, and cut where it is long.

    >>> quoted("a\n\x1b[31mb\u202e")
    'a \ufffd[31mb\ufffd'
    """
    flat = " ".join(text.split())
    plain = flat if flat.isascii() and flat.isprintable() else "".join(map(_shown, flat))
    return plain if len(plain) <= MAX_QUOTED else f"{plain[: MAX_QUOTED - 1]}…"


def told(text: str) -> str:
    """Return a text that people wrote elsewhere: quoted, and without the signs that tags are made of."""
    return quoted(text).translate(_NO_TAGS)


def _advice(refusal: Refusal) -> _Advice:
    if refusal.code == "OUT_OF_SCOPE" and refusal.role in SCOPES:
        return _ROLE_S
    if refusal.code == "OUT_OF_SCOPE" and not refusal.owners:
        return _NOBODY_S
    advice = ADVICE.get(refusal.code, _PATH_ADVICE)
    selects = "{id}" in advice.example and not refusal.owners and not refusal.available.named
    return _NONE_OPEN._replace(type=advice.type) if selects else advice


def _words(refusal: Refusal, tool: str, path: str, asked: str) -> dict[str, str]:
    """Return what the places in an advice stand for."""
    return {
        "id": (*refusal.owners, *(intent_id for intent_id, _ in refusal.available.named), "INT-001")[0],
        "tool": quoted(tool),
        "path": quoted(path),
        "asked": quoted(asked),
        "intent": refusal.intent_id or quoted(asked) or "the intent",
        "approval": refusal.approval_id or "",
        "role": refusal.role or "",
        "owners": ", ".join(refusal.owners[:MAX_OWNERS]),
    }


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _scope(refusal: Refusal) -> Iterable[str]:
    if refusal.code == "OUT_OF_SCOPE" and refusal.scope:
        yield f"Scope of {refusal.intent_id}: {_list(refusal.scope)}"


def _available(refusal: Refusal, advice: _Advice) -> Iterable[str]:
    named, more = refusal.available
    if named and "{id}" in advice.example:
        yield f"Available intents: {_list([f'{intent_id} ({name[:MAX_NAME]})' for intent_id, name in named], more)}"


def _list(items: Sequence[str], more: int = 0) -> str:
    shown = ", ".join(told(item) for item in items[:MAX_LISTED])
    more += max(0, len(items) - MAX_LISTED)
    return f"{shown} and {more:,} more" if more else shown
