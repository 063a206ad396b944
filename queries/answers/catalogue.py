"""The answers that every surface shows, each one function that returns values: a terminal, a page, an editor, MCP.

A surface has no SQL, attribution or rules of its own. What `import linetrail` offers of these is named beside them.
"""

from typing import NamedTuple


class Answer(NamedTuple):
    """The function that answers, as MODULE:NAME, and the name under which `import linetrail` offers the same."""

    function: str
    python: str | None = None


# command -> its answer
ANSWERS = {
    "blame": Answer("linetrail.queries.answers.blame:blame", "blame"),
    "why": Answer("linetrail.queries.answers.why:explained"),
    "why of a definition": Answer("linetrail.queries.answers.why_symbol:explained_symbol"),
    "lineage": Answer("linetrail.queries.answers.lineage:Symbols.history"),
    "diff": Answer("linetrail.queries.answers.diff:diff"),
    "stats of a range": Answer("linetrail.queries.answers.stats:stats_of_range"),
    "stats": Answer("linetrail.queries.answers.stats:stats_of_tree"),
    "log": Answer("linetrail.queries.answers.log:log", "log"),
    "show": Answer("linetrail.queries.answers.show:show"),
    "status": Answer("linetrail.queries.answers.status:status"),
    "usage": Answer("linetrail.queries.answers.usage:usage"),
    "decisions": Answer("linetrail.queries.answers.decisions:decisions"),
    "decisions of a line": Answer("linetrail.queries.answers.decisions:governing"),
    "audit": Answer("linetrail.queries.answers.audit:audited"),
    "transcript": Answer("linetrail.queries.answers.transcript:conversation"),
    "ask": Answer("linetrail.queries.ask.replies:reply", "ask"),
    "sql": Answer("linetrail.queries.ask.ask:ask", "ask"),
    "sql of anybody": Answer("linetrail.queries.sandbox.sandbox:ask", "connect"),
    "sql --list": Answer("linetrail.queries.ask.question_files:questions", "questions"),
}
