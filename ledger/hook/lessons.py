"""Turn refusals and failures into lessons for whoever works here next, and remember what is left to do.

A lesson is an event first; the list that agents are shown follows from it.
"""

import os
from collections.abc import Iterator
from typing import Any

from linetrail.ledger.event.drafts import MAX_COMMAND, Draft
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.handshake import wish_of
from linetrail.ledger.hook.situation import Effect, Later, Situation
from linetrail.ledger.intents import selection
from linetrail.ledger.knowledge import lessons, todo_calls, todos
from linetrail.ledger.knowledge.failures import from_failure, from_report
from linetrail.ledger.knowledge.lesson import Lesson, event_data
from linetrail.ledger.knowledge.programs import programs
from linetrail.ledger.repository import Repository

# Refusals that say something about the place or the tool, and not only about the moment.
_TEACHING = frozenset(
    {
        "OUT_OF_SCOPE",
        "PROTECTED_PATH",
        "DANGEROUS_COMMAND",
        "CONSTRAINT_VIOLATED",
        "UNKNOWN_TOOL",
        "REJECTED",
    }
)


def from_refusal(
    situation: Situation, signal: Signal, tool: Tool, code: str, path: str | None, reason: str
) -> Iterator[Effect]:
    """Learn from a call that was stopped: about the file, else about the program or the tool."""
    if code in _TEACHING:
        intent_id = selection.read(situation.repository, signal.session_id)
        about = (path and _inside(situation, path)) or _program(situation, tool) or tool.name
        about = situation.redactor.cut(about, MAX_COMMAND)
        lesson = lessons.from_denial(code, about, intent_id, situation.redactor.excerpt(reason))
        yield from _learn(situation, signal, lesson)


def from_outcome(situation: Situation, signal: Signal, tool: Tool) -> Iterator[Effect]:
    """Learn from a command that failed, and keep the list of what is left to do."""
    intent_id = selection.read(situation.repository, signal.session_id)
    if signal.kind == "post_tool" and signal.session_id and not signal.agent_id:
        yield from _left_to_do(situation, signal, signal.session_id, intent_id, tool)
    result = signal.result
    # What our own commands refuse is no failure: they say what to do.
    own = tool.command is not None and wish_of(tool) is not None
    if tool.command and not own and result is not None and not result.interrupted:
        command = situation.redactor.excerpt(tool.command)
        if signal.kind == "tool_failure":
            lesson = from_failure(command, result.exit_code, result.error, intent_id)
        else:
            lesson = from_report(command, _printed(result.output), intent_id)
        if lesson is not None:
            yield from _learn(situation, signal, lesson)


def _printed(output: Any) -> str:
    """Return what a command printed, where its status says nothing: `pytest | tail` ends with 0."""
    known = output if isinstance(output, dict) else {}
    return "\n".join(text for text in (known.get("stdout"), known.get("stderr")) if isinstance(text, str))


def _inside(situation: Situation, path: str) -> str | None:
    """Return a path as it stands in the repository; where this machine keeps it is nobody's business."""
    return situation.repository.relative(path) if os.path.isabs(path) else path


def _program(situation: Situation, tool: Tool) -> str | None:
    found = [program for group in programs(situation.redactor.excerpt(tool.command or "")) for program in group]
    return found[0].title if found else None


def _learn(situation: Situation, signal: Signal, lesson: Lesson) -> Iterator[Effect]:
    if not situation.policy.settings.lessons or situation.policy.mode == OBSERVE:
        return
    yield Later(lambda _: _keep(situation.repository, lesson, signal.session_id))
    yield Draft("lesson.recorded", "unknown", event_data(lesson))


def _keep(repository: Repository, lesson: Lesson, session_id: str | None) -> None:
    learned, is_new = lessons.learn(repository, lesson)
    if is_new:
        from linetrail.ledger.hook import news  # most calls teach nothing new

        news.spread(repository, [news.of_lesson(learned)], by=session_id)


def _left_to_do(
    situation: Situation, signal: Signal, session_id: str, intent_id: str | None, tool: Tool
) -> Iterator[Later]:
    """Keep what a call says of the list of its session; what it knew before of each item is remembered by its id."""
    made = todo_calls.change(tool.name, tool.input, signal.result and signal.result.output)
    if made is None or situation.policy.mode == OBSERVE:
        return
    repository, now_ns, key = situation.repository, situation.now_ns, (session_id, "todos")
    items = todo_calls.applied(deliveries.recall(repository, "sessions", *key), made)

    def act(_: object) -> None:
        deliveries.remember(repository, "sessions", *key, **items)
        listed = [{"content": content, "status": status} for content, status in items.values()]
        todos.remember(repository, session_id, intent_id, listed, now_ns)

    yield Later(act)
