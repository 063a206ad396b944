"""Complete abbreviated ids as git does: the first characters suffice where they are unique."""

from collections.abc import Iterable

from linetrail.ledger.errors import IntentError, UsageError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables

MAX_NAMED = 5
_SESSIONS = "select session_id from v_sessions where starts_with(session_id, $id) order by session_id limit $limit"
_INTENTS = "select distinct intent_id from v_events where intent_id is not null order by intent_id"


def matching(text: str, known: Iterable[str]) -> list[str]:
    """Return the id that equals a text, else all ids that start with it, ignoring case if need be.

    >>> matching("INT-1", ["INT-1", "INT-10"]), matching("int-", ["INT-1", "INT-10"])
    (['INT-1'], ['INT-1', 'INT-10'])
    """
    ids = list(dict.fromkeys(known))
    if text in ids:
        return [text]
    exactly = [one for one in ids if one.startswith(text)]
    return exactly or [one for one in ids if one.lower().startswith(text.lower())]


def only(text: str, found: Iterable[str], kind: str) -> str:
    """Return the only match, or the text itself where there is none; raise where there are several."""
    several = list(found)
    if len(several) > 1:
        raise ambiguous(text, several, kind)
    return several[0] if several else text


def ambiguous(text: str, found: Iterable[str], kind: str) -> UsageError:
    """Return an error that lists what an abbreviated id may stand for."""
    several = list(found)
    more = f" and {len(several) - MAX_NAMED} more" if len(several) > MAX_NAMED else ""
    return UsageError(
        f"{text} is not unique, there is {kind} {f', {kind} '.join(several[:MAX_NAMED])}{more}",
        f"write more of it, for example {min(several[:2], key=len)}",
    )


def session(tables: Tables, text: str) -> str:
    """Complete the id of a session that the ledger knows."""
    found = [one for (one,) in tables.ask(_SESSIONS, {"id": text, "limit": MAX_NAMED + 20}).rows]
    return text if text in found else only(text, found, "session")


def intent(repository: Repository, text: str, tables: Tables | None = None) -> str:
    """Complete the id of an intent of the registry, or of one that the ledger knows."""
    try:
        known = [one.id for one in registry_file.read(repository)]
    except IntentError:
        known = []
    if tables is not None and text not in known:
        known += [one for (one,) in tables.ask(_INTENTS).rows]
    return only(text, matching(text, known), "intent")
