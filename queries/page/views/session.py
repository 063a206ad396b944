"""One session: its prompts, calls, refusals and changes in the order in which they happened, and its files."""

from linetrail.queries.answers.log import log
from linetrail.queries.answers.show import show as about
from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, page_of

SIZE = 500


def show(asked: Asked) -> Shown:
    """Return the events of the session that the option `id` names."""
    with asked.tables() as tables:
        found = about(asked.repository, tables, asked.option("id") or "")
        if found["kind"] != "session":
            raise NoSuchPageError(f"{asked.option('id')} is a {found['kind']} and no session")
        events = list(log(asked.repository, tables, session=found["session_id"]).mappings())[::-1]
    shown, page = page_of(events, asked, SIZE)
    told = {"session": found["session_id"]}
    return Shown(
        f"Session {found['session_id']}",
        shown,
        {"session": found, "page": page, "events": {"question": "log", "told": told}},
    )
