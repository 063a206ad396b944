"""Ask the files of agents whether they let hooks of this project run: most hooks that never fire wait for a person.

What an agent asks a person is the person's to answer: nothing here writes, and no hash is computed that an agent keeps.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.reading import Document, at, folders_above, home, read_json, read_toml, shown

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Gate(NamedTuple):
    """Whether an agent lets our hooks run; `opened` is None where its files do not say, or are known to say it late."""

    agent: str
    opened: bool | None
    message: str
    next: str | None = None


# repository, and where our handlers are: (file, event, group, place in the group)
Places = Sequence[tuple[str, str, int, int]]


def gates(agent: str, repository: Repository, places: Places) -> Iterator[Gate]:
    """Yield what an agent's own files say of the trust that our hooks need."""
    if agent in _CHECKS:
        yield from _CHECKS[agent](repository, places)


def _claude_code(repository: Repository, _: Places) -> Iterator[Gate]:
    """Look for the answer to the dialog; the file is written late, so that it never proves a `no`."""
    moved = os.environ.get("CLAUDE_CONFIG_DIR")
    document = read_json(os.path.join(moved, ".claude.json") if moved else home(".claude.json"))
    if not document.exists:
        return
    roots = _spellings(repository)
    if any(at(document.values, "projects", root, "hasTrustDialogAccepted") is True for root in roots):
        yield Gate("claude-code", opened=True, message=f"{shown(document.path)} says that this folder is trusted")
        return
    message = f"{shown(document.path)} does not say that this folder is trusted{_problem(document)}"
    yield Gate("claude-code", None, message, "start `claude` here once, and trust the folder")


def _codex(repository: Repository, places: Places) -> Iterator[Gate]:
    """Ask whether the project is trusted, then whether each of our hooks was reviewed."""
    document = read_toml(home(".codex", "config.toml"))
    told = [at(document.values, "projects", root, "trust_level") for root in _spellings(repository)]
    config = shown(document.path)
    inside = os.path.join(repository.root, "")
    if places and not any(path.startswith(inside) for path, *_ in places):
        yield from _reviews(document, places)  # a person's own need no trust in the folder
        return
    if "trusted" not in told:
        said = "is marked as untrusted" if "untrusted" in told else f"is not marked as trusted{_problem(document)}"
        advice = "start `codex` here, and trust the folder when it asks (`codex exec --trust` does the same)"
        yield Gate("codex", opened=False, message=f"this folder {said} in {config}: no hook of it runs", next=advice)
        return
    yield Gate("codex", opened=True, message=f"this folder is trusted in {config}")
    yield from _reviews(document, places)


def _reviews(document: Document, places: Places) -> Iterator[Gate]:
    """Count the hooks that a person reviewed; whether one was changed since is known to Codex alone."""
    states = [(event, _state(document, *place)) for place in places for event in [place[1]]]
    off = sorted({event for event, state in states if state and state.get("enabled") is False})
    waiting = sorted({event for event, state in states if not state or not isinstance(state.get("trusted_hash"), str)})
    if off:
        message = f"turned off in /hooks: {', '.join(off)}"
        yield Gate("codex", opened=False, message=message, next="open /hooks in Codex, and turn them on")
    if waiting:
        message = f"not reviewed yet, so they do not run: {', '.join(waiting)}"
        yield Gate("codex", opened=False, message=message, next="open /hooks in Codex, look at them, and trust them")
    if states and not off and not waiting:
        message = f"{len(states)} hooks were reviewed; /hooks in Codex shows one that was changed since"
        yield Gate("codex", opened=True, message=message)


def _state(document: Document, path: str, event: str, group: int, place: int) -> dict[str, object] | None:
    """Return what Codex keeps of one hook, by the place where the hook stands."""
    name = f"{_CAPITAL.sub('_', event).lower()}:{group}:{place}"
    found = (at(document.values, "hooks", "state", f"{file}:{name}") for file in {path, os.path.realpath(path)})
    return next((state for state in found if isinstance(state, dict)), None)


def _gemini(repository: Repository, _: Places) -> Iterator[Gate]:
    """Ask whether folders are trusted one by one at all, then whether this one is; its own rule covers those in it."""
    enabled = None
    for name in (os.path.join(repository.root, ".gemini", "settings.json"), home(".gemini", "settings.json")):
        told = at(read_json(name).values, "security", "folderTrust", "enabled")
        enabled = told if isinstance(told, bool) else enabled
    if enabled is False:
        yield Gate("gemini-cli", opened=True, message="folder trust is off, so that every folder counts as trusted")
        return
    document = read_json(os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or home(".gemini", "trustedFolders.json"))
    roots = _spellings(repository)
    around = {folder for root in roots for folder in folders_above(root)}
    trusting = any(_covered(path, rule) in around for path, rule in document.values.items())
    advice = "start `gemini` here, and choose in /permissions that the folder is trusted"
    if any(document.values.get(root) == "DO_NOT_TRUST" for root in roots):
        message = f"{shown(document.path)} says not to trust this folder: no hook runs in it"
        yield Gate("gemini-cli", opened=False, message=message, next=advice)
    elif trusting:
        yield Gate("gemini-cli", opened=True, message=f"{shown(document.path)} says that this folder is trusted")
    elif enabled or document.exists:
        message = f"{shown(document.path)} does not say that this folder is trusted{_problem(document)}"
        yield Gate("gemini-cli", False if enabled else None, message, advice)


def _covered(path: str, rule: object) -> str | None:
    """Return the folder that a rule trusts, with all in it."""
    return {"TRUST_FOLDER": path, "TRUST_PARENT": os.path.dirname(path)}.get(str(rule))


def _copilot(repository: Repository, _: Places) -> Iterator[Gate]:
    """Ask for the folders that are trusted for good; one may be trusted for a session alone."""
    document = read_json(home(".copilot", "config.json"))
    trusted: list[object] = []
    for key in ("trustedFolders", "trusted_folders"):
        told = document.values.get(key)
        trusted += told if isinstance(told, list) else []
    if any(path in trusted for root in _spellings(repository) for path in folders_above(root)):
        yield Gate("copilot-cli", opened=True, message=f"{shown(document.path)} says that this folder is trusted")
    elif document.exists:
        message = f"{shown(document.path)} does not say that this folder is trusted{_problem(document)}"
        advice = "start `copilot` here, and trust the folder for future sessions: `copilot -p` runs no hooks otherwise"
        yield Gate("copilot-cli", None, message, advice)


def _spellings(repository: Repository) -> list[str]:
    """Return the folders that an agent may mean by this repository: a linked worktree goes by the main one, too."""
    main = repository.main_folder()
    found = [repository.root, os.path.realpath(repository.root), *([os.path.dirname(main)] if main else [])]
    return list(dict.fromkeys(found))


def _problem(document: Document) -> str:
    return f" ({document.problem})" if document.problem else ""


_CHECKS: dict[str, Callable[[Repository, Places], Iterator[Gate]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini,
    "copilot-cli": _copilot,
}
