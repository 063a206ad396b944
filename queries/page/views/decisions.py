"""What was decided, with the ways that were not taken, and what was learned."""

from linetrail.projections.lines.decision_lines import places
from linetrail.queries.answers.decisions import COLUMNS, decisions
from linetrail.queries.page.view import Asked, Shown, page_of, question

SIZE = 100


def show(asked: Asked) -> Shown:
    """Return the decisions, newest first, and the lessons."""
    with asked.tables() as tables:
        found, page = page_of(decisions(tables), asked, SIZE)
        lessons = question(asked, tables, "lessons")
    # what a lesson is about may be a program, which has no page
    learned = [row | {"about": row["path"]} for row in lessons["rows"]]
    rows = [
        {name: one[name] for name in COLUMNS} | {"places": [place._asdict() for place in places(one)]} for one in found
    ]
    return Shown("Decisions and lessons", rows, {"lessons": {**lessons, "rows": learned}, "page": page})
