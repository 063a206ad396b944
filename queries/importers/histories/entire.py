"""Checkpoints of Entire: transcripts of agents, kept on a branch of the repository beside the code.

Confirmed by entireio/cli at f446dcfc: the branch and its folders by `docs/architecture/sessions-and-checkpoints.md`,
the files by `cmd/entire/cli/checkpoint/checkpoint.go`, long transcripts in parts (``full.jsonl.001``) by
`agent/chunking.go`, the names of agents by `agent/registry.go`; by the branches of that repository and of
PackmindHub/context-evaluator. Not confirmed: the names that newer versions give to Codex and Cursor, and where they
keep checkpoints that are no branch; folders are known by the files in them, wherever they are.

The transcript of a session is in each of its checkpoints, longer every time: what is recorded is not told again.
"""

import contextlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.ledger.store import Ledger
from linetrail.ledger.vcs import git
from linetrail.projections.history import Objects
from linetrail.queries.agents.agent import CLAUDE
from linetrail.queries.importers import intake
from linetrail.queries.importers.histories import codex, cursor, gemini_cli, taking
from linetrail.queries.importers.histories.calls import mapping
from linetrail.queries.importers.sink import Report
from linetrail.queries.importers.transcript import Tally

SOURCE = "entire"
_REFS = ("refs/heads/entire/checkpoints/**", "refs/remotes/*/entire/checkpoints/**", "refs/entire/checkpoints/**")
_TRANSCRIPT = re.compile(r"(.*/)?full\.jsonl(?:\.(\d{3}))?\Z")
_HEAD_BYTES = 64 * 1024
_LINE = re.compile(rb"\d+ blob ([0-9a-f]{40,64})\t(.+)", re.DOTALL)
# agent as Entire names it -> how we name it, and what its own file would be called
_AGENTS = {
    "Claude Code": (CLAUDE, ".jsonl"),
    "Gemini CLI": (gemini_cli.NAME, ".json"),
    "Codex": (codex.NAME, ".jsonl"),
    "Cursor": (cursor.NAME, ".jsonl"),
}
_OTHERS: dict[str, taking.Source] = {gemini_cli.NAME: gemini_cli, codex.NAME: codex, cursor.NAME: cursor}


class Checkpoint(NamedTuple):
    """One session in one checkpoint; `parts` are the objects that its transcript is made of, in order."""

    label: str
    parts: tuple[str, ...]
    about: str | None


def refs(repository: Repository, named: Iterable[str]) -> list[str]:
    """Return the branches of checkpoints that were named, else all; a remote's where there is none of ours."""
    wanted = list(named)
    for name in wanted:
        if name.startswith("-") or git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{tree}}") is None:
            raise UsageError(f"no checkpoints in {name}: no such branch")
    if wanted or repository.git_dir is None:
        return wanted
    found = (git(repository, "for-each-ref", "--format=%(refname)", *_REFS) or b"").decode().split("\n")
    own = [ref for ref in found if ref and not ref.startswith("refs/remotes/")]
    return own or [ref for ref in found if ref]


