"""Bind an intent to a session: what a tool or a command asked for is confirmed here, where the session is known.

A session that starts again goes on with its intent only by saying so, in the ledger and to the agent; one that was
cleared starts without.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import CLEAR, COMPLETE, SELECT
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import META, Answer, Signal, Tool
from linetrail.ledger.gate import inputs
from linetrail.ledger.gate.gate import Call
from linetrail.ledger.gate.guarded_files import standing_changes
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.hook import handshake
from linetrail.ledger.hook.handshake import Wish
from linetrail.ledger.hook.situation import Effect, Later, Situation
from linetrail.ledger.intents import related, selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.knowledge import lessons, todos
from linetrail.ledger.log import recent
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.repository import Repository

MAX_RECENT, MAX_LESSONS, MAX_TODOS, MAX_OFFERED = 5, 5, 8, 10
BYTES_PER_TOKEN = 3
MAX_ITEM = 200
# The share of the budget that one list may take while others wait.
_SHARE = 0.4
# The share that a description may take; a longer one is left to `linetrail intents show`.
_ABOUT = 0.25
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})
# How much of an answer is looked at: those of our own tools are shorter.
MAX_ANSWER = 100_000


def steering(situation: Situation, signal: Signal, tool: Tool, wish: Wish) -> Call:
    """Say what the handshake objects to; what it lets pass counts once the tool has done its part."""
    current = selection.read(situation.repository, signal.session_id)
    problem = inputs.problem(tool.name, tool.input) if tool.operation == "mcp" else None
    if problem is not None:
        return Call(tool.name, META, objection=("INVALID_INPUT", problem))
    refusal, objection = None, None
    if wish.verb == SELECT:
        refusal = handshake.objection(situation.policy, wish, current)
        # The command line asks by itself; it knows better whether it was answered.
        if refusal is None and situation.policy.settings.approve_selection and tool.operation == "mcp":
            objection = "SELECTION_TO_APPROVE", f"a person approves each selection here, and {wish.intent_id} is one"
    elif wish.verb == COMPLETE:
        refusal = handshake.completion_objection(situation.policy, wish, current)
    found = objection if refusal is None else (refusal.code, refusal.reason)
    return Call(tool.name, META, objection=found, digest=wish.intent_id or "")


def confirm(situation: Situation, signal: Signal, tool: Tool, wish: Wish) -> Iterator[Effect]:
    """Carry out what a call of the handshake asked for, now that its tool has succeeded."""
    if signal.result is not None and _is_error(signal.result.output):
        return
    by = "tool" if tool.operation == "mcp" else "command"
    current = selection.read(situation.repository, signal.session_id)
    if wish.verb == SELECT and handshake.objection(situation.policy, wish, current) is None:
        intent = situation.policy.intent(wish.intent_id)
        if intent is not None:
            yield from _select(situation, signal, intent, by, wish, current)
            text, shown = described(situation.repository, situation.policy, intent)
            yield from _told(situation, text, intent, shown)
    elif current is not None and wish.verb == CLEAR:
        yield from _clear(situation, signal.session_id, current, by, None)
    elif current is not None and wish.verb == COMPLETE and wish.intent_id == current:
        yield from _clear(situation, signal.session_id, current, by, f"{current} was completed")


def begin(situation: Situation, signal: Signal) -> Iterator[Effect]:
    """Say with which intent a session starts, and tell the agent: nothing is carried over in silence."""
    session = signal.session_id
    chosen, current = selection.own(situation.repository, session) if session else (False, None)
    intent = situation.policy.intent(current)
    if chosen and current is not None:
        if signal.text == "clear":
            yield from _clear(situation, session, current, "session", "the session was cleared")
            intent = None
        elif intent is None or intent.closed:
            state = "no longer in the registry" if intent is None else intent.status
            yield from _clear(situation, session, current, "session", f"{current} is {state}")
            intent = None
        else:
            yield handshake.selected(intent, "session", session, Wish(SELECT, current), situation.redactor)
    elif not chosen:
        current = selection.read(situation.repository, session)
        inherited = selection.read(situation.repository, signal.parent_session_id) if signal.parent_session_id else None
        intent = situation.policy.intent(current or inherited)
        intent = None if intent is not None and intent.closed else intent
        if intent is not None and current is None:
            # a session works under the selection of the one that started it
            wish = Wish(SELECT, intent.id)
            yield from _bound(situation, intent, "session", session, wish)
    text, shown = _beginning(situation, session, intent)
    yield from _told(situation, text, intent, shown)


def described(repository: Repository, policy: Policy, intent: Intent) -> tuple[str, list[str]]:
    """Return the context of an intent, with what was changed for it last and what was learned; and which lessons."""
    intent = policy.bounded(intent.id) or intent
    learned = lessons.applicable(repository, intent_id=intent.id, scope_owner=owns(intent), limit=MAX_LESSONS)
    if intent.rules:
        from linetrail.ledger.constraints.words import (
            words,  # most intents have no constraints that are checked
        )

        intent = intent._replace(constraints=(*intent.constraints, *map(words, intent.rules)))
    text = intent_context(
        intent,
        recent=recent.changes(repository, intent.id, MAX_RECENT),
        beside=related.of(repository, intent.id),
        lessons=[lesson.brief for lesson in learned],
        tokens=policy.settings.context_tokens,
    )
    return text, [lesson.id for lesson in learned if escaped(lesson.brief) in text]


def _select(
    situation: Situation, signal: Signal, intent: Intent, by: str, wish: Wish, current: str | None
) -> Iterator[Effect]:
    """Record a choice that is new; the command line has recorded its own where it knew the session."""
    session = signal.session_id
    if selection.own(situation.repository, session) == (True, intent.id):
        return
    if current is not None and current != intent.id:
        yield handshake.cleared(current, by, session, f"switched to {intent.id}")
    yield from _bound(situation, intent, by, session, wish)


def _bound(situation: Situation, intent: Intent, by: str, session: str | None, wish: Wish) -> Iterator[Effect]:
    yield handshake.selected(intent, by, session, wish, situation.redactor)
    yield Later(lambda _: selection.write(situation.repository, intent.id, session_id=session))


def _clear(
    situation: Situation, session: str | None, current: str | None, by: str, reason: str | None
) -> Iterator[Effect]:
    yield handshake.cleared(current, by, session, reason)
    yield Later(lambda _: selection.write(situation.repository, None, session_id=session))


def _told(situation: Situation, text: str | None, intent: Intent | None, lessons_shown: list[str]) -> Iterator[Effect]:
    """Give the agent facts to go on with, and record which lessons; where linetrail only observes, it is silent."""
    if not text or situation.policy.mode == OBSERVE:
        return
    yield Answer(context=text)
    if intent is not None and lessons_shown:
        yield Draft("lessons.shown", "unknown", {"intent_id": intent.id, "lesson_ids": lessons_shown})


def _beginning(situation: Situation, session: str | None, intent: Intent | None) -> tuple[str | None, list[str]]:
    """Return what a session is told when it begins, and which lessons that holds."""
    if not situation.policy.in_use:
        return None, []
    waiting = todos.open_items(
        situation.repository, session_id=session, intent_id=intent and intent.id, limit=MAX_TODOS
    )
    changed = standing_changes(situation.repository)
    warned = [f"Changed by a call in an earlier session, tell the person: {', '.join(map(escaped, changed))}."]
    left = warned if changed else []
    left += [f"Left open in an earlier session: {'; '.join(map(escaped, waiting))}."] if waiting else []
    if intent is not None:
        text, shown = described(situation.repository, situation.policy, intent)
        return "\n".join([f"Active intent: {intent.id}.", text, *left]), shown
    offered, others = situation.policy.intents.open(MAX_OFFERED), situation.policy.intents.open_count - MAX_OFFERED
    broken = situation.policy.settings_error or situation.policy.registry_error
    if broken:
        return "\n".join([f"No file can be changed: {escaped(broken)}. A person has to repair it.", *left]), []
    if not offered:
        return "\n".join(left) or None, []
    names = "; ".join(f"{other.id} ({escaped(other.name)})" for other in offered)
    facts = [
        "No intent is selected in this session; files can be changed once one is.",
        f"Open intents: {names}." + (f" {others:,} more." if others > 0 else ""),
        "`linetrail select ID` selects one; `linetrail intents show ID` describes it.",
    ]
    return "\n".join([*facts, *left]), []


def owns(intent: Intent) -> Callable[[str], bool]:
    """Return the function that says whether a path is in the scope of an intent."""
    try:
        scope = compile_scope(intent.scope)
    except ScopeError:
        return lambda _: False
    return lambda path: scope.owner(path) is not None


def _is_error(output: Any) -> bool:
    """Return whether a tool of ours answered with an error though its call succeeded, however answers are wrapped."""
    told = output if isinstance(output, str) else json.dumps(output)
    # An answer within an answer is JSON in JSON.
    flat = told[:MAX_ANSWER].replace("\\", "").replace(" ", "")
    return '"error":true' in flat or '"isError":true' in flat


# What an agent is told of its intent: facts between tags, cut to a budget
#
# Everything that people or agents wrote is escaped, so no text of an intent, a path or a lesson can end its element;
# what is left out is counted. A token is taken to be three bytes of UTF-8, which errs on the safe side.


class Section(NamedTuple):
    """One list of the context: the tag around it, the tag of each item, and the items, most useful first."""

    tag: str
    item: str
    items: Sequence[str]


def intent_context(
    intent: Intent,
    *,
    recent: Sequence[str] = (),
    lessons: Sequence[str] = (),
    beside: Sequence[str] = (),
    tokens: int,
) -> str:
    """Return the `<intent_context>` of an intent: what it may change, what it must keep, and what was learned.

    `beside` are files that belong to the work and that it may not own.
    """
    head = [f"  <name>{escaped(intent.name)}</name>", f"  <status>{escaped(intent.status)}</status>"]
    about = f"  <description>{escaped(intent.description or '')}</description>"
    if intent.description and len(about.encode()) <= tokens * BYTES_PER_TOKEN * _ABOUT:
        head.append(about)
    sections = [
        Section("owned_scope", "pattern", intent.scope),
        Section("constraints", "constraint", intent.constraints),
        Section("acceptance_criteria", "criterion", intent.criteria),
        Section("recent_changes", "change", recent),
        Section("lessons", "lesson", lessons),
        Section("related_files", "file", beside),
        Section("references", "reference", intent.references),
    ]
    first, last = f'<intent_context intent_id="{escaped(intent.id)}">', "</intent_context>"
    room = tokens * BYTES_PER_TOKEN - sum(len(line.encode()) + 1 for line in (first, *head, last))
    return "\n".join([first, *head, *_body(sections, room), last])


def escaped(text: str) -> str:
    r"""Return a text as XML holds it, on one line, without control signs and what only changes how others are shown.

    >>> escaped("</name>\u202e & more")
    '&lt;/name&gt; &amp; more'
    """
    plain = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return (plain if len(plain) <= MAX_ITEM else f"{plain[: MAX_ITEM - 1]}…").translate(_ESCAPES)


def _body(sections: Iterable[Section], room: int) -> Iterator[str]:
    waiting = [section for section in sections if section.items]
    for at, section in enumerate(waiting):
        lines = _lines(section, room if at == len(waiting) - 1 else int(room * _SHARE))
        room -= sum(len(line.encode()) + 1 for line in lines)
        yield from lines


def _lines(section: Section, room: int) -> list[str]:
    """Return a list as far as there is room, and say how many items are not in it; nothing where there is none."""
    first, last = f"  <{section.tag}>", f"  </{section.tag}>"
    room -= len(first) + len(last) + len('    <more count="999999"/>') + 3
    if room < 0:
        return []
    lines: list[str] = []
    for at, item in enumerate(section.items):
        line = f"    <{section.item}>{escaped(item)}</{section.item}>"
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f'    <more count="{len(section.items) - at}"/>')
            break
        lines.append(line)
    return [first, *lines, last]
