"""The handshake: an agent checks out one intent before it may write, and hands it back when it is done.

Pure: whether a choice may be made, and how an event tells of it. A tool or a command only asks; the hook that sees the
session beside the intent confirms. One session has one intent at a time.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import CLEAR, COMMANDS, COMPLETE, GET, LIST, SELECT, own_tool
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Tool
from linetrail.ledger.gate.policy import UNREAD, Policy
from linetrail.ledger.gate.refusals import REGISTRY, Refusal
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.intents.intent import Intent, Offer
from linetrail.ledger.redact.redactor import Redactor

ID_FORMAT = re.compile(r"\AINT-\d{3,}\Z")
MAX_EXPECTED = 50
# The options that a command of the handshake may have; with others it is judged like any other command.
_SELECTING, _COMPLETING = frozenset({"--clear", "--switch", "--json"}), frozenset({"--notes", "--json"})
# What people put around it: `cd project && … 2>&1`.
_BEHIND = re.compile(r"\s+2>&1\s*\Z")


class Wish(NamedTuple):
    """What an agent asks of the handshake: `verb` is a tool of ours; `switch`: leave the present intent for it.

    `reasoning` is why it chooses the intent, or how it verified that it is done.
    """

    verb: str
    intent_id: str | None = None
    reasoning: str | None = None
    expected: Sequence[str] = ()
    switch: bool = False


def wish_of(tool: Tool) -> Wish | None:
    """Return what a call asks of the handshake: through one of our tools, or through the command line."""
    if tool.operation == "shell" and tool.command and "linetrail" in tool.command:
        return _from_command(tool.command)
    return from_tool(tool.name, tool.input)


def _from_command(command: str) -> Wish | None:
    """Read a command as it stands, or behind one `cd`: each part has to be a plain command that hides nothing."""
    from linetrail.ledger.shell.commands import words  # the grammar of the shell, for commands alone

    before, both, behind = _BEHIND.sub("", command).partition("&&")
    if both and (words(before) or [""])[0] != "cd":
        return None
    found = words(behind if both else before)
    return None if found is None else from_words(found)


def from_tool(tool_name: str, arguments: Mapping[str, Any]) -> Wish | None:
    """Read a call of a tool of the handshake, however an agent spells its name; None for any other tool."""
    verb = own_tool(tool_name)
    return None if verb is None or verb in COMMANDS else asked_of(verb, arguments)


def asked_of(verb: str, arguments: Mapping[str, Any]) -> Wish:
    """Read what a tool of ours was given; what is not of its kind was not given."""
    expected = arguments.get("expected_mutations")
    return Wish(
        verb,
        _text(arguments.get("intent_id")),
        _text(arguments.get("verification_notes" if verb == COMPLETE else "reasoning")),
        tuple(item for item in expected if isinstance(item, str)) if isinstance(expected, list) else (),
        arguments.get("switch") in (True, "true"),
    )


def from_words(words: Sequence[str]) -> Wish | None:
    """Read a command line that selects, clears or completes an intent; None for any other.

    >>> from_words(["linetrail", "select", "INT-001"])
    Wish(verb='select_active_intent', intent_id='INT-001', reasoning=None, expected=(), switch=False)
    """
    rest = _arguments(words)
    if rest is None:
        return None
    flags = {word for word in rest if word.startswith("-")}
    plain = [word for word in rest if not word.startswith("-")]
    if plain[:1] == ["select"] and flags <= _SELECTING and len(plain) <= 2:
        if "--clear" in flags:
            return Wish(CLEAR)
        return Wish(SELECT, plain[1], switch="--switch" in flags) if len(plain) == 2 else Wish(GET)
    if plain[:2] == ["intents", "done"] and flags <= _COMPLETING and len(plain) >= 3:
        return Wish(COMPLETE, plain[2], " ".join(plain[3:]) or None)
    return Wish(LIST) if plain[:2] in (["intents", "list"], ["intents", "show"]) else None


def _arguments(words: Sequence[str]) -> Sequence[str] | None:
    """Return what stands behind the program; `-C DIR` speaks of another repository, so it is not read here."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "linetrail":
        return words[1:]
    return words[2:] if name == "git" and words[1:2] == ["linetrail"] else None


