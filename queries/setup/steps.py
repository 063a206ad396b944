"""Changes to files, planned before they are carried out, so that an error while planning changes nothing."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish

CREATE, UPDATE, REMOVE, KEEP = "create", "update", "remove", "keep"
NEW_FILE_MODE = 0o644
NEW_FOLDER_MODE = 0o755


@dataclass(frozen=True)
class Step:
    """One thing to do. A path that ends in a separator is a folder; what has no content is made, or removed."""

    action: str
    path: str
    note: str
    content: bytes | None = None
    mode: int = NEW_FILE_MODE


def carry_out(steps: Sequence[Step]) -> None:
    """Carry steps out in order; do nothing where an existing folder is not writable."""
    for step in steps:
        folder = os.path.dirname(step.path.rstrip(os.sep))
        if step.action != KEEP and os.path.isdir(folder) and not os.access(folder, os.W_OK):
            raise _refused(step, f"{folder} is not writable")
    for step in steps:
        try:
            _do(step)
        except OSError as error:
            raise _refused(step, error.strerror) from error


def mode(path: str) -> int:
    """Return the permissions of a file, or those a new one gets."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return NEW_FILE_MODE


def plan_folders(path: str, note: str) -> Iterator[Step]:
    """Plan the folders above a path that do not exist, the outermost first."""
    missing = []
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        yield Step(CREATE, os.path.join(each, ""), note, mode=NEW_FOLDER_MODE)


def once(steps: Iterable[Step]) -> list[Step]:
    """Return the steps of several plans that each make the folders they need: a folder is made once."""
    known: dict[tuple[str, str], Step] = {}
    for step in steps:
        known.setdefault((step.path, step.action), step)
    return list(known.values())


def plan_empty_folders(folders: Iterable[str], steps: Sequence[Step], note: str) -> Iterator[Step]:
    """Plan the removal of those of these folders that are empty once the steps are done, the innermost first."""
    gone = {step.path.rstrip(os.sep) for step in steps if step.action == REMOVE}
    for folder in sorted(set(folders), key=len, reverse=True):
        if os.path.isdir(folder) and not os.path.islink(folder) and {*_inside(folder)} <= gone:
            gone.add(folder)
            yield Step(REMOVE, os.path.join(folder, ""), note)


def _refused(step: Step, reason: str | None) -> StorageError:
    return StorageError(
        f"cannot {step.action} {step.path}: {reason}", "see what keeps you from writing there, then run the same again"
    )


def _inside(folder: str) -> Iterator[str]:
    return (os.path.join(folder, name) for name in os.listdir(folder))


def _do(step: Step) -> None:
    if step.action == KEEP:
        return
    if step.path.endswith(os.sep):
        if step.action == CREATE:
            os.mkdir(step.path, step.mode)
        else:
            os.rmdir(step.path)
    elif step.content is None:
        os.unlink(step.path)
    else:
        publish(step.path, step.content, durable=True, mode=step.mode)
