"""Check and record decisions, and find them by abbreviated ids."""

import difflib
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.event.event import Agent, Event
from linetrail.ledger.event.event import new_id as new_event_id
from linetrail.ledger.hook import news
from linetrail.ledger.intents import changes, registry_file, selection
from linetrail.ledger.knowledge.decision import (
    ID,
    MAX_ALTERNATIVES,
    MAX_LINES,
    MAX_TEXT,
    MAX_TITLE,
    STATUSES,
    Alternative,
    Decision,
    Place,
    event_data,
    new_id,
)
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.substance import split
from linetrail.ledger.redact.redactor import Redactor, private_folder, scrub
from linetrail.ledger.repository import Repository, head
from linetrail.projections.git import target as targets
from linetrail.projections.lines.decision_lines import places
from linetrail.projections.lines.states import hashes_of
from linetrail.queries.record.author import current_author, event_by
from linetrail.queries.render.text import plain

Record = Mapping[str, Any]

_RANGE = re.compile(r"(.+):(\d+)(?:-(\d+))?", re.DOTALL)
_SIMILAR = 3


class UnknownDecisionError(LinetrailError):
    """No decision has this id, or more than one begins like it."""

    hint = "linetrail decisions"
    exit_status = 1


class DecisionError(LinetrailError):
    """A decision is contradictory: it replaces itself, or names lines that do not exist."""

    exit_status = 1


class Wish(NamedTuple):
    """What to record; None leaves a field as it was, or at its default."""

    title: str | None = None
    rationale: str | None = None
    status: str | None = None
    supersedes: str | None = None
    alternatives: Sequence[Alternative] | None = None
    lines: Sequence[str] | None = None
    id: str | None = None
    intent_id: str | None = None
    session_id: str | None = None


class Author(NamedTuple):
    """Who decides: the session, if any, the agent, and the intent of the decision."""

    session_id: str | None
    agent: Agent | None
    intent_id: str | None


def author(repository: Repository, wish: Wish) -> Author:
    """Return who decides: as given in the wish, else whoever runs this command."""
    if wish.intent_id is not None:
        registry_file.require(repository, wish.intent_id)
    who = current_author(repository)
    session = wish.session_id or who.session_id
    return Author(session, who.agent, wish.intent_id or selection.read(repository, session))


