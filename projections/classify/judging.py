"""Judge a change by the rules, and say which of its files it is an evolution for.

Rules prove a change as a whole, and call everything an evolution that they cannot read. That is the safe answer, and no
evidence: a manual, a setting or a picture that came along with a renamed function says nothing against the renaming.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.classify.classify import Change, Judgement, classify

EVOLUTION, UNPARSED = "evolution", "unparsed"
# What only people read.
_DOCUMENTS = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org"})
# Among so many files of so many bytes the one that spoils what the others are together is looked for.
MAX_TOGETHER, MAX_BYTES = 8, 32_000


class Judged(NamedTuple):
    """The judgement of a change as a whole and of its files, by path.

    `evolved` are those files of code that could be read and are an evolution by themselves.
    """

    whole: Judgement
    files: Mapping[str, Judgement]
    evolved: tuple[str, ...]


def judge(step: Sequence[Change]) -> Judged:
    """Judge a change; where it is an evolution as a whole, also its files by themselves."""
    found = classify(step)
    files = dict(found.files)
    if found.whole.label == EVOLUTION and len(step) > 1:
        files |= _apart(step, files)
    evolved = (one.path for one in step if one.path in files and _is_evolved(one.path, files[one.path]))
    return Judged(found.whole, files, tuple(evolved))


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
