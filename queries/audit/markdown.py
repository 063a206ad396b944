"""Show an audit as Markdown, on a forge or in a mail: paths and prompts in it are foreign text."""

from collections.abc import Iterator, Sequence

from linetrail.queries.audit.audit import Audit
from linetrail.queries.audit.finding import Finding
from linetrail.queries.render import markup
from linetrail.queries.render.text import counted, short

# Findings of a rule beyond these are counted: a job summary has a limit.
SHOWN = 50
_HEADER = ("what", "where", "times", "intent", "session", "fingerprint")


def markdown(audit: Audit, *, verified: str) -> str:
    """Return one page: what failed, rule by rule, the worst first."""
    return "\n".join(["# Audit", "", _sum(audit, verified), "", *_sections(audit)]).rstrip("\n") + "\n"


def finding_line(one: Finding) -> str:
    """Return one finding as a line that can stand by itself."""
    again = f" ({one.times:,} times)" if one.times > 1 else ""
    return f"**{one.level.upper()} {one.rule.id}** {markup.words(one.message)}{again}. Next: {markup.code(one.remedy)}"


def _sum(audit: Audit, verified: str) -> str:
    counts = " · ".join(f"{number:,} {level}" for level, number in audit.counts().items() if number)
    figures = " · ".join(counted(audit.figures[name], name[:-1]) for name in ("intents", "sessions", "mutations"))
    beside = "".join(
        f" · {number:,} {what}" for number, what in ((audit.excepted, "excepted"), (audit.known, "known")) if number
    )
    return f"{counts or 'Nothing found'}{beside} | {figures} · {markup.words(verified)}"


def _sections(audit: Audit) -> Iterator[str]:
    for rule, found in audit.by_rule().items():
        total = sum(one.times for one in found)
        yield f"## {found[0].level.upper()} {rule.id} {rule.title} ({total:,})"
        yield ""
        yield f"{markup.words(rule.finds)}. {markup.words(rule.why)} Next: {markup.code(found[0].remedy)}"
        yield ""
        yield from markup.table(_HEADER, [_row(one) for one in found[:SHOWN]])
        yield from _rest(found)
        yield ""


def _row(one: Finding) -> tuple[str, ...]:
    return (
        markup.words(one.message),
        place(one),
        f"{one.times:,}",
        markup.code(one.intent_id) if one.intent_id else "",
        markup.code(short(one.session_id)) if one.session_id else "",
        f"`{one.fingerprint[:12]}`",
    )


def place(one: Finding) -> str:
    """Return path and line as code; nothing for what has no place."""
    if one.path is None:
        return ""
    return markup.code(one.path if one.line is None else f"{one.path}:{one.line}")


def _rest(found: Sequence[Finding]) -> Iterator[str]:
    if len(found) > SHOWN:
        yield ""
        yield f"and {len(found) - SHOWN:,} more"
