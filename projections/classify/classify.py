"""Classify a change: formatting, comment, refactor or evolution.

Nothing is called harmless without a proof: both sides say the same, up to what the evidence lists. Whatever cannot be
proved, parsed or finished in time is evolution. See docs/classify.md for the rules in prose.
"""

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.classify import files, notes
from linetrail.projections.classify.files import Read
from linetrail.projections.classify.judgement import (
    COMMENT,
    EVOLUTION,
    FORMATTING,
    REFACTOR,
    Change,
    Judgement,
)
from linetrail.projections.proof.matching import obligations
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.program import Module, Program
from linetrail.projections.proof.terms.term import ABSENT

# Terms are walked by recursion; a frame of ours costs half a kilobyte, so this stays far below any machine's memory.
_DEPTH = 20_000
# The kind of a judgement where a file could not be read.
UNPARSED = "unparsed"
# What only people read.
_DOCUMENTS = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org"})
# Among so many files of so many bytes the one that spoils what the others are together is looked for.
MAX_TOGETHER, MAX_BYTES = 8, 32_000


class Classification(NamedTuple):
    """The judgement of a change as a whole, and of each of its files by path."""

    whole: Judgement
    files: Mapping[str, Judgement]


class Judged(NamedTuple):
    """The judgement of a change as a whole and of its files, by path.

    `evolved` are those files of code that could be read and are an evolution by themselves.
    """

    whole: Judgement
    files: Mapping[str, Judgement]
    evolved: tuple[str, ...]


