"""Write the cookbook: every named question with its parameters, columns and controls.

``python tools/make_questions.py`` writes docs/questions.md from the comments in
queries/questions/*.sql; a test fails when the page is not what this would write.
"""

from collections.abc import Iterator
from pathlib import Path

from linetrail.queries.ask import question_files
from linetrail.queries.ask.question_files import Question, notes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "questions.md"
# What is for the commands of this version and may use what DuckDB alone has.
NOT_PORTABLE = frozenset(
    {"log", "gate_violations", "class_contradictions", "tokens_by", "timeline", "session_steps", "commits"}
)

_HEAD = """# Questions

<!-- generated from the comments in queries/questions/*.sql: python tools/make_questions.py -->

`linetrail sql @NAME -p KEY VALUE` asks a question by its name, `linetrail sql --list` lists them, `linetrail.ask()`
asks from Python. A moment is `7d`, `last week`, `2026-01-05` and the like; a parameter marked with ? may be left out.

Columns are added at the end; one that goes away or changes its meaning is told in the changelog. Unknown is null, never
0. *Control* names what an audit may take an answer as evidence for (SOC 2 CC, NIST SSDF, OWASP agentic ASI); the
mapping is ours, and evidence is no certificate.

**Portable.** Each file in `queries/questions/` is one `select` over the views of the [data dictionary](dictionary.md),
in the SQL that DuckDB, SQLite and Spark have in common: joins, CTEs, window functions, `filter (where …)`,
`is distinct from`, `nulls last`; no `qualify`, `asof`, lists, structs, lambdas, regular expressions, casts with `::` or
arithmetic with times, for which views have whole seconds. Values come as `$name`, a moment as a timestamp.
`tests/queries/ask/test_portable.py` asks all three the same text over the same contents and compares the rows.
Questions marked \\* are for this program's own commands and need not be portable.

"""


def page() -> str:
    """Return the whole cookbook."""
    questions = question_files.questions().values()
    parts = []
    for topic in question_files.TOPICS:
        under = [question for question in questions if question.topic == topic]
        if under:
            parts.append("\n".join([f"## {topic[0].upper()}{topic[1:]}", "", *map(_entry, under)]))
    return _HEAD + "\n".join(parts)


def _entry(question: Question) -> str:
    return "\n".join(_lines(question)) + "\n"


def _lines(question: Question) -> Iterator[str]:
    mark = " \\*" if question.name in NOT_PORTABLE else ""
    yield f"### {question.name}{mark}"
    yield ""
    yield question.question + (f" *Control: {question.control}*" if question.control else "")
    yield ""
    for parameter in question.parameters:
        yield f"- `{parameter.name}`{'?' if parameter.optional else ''}: {_escaped(parameter.meaning)}"
    yield f"- → {', '.join(f'`{column}`' for column in question.columns)}"
    note = _escaped(" ".join(notes(question)))
    if note:
        yield ""
        yield f"{note}."


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
