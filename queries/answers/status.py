"""Gather what `linetrail status` shows: the work in progress, who does it, and the health of the ledger."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.intents.intent import CLOSED
from linetrail.ledger.log.store import QUARANTINE, SPOOL, Ledger
from linetrail.ledger.repository import FOLDER, Repository, file_path, git, stored_path
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers.criteria import counts, progress
from linetrail.queries.setup import record
from linetrail.queries.statements import statement

# Files beyond these are not blamed: a status must be quick.
MAX_FILES = 20
WRITES = 5


# What happened last is looked for at the end, and only where there is nothing further in front of it.
NEAR = 10_000
# A session that never said that it ends is open for a day after it was heard of by a hook. What was imported was not:
# it knows no commit, and not how long the agent waited.
OPEN_FOR = timedelta(days=1)


class Status(NamedTuple):
    """The work in progress and the health of the ledger; for an earlier moment, what only the present knows is None."""

    events: int = 0
    last_event_at: datetime | None = None
    ledger_head: str = ""
    # files that wait to be folded in, and those that were put aside
    spooled: int | None = None
    quarantined: int | None = None
    damage: str | None = None
    selected_intent: str | None = None
    # None where the registry cannot be read, which `registry_error` explains
    intents: list[dict[str, Any]] | None = None
    registry_error: str | None = None
    open_sessions: Sequence[dict[str, Any]] = ()
    recent_writes: Sequence[dict[str, Any]] = ()
    # how many files and lines that agents wrote are not committed
    uncommitted: dict[str, int] | None = None


def status(repository: Repository, until: Cut | None = None) -> Status:
    """Return the status of a repository now, or as its ledger had it at an earlier moment."""
    from linetrail.projections.tables.answers import remembering  # whoever only completes a command needs none of it

    digest = Ledger(repository).digest()  # before the tables are opened: what is recorded meanwhile makes it another
    with open_tables(repository, until=until) as tables:
        with remembering(repository, tables):
            found = summary(repository, tables, until)
            moment = found.last_event_at if until else datetime.now(UTC).replace(tzinfo=None)
            end = tables.parts[-1].head.seq
            sessions = open_sessions(tables, moment)
            writes = list(_latest(tables, statement("status_writes"), end, WRITES).mappings())
            paths = [] if until else _written_by_agents(tables, _uncommitted(repository))
        return found._replace(
            open_sessions=sessions,
            recent_writes=writes,
            uncommitted=None if until else _agent_lines(repository, digest, tables, paths),
        )


def summary(repository: Repository, tables: Tables, until: Cut | None = None) -> Status:
    """Return what a status says of the ledger and of the intents, for which no file of the work tree is looked at."""
    [(events, last_at)] = tables.ask(statement("status_last")).rows
    around = _then(tables) if until else _now(repository, tables)
    return around._replace(events=events, last_event_at=last_at, ledger_head=tables.parts[-1].head.digest)


def _latest(tables: Tables, sql: str, ends_at: int, wanted: int) -> Table:
    """Return the last rows: search the end of the ledger first, and all of it when that has too few."""
    found = tables.ask(sql, {"after": ends_at - NEAR, "limit": wanted})
    return found if len(found.rows) == wanted else tables.ask(sql, {"after": 0, "limit": wanted})


def open_sessions(tables: Tables, at: datetime | None) -> list[dict[str, Any]]:
    """Return the sessions that were open at a moment, in UTC without a zone: those that did something last first."""
    if at is None:
        return []
    since = at - OPEN_FOR
    # asked from the beginning of a day on, the answer is the same all day long
    heard = tables.ask(statement("status_at_work"), {"since": datetime.combine(since, time.min)}).rows
    sessions = [session for session, last in heard if last >= since]
    return list(tables.ask(statement("status_open"), {"asked": sessions}).mappings()) if sessions else []


def _now(repository: Repository, tables: Tables) -> Status:
    """Return what is known beside the ledger: spooled events and the registry of intents."""
    from linetrail.queries.doctor.integrity import damage

    intents, problem = _intents(repository, tables)
    return Status(
        spooled=_count(repository, SPOOL),
        quarantined=_count(repository, QUARANTINE),
        damage=damage(repository),
        selected_intent=selection.read(repository, selection.shell_session()),
        intents=intents,
        registry_error=problem,
    )


def _then(tables: Tables) -> Status:
    """Return what the ledger alone knows of that: the intents that it has recorded."""
    return Status(
        intents=[intent for intent in tables.ask(statement("status_told")).mappings() if intent["status"] not in CLOSED]
    )


def _intents(repository: Repository, tables: Tables) -> tuple[list[dict[str, Any]] | None, str | None]:
    """Return the open intents, or None and the reason why the registry cannot be read."""
    try:
        found = [intent for intent in registry_file.read(repository) if not intent.closed]
    except IntentError as error:
        return None, str(error)
    reached = progress(tables, [intent for intent in found if intent.checks])
    about = ({"intent_id": intent.id, "name": intent.name, "status": intent.status} for intent in found)
    return [
        one | {"criteria": counts(reached[one["intent_id"]]) if one["intent_id"] in reached else None} for one in about
    ], None


def _uncommitted(repository: Repository) -> list[str]:
    """Return the stored paths of the files that have uncommitted changes."""
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--", ".", f":!{FOLDER}")
    listed = git(repository, *asked) or b""
    entries = [entry for entry in listed.split(b"\0") if len(entry) > 3]
    return [stored_path(os.fsdecode(entry[3:])) for entry in entries if b"D" not in entry[:2]]


def _written_by_agents(tables: Tables, paths: Sequence[str]) -> list[str]:
    return sorted(path for (path,) in tables.ask(statement("status_written"), {"paths": list(paths)}).rows)


def _agent_lines(repository: Repository, digest: str, tables: Tables, paths: Sequence[str]) -> dict[str, int]:
    """Count the lines that agents wrote into these uncommitted files; of those beyond MAX_FILES, count the files."""
    settings = _without_init(repository, paths)
    paths = [path for path in paths if path not in settings or settings[path] != _committed(repository, path)]
    lines = _not_committed(repository, digest, tables, {path: settings.get(path) for path in paths[:MAX_FILES]})
    return {"files": len(paths), "agent_lines": lines, "files_left_out": len(paths[MAX_FILES:])}


def _without_init(repository: Repository, paths: Sequence[str]) -> dict[str, bytes | None]:
    """Return those files that `init` wrote to, without what it wrote; None for a file that it created."""
    written = record.load(os.path.join(repository.folder, record.FILE))
    if written.keys().isdisjoint(map(file_path, paths)):
        return {}
    from linetrail.queries.setup import agent_hooks, place  # what is known of every agent
    from linetrail.queries.setup.steps import KEEP

    here = place.project(repository)
    steps = {repository.relative(step.path): step for step in agent_hooks.plan_undo(here, written)}
    return {path: steps[path].content for path in paths if path in steps and steps[path].action != KEEP}


def _committed(repository: Repository, path: str) -> bytes | None:
    return git(repository, "cat-file", "blob", f"HEAD:{file_path(path)}")


def _not_committed(repository: Repository, digest: str, tables: Tables, contents: Mapping[str, bytes | None]) -> int:
    """Count the lines of these files that agents wrote and no commit has; None stands for what is in the worktree."""
    if not contents:
        return 0
    from linetrail.projections.blame.blame import Blamer, Opened
    from linetrail.projections.git import target

    lines = 0
    with Blamer(repository, opened=Opened(digest, tables), whole=False) as blamer:
        for path, content in contents.items():
            with contextlib.suppress(target.TargetError):
                found = target.in_worktree(repository, path)
                answer = blamer.answer(found if content is None else found._replace(content=content))
                lines += sum(by.contributor_type == "ai" and by.vcs_revision is None for by in answer.attributions)
    return lines


def _count(repository: Repository, folder: str) -> int:
    try:
        return len(os.listdir(os.path.join(repository.folder, folder)))
    except OSError:
        return 0
