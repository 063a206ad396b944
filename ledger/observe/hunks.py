r"""What patches say of contents: those in the V4A format that agents send, and unified diffs.

Source: the grammar of `apply_patch` in openai/codex. A place is found by its context and not by a number, so a hunk is
done where its old lines stand one after another; a hunk whose lines stand nowhere is not guessed at.

>>> applied("a\nb\nc\n", files("*** Update File: x\n@@\n-b\n+B\n c\n")[0].hunks)
'a\nB\nc\n'
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

ADD, UPDATE, DELETE = "Add", "Update", "Delete"
_HEADER = re.compile(r"\s*\*\*\* (Add|Update|Delete) File: ?(.*)")
_MOVE = re.compile(r"\s*\*\*\* Move to: ?(.*)")
_NUMBERS = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
_END = "*** End of File"


class Hunk(NamedTuple):
    """Lines that go and lines that come, context in both; `start` is the old line's number from 1, where told.

    `after` is a line that stands above, perhaps far above; `last` says that nothing follows.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    start: int | None = None
    after: str | None = None
    last: bool = False


class FilePatch(NamedTuple):
    """What a patch does to one file: `content` of one that it adds, `hunks` of one that it updates."""

    verb: str
    path: str
    move_to: str | None = None
    content: str | None = None
    hunks: tuple[Hunk, ...] = ()


def files(patch: str) -> list[FilePatch]:
    """Read a V4A patch; a line that no rule knows ends the file it stands in."""
    found: list[FilePatch] = []
    body: list[str] = []
    in_hunk = False
    for line in patch.split("\n"):
        # inside a hunk, context begins with one space, whatever it looks like
        header = None if in_hunk and line.startswith(" ") else _HEADER.match(line)
        in_hunk = line.startswith("@@") or (in_hunk and header is None)
        if header is not None:
            _close(found, body)
            found.append(FilePatch(header[1], header[2].rstrip()))
            body = []
        elif found:
            body.append(line)
    _close(found, body)
    return found


def unified(diff: str) -> tuple[Hunk, ...]:
    """Read the hunks of a unified diff of one file."""
    return tuple(_hunks(line for line in diff.split("\n") if not line.startswith(("--- ", "+++ ", "\\"))))


def applied(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Return what a text becomes; None where a hunk does not belong to it."""
    crlf = "\r\n" in text
    lines = text.removesuffix("\n").split("\n") if text else []
    lines = [line.removesuffix("\r") for line in lines] if crlf else lines
    bare = [line.rstrip() for line in lines]
    new: list[str] = []
    at = 0
    for hunk in hunks:
        place = _place(bare, hunk, at)
        if place is None:
            return None
        new += [*lines[at:place], *hunk.new]
        at = place + len(hunk.old)
    new += lines[at:]
    return ("\r\n" if crlf else "\n").join([*new, ""]) if new else ""


def _close(found: list[FilePatch], body: Sequence[str]) -> None:
    """Give the file that was named last what follows its header."""
    if not found:
        return
    last = found[-1]
    if last.verb == ADD:
        added = [line[1:].removesuffix("\r") for line in body if line.startswith("+")]
        found[-1] = last._replace(content="".join(f"{line}\n" for line in added))
    elif last.verb == UPDATE:
        move = next((match[1].rstrip() for line in body[:2] if (match := _MOVE.match(line))), None)
        rest = (line for line in body if not _MOVE.match(line) or line.startswith(" "))
        found[-1] = last._replace(move_to=move, hunks=tuple(_hunks(rest)))


def _hunks(lines: Iterator[str]) -> Iterator[Hunk]:
    hunk, last = _Growing(), False
    for raw in lines:
        line = raw.removesuffix("\r")
        if line.startswith("@@"):
            yield from hunk.closed(last=last)
            hunk, last = _Growing(line), False
        elif line == _END:
            last = True
        elif line.startswith("*** "):
            break
        else:
            hunk.add(line)
    yield from hunk.closed(last=last)


class _Growing:
    """A hunk while it is read."""

    def __init__(self, header: str = "") -> None:
        numbers = _NUMBERS.match(header)
        self._start = int(numbers[1]) if numbers else None
        above = "" if numbers else header.removeprefix("@@").removesuffix("@@").strip()
        self._after = above or None
        self._old: list[str] = []
        self._new: list[str] = []
        # an empty line may stand for an empty line of context; at the end of a hunk it is none
        self._empty = 0

    def add(self, line: str) -> None:
        """Take one line in."""
        if not line:
            self._empty += 1
            return
        self._old += [""] * self._empty
        self._new += [""] * self._empty
        self._empty = 0
        if line[0] in " -":
            self._old.append(line[1:])
        if line[0] in " +":
            self._new.append(line[1:])

    def closed(self, *, last: bool) -> Iterator[Hunk]:
        """Yield the hunk, unless nothing was in it."""
        if self._old or self._new:
            yield Hunk(tuple(self._old), tuple(self._new), self._start, self._after, last)


def _place(lines: Sequence[str], hunk: Hunk, at: int) -> int | None:
    """Return where a hunk's old lines stand, at or behind a line; `lines` and they are without white space at ends."""
    wanted = [line.rstrip() for line in hunk.old]
    if hunk.start is not None:
        place = hunk.start - (1 if wanted else 0)
        return place if place >= at and lines[place : place + len(wanted)] == wanted else None
    if hunk.after is not None:
        above = next((n for n in range(at, len(lines)) if lines[n].strip() == hunk.after), None)
        if above is None:
            return None
        at = above + 1
    if not wanted:
        return at if hunk.after is not None else len(lines)
    last = len(lines) - len(wanted)
    places = range(max(last, at), last + 1) if hunk.last else range(at, last + 1)
    return next((n for n in places if lines[n] == wanted[0] and lines[n : n + len(wanted)] == wanted), None)