def resolve(known: Sequence[Record], text: str) -> Record:
    """Return the one decision with this id or abbreviated id; raise with similar ids otherwise."""
    found = [one for one in known if one["decision_id"] == text] or [
        one for one in known if text and one["decision_id"].startswith(text)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownDecisionError(f"{plain(text)} is not unique: {_named(found)}")
    close = difflib.get_close_matches(text, [one["decision_id"] for one in known], n=_SIMILAR, cutoff=0.5)
    similar = [one for one in known if one["decision_id"] in close] or list(known[-_SIMILAR:])
    told = f"; there {'is' if len(similar) == 1 else 'are'} {_named(similar)}" if similar else "; there is none yet"
    raise UnknownDecisionError(f"no decision is called {plain(text)}{told}")


def decided(repository: Repository, directory: str, wish: Wish, known: Sequence[Record]) -> Decision:
    """Return the decision that a wish makes of the known ones; raise if something is wrong with it."""
    before = next((one for one in known if one["decision_id"] == wish.id), None)
    if wish.id is not None and (ID.fullmatch(wish.id) is None or scrub(wish.id) != wish.id):
        raise UsageError(f"{plain(wish.id)} is no id: letters, digits and . _ - , at most 64, as in D-12")
    decision = _before(before) if before else Decision(wish.id or _unused(known), "")
    if wish.supersedes is not None:
        replaced: str = resolve(known, wish.supersedes)["decision_id"]
        _refuse_cycle(decision.id, replaced, known)
        decision = decision._replace(supersedes=replaced)
    if wish.lines is not None:
        decision = decision._replace(places=tuple(_places(repository, directory, wish.lines)))
    if wish.alternatives is not None:
        decision = decision._replace(alternatives=tuple(wish.alternatives))
    told = {name: getattr(wish, name) for name in ("title", "rationale", "status")}
    decision = decision._replace(**{name: value for name, value in told.items() if value is not None})
    _check(decision)
    return decision


def record(repository: Repository, made: Iterable[tuple[Decision, Author]]) -> list[Event]:
    """Append one event for each decision, all or none, let running sessions know, and return the events."""
    now_ns, redactor, vcs = time.time_ns(), Redactor(private_folder(repository)), head(repository)
    events = []
    for decision, by in made:
        who = changes.Author("ai" if by.agent else "human", by.agent, by.session_id)
        name, told, about = new_event_id(now_ns), event_data(decision, redactor), by.intent_id
        events.append(event_by(who, "decision.recorded", told, event_id=name, now_ns=now_ns, intent_id=about, vcs=vcs))
    Ledger(repository).append(events)
    for event in events:
        news.spread(repository, [news.of_decision(event.data)], by=event.session_id)
    return events


def as_record(decision: Decision) -> dict[str, Any]:
    """Return an unrecorded decision as a record of the tables, for the checks of later ones."""
    return {
        "decision_id": decision.id,
        "title": decision.title,
        "rationale": decision.rationale,
        "recorded_status": decision.status,
        "supersedes_id": decision.supersedes,
        "alternatives": [way._asdict() for way in decision.alternatives],
        "lines": [place.text for place in decision.places],
        "places": [place._asdict() for place in decision.places if place.first is not None],
    }


def _before(record: Record) -> Decision:
    ways = tuple(Alternative(way["option"], way.get("why_rejected")) for way in record["alternatives"])
    return Decision(
        record["decision_id"],
        record["title"],
        record["rationale"],
        record["recorded_status"],
        record["supersedes_id"],
        ways,
        tuple(places(record)),
    )


def _unused(known: Sequence[Record]) -> str:
    taken = {one["decision_id"] for one in known}
    return next(drawn for drawn in iter(new_id, None) if drawn not in taken)


def _refuse_cycle(decision_id: str, replaced: str, known: Sequence[Record]) -> None:
    """Raise if a decision would replace itself through others."""
    earlier = {one["decision_id"]: one["supersedes_id"] for one in known}
    chain: list[str] = []
    at: str | None = replaced
    while at is not None and at not in chain:
        chain.append(at)
        if at == decision_id:
            raise DecisionError(f"{decision_id} would replace itself: {' replaced '.join([decision_id, *chain])}")
        at = earlier.get(at)


def _check(decision: Decision) -> None:
    if not decision.title.strip():
        raise UsageError("a decision needs a title: one sentence that says what was decided")
    if decision.status not in STATUSES:
        raise UsageError(f"there is no status {plain(decision.status)}; write {', '.join(STATUSES)}")
    if len(decision.alternatives) > MAX_ALTERNATIVES:
        raise UsageError(f"{len(decision.alternatives)} alternatives are too many: name the {MAX_ALTERNATIVES} best")
    if not all(way.option.strip() for way in decision.alternatives):
        raise UsageError("an alternative needs words: option: why rejected")
    lengths = [("the title", decision.title, MAX_TITLE), ("the reason", decision.rationale or "", MAX_TEXT)]
    for way in decision.alternatives:
        lengths += [("an alternative", way.option, MAX_TITLE), ("its reason", way.why_rejected or "", MAX_TEXT)]
    for what, text, most in lengths:
        if len(text) > most:
            raise UsageError(f"{what} takes {len(text):,} characters, {most:,} are kept; say it in fewer words")
    if sum(len(text.encode(errors="replace")) for _, text, _ in lengths) > 4 * MAX_TEXT:
        raise UsageError(f"reasons and alternatives take more than {4 * MAX_TEXT:,} bytes; say it in fewer words")


def _places(repository: Repository, directory: str, texts: Iterable[str]) -> Iterable[Place]:
    found = [_read(repository, directory, text) for text in dict.fromkeys(texts)]
    lines = sum(len(place.line_hashes) for place in found)
    if lines > MAX_LINES:
        raise UsageError(f"{lines:,} lines are more than one decision is about, {MAX_LINES:,}; name the file alone")
    return found


def _read(repository: Repository, directory: str, text: str) -> Place:
    """Read one place, and hash its current lines."""
    ranged = _RANGE.fullmatch(text)
    if ranged is None or _is_file(repository, directory, text):
        path = targets.locate(repository, directory, text)
        if not os.path.isfile(repository.absolute(path)):
            targets.find_target(repository, path, None)  # says what is there instead
        return Place(path)
    name, first, last = ranged[1], int(ranged[2]), int(ranged[3] or ranged[2])
    path = targets.locate(repository, directory, name)
    hashes = hashes_of(split(targets.find_target(repository, path, None).content))
    if not 1 <= first <= last <= len(hashes):
        raise DecisionError(f"{plain(text)} names no lines: {plain(path)} has {len(hashes):,}, counted from 1")
    return Place(path, first, last, tuple(hashes[first - 1 : last]))


def _is_file(repository: Repository, directory: str, text: str) -> bool:
    try:
        return os.path.isfile(repository.absolute(targets.locate(repository, directory, text)))
    except targets.TargetError:
        return False


def _named(decisions: Sequence[Record]) -> str:
    shown = [f"{one['decision_id']} ({plain(one['title'])[:60]})" for one in decisions[:_SIMILAR]]
    more = f" and {len(decisions) - _SIMILAR} more" if len(decisions) > _SIMILAR else ""
    return ", ".join(shown) + more
