"""Bind an intent to a session: what a tool or a command asked for is confirmed here, where the session is known.

A session that starts again goes on with its intent only by saying so, in the ledger and to the agent; one that was
cleared starts without.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from linetrail.ledger.event import mcp_names
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Answer, Signal, Tool
from linetrail.ledger.gate.policy import OBSERVE, Policy
from linetrail.ledger.hook import handshake
from linetrail.ledger.hook.context import escaped, intent_context
from linetrail.ledger.hook.handshake import Wish
from linetrail.ledger.hook.situation import Scene
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.knowledge import lessons, todos
from linetrail.ledger.log import recent
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.repository import Repository

MAX_RECENT, MAX_LESSONS, MAX_TODOS, MAX_OFFERED = 5, 5, 8, 10
# How much of an answer is looked at: those of our own tools are shorter.
MAX_ANSWER = 100_000


def confirm(scene: Scene, signal: Signal, tool: Tool, wish: Wish) -> Iterator[Draft]:
    """Carry out what a call of the handshake asked for, now that its tool has succeeded."""
    if signal.result is not None and _is_error(signal.result.output):
        return
    by = "tool" if tool.operation == "mcp" else "command"
    current = selection.read(scene.repository, signal.session_id)
    if wish.verb == mcp_names.SELECT and handshake.objection(scene.policy, wish, current) is None:
        intent = scene.policy.intent(wish.intent_id)
        if intent is not None:
            yield from _select(scene, signal, intent, by, wish, current)
            text, shown = described(scene.repository, scene.policy, intent)
            yield from _told(scene, text, intent, shown)
    elif current is not None and wish.verb == mcp_names.CLEAR:
        yield _clear(scene, signal.session_id, current, by, None)
    elif current is not None and wish.verb == mcp_names.COMPLETE and wish.intent_id == current:
        yield _clear(scene, signal.session_id, current, by, f"{current} was completed")


def begin(scene: Scene, signal: Signal) -> Iterator[Draft]:
    """Say with which intent a session starts, and tell the agent: nothing is carried over in silence."""
    session = signal.session_id
    chosen, current = selection.own(scene.repository, session) if session else (False, None)
    intent = scene.policy.intent(current)
    if chosen and current is not None:
        if signal.text == "clear":
            yield _clear(scene, session, current, "session", "the session was cleared")
            intent = None
        elif intent is None or intent.closed:
            state = "no longer in the registry" if intent is None else intent.status
            yield _clear(scene, session, current, "session", f"{current} is {state}")
            intent = None
        else:
            yield handshake.selected(intent, "session", session, Wish(mcp_names.SELECT, current), scene.redactor)
    elif not chosen:
        intent = scene.policy.intent(selection.own(scene.repository, None)[1])
        intent = None if intent is not None and intent.closed else intent
    text, shown = _beginning(scene, session, intent)
    yield from _told(scene, text, intent, shown)


def described(repository: Repository, policy: Policy, intent: Intent) -> tuple[str, list[str]]:
    """Return the context of an intent, with what was changed for it last and what was learned; and which lessons."""
    learned = lessons.applicable(repository, intent_id=intent.id, scope_owner=_owns(intent), limit=MAX_LESSONS)
    if intent.rules:
        from linetrail.ledger.constraints.words import (
            words,  # most intents have no constraints that are checked
        )

        intent = intent._replace(constraints=(*intent.constraints, *map(words, intent.rules)))
    text = intent_context(
        intent,
        recent=recent.changes(repository, intent.id, MAX_RECENT),
        lessons=[lesson.brief for lesson in learned],
        tokens=policy.settings.context_tokens,
    )
    return text, [lesson.id for lesson in learned if escaped(lesson.brief) in text]


def _select(scene: Scene, signal: Signal, intent: Intent, by: str, wish: Wish, current: str | None) -> Iterator[Draft]:
    """Record a choice that is new; the command line has recorded its own where it knew the session."""
    session = signal.session_id
    if selection.own(scene.repository, session) == (True, intent.id):
        return
    if current is not None and current != intent.id:
        yield handshake.cleared(current, by, session, f"switched to {intent.id}")
    yield handshake.selected(intent, by, session, wish, scene.redactor)
    scene.afterwards.append(lambda _: selection.write(scene.repository, intent.id, session_id=session))


def _clear(scene: Scene, session: str | None, current: str | None, by: str, reason: str | None) -> Draft:
    scene.afterwards.append(lambda _: selection.write(scene.repository, None, session_id=session))
    return handshake.cleared(current, by, session, reason)


def _told(scene: Scene, text: str | None, intent: Intent | None, lessons_shown: list[str]) -> Iterator[Draft]:
    """Give the agent facts to go on with, and record which lessons; where linetrail only observes, it is silent."""
    if not text or scene.policy.mode == OBSERVE:
        return
    scene.answers.append(Answer(context=text))
    if intent is not None and lessons_shown:
        yield Draft("lessons.shown", "unknown", {"intent_id": intent.id, "lesson_ids": lessons_shown})


def _beginning(scene: Scene, session: str | None, intent: Intent | None) -> tuple[str | None, list[str]]:
    """Return what a session is told when it begins, and which lessons that holds."""
    if not scene.policy.in_use:
        return None, []
    waiting = todos.open_items(scene.repository, session_id=session, intent_id=intent and intent.id, limit=MAX_TODOS)
    left = [f"Left open in an earlier session: {'; '.join(map(escaped, waiting))}."] if waiting else []
    if intent is not None:
        text, shown = described(scene.repository, scene.policy, intent)
        return "\n".join([f"Active intent: {intent.id}.", text, *left]), shown
    offered = scene.policy.open_intents()
    broken = scene.policy.settings_error or scene.policy.registry_error
    if broken:
        return "\n".join([f"No file can be changed: {escaped(broken)}. A person has to repair it.", *left]), []
    if not offered:
        return "\n".join(left) or None, []
    names = "; ".join(f"{other.id} ({escaped(other.name)})" for other in offered[:MAX_OFFERED])
    facts = [
        "No intent is selected in this session; files can be changed once one is.",
        f"Open intents: {names}." + (f" {len(offered) - MAX_OFFERED} more." if len(offered) > MAX_OFFERED else ""),
        "`linetrail select ID` selects one; `linetrail intents show ID` describes it.",
    ]
    return "\n".join([*facts, *left]), []


def _owns(intent: Intent) -> Callable[[str], bool]:
    try:
        scope = compile_scope(intent.scope)
    except ScopeError:
        return lambda _: False
    return lambda path: scope.owner(path) is not None


def _is_error(output: Any) -> bool:
    """Tell whether a tool of ours answered with an error though its call succeeded, however an agent wraps answers."""
    told = output if isinstance(output, str) else json.dumps(output)
    # An answer within an answer is JSON in JSON.
    flat = told[:MAX_ANSWER].replace("\\", "").replace(" ", "")
    return '"error":true' in flat or '"isError":true' in flat
