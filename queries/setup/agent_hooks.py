"""Our hooks in the settings of agents: which are there, what puts them there, and what takes all of it out again.

How a file looked before goes into a record. Without the record (a fresh clone) undoing still removes our entries, and
what holds nothing else; a file is removed without one only where its name says that it is ours.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from linetrail.ledger.adapters.agent import Agent
from linetrail.ledger.adapters.catalogue import CATALOGUE, lenders
from linetrail.ledger.gate.settings import MODES, OBSERVE
from linetrail.queries.setup import commands, entries, own_files, settings
from linetrail.queries.setup.place import Place, is_own
from linetrail.queries.setup.record import Record
from linetrail.queries.setup.settings import COMMAND, SettingsError
from linetrail.queries.setup.steps import (
    CREATE,
    KEEP,
    REMOVE,
    UPDATE,
    Step,
    mode,
    once,
    plan_empty_folders,
    plan_folders,
)

MADE = "was made for them"
# where in the record stands what the record itself is in
OWN = "record"


def plan(place: Place, names: Iterable[str], hook: str, enforced: str, record: Record) -> tuple[list[Step], Record]:
    """Plan the hooks of these agents, and return the record with how their settings looked before."""
    steps: list[Step] = []
    wanted = list(names)
    borrowed = {lender for name in wanted for lender in CATALOGUE[name].borrows}
    calling = {name for name in borrowed if name in wanted or _is_here(place, name)}
    for rows in place.groups(wanted):
        whose = ", ".join(row.name for row in rows)
        if is_own(rows[0]):
            found, record = _plan_own(place, rows[0], hook, enforced, record)
        else:
            for lender in lenders(rows[0], calling):
                whose += f"; what it also calls for {lender.name} is recorded once"
            found, record = _plan_documents(place, rows[0], whose, hook, enforced, record)
        steps += found
    return once(steps), record


def plan_undo(place: Place, record: Record, before: Sequence[Step] = ()) -> list[Step]:
    """Plan the removal of everything that `plan` made; `before` are the steps that run first."""
    steps: list[Step] = []
    folders: set[str] = set()
    for rows in place.groups(CATALOGUE):
        whose = ", ".join(row.name for row in rows)
        undo = _undo_own if is_own(rows[0]) else _undo_documents
        for step in undo(place, rows[0], whose, record):
            steps.append(step)
            if step.action == REMOVE:
                folders |= _made_for(place, step.path, record.get(place.key(step.path)))
    return [*steps, *plan_empty_folders(folders, [*before, *steps], MADE)]


def made_folders(entry: Mapping[str, Any]) -> list[str]:
    """Return the folders that a record says we made."""
    found = entry.get("folders")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _plan_documents(
    place: Place, row: Agent, whose: str, hook: str, enforced: str, record: Record
) -> tuple[list[Step], Record]:
    steps: list[Step] = []
    for path in place.documents(row):
        before = settings.read(path, place.above(path))
        text = entries.new_file(row) if before is None else before
        try:
            after, containers = entries.install(text, row, hook, enforced, user=place.user)
        except SettingsError as error:
            raise SettingsError(f"{path}: {error}") from None
        if after == before:
            steps.append(Step(KEEP, path, f"has them already: hooks of {whose}"))
            continue
        made = list(plan_folders(path, f"settings of {row.name}"))
        action = CREATE if before is None else UPDATE
        steps += [*made, Step(action, path, f"hooks of {whose}", after.encode(), mode(path))]
        known = record.get(place.key(path)) or _new_entry(place, made, is_new=before is None)
        record = record | {place.key(path): known | {"containers": containers | _containers(known)}}
    return steps, record


def _plan_own(place: Place, row: Agent, hook: str, enforced: str, record: Record) -> tuple[list[Step], Record]:
    steps: list[Step] = []
    folders: list[Step] = []
    for file in own_files.files(place.path(row.file), row, hook, enforced, user=place.user):
        before = settings.read_text(file.path, place.above(file.path))
        if before == file.text and mode(file.path) & 0o111 == file.mode & 0o111:
            steps.append(Step(KEEP, file.path, f"calls the hook of {row.name} already"))
            continue
        known = record.get(place.key(file.path))
        if before is not None and not _may_replace(before, row, known):
            message = f"{file.path} is there already, and is not ours as it is"
            raise SettingsError(f"{message}; let it call `{hook} {row.argument}`, or put it elsewhere")
        folders = folders or list(plan_folders(file.path, f"hooks of {row.name}"))
        entry = (known or _new_entry(place, folders, is_new=True)) | {"sha256": _digest(file.text)}
        record = record | {place.key(file.path): entry}
        steps.append(
            Step(CREATE if before is None else UPDATE, file.path, f"hook of {row.name}", file.text.encode(), file.mode)
        )
    return [*folders, *steps], record


def _undo_documents(place: Place, row: Agent, whose: str, record: Record) -> Iterator[Step]:
    for path, before in documents(place, row):
        known = record.get(place.key(path))
        after = entries.uninstall(before, row, _containers(known or {}))
        if after == before:
            continue
        ours = known.get("file") is True if known is not None else os.path.basename(path).startswith("linetrail.")
        if ours and after == entries.new_file(row):
            yield Step(REMOVE, path, f"held nothing but the hooks of {whose}")
        else:
            yield Step(UPDATE, path, f"without the hooks of {whose}", after.encode(), mode(path))


def _undo_own(place: Place, row: Agent, whose: str, record: Record) -> Iterator[Step]:
    for path in own_files.paths(place.path(row.file), row):
        if not os.path.isfile(path) or not names_hook(path):
            continue
        try:
            text = settings.read_text(path, place.above(path)) or ""
        except SettingsError:
            text = ""  # what cannot be edited was not made by us
        if _was_written_by_us(text, row, record.get(place.key(path))):
            yield Step(REMOVE, path, f"hook of {whose}")
        else:
            yield Step(KEEP, path, "was changed by somebody; remove it by hand")


def _is_here(place: Place, name: str) -> bool:
    """Return whether an agent calls our hook here, as far as its settings can be read."""
    with contextlib.suppress(SettingsError):
        return is_installed(place, name)
    return False


def _may_replace(text: str, row: Agent, known: Mapping[str, Any] | None) -> bool:
    """Return whether nobody wrote into a file but us; without a record it may be of an older version."""
    return _was_written_by_us(text, row, known) or (known is None and own_files.MADE_BY in text)


def _was_written_by_us(text: str, row: Agent, known: Mapping[str, Any] | None) -> bool:
    return own_files.is_ours(text, row) or (known is not None and known.get("sha256") == _digest(text))


def _new_entry(place: Place, folders: Sequence[Step], *, is_new: bool) -> dict[str, Any]:
    return {"folders": [place.key(step.path.rstrip(os.sep)) for step in folders], "file": is_new, "containers": {}}


def _made_for(place: Place, path: str, known: Mapping[str, Any] | None) -> set[str]:
    """Return the folders that may go with a file: those we made; in a clone, those that git made for the file."""
    above = set(map(str, Path(path).parents[:-1]))
    if known is None:
        return set() if place.user else {folder for folder in above if len(folder) > len(place.base)}
    if "folders" in known:
        # Of those it names, the ones above the file: the record may have come with a clone.
        return {os.path.join(place.base, name) for name in made_folders(known)} & above
    return {os.path.dirname(path)} if known.get("folder") is True else set()  # as it was recorded before 0.2


def _containers(known: Mapping[str, Any]) -> settings.Record:
    found = known.get("containers")
    texts = found if isinstance(found, dict) else {}
    return {name: text for name, text in texts.items() if text is None or isinstance(text, str)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def agents(place: Place) -> list[str]:
    """Return the names of the agents whose settings hold entries of ours here."""
    return [name for name in CATALOGUE if is_installed(place, name)]


def is_installed(place: Place, name: str) -> bool:
    """Return whether an agent calls our hook here."""
    row = place.row(name)
    if is_own(row):
        return any(True for _ in _own(place, row))
    return any(entries.has_handlers(text, row) for _, text in documents(place, row))


def floor(place: Place) -> str:
    """Return the strictest mode that the installed hooks hold to where no settings state one."""
    told = [mode for name in CATALOGUE for mode in _floors(place, place.row(name)) if mode in MODES]
    return max(told, key=MODES.index, default=OBSERVE)


def documents(place: Place, row: Agent) -> Iterator[tuple[str, str]]:
    """Yield the settings files that may hold entries of ours, with their texts.

    One that cannot be edited, and does not name our hook either, is a person's matter alone.
    """
    for path in place.documents(row):
        try:
            text = settings.read(path, place.above(path))
        except SettingsError:
            if names_hook(path):
                raise
            continue
        if text is not None:
            yield path, text


def names_hook(path: str) -> bool:
    """Return whether our hook is named in a file, whatever else is in it."""
    try:
        with open(path, "rb") as file:
            return COMMAND.encode() in file.read()
    except OSError:
        return False


def _floors(place: Place, row: Agent) -> Iterator[str | None]:
    try:
        if is_own(row):
            yield from (own_files.called(text, row)[1] for text in _own(place, row))
            return
        for _, text in documents(place, row):
            for event in row.gates:
                yield from (commands.stated_floor(command) for _, command in entries.handlers(text, row, event))
    except SettingsError:
        return


def _own(place: Place, row: Agent) -> Iterator[str]:
    for path in own_files.paths(place.path(row.file), row):
        if not os.path.isfile(path):
            continue
        text = settings.read_text(path, place.above(path))
        if text is not None and own_files.is_ours(text, row):
            yield text
