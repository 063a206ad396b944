"""What `linetrail init` changes in a project, and how all of it is taken back.

First everything is planned, then it is carried out, so that trouble found while planning has changed nothing. Into
``state/init.json`` goes how the settings files looked before. Without it (a fresh clone) undoing still removes our
hooks, and the containers that hold nothing else.
"""

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from linetrail.ledger.errors import LinetrailError, StorageError
from linetrail.ledger.files import PRIVATE_FILE, PRIVATE_FOLDER, publish
from linetrail.ledger.policy import SHARED as CONFIG
from linetrail.ledger.repository import Repository
from linetrail.ledger.store import QUARANTINE, SPOOL, TAIL
from linetrail.queries import enforcement, settings

CREATE, UPDATE, REMOVE, KEEP = "create", "update", "remove", "keep"
RECORD = os.path.join("state", "init.json")
# What may never be deleted, whatever is undone.
LEDGER = (TAIL, SPOOL, QUARANTINE, "segments")
NEW_FILE_MODE = 0o644
# Where `uvx` runs from: a cache that may be cleaned at any time.
_UVX = re.compile(r"[/\\]archive-v\d+[/\\]")

# settings file -> how it was before, and whether the file and its folder were there at all; CONFIG -> its text before
Record = dict[str, dict[str, Any]]

TEMPLATES = {
    ".gitignore": """\
# What linetrail keeps on this machine. Everything else in this folder belongs in git.
/agent_trace.jsonl*
/objects/
/cache/
/state/
/spool/
/quarantine/
/config.local.yaml
""",
    ".gitattributes": """\
# Sealed bytes stay as they are. What is generated never stops a merge; `linetrail rebuild` makes it anew.
/segments/*.jsonl -text -diff linguist-generated
/checkpoint -text -merge
/intent_map.md merge=union linguist-generated
/AGENT.md merge=union
/TODO.md merge=union
""",
    "active_intents.yaml": """\
# What is being worked on, and where. `linetrail select INT-001` says which intent the next changes belong to.
#
# active_intents:
#   - id: INT-001
#     name: Round invoice totals to cents
#     status: IN_PROGRESS        # DRAFT, IN_PROGRESS, BLOCKED, DONE or ABORTED
#     owned_scope:               # files that belong to it; ** is any number of folders
#       - src/billing/**
#       - tests/billing/**
active_intents: []
""",
}


class HookMissingError(LinetrailError):
    """The command that agents call is not where it could be installed from."""

    hint = "pip install linetrail"


@dataclass(frozen=True)
class Step:
    """One thing to do. A path that ends in a separator is a folder; what has no content is made, or removed."""

    action: str
    path: str
    note: str
    content: bytes | None = None
    mode: int = NEW_FILE_MODE


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
    """Tell whether a hook is in an environment that was made for one command and may be gone tomorrow.

    >>> is_passing("/home/me/.cache/uv/archive-v0/Yenwn/bin/linetrail-hook")
    True
    """
    return _UVX.search(path) is not None


def plan(repository: Repository, agents: Iterable[str], hook: str, mode: str | None = None) -> list[Step]:
    """Say what is missing for linetrail to work here with these agents; what is there already is kept.

    With a `mode` it is what refusals do from now on; without one that stays as it was.
    """
    folder = list(_plan_folder(repository))
    known = _load(repository)
    config, text, record = _plan_config(repository, mode, known)
    steps: list[Step] = []
    for agent in agents:
        found, record = _plan_agent(repository, agent, hook, enforcement.wanted(repository, text), record)
        steps += found
    noted = [] if record == known else [_note(repository, record)]
    return [*folder, config, *noted, *steps]


def plan_undo(repository: Repository) -> list[Step]:
    """Say how everything that `plan` made is removed; the ledger, and what a person changed, is kept."""
    record = _load(repository)
    steps: list[Step] = []
    for agent in settings.FILES:
        steps += _undo_agent(repository, agent, record)
    return [*steps, *_undo_config(repository, record), *_undo_folder(repository)]


def carry_out(steps: Sequence[Step]) -> None:
    """Do what was planned, in order."""
    for step in steps:
        try:
            _do(step)
        except OSError as error:
            raise StorageError(f"cannot {step.action} {step.path}: {error.strerror}") from error


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


def _plan_folder(repository: Repository) -> Iterator[Step]:
    folder = os.path.join(repository.folder, "")
    if os.path.lexists(repository.folder) and (os.path.islink(repository.folder) or not os.path.isdir(folder)):
        raise StorageError(f"{repository.folder} is in the way: it is not a folder")
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


def _plan_agent(
    repository: Repository, agent: str, hook: str, enforced: str, record: Record
) -> tuple[list[Step], Record]:
    """Plan the hooks of one agent, and return the record with how its settings file looked before."""
    name = settings.FILES[agent]
    path = os.path.join(repository.root, name)
    before = settings.read(path)
    after, containers = settings.install(before or settings.NEW_FILE, agent, hook, enforced)
    if after == before:
        return [Step(KEEP, path, f"has the hooks of {agent} already")], record
    folder = os.path.join(os.path.dirname(path), "")
    made = [] if os.path.isdir(folder) else [Step(CREATE, folder, f"settings of {agent}", mode=0o755)]
    action = CREATE if before is None else UPDATE
    known = record.get(name) or {"folder": bool(made), "file": before is None, "containers": {}}
    entry = known | {"containers": containers | known["containers"]}
    return [*made, Step(action, path, f"hooks of {agent}", after.encode(), mode(path))], record | {name: entry}


def _note(repository: Repository, record: Record) -> Step:
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    return Step(CREATE, os.path.join(repository.folder, RECORD), "how it was before", text.encode(), PRIVATE_FILE)


def _undo_agent(repository: Repository, agent: str, record: Record) -> Iterator[Step]:
    name = settings.FILES[agent]
    path = os.path.join(repository.root, name)
    before = settings.read(path)
    if before is None:
        return
    known = record.get(name, {})
    after = settings.uninstall(before, agent, known.get("containers", {}))
    if after == before:
        return
    if known.get("file") and after == settings.NEW_FILE:
        yield Step(REMOVE, path, f"held nothing but the hooks of {agent}")
        if known.get("folder") and os.listdir(os.path.dirname(path)) == [os.path.basename(path)]:
            yield Step(REMOVE, os.path.join(os.path.dirname(path), ""), "was made for them")
    else:
        yield Step(UPDATE, path, f"without the hooks of {agent}", after.encode(), mode(path))


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


def _load(repository: Repository) -> Record:
    """Return the record of earlier runs; a damaged one counts as none."""
    try:
        with open(os.path.join(repository.folder, RECORD), encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def mode(path: str) -> int:
    """Return the permissions of a file, or those a new one gets."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return NEW_FILE_MODE


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _empty_without(folder: str, names: set[str]) -> bool:
    return os.path.isdir(folder) and not set(os.listdir(folder)) - names
