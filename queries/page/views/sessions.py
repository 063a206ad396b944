"""The sessions, newest first, with what came of each."""

from linetrail.queries.page.view import Asked, Shown, page_of, question

SIZE = 200


def show(asked: Asked) -> Shown:
    told = {name: value for name in ("since", "until") if (value := asked.option(name))}
    with asked.tables() as tables:
        found = question(asked, tables, "sessions", **told)
    shown, page = page_of(found["rows"], asked, SIZE)
    return Shown("Sessions", shown, {"page": page, "sessions": {**found, "rows": []}, **told})
