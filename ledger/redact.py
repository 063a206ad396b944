"""Take secrets out of text before a byte of it reaches the disk.

secrets.py says what they look like. Patterns are compiled when their words occur, so ordinary text costs a few
substring searches. Commit ids, UUIDs and our own hashes are evidence, and match no rule.
"""

import re
from functools import lru_cache

from linetrail.ledger.secrets import RULES

_WORDS = tuple((word, at) for at, rule in enumerate(RULES) for word in rule.words)
_compiled: dict[int, re.Pattern[str]] = {}
# Names of tools, modes and the like come again and again.
SHORT = 64


def scrub(text: str) -> str:
    """Return the text with every secret replaced by `[redacted:<rule>]`.

    >>> scrub("curl -H 'Authorization: Bearer abcdefghijkl' x")
    "curl -H 'Authorization: Bearer [redacted:authorization]' x"
    """
    return _scrub_short(text) if len(text) <= SHORT else _scrub(text)


def _scrub(text: str) -> str:
    lower = text.lower()
    for at in sorted({at for word, at in _WORDS if word in lower}):
        rule = RULES[at]
        pattern = _compiled.get(at) or _compiled.setdefault(at, re.compile(rule.pattern))
        mark = f"[redacted:{rule.name}]"
        text = pattern.sub(rf"\1{mark}" if rule.keeps else mark, text)
    return text


_scrub_short = lru_cache(maxsize=1024)(_scrub)


def excerpt(text: str, limit: int = 200) -> str:
    """Redact first, cut then: a secret cut in half is still one. White space is folded to single spaces."""
    folded = " ".join(scrub(text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
