"""What Claude Code says of a change to one file: the tool's arguments before it, the tool's answer after it."""

from typing import Any, NamedTuple

CONTEXT = 3


class Told(NamedTuple):
    """A tool call in the agent's words."""

    tool: str
    given: dict[str, Any]
    response: dict[str, Any]


def told(path: str, before: str | None, after: str, tool: str = "Edit") -> Told:
    """Describe a change by Edit where one replacement does it and is asked for, else by Write."""
    rest = {
        "originalFile": before,
        "structuredPatch": [] if before is None else _patch(before, after),
        "userModified": False,
    }
    pair = _replacement(before, after) if tool == "Edit" and before is not None else None
    if pair is not None:
        given = {"file_path": path, "old_string": pair[0], "new_string": pair[1]}
        response = {"filePath": path, "oldString": pair[0], "newString": pair[1], "replaceAll": False}
        return Told("Edit", given, response | rest)
    response = {"type": "create" if before is None else "update", "filePath": path, "content": after}
    return Told("Write", {"file_path": path, "content": after}, response | rest)


def _replacement(before: str, after: str) -> tuple[str, str] | None:
    """Return the smallest whole-line replacement whose old text stands in the file once."""
    was, now = before.split("\n"), after.split("\n")
    head, tail = _ends(was, now)
    for margin in range(len(was)):
        start, stop = max(head - margin, 0), min(len(was) - tail + margin, len(was))
        old = "\n".join(was[start:stop])
        if old and before.count(old) == 1:
            return old, "\n".join(now[start : len(now) - len(was) + stop])
    return None


def _patch(before: str, after: str) -> list[dict[str, Any]]:
    """Return the one hunk that the agent reports, with a few lines around it; none where nothing changed."""
    was, now = before.split("\n"), after.split("\n")
    head, tail = _ends(was, now)
    first, last, end = max(head - CONTEXT, 0), len(was) - tail, len(now) - tail
    if head >= max(last, end):
        return []
    above, below = was[first:head], was[last : last + CONTEXT]
    lines = [
        *(f" {text}" for text in above),
        *(f"-{text}" for text in was[head:last]),
        *(f"+{text}" for text in now[head:end]),
        *(f" {text}" for text in below),
    ]
    around = len(above) + len(below)
    sizes = {"oldLines": last - head + around, "newLines": end - head + around}
    return [{"oldStart": first + 1, "newStart": first + 1, "lines": lines} | sizes]


def _ends(was: list[str], now: list[str]) -> tuple[int, int]:
    """Return how many lines two versions share at either end."""
    shortest = min(len(was), len(now))
    head = next((at for at in range(shortest) if was[at] != now[at]), shortest)
    left = shortest - head
    tail = next((at for at in range(left) if was[-1 - at] != now[-1 - at]), left)
    return head, tail
