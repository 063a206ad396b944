"""A change of files, and what it is called: formatting, comment, refactor or evolution.

Of the class that people and agents declare, only what is certain counts as said. The subject of a commit claims
something by its type as Conventional Commits have it; one that announces a breaking change claims no refactor.
"""

import re
from typing import NamedTuple

# What is stored with a judgement; another number means that the same change may be judged otherwise.
# 1: first rules.
RULE_VERSION = 1
FORMATTING, COMMENT, REFACTOR, EVOLUTION = "formatting", "comment", "refactor", "evolution"
AST_REFACTOR, INTENT_EVOLUTION = "AST_REFACTOR", "INTENT_EVOLUTION"


class Change(NamedTuple):
    """One file of a change: its bytes on both sides, None where there is no such file."""

    path: str
    before: bytes | None
    after: bytes | None
    from_path: str | None = None


class Judgement(NamedTuple):
    """What a change is, and the evidence: a reviewer's notes."""

    label: str
    kind: str
    evidence: tuple[str, ...]
    rule_version: int = RULE_VERSION

    @property
    def mutation_class(self) -> str:
        """The coarser of the two answers."""
        return INTENT_EVOLUTION if self.label == EVOLUTION else AST_REFACTOR


BUG_FIX, OPTIMIZATION = "BUG_FIX", "OPTIMIZATION"
REFACTOR_NOT_PROVED, FIX_CHANGES_NOTHING = "REFACTOR_NOT_PROVED", "FIX_CHANGES_NOTHING"
_WORDS = {
    AST_REFACTOR: ("astrefactor", "refactor", "refactoring"),
    INTENT_EVOLUTION: ("intentevolution", "evolution", "feature"),
    BUG_FIX: ("bugfix", "fix"),
    OPTIMIZATION: ("optimization", "optimisation", "performance"),
}
_CLASSES = {word: name for name, words in _WORDS.items() for word in words}
# type of a commit -> the class that it claims
_TYPES = {
    **dict.fromkeys(("refactor", "style", "docs"), AST_REFACTOR),
    **dict.fromkeys(("feat", "feature"), INTENT_EVOLUTION),
    **dict.fromkeys(("fix", "bugfix", "hotfix"), BUG_FIX),
    "perf": OPTIMIZATION,
}
_SUBJECT = re.compile(r"([A-Za-z]+)(?:\([^()\n]*\))?(!?): \S")
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE: ", re.MULTILINE)


def named(text: str | None) -> str | None:
    """Return the class that a text names in any spelling; None where it names none.

    >>> named("bug_fix"), named("AST-Refactor"), named("modify")
    ('BUG_FIX', 'AST_REFACTOR', None)
    """
    return _CLASSES.get(re.sub(r"[\s_-]", "", text or "").lower())


def of_commit(message: str) -> str | None:
    """Return the class that the message of a commit claims.

    >>> of_commit("fix(parser): read empty files"), of_commit("refactor!: drop the old names"), of_commit("tidy up")
    ('BUG_FIX', None, None)
    """
    found = _SUBJECT.match(message)
    claimed = _TYPES.get(found[1].lower()) if found else None
    breaks = found is not None and (found[2] == "!" or _BREAKING.search(message) is not None)
    return None if breaks and claimed == AST_REFACTOR else claimed


def contradiction(declared: str | None, computed: str, evolved: int) -> str | None:
    """Return the code of the contradiction between a declared and a computed class; None where they agree."""
    if declared == AST_REFACTOR and computed == INTENT_EVOLUTION and evolved:
        return REFACTOR_NOT_PROVED
    return FIX_CHANGES_NOTHING if declared == BUG_FIX and computed == AST_REFACTOR else None


def decided(computed: str, declared: str | None, *, repaired: bool = False) -> str:
    """Return what a change is: as computed, unless somebody or some test says more of an evolution.

    >>> decided(INTENT_EVOLUTION, BUG_FIX), decided(AST_REFACTOR, BUG_FIX), decided(INTENT_EVOLUTION, None)
    ('BUG_FIX', 'AST_REFACTOR', 'INTENT_EVOLUTION')
    """
    if computed == INTENT_EVOLUTION and declared in (BUG_FIX, OPTIMIZATION):
        return declared
    return BUG_FIX if computed == INTENT_EVOLUTION and repaired else computed
