"""Explain a rule, or a code of the gate, in the terminal."""

from collections.abc import Iterator

from linetrail.queries.audit.gate_codes import Meaning
from linetrail.queries.audit.rulebook import LEVELS, Rule, spelled


def page(rule: Rule) -> Iterator[str]:
    yield f"{rule.id} {rule.title} ({rule.level})"
    yield ""
    told = {
        "finds": rule.finds,
        "why": rule.why,
        "example": rule.example,
        "silent": rule.silent,
        "control": ", ".join(rule.controls),
        "next": rule.advice,
        "except": f"in .orchestration/policy.yaml: rules: {{{rule.id}: off}}, or exceptions: with reason and owner",
        "ask": f"linetrail audit {rule.id}",
    }
    yield from (f"{name:<8} {said}" for name, said in told.items() if said)


def code_page(meaning: Meaning) -> Iterator[str]:
    yield meaning.code
    yield ""
    told = {
        "says": meaning.says,
        "why": meaning.why,
        "next": spelled(meaning.action),
        "example": spelled(meaning.example),
        "rule": meaning.rule and f"{meaning.rule} (linetrail explain {meaning.rule})",
        "more": "docs/gate.md",
    }
    yield from (f"{name:<8} {said}" for name, said in told.items() if said)


def order(rule: Rule) -> tuple[int, str]:
    """Sort rules as people read them: the worst first."""
    return LEVELS.index(rule.level), rule.id
