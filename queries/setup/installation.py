"""What `linetrail init` changes in a project, and how all of it is taken back.

First everything is planned, then it is carried out, so that trouble found while planning has changed nothing. What is
put into the settings of agents is planned in agent_hooks.py; here is the folder of the ledger.
"""

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence

from linetrail.ledger.errors import LinetrailError, UnsafeFolderError
from linetrail.ledger.files import PRIVATE_FILE, PRIVATE_FOLDER
from linetrail.ledger.gate.policy import SHARED as CONFIG
from linetrail.ledger.gate.settings import WARN
from linetrail.ledger.log.store import QUARANTINE, SPOOL, TAIL
from linetrail.ledger.repository import Repository
from linetrail.queries.setup import agent_hooks, enforcement, settings
from linetrail.queries.setup.place import Place, home, project
from linetrail.queries.setup.record import FILE as RECORD
from linetrail.queries.setup.record import Record, load
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
from linetrail.queries.setup.templates import template

# What may never be deleted, whatever is undone.
LEDGER = (TAIL, SPOOL, QUARANTINE, "segments")
# Where `uvx` runs from: a cache that may be cleaned at any time.
_UVX = re.compile(r"[/\\]archive-v\d+[/\\]")


_NAMES = (".gitignore", ".gitattributes", "active_intents.yaml")
TEMPLATES = {name: template(f"templates/{name.lstrip('.')}") for name in _NAMES}


class HookMissingError(LinetrailError):
    """The command that agents call is not where it could be installed from."""

    hint = "pip install linetrail"


