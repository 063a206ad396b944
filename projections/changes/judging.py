"""Judge a change by the rules, and say how much of it contradicts who calls it a refactor.

Rules on syntax trees call everything an evolution that they cannot read. That is the safe answer, and no evidence: a
manual, a setting or a picture that came along with a renamed function says nothing against the renaming.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.proof.classify import Change, Judgement, classify

EVOLUTION, UNPARSED = "evolution", "unparsed"
# What only people read.
_DOCUMENTS = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org"})


class Judged(NamedTuple):
    """The judgement of a change as a whole and of its files, by path.

    `evolved` are those files of code that could be read and are an evolution by themselves.
    """

    whole: Judgement
    files: Mapping[str, Judgement]
    evolved: tuple[str, ...]


def judge(step: Sequence[Change]) -> Judged:
    """Judge a change; its files of code by themselves where the others could not be read."""
    found = classify(step)
    files = dict(found.files)
    code = [change for change in step if _is_code(change, files)]
    if len(code) < len(step) and any(files[change.path].label == EVOLUTION for change in code if change.path in files):
        files |= classify(code).files
    evolved = (change.path for change in code if change.path in files and files[change.path].label == EVOLUTION)
    return Judged(found.whole, files, tuple(evolved))


def _is_code(change: Change, files: Mapping[str, Judgement]) -> bool:
    """Tell whether a file could be read and is more than text; one that was moved away is judged under its new name."""
    if os.path.splitext(change.path)[1].lower() in _DOCUMENTS:
        return False
    return change.path not in files or files[change.path].kind != UNPARSED
