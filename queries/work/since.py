"""Say what changed since a session last read or wrote each of its files: by whom, or by nobody we saw."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.observe.states import States
from linetrail.ledger.repository import Repository
from linetrail.projections.syntax import definitions
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import UnparsableError
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.statements import statement

UNSEEN = "nobody we saw"


class Changed(NamedTuple):
    """One change of a file that a session knows: who made it, and which definitions it lies in as they are now."""

    path: str
    changed_by: str
    session_id: str | None = None
    agent_name: str | None = None
    contributor_type: str | None = None
    intent_id: str | None = None
    changed_at: Any = None
    event_id: str | None = None
    definitions: tuple[str, ...] = ()


def since(repository: Repository, session_id: str) -> list[Changed]:
    """Return what others changed of the files that a session read or wrote, after it last did."""
    with open_tables(repository) as tables:
        known = [path for (path,) in tables.ask(statement("since_known"), {"session_id": session_id}).rows]
        told = list(tables.ask(statement("since_changes"), {"session_id": session_id}).mappings())
    found = [_recorded(repository, one) for one in told]
    return [*found, *_unrecorded(repository, known)]


def _recorded(repository: Repository, told: Mapping[str, Any]) -> Changed:
    who = told["session_id"] or (told["contributor_type"] if told["contributor_type"] == "human" else UNSEEN)
    names = ("path", "session_id", "agent_name", "contributor_type", "intent_id", "changed_at", "event_id")
    inside = _inside(repository, told["path"], told["start_line"], told["end_line"])
    return Changed(changed_by=who, definitions=inside, **{name: told[name] for name in names})


def _unrecorded(repository: Repository, paths: list[str]) -> Iterator[Changed]:
    """Yield the files that are not as the last event left them: no hook has seen that yet."""
    states = States(repository)
    for path in paths:
        state, sight = states.known(path), states.look(path)
        if state is not None and sight is not None and state.recorded not in (None, sight.hash):
            yield Changed(path, UNSEEN)


def _inside(repository: Repository, path: str, first: int | None, last: int | None) -> tuple[str, ...]:
    """Return the innermost definitions that these lines are in."""
    sight = States(repository).look(path)
    language = language_of(path, sight.content) if sight and sight.content else None
    if language is None or sight is None or not sight.content or first is None or last is None:
        return ()
    try:
        found = definitions.index(language, sight.content)
    except UnparsableError:
        return ()
    met = {at for at, one in enumerate(found) if one.start_line <= last and first <= one.end_line}
    outer = {found[at].parent for at in met}
    return tuple(found[at].qualified for at in sorted(met - outer))