def take_in(
    paths: Iterable[str],
    repository: Repository,
    ledger: Ledger,
    *,
    dry_run: bool = False,
    aside: Ledger | None = None,
    thoughts: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Import the transcripts of all checkpoints on these branches."""
    tallies: list[Tally] = []
    events: Counter[str] = Counter()
    options: dict[str, Any] = {"dry_run": dry_run, "aside": aside, "thoughts": thoughts, "advance": advance}
    with contextlib.closing(Objects(repository)) as objects, tempfile.TemporaryDirectory(prefix="linetrail-") as folder:
        waiting: dict[str, dict[str, str]] = {}
        for checkpoint in _checkpoints(repository, paths):
            agent, ending = _agent(objects, checkpoint)
            if agent is None or (len(checkpoint.parts) > 1 and ending == ".json"):
                tally = Tally(checkpoint.label)
                tally.rejected["in parts that are no lines" if agent else "agent not known"] += 1
                tallies.append(tally)
                continue
            path = _written(objects, checkpoint, os.path.join(folder, agent), ending)
            waiting.setdefault(agent, {})[path] = checkpoint.label
        for agent, labels in waiting.items():
            report = _read(agent, list(labels), repository, ledger, options)
            for tally in report.tallies:
                tally.path = labels.get(tally.path, tally.path)
            tallies += report.tallies
            events += report.events
    return Report(tallies, events)


class Copy(NamedTuple):
    """A transcript of a checkpoint, written to a file: where the branch has it, and whose it is."""

    path: str
    label: str
    agent: str


def copies(repository: Repository, session_id: str, folder: str) -> list[Copy]:
    """Write the transcript of a session to a private folder, the longest that a checkpoint has; none where none has."""
    with contextlib.closing(Objects(repository)) as objects:
        found = []
        for checkpoint in _checkpoints(repository, refs(repository, ())):
            agent, ending = _agent(objects, checkpoint)
            if agent is not None and _tells_of(objects, checkpoint, session_id):
                path = _written(objects, checkpoint, os.path.join(folder, agent), ending)
                label = checkpoint.label.removeprefix("refs/heads/").removeprefix("refs/remotes/")
                found.append(Copy(path, label, agent))
        return [max(found, key=lambda copy: os.path.getsize(copy.path))] if found else []


def _tells_of(objects: Objects, checkpoint: Checkpoint, session_id: str) -> bool:
    """Return whether a checkpoint is of a session: it says so, or its transcript does where it begins."""
    begin = (objects.read(checkpoint.parts[0]) or b"")[:_HEAD_BYTES]
    return _about(objects, checkpoint).get("session_id") == session_id or session_id.encode(errors="replace") in begin


def _read(agent: str, paths: list[str], repository: Repository, ledger: Ledger, options: Mapping[str, Any]) -> Report:
    if agent == CLAUDE:
        return intake.take_in(paths, repository, ledger, **options)
    return taking.take_in(_OTHERS[agent], paths, repository, ledger, **options)


def _checkpoints(repository: Repository, branches: Iterable[str]) -> Iterator[Checkpoint]:
    """Yield the transcripts of all checkpoints; one that several checkpoints hold unchanged comes once."""
    seen: set[tuple[str, ...]] = set()
    for branch in branches:
        blobs = dict(_blobs(repository, branch))
        parts: dict[str, list[str]] = {}
        for path in sorted(blobs):
            found = _TRANSCRIPT.match(path)
            if found:
                parts.setdefault(found[1] or "", []).append(blobs[path])
        for folder, named in parts.items():
            if tuple(named) not in seen:
                seen.add(tuple(named))
                yield Checkpoint(f"{branch}:{folder}full.jsonl", tuple(named), blobs.get(f"{folder}metadata.json"))


def _blobs(repository: Repository, branch: str) -> Iterator[tuple[str, str]]:
    listing = git(repository, "ls-tree", "-r", "-z", branch) or b""
    for line in listing.split(b"\0"):
        found = _LINE.fullmatch(line)
        if found:
            yield os.fsdecode(found[2]), found[1].decode()


def _agent(objects: Objects, checkpoint: Checkpoint) -> tuple[str | None, str]:
    """Return whose transcript this is; where nobody says, one document is Gemini CLI's, and lines are Claude Code's."""
    named = _about(objects, checkpoint).get("agent")
    if named in (None, "", "Agent"):
        start, _, _ = (objects.read(checkpoint.parts[0]) or b"").partition(b"\n")
        return _AGENTS["Gemini CLI" if start.strip() == b"{" else "Claude Code"]
    return _AGENTS.get(str(named), (None, ""))


def _about(objects: Objects, checkpoint: Checkpoint) -> Mapping[str, Any]:
    try:
        return mapping(json.loads((checkpoint.about and objects.read(checkpoint.about)) or b"{}"))
    except (ValueError, RecursionError):
        return {}


def _written(objects: Objects, checkpoint: Checkpoint, folder: str, ending: str) -> str:
    """Write a transcript to a file of our own, named as the agent would."""
    place = os.path.join(folder, "chats" if ending == ".json" else checkpoint.parts[0])
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, f"session-{checkpoint.parts[0]}{ending}")
    with open(path, "wb") as file:
        file.writelines(objects.read(part) or b"" for part in checkpoint.parts)
    return path
