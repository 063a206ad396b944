"""One session, step by step: its prompts, calls with what was said of them, what each changed, tokens and cost."""

from collections.abc import Mapping, Sequence
from contextlib import closing

from linetrail.projections.classify.contents import Contents
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers.change_lines import changes, plain
from linetrail.queries.ask.subject import SESSION, Subject, about, find
from linetrail.queries.page.view import Asked, NoSuchPageError, Record, Shown, page_of, question
from linetrail.queries.statements import statement

SIZE = 100


def show(asked: Asked) -> Shown:
    """Return the steps of the session that the option `id` names, from the call on that the option `call` names."""
    with asked.tables() as tables:
        found = _named(asked, tables, asked.option("id") or "")
        if found["kind"] != "session":
            raise NoSuchPageError(f"{asked.option('id')} is a {found['kind']} and no session")
        session = found["session_id"]
        steps = question(asked, tables, "session_steps", session=session)
        sums = question(asked, tables, "sessions", session=session)
        cost = question(asked, tables, "cost_by", dim="model", session=session)
        rows = steps["rows"]
        call = asked.option("call")
        first = next((at for at, row in enumerate(rows, 1) if call and row["id"] == call), None)
        turned = asked._replace(options={**asked.options, "from": str(first)}) if first else asked
        shown, page = page_of(rows, turned, SIZE)
        changed = _changed(asked, tables, session, shown)
    return Shown(
        f"Session {session}",
        [{**row, "changes": changed.get(row["id"], [])} for row in shown],
        {
            "session": found,
            "sums": {**sums, "rows": sums["rows"][:1]},
            "cost": cost,
            "page": page,
            "steps": {**steps, "rows": []},
            "prompts": [{"at": at, **row} for at, row in enumerate(rows, 1) if row["kind"] == "prompt"],
            "call": call,
        },
    )


def _named(asked: Asked, tables: Tables, text: str) -> Record:
    """Return what has this id, or one that begins so; a session's whole id is looked for among no others."""
    found = about(asked.repository, tables, Subject(SESSION, text))
    return found if "session_id" in found else about(asked.repository, tables, find(asked.repository, tables, text))


def _changed(asked: Asked, tables: Tables, session: str, steps: Sequence[Record]) -> Mapping[str, list[Record]]:
    """Return what each step changed, by its id; a report has no text of what was there before."""
    ids = [[row["id"] for row in steps if row["kind"] == kind] for kind in ("call", "change")]
    told = {"session": session, "calls": ids[0], "events": ids[1]}
    found: dict[str, list[Record]] = {}
    with closing(Objects(asked.repository)) as store:
        contents = None if asked.whole else Contents(asked.repository, store)
        for row in tables.ask(statement("session_changes"), told).mappings():
            step = row["event_id"] if row["event_id"] in ids[1] else row["tool_call_id"]
            found.setdefault(step, []).extend(map(plain, changes(row["payload"], row["vcs_revision"], contents)))
    return found
