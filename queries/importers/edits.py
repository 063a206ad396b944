"""Work out what a file held before and after a write, from what a transcript says about it.

The text before is usually recorded whole; what the tool did is done again, and the recorded patch has the last word
on whether that is how it went. A patch is for display (each leading tab is two spaces in it), so it is compared
without white space. What cannot be told is None: nothing is guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import first_text
from linetrail.ledger.event.signal import Edit, Proposal
from linetrail.queries.importers.outcomes import Outcome, replaced

# The tools whose results say what a file became.
WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})


class Hunk(NamedTuple):
    """One hunk of a unified diff; the lines begin with a space, `-`, `+` or a backslash."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


def writer(response: Mapping[str, Any]) -> str | None:
    """Name the tool that such a result comes from; None when no file was written."""
    for key, name in (("oldString", "Edit"), ("edits", "MultiEdit"), ("updated_file", "NotebookEdit")):
        if key in response:
            return name
    return "Write" if "content" in response and "structuredPatch" in response else None


def outcome(
    name: str,
    proposal: Proposal | None,
    response: Mapping[str, Any],
    told: str,
    last: str | None,
    *,
    anywhere: bool = False,
) -> Outcome | None:
    """Return what a write did: `told` is the answer the agent was given, `last` the file's text when last seen.

    An edit belongs to that text where the patch says that it was, or `anywhere` if what it replaced is there once.
    """
    original = first_text(response, "originalFile", "originalFileContents", "original_file")
    if name == "NotebookEdit":
        updated = first_text(response, "updated_file")
        return None if original is None or updated is None or response.get("error") else Outcome(original, updated)
    hunks = _hunks(response.get("structuredPatch"))
    if name == "Write":
        content = first_text(response, "content")
        content = proposal.content if content is None and proposal else content
        return None if content is None else _written(content, original, hunks, last, new=_is_new(response, told))
    edits = _edits(response) or (proposal.edits if proposal else ())
    return _edited(edits, original, hunks, last, anywhere=anywhere) if edits else None


def _written(content: str, original: str | None, hunks: Sequence[Hunk], last: str | None, *, new: bool) -> Outcome:
    if original is not None or new:
        return Outcome(original, content)
    if last is not None and _fits(last, content, hunks):
        return Outcome(last, content)
    before = _patched(content, [_reversed(hunk) for hunk in hunks]) if hunks else None
    return Outcome(before, content, past=before is not None)


def _edited(
    edits: Sequence[Edit], original: str | None, hunks: Sequence[Hunk], last: str | None, *, anywhere: bool
) -> Outcome | None:
    base = last if original is None else original
    if not base and not edits[0].old:
        return Outcome(base if last == "" else None, edits[0].new)
    if base is None:
        return None
    results = list(_results(base, edits))
    fitting = next((after for after in results if _fits(base, after, hunks)), None)
    if fitting is not None:
        return Outcome(base, fitting)
    if original is None:
        alone = anywhere and all(base.count(edit.old) == 1 for edit in edits)
        return Outcome(base, results[0]) if alone and results else None
    after = _patched(base, hunks) if hunks else None
    after = after if after is not None else next(iter(results), None)
    return None if after is None else Outcome(base, after)


def _results(base: str, edits: Sequence[Edit]) -> Iterator[str]:
    """Yield what the edits may have made of a text: line ends and removed lines were treated in more than one way."""
    crlf = "\r\n" in base
    for whole_lines in (True, False):
        text: str | None = base
        for edit in edits:
            text = None if text is None else replaced(text, edit, whole_lines=whole_lines, crlf=crlf)
        if text is not None:
            yield text


def _fits(before: str, after: str, hunks: Sequence[Hunk]) -> bool:
    """Return whether a patch leads from one text to the other; no patch contradicts nothing."""
    old, new = _lines(before), _lines(after)
    growth = sum(line.startswith("+") - line.startswith("-") for hunk in hunks for line in hunk.lines)
    if hunks and len(new) - len(old) != growth:
        return False
    return all(
        _side(hunk, "-") == _bare(old, hunk.old_start, _side(hunk, "-"))
        and _side(hunk, "+") == _bare(new, hunk.new_start, _side(hunk, "+"))
        for hunk in hunks
    )


def _side(hunk: Hunk, mark: str) -> list[str]:
    """Return the lines of one side of a hunk, without white space."""
    return ["".join(line[1:].split()) for line in hunk.lines if line.startswith((" ", mark))]


def _bare(lines: Sequence[str], start: int, like: Sequence[str]) -> list[str]:
    first = max(start - 1, 0)
    return ["".join(line.split()) for line in lines[first : first + len(like)]]


def _patched(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Apply a patch, its display undone; None when it does not belong to this text."""
    old = _lines(text)
    starts = [max(hunk.old_start - 1, 0) for hunk in hunks]
    if any(a >= b for a, b in pairwise(starts)) or any(
        _side(hunk, "-") != _bare(old, hunk.old_start, _side(hunk, "-")) for hunk in hunks
    ):
        return None
    tabs = any(line.startswith("\t") for line in old)
    new: list[str] = []
    at = 0
    for start, hunk in zip(starts, hunks, strict=True):
        new += old[at:start]
        at = start
        for line in hunk.lines:
            if line.startswith("+"):
                new.append(_retabbed(line[1:]) if tabs else line[1:])
            elif line.startswith((" ", "-")):
                new += old[at : at + 1] if line.startswith(" ") else []
                at += 1
    new += old[at:]
    return "\n".join(new) + ("\n" if new and (text.endswith("\n") or not text) else "")


def _retabbed(line: str) -> str:
    rest = line.lstrip(" ")
    tabs, spaces = divmod(len(line) - len(rest), 2)
    return "\t" * tabs + " " * spaces + rest


def _reversed(hunk: Hunk) -> Hunk:
    swap = {"+": "-", "-": "+"}
    return Hunk(hunk.new_start, hunk.old_start, tuple(swap.get(line[:1], line[:1]) + line[1:] for line in hunk.lines))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _hunks(patch: Any) -> list[Hunk]:
    """Read a recorded patch; one that is not as expected says nothing."""
    if not isinstance(patch, list):
        return []
    hunks = []
    for item in patch:
        found = item if isinstance(item, dict) else {}
        old_start, new_start, lines = found.get("oldStart"), found.get("newStart"), found.get("lines")
        if not isinstance(old_start, int) or not isinstance(new_start, int) or not isinstance(lines, list):
            return []
        hunks.append(Hunk(old_start, new_start, tuple(line for line in lines if isinstance(line, str))))
    return hunks


def _edits(response: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Read the replacements that a result says were made."""
    listed = response.get("edits")
    found = []
    for item in listed if isinstance(listed, list) else [response]:
        known = item if isinstance(item, dict) else {}
        old, new = first_text(known, "oldString", "old_string"), first_text(known, "newString", "new_string")
        if old is None or new is None:
            return ()
        found.append(Edit(old, new, known.get("replaceAll", known.get("replace_all")) is True))
    return tuple(found)


def _is_new(response: Mapping[str, Any], told: str) -> bool:
    return response.get("type") == "create" or told.startswith("File created")