def objection(policy: Policy, wish: Wish, current: str | None) -> Refusal | None:
    """Say why this intent cannot be selected now; None where it can."""
    asked = wish.intent_id or ""
    intent = policy.intent(asked)
    found = (
        _unreadable(policy)
        or (_unknown(asked, policy.offer()) if intent is None else _unfit(intent, policy.mode))
        or (_occupied(current, asked) if not wish.switch else None)
    )
    if found is None:
        return None
    code, reason = found
    return Refusal(code, reason, f"select intent {asked}", current, available=policy.offer())


def completion_objection(policy: Policy, wish: Wish, current: str | None) -> Refusal | None:
    """Say why this intent cannot be completed now; None where it can."""
    asked = wish.intent_id or ""
    intent = policy.intent(asked)
    attempted = f"complete intent {asked}"
    found = _unreadable(policy) or (_unknown(asked, policy.offer()) if intent is None else _unfit(intent, policy.mode))
    if found is None and current != asked:
        found = "INTENT_NOT_ACTIVE", f"{current or 'no intent'} is selected in this session, not {asked}"
    told = len(intent.criteria) - len(intent.checks) if intent else 0
    if found is None and told and not wish.reasoning:
        found = "NOTES_MISSING", f"{asked} has {told} acceptance criteria, and nothing says how they were met"
    return None if found is None else Refusal(*found, attempted, current or asked, available=policy.offer())


def _unreadable(policy: Policy) -> tuple[str, str] | None:
    if policy.registry_digest is None:
        return "REGISTRY_UNREADABLE", (
            f"Failed to read {REGISTRY}: ENOENT (file not found). Please create the file with at least one intent"
        )
    if policy.registry_error is not None and policy.registry_error.endswith(UNREAD):
        return "REGISTRY_MALFORMED", f"{REGISTRY} {policy.registry_error}"
    if policy.registry_error is not None:
        return "REGISTRY_MALFORMED", f"Invalid YAML in {REGISTRY}: {policy.registry_error}. Please fix the file"
    return None


def _unknown(asked: str, available: Offer) -> tuple[str, str]:
    if not ID_FORMAT.match(asked):
        return "INVALID_INTENT_ID", (
            f"Invalid intent_id format: '{asked}'. Expected format: INT-XXX (e.g., INT-001, INT-042)"
        )
    return "INTENT_NOT_FOUND", f"Intent '{asked}' not found in {REGISTRY}. Available intents: {available}"


def _unfit(intent: Intent, mode: str) -> tuple[str, str] | None:
    if intent.status == "BLOCKED":
        told = intent.blocked_reason or "none is given"
        return "INTENT_BLOCKED", (
            f"Intent '{intent.id}' has status 'BLOCKED'. Cannot activate blocked intents. Reason: {told}"
        )
    if intent.closed:
        return "INTENT_CLOSED", f"Intent '{intent.id}' has status '{intent.status}' and cannot be selected"
    if intent.flaws and mode != OBSERVE:
        return "INTENT_FLAWED", f"Intent '{intent.id}' cannot be used: {intent.flaws[0]}"
    return None


def _occupied(current: str | None, asked: str) -> tuple[str, str] | None:
    if current is None or current == asked:
        return None
    return "INTENT_ALREADY_ACTIVE", (
        f"Intent '{current}' is already active in this session. Clear the current intent before selecting a new one"
    )


def selected(intent: Intent, by: str, session_id: str | None, wish: Wish, redactor: Redactor) -> Draft:
    """Say that an intent was selected."""
    data: dict[str, Any] = {
        "intent_id": intent.id,
        "name": intent.name,
        "status": intent.status,
        "scope": list(intent.scope),
        "by": by,
        "for_session": session_id,
    }
    if wish.reasoning:
        data["reasoning"] = redactor.excerpt(wish.reasoning)
    if wish.expected:
        data["expected_mutations"] = [redactor.excerpt(path) for path in wish.expected[:MAX_EXPECTED]]
    return Draft("intent.selected", "ai", data)


def cleared(intent_id: str | None, by: str, session_id: str | None, reason: str | None = None) -> Draft:
    """Say that no intent is selected any more."""
    data = {"intent_id": intent_id, "by": by, "for_session": session_id}
    return Draft("intent.cleared", "ai", data | ({"reason": reason} if reason else {}))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
