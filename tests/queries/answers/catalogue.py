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
    "why": Answer("linetrail.queries.answers.why.line:explained", "why"),
    "why of a definition": Answer("linetrail.queries.answers.why.symbol:explained_symbol", "why"),
    "lineage": Answer("linetrail.queries.answers.lineage:Symbols.history", "lineage"),
    "diff": Answer("linetrail.queries.answers.diff:diff", "diff"),
    "stats of a range": Answer("linetrail.queries.answers.stats:stats_of_range", "stats"),
    "stats": Answer("linetrail.queries.answers.stats:stats_of_tree", "stats"),
    "log": Answer("linetrail.queries.answers.log:log", "log"),
    "show": Answer("linetrail.queries.answers.show:show", "show"),
    "status": Answer("linetrail.queries.answers.status:status"),
    "usage": Answer("linetrail.queries.answers.usage:usage"),
    "decisions": Answer("linetrail.queries.answers.decisions:decisions", "decisions"),
    "decisions of a line": Answer("linetrail.queries.answers.decisions:governing"),
    "audit": Answer("linetrail.queries.answers.audit:audited", "audit"),
    "classify": Answer("linetrail.queries.library:classify", "classify"),
    "intents": Answer("linetrail.queries.library:intents", "intents"),
    "sessions": Answer("linetrail.queries.library:sessions", "sessions"),
    "verify": Answer("linetrail.projections.tables.verification:examine", "verify"),
    "transcript": Answer("linetrail.queries.answers.transcript:conversation"),
    "ask": Answer("linetrail.queries.ask.replies:reply", "ask"),
    "sql": Answer("linetrail.queries.ask.ask:ask", "ask"),
    "sql of anybody": Answer("linetrail.queries.sandbox.sandbox:ask", "connect"),
    "sql --list": Answer("linetrail.queries.ask.question_files:questions", "questions"),
}
