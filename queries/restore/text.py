"""Show a restore plan to a person: the diff of each file, and what cannot be restored."""

import difflib
from collections.abc import Iterator, Sequence

from linetrail.ledger.files import is_binary
from linetrail.queries.render.text import counted, plain
from linetrail.queries.restore.plan import ADD, CHANGE, DELETE, Step

# A difference that is longer is told by its size.
MAX_LINES = 10_000
_DONE = {ADD: "brought back", CHANGE: "restored", DELETE: "removed"}


def difference(step: Step) -> str:
    """Return the unified diff from the current file to the restored one; one line for binary and very long files."""
    before, after = (step.before.content if step.before else None), step.after
    if step.lost or step.blocked or before == after:
        return ""
    if any(content is not None and is_binary(content) for content in (before, after)):
        return f"{plain(step.path)}: binary contents differ"
    old, new = _lines(before), _lines(after)
    if len(old) + len(new) > MAX_LINES:
        return f"{plain(step.path)}: {counted(len(old), 'line')} become {counted(len(new), 'line')}"
    names = (
        f"a/{step.path}" if before is not None else "/dev/null",
        f"b/{step.path}" if after is not None else "/dev/null",
    )
    found = difflib.unified_diff(old, new, *names, lineterm="")
    return "\n".join(plain(line) for piece in found for line in piece.split("\n"))


def told(steps: Sequence[Step], *, would: bool) -> Iterator[str]:
    for step in steps:
        name = plain(step.path)
        if step.lost:
            yield f"cannot be had: {name}: {plain(step.lost)}"
        elif step.blocked:
            yield f"in the way: {name}: {step.blocked}"
        else:
            source = f" from {step.source}" if step.source else ""
            yield f"{'would be ' if would else ''}{_DONE[step.action]}: {name}{source}"


def _lines(content: bytes | None) -> list[str]:
    """Split at newlines; mark a last line without a newline as diff does."""
    lines = [] if content is None else content.decode("utf-8", "replace").split("\n")
    if lines and lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
        return lines
    return lines[:-1]
