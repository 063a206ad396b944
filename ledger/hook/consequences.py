"""Hold what a call did against what was decided before it ran.

Nothing can be stopped here any more; what went against a decision or a rule becomes an event, and the agent's next
calls are judged in the light of it.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from linetrail.ledger.agents import MIXED_FILES
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.drafts import MAX_COMMAND, Draft, call_key
from linetrail.ledger.event.signal import META, READING, UNKNOWN, WRITES, Answer, Signal, Tool
from linetrail.ledger.gate import breaker
from linetrail.ledger.gate.guarded_files import fingerprints, gate_settings, note_changes
from linetrail.ledger.gate.policy import pin, stricter
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.gatekeeper import (
    JUDGED,
    after_read,
    know,
)
from linetrail.ledger.hook.situation import Effect, Later, Situation
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.registry_file import FILE
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.paths.names import exemptions
from linetrail.ledger.paths.paths import Identity, Place, resolve, same_place
from linetrail.ledger.repository import FOLDER, file_path

MAX_TOLD = 5
# Once the gate itself was changed, a session waits for a person, or as long as no session lasts.
UNTIL_RESET_SECONDS = breaker.MAX_COOLDOWN_S
# What only reads or steers is neither a success nor a failure of the work.
_UNCOUNTED = frozenset({"READS_ONLY", "STEERS_ONLY"})
# Violations after which the agent's next calls are stopped at once.
_ALARMING = frozenset({"GATE_CHANGED", "PLACE_SWAPPED", "DENIED_BUT_EXECUTED"})


def follow(
    situation: Situation, signal: Signal, tool: Tool, drafts: Sequence[Draft], paths: Sequence[str]
) -> Iterator[Effect]:
    """Yield what a call did that it should not have done; `drafts` are the changes that were observed."""
    decided = deliveries.recall(situation.repository, JUDGED, *call_key(signal, tool))
    changed = _changed(drafts)
    yield from _baselines(situation, signal, tool, paths, changed)
    if tool.kind in (READING, META) or _asks_for_an_intent(tool):
        return
    yield _leases_settled(situation, signal, tool, decided, _bound(situation, changed))
    known = decided.get("before", {})
    found: list[Violation] = [
        ("GATE_CHANGED", f"{what} while {tool.name} ran", {"path": path})
        for what, path in _gate_changes(situation, signal, known)
    ]
    found += (
        list(_violations(situation, signal, tool, decided, changed)) if signal.kind == "post_tool" or changed else []
    )
    found = [(code, situation.redactor.cut(reason, MAX_COMMAND), about) for code, reason, about in found]
    if _is_weakened(situation, known):
        # a mode that was weakened holds on
        yield Later(lambda _: pin(situation.repository, known["mode"]))
    for code, reason, about in found:
        data = {"tool_call_id": tool.call_id, "tool_name": tool.name, "code": code, "reason": reason, **about}
        yield Draft("gate.violation", "unknown", data | {"decided_event_id": decided.get("event_id")})
    mode = known.get("mode", situation.policy.mode)
    if found and mode != OBSERVE:
        yield Answer(context=_told(found))
    if decided.get("code") not in _UNCOUNTED or found:
        yield _count(situation, signal, found, mode)


Violation = tuple[str, str, dict[str, Any]]


def _told(found: Sequence[Violation]) -> str:
    """Say to the agent what was recorded against its call, and how it can be put right."""
    from linetrail.ledger.gate.refusals import quoted  # violations are rare

    lines = [f"Recorded as a violation ({code}): {quoted(reason)}." for code, reason, _ in found[:MAX_TOLD]]
    lines.append("What this call did wrong, put right; what a person did meanwhile, leave alone; in doubt, tell them.")
    return "\n".join(lines)


def _violations(
    situation: Situation, signal: Signal, tool: Tool, decided: Mapping[str, Any], changed: Mapping[str, str | None]
) -> Iterator[Violation]:
    if not decided:
        if situation.policy.mode != OBSERVE:
            yield "UNJUDGED", f"{tool.name} ran, and nobody was asked before", {"path": next(iter(changed), None)}
    elif decided.get("enforced") and decided.get("verdict") == "deny":
        about = {"path": next(iter(changed), None)}
        yield "DENIED_BUT_EXECUTED", f"{tool.name} was refused ({decided['code']}) and ran all the same", about
    elif decided.get("code") == "STALE_FILE":
        for path, expected, found in decided.get("stale") or []:
            if path in changed:
                about = {"path": path, "expected_hash": expected, "found_hash": found}
                yield "STALE_WRITE", f"{path} was written over a version that the agent had not seen", about
    yield from _swapped(situation, signal, tool, decided)
    yield from _strayed(situation, signal, tool, decided, changed)
    yield from _leased(situation, signal, decided, changed)
    yield from _against_constraints(situation, signal, decided, changed)


def _swapped(situation: Situation, signal: Signal, tool: Tool, decided: Mapping[str, Any]) -> Iterator[Violation]:
    """Look whether each path that a tool wrote still leads to where it led when it was judged."""
    for spelled, path, identity in (decided.get("places") or []) if tool.operation in WRITES else ():
        before = Place(spelled, path, None, "", identity and Identity(*identity))
        if path is not None and not same_place(before, situation.repository.root, spelled, cwd=signal.cwd):
            yield "PLACE_SWAPPED", f"{path} no longer leads to where it led when the call was judged", {"path": path}


def _strayed(
    situation: Situation, signal: Signal, tool: Tool, decided: Mapping[str, Any], changed: Mapping[str, str | None]
) -> Iterator[Violation]:
    """Hold each changed file against the scope: a command may change others than it names, a warning stops nothing."""
    intent = _judged_for(situation, signal, decided)
    exempt = exemptions(situation.repository.folder)
    warned = decided.get("code") == "OUT_OF_SCOPE" and not decided.get("enforced")
    unstopped = warned or tool.operation == "shell" or tool.kind == UNKNOWN
    if tool.operation == "shell" and decided.get("code") == "READS_ONLY" and changed:
        yield "UNEXPECTED_CHANGE", "a command that was judged to read only changed files", {"path": next(iter(changed))}
    try:
        scope = None if intent is None else compile_scope(intent.scope)
    except ScopeError:
        return
    for path in changed:
        if _is_settled(path, decided.get("before", {}), situation):
            continue
        place = resolve(situation.repository.root, file_path(path))
        if place.code == "PROTECTED_PATH":
            yield place.code, place.reason, {"path": path}
        elif unstopped and intent and scope and scope.owner(path) is None and not exempt.match(path):
            yield "OUT_OF_SCOPE", f"{path} was changed, and is outside the scope of {intent.id}", {"path": path}


def _leased(
    situation: Situation, signal: Signal, decided: Mapping[str, Any], changed: Mapping[str, str | None]
) -> Iterator[Violation]:
    """Name the files that another writes in another worktree: a command may change others than it names."""
    known, intent_id = situation.leases, decided.get("before", {}).get("intent_id")
    wanted = known.wanted(_bound(situation, changed), signal.session_id, intent_id)
    for path, lease in known.others(wanted).items():
        reason = (
            f"{path} was changed, and session {lease.session_id} writes it for {lease.intent_id} in another worktree"
        )
        yield "LEASE_HELD", reason, {"path": path}


def _leases_settled(
    situation: Situation, signal: Signal, tool: Tool, decided: Mapping[str, Any], written: Sequence[str]
) -> Later:
    """Take the leases of what a call changed, and let go of what it was going to write and did not."""
    intent_id = decided.get("before", {}).get("intent_id")
    left = {path for _, path, _ in decided.get("places") or [] if path} - set(written)

    def settle(_: object) -> None:
        with contextlib.suppress(LinetrailError, OSError):  # the change is recorded, and that is what counts
            known = situation.leases
            known.give_up(left, signal.session_id or "", tool.call_id)
            known.take(known.wanted(written, signal.session_id, intent_id, tool.call_id))

    return Later(settle)


def _bound(situation: Situation, changed: Iterable[str]) -> list[str]:
    """Return the changed files that belong to an intent at all."""
    exempt = exemptions(situation.repository.folder)
    return [path for path in changed if not exempt.match(path)]


def _judged_for(situation: Situation, signal: Signal, decided: Mapping[str, Any]) -> Intent | None:
    """Return the intent that a call is answerable to: the one it was judged under, whatever was selected since."""
    now = selection.read(situation.repository, signal.session_id)
    return situation.policy.bounded(decided.get("before", {}).get("intent_id", now))


def _against_constraints(
    situation: Situation, signal: Signal, decided: Mapping[str, Any], changed: Mapping[str, str | None]
) -> Iterator[Violation]:
    intent = _judged_for(situation, signal, decided)
    if intent is None or not intent.rules:
        return
    from linetrail.ledger.constraints.rules import check  # most intents have no constraints that are checked

    for path, before in changed.items():
        sight = situation.states.look(path)
        known = situation.states.objects.read(before) if before else None
        for finding in check(intent.rules, path, known, sight.content if sight else None):
            yield "CONSTRAINT_VIOLATED", finding.message, {"path": path, "rule": finding.rule}


def _asks_for_an_intent(tool: Tool) -> bool:
    if tool.operation in WRITES:
        return False
    from linetrail.ledger.hook.handshake import wish_of

    return wish_of(tool) is not None


def _changed(drafts: Sequence[Draft]) -> dict[str, str | None]:
    """Return the files that the call itself changed, each with the hash it had before; a renamed one is two."""
    return {
        path: file.get("before_hash")
        for draft in drafts
        if draft.type == "mutation.observed" and draft.data.get("via") in ("tool", "shell")
        for file in draft.data["files"]
        for path in (file["path"], file.get("from_path") if file["op"] == "rename" else None)
        if path
    }


def _baselines(
    situation: Situation, signal: Signal, tool: Tool, paths: Sequence[str], changed: Mapping[str, str | None]
) -> Iterator[Later]:
    """Note what the agent knows by now: what it read, and what its own call made of the files."""
    if tool.operation in ("read", "shell"):
        yield from after_read(situation, signal, call_key(signal, tool))
    known = paths if tool.operation in WRITES and signal.kind == "post_tool" else ()
    for path in dict.fromkeys([*known, *changed]):
        sight = situation.states.look(path)
        if sight is not None:
            yield know(situation, signal, path, sight.hash)


def _count(situation: Situation, signal: Signal, found: Sequence[Violation], mode: str) -> Later:
    """Count how the call ended; an alarming end stops the next calls at once."""
    keys = breaker.keys_of(signal.session_id, selection.read(situation.repository, signal.session_id))
    settings = breaker.settings_of(situation.policy)
    alarm = next((reason for code, reason, _ in found if code in _ALARMING), None)
    alarmed = keys[:1]
    if any(code == "GATE_CHANGED" for code, _, _ in found):
        # A gate that was changed is so for every session.
        alarmed, settings = keys, settings._replace(cooldown_s=UNTIL_RESET_SECONDS)

    def count(_: object) -> None:
        if alarm is not None and mode != OBSERVE:
            breaker.trip(situation.repository, alarmed, alarm, situation.now_ns, settings)
        else:
            failed = signal.kind == "tool_failure" and not (signal.result and signal.result.interrupted)
            breaker.count(situation.repository, keys, failed=failed, now_ns=situation.now_ns, settings=settings)

    return Later(count)


# What the gate goes by: settings, hooks, the intent a call was judged under


def _gate_changes(situation: Situation, signal: Signal, known: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield what has changed since, as a sentence and a path."""
    if not known:
        return
    now = gate_settings(situation.repository)
    for path in sorted({*known["files"], *now}):
        if known["files"].get(path) != now.get(path):
            yield f"{path} changed", path
    before, after = known.get("guarded") or {}, fingerprints(situation.repository)
    note_changes(situation.repository, before, after)
    for path in sorted({*before, *after} - {*known["files"], *now, *MIXED_FILES}):
        if before.get(path) != after.get(path):
            yield f"{path} changed", path
    registry = os.path.join(FOLDER, FILE)
    intent = situation.policy.bounded(known["intent_id"])
    if situation.registry_changed:
        yield f"{registry} changed", registry
    elif intent is not None and known["scope"] is not None and set(intent.scope) - set(known["scope"]):
        yield f"the scope of {intent.id} was widened", registry
    selected = selection.read(situation.repository, signal.session_id)
    if selected is not None and selected != known["intent_id"]:
        yield f"{selected} was selected in this session", None


def _is_weakened(situation: Situation, known: Mapping[str, Any]) -> bool:
    """Return whether refusals do less now than when a call was judged."""
    return bool(known) and stricter(known["mode"], situation.policy.mode) != situation.policy.mode


def _is_settled(path: str, known: Mapping[str, Any], situation: Situation) -> bool:
    """Return whether a settings file of the agent changed in nothing that concerns the gate."""
    return (
        path in MIXED_FILES
        and bool(known)
        and known["files"].get(path) == gate_settings(situation.repository).get(path)
    )
