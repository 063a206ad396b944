"""Fingerprints of the files that decide what runs and what the gate sees: git's hooks and settings, agents', ours.

A call that was not proved to read is held against them, before it and after. What was changed is named in a violation,
and told to later sessions as long as it is there. What changes in daily work says nothing: branches in git's settings,
files that linetrail or an agent keeps for itself.
"""

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping

from linetrail.ledger.agents import HOOK_FILES, MIXED_FILES
from linetrail.ledger.files import open_file, publish, sha256
from linetrail.ledger.gate.policy import LOCAL, SHARED
from linetrail.ledger.paths.names import AT_ROOT, BELOW_ROOT
from linetrail.ledger.repository import FOLDER, Repository

# What is written into the folder of the ledger by every hook, and by people's commands all day.
_LIVE = frozenset(
    ("agent_trace.jsonl", "state", "cache", "spool", "objects", "quarantine", "segments", "checkpoint", "AGENT.md")
) | {"TODO.md", "intent_map.md", "active_intents.yaml", "audit_baseline.json"}
# What agents keep beside their settings, and settings that they write themselves while a call runs.
_OF_AGENTS = frozenset(
    ("worktrees", "projects", "todos", "logs", "cache", "sessions", "history", "plans", "shell-snapshots")
)
_WRITTEN_BY_AGENTS = (".local.json", ".log", ".jsonl", ".lock")
_MOST, _LARGEST = 400, 1024 * 1024
_PLANTED = os.path.join("state", "guarded_changes.json")
# What the gate goes by, relative to the worktree, and what in an agent's own settings says whether hooks run, and how.
_SETTINGS = (*(os.path.join(FOLDER, name) for name in (SHARED, LOCAL, ".intentignore")), *HOOK_FILES)
_ABOUT_HOOKS = ("hooks", "hooksConfig", "disableAllHooks", "allowManagedHooksOnly", "env")
# Sections of git's settings that branches and remotes come and go with.
_DAILY = ("branch ", "lfs", "submodule", "gui")
_SAFE_KEYS = ("fetch", "url", "name", "email", "pushurl")


def fingerprints(repository: Repository) -> dict[str, str]:
    """Return each guarded file by a hash of what in it matters; one that is not there is left out."""
    found = dict[str, str]()
    for name, path in _guarded(repository):
        if len(found) >= _MOST:
            break
        content = _content(path)
        if content is not None:
            found[name] = sha256(_settings(content) if _is_git_settings(name) else content).hexdigest()
    return found


def gate_settings(repository: Repository) -> dict[str, str]:
    """Return each file that the gate goes by, by a hash of what in it concerns the gate."""
    found = dict[str, str]()
    for path in (*_SETTINGS, *MIXED_FILES):
        content = _text(os.path.join(repository.root, path))
        told = _about_hooks(content or b"{}") if path in MIXED_FILES else content
        if told is not None:
            found[path] = sha256(told).hexdigest()
    return found


def note_changes(repository: Repository, known: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Keep which guarded files a call changed, for later sessions to be told."""
    changed = {path: now.get(path, "") for path in {*known, *now} if known.get(path) != now.get(path)}
    if changed:
        kept = {**_noted(repository), **changed}
        publish(os.path.join(repository.folder, _PLANTED), json.dumps(kept).encode(), durable=False)


def standing_changes(repository: Repository) -> list[str]:
    """Return the guarded files that are still as a call left them; those that were put right are forgotten."""
    kept = _noted(repository)
    if not kept:
        return []
    now = fingerprints(repository)
    standing = {path: digest for path, digest in kept.items() if now.get(path, "") == digest}
    if standing != kept:
        with contextlib.suppress(OSError):
            publish(os.path.join(repository.folder, _PLANTED), json.dumps(standing).encode(), durable=False)
    return sorted(standing)


def forget_changes(repository: Repository) -> None:
    """Let a person's word settle what was changed."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(repository.folder, _PLANTED))


def _noted(repository: Repository) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError), open(os.path.join(repository.folder, _PLANTED), "rb") as file:
        found = json.load(file)
        return {str(path): str(digest) for path, digest in found.items()} if isinstance(found, dict) else {}
    return {}


def _guarded(repository: Repository) -> Iterator[tuple[str, str]]:
    folders = {".git": repository.common_dir or repository.git_dir, ".git/worktree": repository.git_dir}
    for git, folder in folders.items():
        if folder is None or (git != ".git" and folder == folders[".git"]):
            continue
        for name in ("config", "config.worktree"):
            yield f"{git}/{name}", os.path.join(folder, name)
        for below in ("hooks", "info"):
            yield from _below(f"{git}/{below}", os.path.join(folder, below), levels=1)
    for name in (*AT_ROOT, *map("/".join, BELOW_ROOT)):
        path = os.path.join(repository.root, name)
        yield name, path
        levels = 0 if name == FOLDER else 2
        yield from _below(name, path, levels=levels, skipped=_LIVE if name == FOLDER else _OF_AGENTS)


def _below(name: str, folder: str, *, levels: int, skipped: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found[:_MOST]:
        if entry.name in skipped or entry.name.endswith((".sample", *_WRITTEN_BY_AGENTS)):
            continue
        if entry.is_dir(follow_symlinks=False):
            if levels:
                yield from _below(f"{name}/{entry.name}", entry.path, levels=levels - 1, skipped=skipped)
        else:
            yield f"{name}/{entry.name}", entry.path


def _content(path: str) -> bytes | None:
    """Return what a file is and holds; a link is where it points, what cannot be read is what is known of it."""
    try:
        about = os.lstat(path)
        if stat.S_ISLNK(about.st_mode):
            return b"-> " + os.fsencode(os.readlink(path))
        if not stat.S_ISREG(about.st_mode):
            return None
        runs = b"%d " % bool(about.st_mode & 0o111)
        if about.st_size > _LARGEST:
            return runs + b"%d %d" % (about.st_size, about.st_mtime_ns)
        with open(path, "rb") as file:
            return runs + file.read()
    except OSError:
        return None


def _text(path: str) -> bytes | None:
    try:
        with open_file(path) as file:
            return file.read()
    except OSError:
        return None


def _about_hooks(content: bytes) -> bytes:
    """Return the part of an agent's settings that is about hooks; all of it where it cannot be read."""
    try:
        document = json.loads(content)
        return json.dumps({key: document.get(key) for key in _ABOUT_HOOKS}, sort_keys=True).encode()
    except (ValueError, AttributeError, RecursionError):
        return content


def _is_git_settings(name: str) -> bool:
    return name.startswith(".git/") and name.rpartition("/")[2] in ("config", "config.worktree")


def _settings(content: bytes) -> bytes:
    """Return the lines of git's settings that no branch, remote or identity brings with it."""
    kept, section = list[str](), ""
    for line in content.decode(errors="replace").splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text[1:].lower()
        elif text and not section.startswith(_DAILY):
            key, _, value = text.partition("=")
            if not (key.strip().lower() in _SAFE_KEYS and "::" not in value):
                kept.append(f"{section} {text}")
    return "\n".join(kept).encode()
