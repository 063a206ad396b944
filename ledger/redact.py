"""Take secrets out of text before a byte of it reaches the disk.

A rule is a name, the plain words that must occur for it to be tried, and a pattern that runs in linear time.
Patterns are compiled when their words occur, so ordinary text costs a few substring searches. Commit ids,
UUIDs and our own hashes are not secrets and match no rule.
"""

import re
from typing import Any, NamedTuple

# 1: first set of rules.
RULES_VERSION = 1


class Rule(NamedTuple):
    """`words` are tried in lower case; with `keeps`, group 1 of the pattern stays before the mark."""

    name: str
    words: tuple[str, ...]
    pattern: str
    keeps: bool = False


RULES = (
    Rule(
        "private-key",
        ("-----begin",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    Rule("anthropic", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    Rule("openai", ("sk-",), r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    Rule(
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    Rule("gitlab", ("glpat-", "gldt-", "glrt-", "glcbt-"), r"\bgl(?:pat|dt|rt|cbt)-[A-Za-z0-9_.-]{20,}"),
    Rule("aws-key-id", ("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    Rule("google", ("aiza",), r"\bAIza[0-9A-Za-z_-]{35}"),
    Rule("google-oauth", ("ya29.", "gocspx-"), r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{28})"),
    Rule("slack", ("xox", "xapp-"), r"\b(?:xox[abeoprs]-[0-9A-Za-z-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{10,})"),
    Rule("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/_-]{20,}"),
    Rule(
        "stripe",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/=]{24,})",
    ),
    Rule("npm", ("npm_",), r"\bnpm_[0-9A-Za-z]{36}"),
    Rule("pypi", ("pypi-",), r"\bpypi-[0-9A-Za-z_-]{50,}"),
    Rule("huggingface", ("hf_",), r"\bhf_[0-9A-Za-z]{30,}"),
    Rule("sendgrid", ("sg.",), r"\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}"),
    Rule("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), r"\bdo[opr]_v1_[0-9a-f]{64}"),
    Rule("telegram", (":aa",), r"\b[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"),
    Rule("discord", ("discord",), r"discord(?:app)?\.com/api/webhooks/[0-9]+/[0-9A-Za-z_-]{20,}"),
    Rule("vault", ("hvs.", "hvb."), r"\bhv[sb]\.[0-9A-Za-z_-]{24,}"),
    Rule("databricks", ("dapi",), r"\bdapi[0-9a-f]{32}\b"),
    Rule("linear", ("lin_api_",), r"\blin_api_[0-9A-Za-z]{32,}"),
    Rule("azure-storage", ("accountkey=",), r"(AccountKey=)[0-9A-Za-z+/]{40,}={0,2}", keeps=True),
    Rule("jwt", ("eyj",), r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]*"),
    Rule(
        "url-password",
        ("://",),
        r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@'\"]{0,100}:)[^\s/@'\"]{1,200}(?=@)",
        keeps=True,
    ),
    Rule(
        "authorization",
        ("bearer ", "basic ", "token "),
        r"((?:[Aa]uthorization|AUTHORIZATION)['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?:[Bb]earer|[Bb]asic|[Tt]oken)\s)[^\s'\"]{6,}",
        keeps=True,
    ),
    Rule(
        "curl-user",
        ("curl",),
        r"(\bcurl\b[^\n|;&]{0,300}?\s(?:-u|--user)[ =]['\"]?[^\s:'\"]{1,100}:)[^\s'\"]{1,200}",
        keeps=True,
    ),
    Rule(
        "assignment",
        (
            "password",
            "passwd",
            "pwd",
            "secret",
            "token",
            "api_key",
            "apikey",
            "api-key",
            "access_key",
            "private_key",
            "credential",
        ),
        r"((?i:[a-z0-9_.-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[a-z0-9_]{0,20})"
        r"['\"]?\s{0,3}(?:=|:)\s{0,3}(?:['\"](?=[^'\"]{6})|(?=[^\s'\"$<>{}()\[\],;&|]{8})))(?:(?<=['\"])[^'\"\n]{6,400}|(?<!['\"])[^\s'\"$<>{}()\[\],;&|]{8,400}+(?![\[(]))",
        keeps=True,
    ),
    Rule(
        "flag",
        ("--password", "--token", "--secret", "--api-key"),
        r"(--(?:password|token|secret|api-key)[ =]['\"]?)[^\s'\"$]{4,}",
        keeps=True,
    ),
)

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


def scrub_all(value: Any) -> Any:
    """Scrub every text in a value of dicts and lists; keys are ours and stay."""
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: scrub_all(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [scrub_all(item) for item in value]
    return value
