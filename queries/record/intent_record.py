"""Record changes of the registry of intents, whoever made them."""

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from linetrail.ledger.errors import DamageWarning, IntentError, LinetrailError
from linetrail.ledger.event.event import Event
from linetrail.ledger.intents import changes, registry_file, selection
from linetrail.ledger.intents.changes import COMMAND, FOUND, UNKNOWN, Author, States
from linetrail.ledger.intents.intent import DRAFT, Intent, state_of
from linetrail.ledger.intents.problems import Problem
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, head
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.record.author import append, current_author
from linetrail.queries.record.criteria import Result, run_checks
from linetrail.queries.render.text import counted, plain
from linetrail.queries.statements import statement

if TYPE_CHECKING:
    from linetrail.ledger.intents.edits import Change, Decision

MAX_NOTES = 2000


def notice(repository: Repository) -> list[Event]:
    """Record what an editor or git has changed in the registry since; return nothing on failure."""
    try:
        if changes.is_recorded(repository, _digest(registry_file.load(repository))):
            return []
        with changes.held(repository), warnings.catch_warnings():
            warnings.simplefilter("ignore", DamageWarning)  # whoever asks the ledger is told about it
            return _record(repository, by=FOUND, author=UNKNOWN)
    except (LinetrailError, OSError):
        return []


@contextmanager
def changing(
    repository: Repository,
    *,
    notes: str | None = None,
    reason: str | None = None,
    by: str = COMMAND,
    who: Author | None = None,
) -> Iterator[None]:
    """Lock the registry, record earlier changes by others, run the block, and record its changes."""
    with changes.held(repository):
        _record(repository, by=FOUND, author=UNKNOWN)
        yield
        redactor = Redactor(private_folder(repository))
        _record(
            repository,
            by=by,
            author=who or current_author(repository),
            notes=notes and redactor.cut(notes, MAX_NOTES),
            reason=reason and redactor.excerpt(reason),
        )


def change(
    repository: Repository,
    decide: "Decision",
    *,
    notes: str | None = None,
    reason: str | None = None,
    by: str = COMMAND,
    who: Author | None = None,
) -> None:
    """Change the registry and record that; raise and change nothing if the change is not possible."""
    from linetrail.ledger.intents.edits import edit  # brings YAML, which whoever looks has no use for

    with changing(repository, notes=notes, reason=reason, by=by, who=who):
        edit(repository, decide)


def begin(repository: Repository, intent: Intent, *, by: str = COMMAND, who: Author | None = None) -> str | None:
    """Move a DRAFT that is selected to IN_PROGRESS, and record that; return why it stays a DRAFT, if it does."""
    if intent.status != DRAFT:
        return None
    from linetrail.ledger.intents import transitions  # brings YAML, which whoever looks has no use for

    def decide(found: Sequence[Intent]) -> "Change":
        waiting = transitions.waits_for(found, intent.id)
        if waiting:
            named = ", ".join(f"{other.id} ({other.status})" for other in waiting)
            raise transitions.TransitionError(f"it depends on what is not done yet: {named}", "")
        return transitions.move(found, intent.id, "start")

    try:
        change(repository, decide, reason="it was selected", by=by, who=who)
    except LinetrailError as error:  # whoever selects may go on: a file that cannot be edited is mended later
        return f"{intent.id} stays {intent.written or DRAFT}: {error}"
    return None


def finish(
    repository: Repository,
    intent_id: str,
    notes: str | None,
    *,
    by: str = COMMAND,
    who: Author | None = None,
    force: bool = False,
    say: Callable[[Result], object] = lambda _: None,
) -> None:
    """Mark an intent as done and record that: its checks pass, and notes say how the other criteria are met.

    With `force` a check may fail, too; that it did is recorded.
    """
    from linetrail.ledger.intents import transitions  # brings YAML, which whoever looks has no use for

    def decide(found: Sequence[Intent]) -> "Change":
        made, intent = transitions.move(found, intent_id, "done"), transitions.find(found, intent_id)
        if len(intent.criteria) > len(intent.checks) and not (notes or "").strip():
            hint = f'linetrail intents done {intent_id} --notes "how each of them was verified"'
            wanted = "; ".join(plain(text) for text in intent.acceptance if isinstance(text, str))
            message = f"{intent_id} has acceptance criteria, and no notes say how they are met: {wanted}"
            raise transitions.TransitionError(message, hint)
        return made

    found = registry_file.read(repository)
    decide(found)  # before anything is run
    results = run_checks(repository, transitions.find(found, intent_id), by="done", who=who, say=say)
    failed = [result for result in results if not result.passed]
    if failed and not force:
        first = f"{plain(failed[0].criterion)}: {plain(failed[0].sentence)}"
        more = f" ({len(failed)} of {len(results)} failed)" if len(results) > 1 else ""
        raise CriterionFailedError(f"{intent_id} is not done, {first}{more}", f"linetrail intents check {intent_id}")
    change(repository, decide, notes=notes, by=by, who=who)


