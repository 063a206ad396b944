"""A change of files, and what it is called: formatting, comment, refactor or evolution."""

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
