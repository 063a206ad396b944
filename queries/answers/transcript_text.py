"""Show a conversation to people: turn by turn, each text with its line in the file."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.queries.answers.transcript import (
    ANSWER,
    CALL,
    FAILURE,
    PROMPT,
    RESULT,
    THOUGHT,
    Conversation,
    Utterance,
)
from linetrail.queries.render.terminal import AGENT, PROBLEM, linked, painted
from linetrail.queries.render.text import columns, counted, plain, short

# Where nobody looks at a terminal.
WIDTH = 80
# Without `--full`: so many lines of what was said, and of what a tool was asked for or answered.
_LINES = {PROMPT: 12, ANSWER: 12, THOUGHT: 4, CALL: 2, RESULT: 3, FAILURE: 3}
_WHO = {PROMPT: "person", ANSWER: "agent", THOUGHT: "thought", RESULT: "result", FAILURE: "failed"}
_TONES = {PROMPT: None, ANSWER: AGENT, FAILURE: PROBLEM}
_LABEL = 12


class Look(NamedTuple):
    """How to print a conversation: the width, whole texts or their beginning, colours, links."""

    width: int = WIDTH
    full: bool = False
    colour: bool = False
    links: bool = False


def page(conversation: Conversation, said: Sequence[Utterance], look: Look) -> str:
    """Return a conversation, or a part of it, as text; records that could not be read are named at the end."""
    session = conversation.session
    turns = len({one.turn for one in conversation.said if one.turn})
    told = f"{counted(turns, 'turn')}, {counted(len(conversation.said), 'entry').replace('entrys', 'entries')}"
    lines = [plain(f"session {session.session_id}  {session.agent_name or 'an agent'}  {told}")]
    before = None
    for one in said:
        if one.turn != before:
            lines += ["", *_heading(one, look)]
            before = one.turn
        lines += excerpt(one, look)
    return "\n".join([*lines, *_unread(conversation.rejected)])


def excerpt(one: Utterance, look: Look, *, mark: str = " ") -> Iterator[str]:
    """Yield the lines of one utterance; `mark` stands before the first."""
    number = "" if one.line is None else str(one.line)
    who, text = _WHO.get(one.kind, CALL), one.text
    if one.kind == CALL and one.tool_name:
        is_short = columns(one.tool_name) <= _LABEL
        who, text = (one.tool_name, text) if is_short else (CALL, f"{one.tool_name}: {text}")
    by = f"[{plain(short(one.agent_id))}] " if one.agent_id else ""
    indent = " " * (_LABEL + 9)
    wrapped = list(_wrapped(f"{by}{text}", max(look.width - len(indent), 20)))
    most = len(wrapped) if look.full else _LINES[one.kind]
    first = f"{mark}{number:>6} {plain(who):<{_LABEL}} "
    left = len(wrapped) - most
    shown = wrapped[:most]
    if left > 0:
        shown.append(f"… {counted(left, 'more line')} (--full)")
    elif one.is_cut:
        shown.append(f"… {one.length - len(one.text):,} more characters in the file")
    for at, line in enumerate(shown):
        yield f"{indent if at else first}{painted(line, _TONES.get(one.kind) if look.colour else None)}".rstrip()


def _heading(one: Utterance, look: Look) -> Iterator[str]:
    moment = one.occurred_at[:19].replace("T", " ")
    yield f"{f'turn {one.turn}' if one.turn else 'before the first turn'}  {moment}"
    address = plain(one.address)
    yield f"  {linked(address, one.address if look.links and address.isascii() else None)}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yield a text in lines that fit, without what steers a terminal."""
    for line in text.strip("\n").splitlines():
        yield from textwrap.wrap(plain(line.expandtabs()), width, drop_whitespace=True) or [""]


def _unread(rejected: Counter[str]) -> Iterable[str]:
    if rejected:
        reasons = ", ".join(f"{times} {plain(reason)}" for reason, times in sorted(rejected.items()))
        return ["", f"not read: {counted(rejected.total(), 'line')} ({reasons})"]
    return []