def classify(step: Sequence[Change]) -> Classification:
    """Judge a change of one or several files."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        return _classify(step)
    except RecursionError:
        return _alike(step, Judgement(EVOLUTION, "unproved", ("nested too deeply to be compared",)))
    finally:
        sys.setrecursionlimit(limit)


def judge(step: Sequence[Change]) -> Judged:
    """Judge a change; where it is an evolution as a whole, also its files by themselves."""
    found = classify(step)
    files = dict(found.files)
    if found.whole.label == EVOLUTION and len(step) > 1:
        files |= _apart(step, files)
    evolved = (one.path for one in step if one.path in files and _is_evolved(one.path, files[one.path]))
    return Judged(found.whole, files, tuple(evolved))


def _alike(step: Sequence[Change], judgement: Judgement) -> Classification:
    return Classification(judgement, {change.path: judgement for change in step})


def _classify(step: Sequence[Change]) -> Classification:
    read = files.read(step)
    judged = {one.path: judgement for one in read if (judgement := _by_text(one, alone=len(read) == 1))}
    rest = [one for one in read if one.path not in judged]
    if rest:
        judged |= _by_proof(rest, read)
    return Classification(_whole(list(judged.values())), {one.path: judged[one.path] for one in read})


def _by_text(read: Read, *, alone: bool) -> Judgement | None:
    """Judge a file that can be judged by itself; None when it has to be proved together with the others."""
    if read.content_before == read.content_after and read.content_before is not None:
        if read.before_path != read.path:
            return Judgement(REFACTOR, "move", (f"moved {read.before_path} to {read.path}, the same bytes",))
        return Judgement(FORMATTING, "unchanged", ("the same bytes",))
    if read.content_before is None or read.content_after is None:
        return _alone(read) if alone and not read.trouble else None
    return files.by_layout(read)


def _alone(read: Read) -> Judgement:
    """Judge a file that came or went, with no other that it could come from or go to."""
    if read.content_before is None:
        return Judgement(EVOLUTION, "created", (f"{read.path} is new",))
    return Judgement(EVOLUTION, "deleted", (f"{read.path} is gone",))


def _by_proof(rest: Sequence[Read], read: Sequence[Read]) -> dict[str, Judgement]:
    for one in rest:
        why = files.unprovable(one)
        if why is not None:
            failed = Judgement(EVOLUTION, why.kind, (why.text,))
            return {other.path: failed if other is one else _beside(one) for other in rest}
    matching, why_not = _matched(read, typed=True)
    alone = len(rest) == 1 and _types(matching, first=True) == _types(matching, first=False)
    if why_not and _erasable(read) and not alone:
        untyped, doubts = _matched(read, typed=False)
        if not doubts:
            return _refactor(rest, notes.notes(untyped, types=True))
    if why_not:
        return {one.path: _evolution(one, why_not) for one in rest}
    return _refactor(rest, notes.notes(matching, types=False))


def _refactor(rest: Sequence[Read], found: Sequence[notes.Note]) -> dict[str, Judgement]:
    told = {one.path: notes.told(found, one.path) for one in rest}
    return {path: Judgement(REFACTOR, one.kind, one.texts) for path, one in told.items()}


def _matched(read: Sequence[Read], *, typed: bool) -> tuple[Matching, list[str]]:
    """Match the two sides, with what type checkers read or without it; say what is not proved."""
    moved = {one.before_path: one.path for one in read if one.before is not None and one.after is not None}
    shared = files.shared(read) if typed else frozenset()
    sides = [
        Program(
            {
                path: Module(path, lowered if typed else files.untyped(lowered, one.dialect), one.dialect, shared)
                for one in read
                for path, lowered in [(one.before_path, one.before) if first else (one.path, one.after)]
                if lowered is not None and one.dialect is not None
            }
        )
        for first in (True, False)
    ]
    matching = Matching(sides[0], sides[1], moved)
    matching.run()
    return matching, [*notes.open_ends(matching), *obligations.broken(matching)]


def _types(matching: Matching, *, first: bool) -> Counter[str]:
    """Return the types in what is not proved: where they are the same, leaving them out proves nothing."""
    settled = {pair[0 if first else 1] for pair in matching.pairs}
    items = (item for item in (matching.before if first else matching.after).items if item not in settled)
    return Counter(str(one) for item in items for one in item.term.walk() if one.kind == t.TYPE)


def _erasable(read: Sequence[Read]) -> bool:
    """Return whether there are types in these files that mean nothing at run time."""
    return any(one.dialect is not None and one.dialect.untyped(ABSENT) is not None for one in read)


def _beside(other: Read) -> Judgement:
    return Judgement(EVOLUTION, "unproved", (f"nothing is proved of this file alone: {other.path} is not understood",))


def _evolution(read: Read, why_not: Sequence[str]) -> Judgement:
    kind = "created" if read.content_before is None else "deleted" if read.content_after is None else "unproved"
    return Judgement(EVOLUTION, kind, tuple(why_not[: notes.MOST]))


def _whole(judged: Sequence[Judgement]) -> Judgement:
    """Return the judgement of a change as a whole: as grave as the gravest of its files."""
    order = (EVOLUTION, REFACTOR, COMMENT, FORMATTING)
    gravest = min((one.label for one in judged), key=order.index, default=FORMATTING)
    those = [one for one in judged if one.label == gravest]
    kinds = {one.kind for one in those}
    evidence = dict.fromkeys(text for one in those for text in one.evidence)
    return Judgement(gravest, kinds.pop() if len(kinds) == 1 else "mixed", tuple(evidence) or ("nothing changed",))


def _apart(step: Sequence[Change], files: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """Return the judgements of files that are harmless alone, or together with others, and the reasons of the rest."""
    known: dict[str, Judgement] = {}
    for change in step:
        if change.path in files and files[change.path].label == EVOLUTION:
            known[change.path] = classify([change]).files[change.path]
    changing = [change for change in step if change.path in known and known[change.path].label == EVOLUTION]
    size = sum(len(side) for change in changing for side in (change.before, change.after) if side is not None)
    for change in changing if len(changing) <= MAX_TOGETHER and size <= MAX_BYTES else ():
        others = classify([other for other in changing if other is not change])
        if others.whole.label != EVOLUTION:
            return {**known, **others.files}
    return known


def _is_evolved(path: str, judged: Judgement) -> bool:
    is_document = os.path.splitext(path)[1].lower() in _DOCUMENTS
    return judged.label == EVOLUTION and judged.kind != UNPARSED and not is_document
