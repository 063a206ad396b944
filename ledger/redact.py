"""Take secrets out of text before a byte of it reaches the disk.

secrets.py says what they look like. Patterns are compiled when their words occur, so ordinary text costs a few
substring searches. Commit ids, UUIDs and our own hashes are evidence, and match no rule.
"""

import re

from linetrail.ledger.secrets import RULES

_compiled: dict[str, re.Pattern[str]] = {}


def scrub(text: str) -> str:
    """Return the text with every secret replaced by `[redacted:<rule>]`.

    >>> scrub("curl -H 'Authorization: Bearer abcdefghijkl' x")
    "curl -H 'Authorization: Bearer [redacted:authorization]' x"
    """
    lower = text.lower()
    for rule in RULES:
        if any(word in lower for word in rule.words):
            pattern = _compiled.get(rule.name) or _compiled.setdefault(rule.name, re.compile(rule.pattern))
            mark = f"[redacted:{rule.name}]"
            text = pattern.sub(rf"\1{mark}" if rule.keeps else mark, text)
    return text


def excerpt(text: str, limit: int = 200) -> str:
    """Redact first, cut then: a secret cut in half is still one. White space is folded to single spaces."""
    folded = " ".join(scrub(text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
