"""How long each agent keeps its transcripts: what is deleted can no longer be imported.

Where a vendor documents no such thing, that is said; it is no reason to worry, and none to be sure.
"""

import os
import re
from collections.abc import Callable, Iterator

from linetrail.queries.doctor.health import OK, WARNING, Finding
from linetrail.queries.doctor.reading import at, home, read_json, shown

CHECK = "retention"
WANTED_DAYS = 90
# Claude Code deletes transcripts after this many days when nobody says otherwise, and so does Gemini CLI.
DEFAULT_DAYS = 30
# agent -> where its transcripts are, of those that document no limit
_UNDOCUMENTED = {
    "codex": (".codex", "sessions"),
    "cursor": (".cursor", "projects"),
    "copilot-cli": (".copilot", "session-state"),
    "continue-cli": (".continue", "sessions"),
    "windsurf": (".windsurf", "transcripts"),
    "opencode": (".local", "share", "opencode"),
}
_AGE = re.compile(r"\s*(\d{1,6})\s*([hdwm])\s*", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}


def check(agent: str) -> Iterator[Finding]:
    """Say how long an agent that was used on this machine keeps what it wrote."""
    if agent in _CHECKS:
        yield from _CHECKS[agent]()
    elif agent in _UNDOCUMENTED and os.path.isdir(home(*_UNDOCUMENTED[agent])):
        place = shown(home(*_UNDOCUMENTED[agent]))
        yield Finding(CHECK, OK, f"{agent}: not known; nothing documented deletes what is in {place}")


def _claude_code() -> Iterator[Finding]:
    if not os.path.isdir(home(".claude")):
        return
    document = read_json(home(".claude", "settings.json"))
    days = document.values.get("cleanupPeriodDays", DEFAULT_DAYS)
    if document.problem or not isinstance(days, int) or isinstance(days, bool):
        why = document.problem or f"says {str(days)[:20]!r}"
        yield Finding(CHECK, WARNING, f"claude-code: not known, {shown(document.path)} {why}", "repair the file")
        return
    advice = f'"cleanupPeriodDays": 365 in {document.path}, and `linetrail import claude-code` before'
    yield _judged("claude-code", days, advice)


def _gemini() -> Iterator[Finding]:
    if not os.path.isdir(home(".gemini")):
        return
    document = read_json(home(".gemini", "settings.json"))
    rule = at(document.values, "general", "sessionRetention")
    if at(rule, "enabled") is False:
        yield Finding(CHECK, OK, "gemini-cli: transcripts are kept")
        return
    told = at(rule, "maxAge")
    age = _AGE.fullmatch(told) if isinstance(told, str) else None
    days = int(age[1]) * _HOURS[age[2].lower()] // 24 if age else DEFAULT_DAYS
    advice = f'"general": {{"sessionRetention": {{"maxAge": "365d"}}}} in {document.path}'
    yield _judged("gemini-cli", days, advice)


def _judged(agent: str, days: int, advice: str) -> Finding:
    if days < WANTED_DAYS:
        return Finding(CHECK, WARNING, f"{agent}: transcripts are deleted after {days} days", advice)
    return Finding(CHECK, OK, f"{agent}: transcripts are kept for {days} days")


_CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {"claude-code": _claude_code, "gemini-cli": _gemini}
