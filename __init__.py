"""Ask who wrote a line, for which intent, in which conversation, and how that is known.

    import linetrail

    linetrail.connect(".").sql("from v_sessions")             # DuckDB, with every table of the repository
    linetrail.ask(".", "hot_files", since="last week")        # a question that has a name
    linetrail.ask(".", "cost by model in february")           # a question in words
    linetrail.blame(".", "src/a.py")                          # who wrote each line
    linetrail.log(".", path="src", limit=20)                  # what happened, newest first
    linetrail.why(".", "src/a.py:12")                         # and what else the commands answer: diff, stats, …

`docs/python.md` tells more. Nothing is imported before it is used: a hook of an agent imports this package, too.
"""

TYPE_CHECKING = False  # `typing` would cost a hook a millisecond
if TYPE_CHECKING:
    from linetrail.ledger.errors import (
        DamageWarning,
        IntegrityError,
        LinetrailError,
        NoLedgerError,
        NotARepositoryError,
        UsageError,
    )
    from linetrail.projections.git.target import TargetError
    from linetrail.queries.ask.ask import connect
    from linetrail.queries.ask.library import Event, Line, Rows, UnansweredError, blame, log, questions
    from linetrail.queries.ask.question_files import Question
    from linetrail.queries.library import (
        ask,
        audit,
        classify,
        decisions,
        diff,
        intents,
        lineage,
        sessions,
        show,
        stats,
        verify,
        why,
    )

__all__ = [
    "DamageWarning",
    "Event",
    "IntegrityError",
    "Line",
    "LinetrailError",
    "NoLedgerError",
    "NotARepositoryError",
    "Question",
    "Rows",
    "TargetError",
    "UnansweredError",
    "UsageError",
    "ask",
    "audit",
    "blame",
    "classify",
    "connect",
    "decisions",
    "diff",
    "intents",
    "lineage",
    "log",
    "questions",
    "sessions",
    "show",
    "stats",
    "verify",
    "why",
]

_ELSEWHERE = {
    "connect": "queries.ask.ask",
    "load_ipython_extension": "queries.jupyter",
    "Question": "queries.ask.question_files",
    "TargetError": "projections.git.target",
    "UnansweredError": "queries.ask.library",
    **dict.fromkeys(
        ("ask", "audit", "classify", "decisions", "diff", "intents", "lineage", "sessions", "show", "stats", "verify"),
        "queries.library",
    ),
    "why": "queries.library",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("linetrail")
    if name not in __all__ and name not in _ELSEWHERE:
        raise AttributeError(f"module 'linetrail' has no attribute {name!r}")
    from importlib import import_module

    usual = "ledger.errors" if name.endswith(("Error", "Warning")) else "queries.ask.library"
    found = getattr(import_module(f"linetrail.{_ELSEWHERE.get(name, usual)}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
