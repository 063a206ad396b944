"""Say what is wrong with a file in an editor: what the audit finds in it, and who else is at work on it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from lsprotocol import types

from linetrail.ledger.hook.checkout import owns
from linetrail.ledger.intents import selection
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers.status import open_sessions
from linetrail.queries.audit.rulebook import HIGH, MEDIUM
from linetrail.queries.lsp.audits import Finding
from linetrail.queries.lsp.documents import Document
from linetrail.queries.lsp.mentions import intents
from linetrail.queries.render.text import plain, short

SOURCE = "linetrail"
HELD = "scope-held"
# The level of a finding -> how loud an editor says it; the others are hints.
_SEVERITIES = {HIGH: types.DiagnosticSeverity.Warning, MEDIUM: types.DiagnosticSeverity.Information}


def found(document: Document, findings: Sequence[Finding]) -> list[types.Diagnostic]:
    """Return what the audit finds in a file."""
    return [_finding(one, document.lines) for one in findings if one["path"] == document.path]


def at_work(document: Document, tables: Tables, now: datetime) -> list[types.Diagnostic]:
    """Return a note for each session in whose scope a file is; `now` is in UTC, without a zone."""
    return [_at_work(session, document.lines) for session in _sessions(document, tables, now)]


def _finding(one: Finding, lines: Sequence[str]) -> types.Diagnostic:
    return types.Diagnostic(
        _range(lines, one["line"] or 1, one["end_line"] or one["line"] or 1),
        f"{plain(one['message'])}\nnext: {plain(one['next'])}",
        _SEVERITIES.get(one["level"], types.DiagnosticSeverity.Hint),
        one["rule"],
        source=SOURCE,
    )


def _at_work(session: Mapping[str, Any], lines: Sequence[str]) -> types.Diagnostic:
    who = f"{session['agent_name'] or 'an agent'}, session {short(session['session_id'])},"
    message = f"{who} is at work on {session['intent_id']}, whose scope has this file"
    severity = types.DiagnosticSeverity.Information
    return types.Diagnostic(_range(lines, 1, 1), plain(message), severity, HELD, source=SOURCE)


def _sessions(document: Document, tables: Tables, now: datetime) -> Iterator[Mapping[str, Any]]:
    """Yield the open sessions whose intent owns a file."""
    known = intents(document.repository)
    for session in open_sessions(tables, now):
        intent = known.get(selection.read(document.repository, session["session_id"]) or "")
        if intent is not None and not intent.closed and owns(intent)(document.path):
            yield {**session, "intent_id": intent.id}


def _range(lines: Sequence[str], first: int, last: int) -> types.Range:
    """Return whole lines, as far as there are such."""
    end = max(min(last, len(lines)), 1)
    start = min(first, end)
    return types.Range(types.Position(start - 1, 0), types.Position(end - 1, len(lines[end - 1]) if lines else 0))