class CriterionFailedError(IntentError):
    """The command of an acceptance criterion fails."""


def deselect(
    repository: Repository, intent_id: str, reason: str, *, by: str = COMMAND, who: Author | None = None
) -> None:
    """Clear an intent where it is selected: in the author's session, and for the worktree."""
    who = who or current_author(repository)
    for session_id in dict.fromkeys((who.session_id, None)):
        if selection.own(repository, session_id) != (True, intent_id):
            continue
        told = {"intent_id": intent_id, "by": by, "for_session": session_id, "reason": reason}
        append(repository, who, "intent.cleared", told, intent_id, key=("deselect", session_id or "", intent_id))
        selection.write(repository, None, session_id=session_id)


def require_unused(tables: Tables, intent_id: str) -> None:
    """Raise where the ledger has events for an intent: without it in the registry, they would point to nothing."""
    ((events,),) = tables.ask(statement("intent_events"), {"id": intent_id}).rows
    if events:
        said = f"{counted(events, 'event')} of the ledger {'is' if events == 1 else 'are'} for {intent_id}"
        from linetrail.ledger.intents.transitions import TransitionError  # brings YAML

        hint = f"linetrail intents abort {intent_id}, then linetrail intents archive {intent_id}"
        raise TransitionError(f"{said}; it stays, so that they can be understood", hint)


def reopened(repository: Repository) -> list[Problem]:
    """Return a warning for each open intent that was done before, with the reason why it is worked on again."""
    try:
        found = {intent.id: intent for intent in registry_file.read(repository) if not intent.closed}
    except LinetrailError:
        return []  # what is wrong with the file is said elsewhere
    if not found or _is_empty(repository):
        return []
    with open_tables(repository) as tables:
        rows = tables.ask(statement("intents_reopened"), {"ids": list(found)}).rows
    return [
        Problem("warning", "REOPENED", name, "status", found[name].line, _reopened(name, at, reason, by))
        for name, at, reason, by in rows
    ]


def _reopened(intent_id: str, at: datetime, reason: str | None, by: str | None) -> str:
    found = "in an editor, or by git, and" if by == FOUND else "and"
    why = f"the reason: {plain(reason)}" if reason else f"{found} nobody said why"
    return f"{intent_id} was DONE and is open again since {at:%Y-%m-%d %H:%M}, {why}"


def recorded_ids(repository: Repository) -> list[str]:
    """Return the ids of all recorded intents, including removed ones."""
    if _is_empty(repository):
        return []
    with open_tables(repository) as tables:
        return [intent_id for (intent_id,) in tables.ask("select intent_id from v_intents").rows]


def _record(
    repository: Repository, *, by: str, author: Author, notes: str | None = None, reason: str | None = None
) -> list[Event]:
    content = registry_file.load(repository)
    found = [] if content is None else _parsed(repository, content)
    return changes.record(
        repository,
        {intent.id: state_of(intent) for intent in found},
        _digest(content),
        by=by,
        author=author,
        now_ns=time.time_ns(),
        vcs=head(repository),
        notes=notes,
        reason=reason,
        told=lambda: _told(repository),
    )


def _parsed(repository: Repository, content: bytes) -> Sequence[Intent]:
    from linetrail.ledger.intents.registry import parse  # the same

    return parse(content, registry_file.path(repository))


def _told(repository: Repository) -> States:
    if _is_empty(repository):
        return {}
    with open_tables(repository) as tables:
        rows = tables.ask(statement("intents_told")).rows
    states = {intent_id: json.loads(state) for intent_id, state in rows if state is not None}
    return {intent_id: state for intent_id, state in states.items() if isinstance(state, dict)}


def _is_empty(repository: Repository) -> bool:
    """Return whether the ledger is empty, without opening the tables."""
    return not segments.names(repository.folder) and not Ledger(repository).head().seq


def _digest(content: bytes | None) -> str | None:
    return None if content is None else f"sha256:{hashlib.sha256(content).hexdigest()}"