def hook_path() -> str:
    """Return the absolute path of the installed `linetrail-hook`: of this environment first, else of the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), settings.COMMAND)
    path = beside if os.access(beside, os.X_OK) else shutil.which(settings.COMMAND)
    if path is None:
        raise HookMissingError(f"{settings.COMMAND} is neither beside {sys.executable} nor on the PATH")
    path = os.path.abspath(path)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise HookMissingError(f"{os.fsencode(path)!r} is not UTF-8, so no settings file can hold it") from None
    return path


def is_passing(path: str) -> bool:
    """Return whether a hook is in an environment that was made for one command and may be gone tomorrow.

    >>> is_passing("/home/me/.cache/uv/archive-v0/Yenwn/bin/linetrail-hook")
    True
    """
    return _UVX.search(path) is not None


def plan(repository: Repository, agents: Iterable[str], hook: str, mode: str | None = None) -> list[Step]:
    """Plan what is missing for linetrail to work here with these agents; what is there already is kept.

    With a `mode` it is what refusals do from now on; without one that stays as it was.
    """
    folder = list(_plan_folder(repository))
    place = project(repository)
    known = load(place.record)
    config, text, record = _plan_config(repository, mode, known)
    steps, record = agent_hooks.plan(place, agents, hook, enforcement.wanted(repository, text), record)
    return [*folder, config, *_plan_record(place, known, record), *steps]


def plan_for_user(agents: Iterable[str], hook: str) -> list[Step]:
    """Plan what is missing for these agents to call the hook in every repository, each in the mode it sets itself."""
    place = home()
    known = load(place.record)
    # Ready for a repository that judges every call: what only observes says nothing of it.
    steps, record = agent_hooks.plan(place, agents, hook, WARN, known)
    return once([*_plan_record(place, known, record), *steps])


def plan_undo(repository: Repository, before: Sequence[Step] = ()) -> list[Step]:
    """Plan the removal of everything that `plan` made; the ledger, and what a person changed, is kept."""
    place = project(repository)
    record = load(place.record)
    steps = agent_hooks.plan_undo(place, record, before)
    return [*steps, *_undo_config(repository, record), *_undo_folder(repository)]


def plan_undo_for_user() -> list[Step]:
    """Plan the removal of everything that `plan_for_user` made."""
    place = home()
    record = load(place.record)
    steps = agent_hooks.plan_undo(place, record)
    if os.path.exists(place.record):
        steps.append(Step(REMOVE, place.record, ""))
        steps += plan_empty_folders(agent_hooks.made_folders(record.get(agent_hooks.OWN, {})), steps, "")
    return steps


def _plan_folder(repository: Repository) -> Iterator[Step]:
    folder = os.path.join(repository.folder, "")
    if os.path.lexists(repository.folder) and (os.path.islink(repository.folder) or not os.path.isdir(folder)):
        raise UnsafeFolderError(f"{repository.folder} is in the way: it is not a folder")
    if not os.path.isdir(folder):
        yield Step(CREATE, folder, "the folder of the ledger", mode=PRIVATE_FOLDER)
    for name, text in TEMPLATES.items():
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            yield Step(KEEP, path, "is there already")
        else:
            yield Step(CREATE, path, "", text.encode())


def _plan_config(repository: Repository, wanted: str | None, record: Record) -> tuple[Step, str, Record]:
    """Plan what states the mode; return also what it says then, and the record with what a person had written."""
    path = os.path.join(repository.folder, CONFIG)
    before, after = enforcement.edited(repository, wanted)
    if before is None:
        return Step(CREATE, path, "", after.encode()), after, record
    if after == before:
        return Step(KEEP, path, "is there already"), after, record
    if not enforcement.is_template(before):
        record = {CONFIG: {"before": before}} | record
    return Step(UPDATE, path, f"enforce: {wanted}", after.encode(), mode(path)), after, record


def _plan_record(place: Place, known: Record, record: Record) -> list[Step]:
    """Plan that the record is written before anything that it tells of is done."""
    if record == known:
        return []
    made: list[Step] = []
    if place.user and agent_hooks.OWN not in record:
        made = list(plan_folders(place.record, "how it was before"))
        record = {agent_hooks.OWN: {"folders": [step.path.rstrip(os.sep) for step in made]}} | record
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    action = UPDATE if os.path.exists(place.record) else CREATE
    return [*made, Step(action, place.record, "how it was before", text.encode(), PRIVATE_FILE)]


def _undo_config(repository: Repository, record: Record) -> Iterator[Step]:
    """Plan to bring back what a person had written, unless it was changed since in more than its mode."""
    before = record.get(CONFIG, {}).get("before")
    with contextlib.suppress(LinetrailError):
        text = enforcement.read(repository)
        if not isinstance(before, str) or text in (None, before):
            return
        if text == enforcement.set_mode(before, enforcement.parse(text).mode):
            path = os.path.join(repository.folder, CONFIG)
            yield Step(UPDATE, path, "as it was before", before.encode(), mode(path))


def _undo_folder(repository: Repository) -> Iterator[Step]:
    """Plan to remove what init made in the folder, unless there is a ledger that needs it."""
    folder = repository.folder
    if not os.path.isdir(folder):
        return
    gone = {RECORD} if os.path.exists(os.path.join(folder, RECORD)) else set()
    if any(os.path.exists(os.path.join(folder, name)) for name in LEDGER):
        yield from (Step(REMOVE, os.path.join(folder, name), "") for name in gone)
        yield Step(KEEP, os.path.join(folder, ""), "holds a ledger, which is never deleted")
        return
    gone |= {name for name, text in TEMPLATES.items() if _text(os.path.join(folder, name)) == text}
    if enforcement.is_template(_text(os.path.join(folder, CONFIG)) or ""):
        gone.add(CONFIG)
    yield from (Step(REMOVE, os.path.join(folder, name), "") for name in sorted(gone))
    if _empty_without(os.path.join(folder, "state"), {os.path.basename(RECORD)}):
        yield Step(REMOVE, os.path.join(folder, "state", ""), "")
        gone.add("state")
    if _empty_without(folder, gone):
        yield Step(REMOVE, os.path.join(folder, ""), "")
    else:
        yield Step(KEEP, os.path.join(folder, ""), "holds files that were changed or added since")


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _empty_without(folder: str, names: set[str]) -> bool:
    return os.path.isdir(folder) and not set(os.listdir(folder)) - names
