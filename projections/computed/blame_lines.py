"""Every line that is committed at HEAD, with the answer that `linetrail blame` gives about it."""

from collections.abc import Iterator

from linetrail.projections.tables.progress import working
from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one line of a text file at HEAD"
COLUMNS = {
    "path": "VARCHAR",
    "line_no": "BIGINT",
    "contributor_type": "VARCHAR",
    "mixed": "BOOLEAN",
    "agent_name": "VARCHAR",
    "model_id": "VARCHAR",
    "session_id": "VARCHAR",
    "intent_id": "VARCHAR",
    "event_id": "VARCHAR",
    "tool_call_id": "VARCHAR",
    "written_at": "TIMESTAMP",
    "vcs_revision": "VARCHAR",
    "author": "VARCHAR",
    "origin_event_id": "VARCHAR",
    "evidence": "VARCHAR",
    "confidence": "DOUBLE",
    "mutation_class": "VARCHAR",
    "overruled": "VARCHAR",
}
VERSION = 2


def key(asked: Asked) -> list[object]:
    """Name the answers: by the ledger, the commit, the rules, and the files that are asked about."""
    from linetrail.projections.git.ignored import standing
    from linetrail.projections.lines.attribution import RULES

    flags = standing(asked.repository).flags if asked.head else []
    return [RULES, ledger_key(asked), asked.head, flags, asked.tables.paths]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the lines by path and number."""
    if asked.head is None:
        return
    from linetrail.projections.survival.stats import held, tree

    files = tree(asked.repository, asked.head, asked.tables.paths)
    with working("blaming", sum(file.size for file in files)) as advance:
        for file in held(asked.repository, asked.head, files, asked.until, advance):
            for number, by in enumerate(file.answer.attributions if file.answer else (), 1):
                yield file.path, number, *by
