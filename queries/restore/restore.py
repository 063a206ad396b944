"""Return to a recovery point: mark the current state first, then replace file after file."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from linetrail.ledger.errors import LinetrailError, StorageError
from linetrail.ledger.event.event import Event, new_id
from linetrail.ledger.files import PRIVATE_FILE, publish, sync_folder
from linetrail.ledger.intents import selection
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import groups, transition
from linetrail.ledger.observe.states import Slot, States, sight_of
from linetrail.ledger.repository import Repository, head
from linetrail.queries.record.author import current_author, event_by
from linetrail.queries.restore.plan import Step
from linetrail.queries.restore.recovery_point import Point, capture_of, mark

_NEW_FILE, _EXECUTABLE = 0o666, 0o111


class ChangedMeanwhileError(LinetrailError):
    """A file changed after the plan was made; it is left as it is."""

    hint = "look again: linetrail restore --dry-run POINT"
    exit_status = 1


def apply(repository: Repository, point: Point, steps: Sequence[Step]) -> Point:
    """Carry out the steps, and return the point that leads back to the state before.

    Each file is replaced whole or not at all. Where one cannot be, those before it are done and recorded.
    """
    states = States(repository)
    with states.hold_all():
        before = capture_of(repository, f"before {point.name}", [step.path for step in steps])
        before = before._replace(reason=f"before restore of {point.id}")
        _refuse_changed(steps, before)
        mark(repository, before)
        done: list[Step] = []
        try:
            for step in steps:
                _take(repository, states, step)
                done.append(step)
        finally:
            _record(repository, states, done)
    return before


def _refuse_changed(steps: Sequence[Step], before: Point) -> None:
    """Raise before anything is changed if a file differs from the plan or could not be stored."""
    for step, now in zip(steps, before.entries, strict=True):
        planned = step.before.hash if step.before else None
        if (now.hash or "") != planned:
            raise ChangedMeanwhileError(f"{step.path} changed while the way back was worked out")
        if now.omitted:
            raise ChangedMeanwhileError(f"what {step.path} holds now cannot be kept: {now.omitted}")


def _take(repository: Repository, states: States, step: Step) -> None:
    sight = states.look(step.path)
    if sight is None or step.before is None or sight.hash != step.before.hash:
        raise ChangedMeanwhileError(f"{step.path} changed while it was about to be replaced; it is left as it is")
    path = repository.absolute(step.path)
    try:
        if step.after is None:
            os.unlink(path)
            sync_folder(os.path.dirname(path))
            _remove_empty(repository, os.path.dirname(path))
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            mode = _mode(path, executable=step.executable)
            publish(path, step.after, durable=True, mode=mode, aside=os.path.join(repository.folder, "state"))
    except OSError as error:
        raise StorageError(f"cannot write {step.path}: {error.strerror}; it is as it was") from None


def _mode(path: str, *, executable: bool | None) -> int:
    """Return the mode for a restored file: that of the file there or of a new one, executable as marked."""
    try:
        mode = os.lstat(path).st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        mode = _NEW_FILE & ~mask
    if executable is None:
        return mode
    readable = (mode & 0o444) >> 2
    return mode | readable if executable else mode & ~_EXECUTABLE or PRIVATE_FILE


def _remove_empty(repository: Repository, folder: str) -> None:
    """Remove empty folders upwards, which git does not know."""
    with suppress(OSError):
        while folder.startswith(repository.root + os.sep):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _record(repository: Repository, states: States, done: Sequence[Step]) -> None:
    """Record the change of each file and remember its state, so that no hook reports it as unobserved."""
    events = list(_events(repository, done))
    if events:
        Ledger(repository).append(events, fresh=True)
    for step in done:
        slot: Slot = states.slot(step.path)
        sight = states.look(step.path) or sight_of(step.after)
        slot.state = slot.state._replace(
            recorded=sight.hash, noted=sight.hash, size=sight.size, mtime_ns=sight.mtime_ns, noted_ns=time.time_ns()
        )
        slot.save()


def _events(repository: Repository, done: Sequence[Step]) -> Iterator[Event]:
    now_ns, who, vcs = time.time_ns(), current_author(repository), head(repository)
    entries = [
        entry
        for step in done
        if step.before is not None and step.before.content != step.after
        for entry in transition(step.path, step.before.content, step.after)
    ]
    for group in groups(entries):
        told = {"tool_name": "linetrail restore", "via": "shell" if who.agent else "human", "files": group}
        about = selection.read(repository, who.session_id)
        yield event_by(who, "mutation.observed", told, event_id=new_id(now_ns), now_ns=now_ns, intent_id=about, vcs=vcs)
