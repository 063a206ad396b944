"""Histories that nobody's hooks saw: sessions are written as transcripts, and a part of them is imported afterwards.

Sessions and git go by one clock, that of the story, which moves with each thing that happens: so the transcripts and
the dates of commits agree about what came first.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import Blamer
from linetrail.projections.git.target import in_worktree
from linetrail.projections.lines.attribution import Attribution
from linetrail.queries.cli import main
from tests.queries.conftest import Transcript
from tests.simulation.choice import tells
from tests.simulation.model import Line
from tests.simulation.play import History, play
from tests.simulation.world import PEOPLE, World

# 2026-01-05T10:00:00Z; what an agent asks for and the answer take a few seconds.
BEGINNING, STEP = 1_767_607_200, 3
WRITERS = frozenset({"Write", "Edit"})


class Call(NamedTuple):
    """A tool call that was answered at this time."""

    session: str
    time: int
    tool: str
    given: Mapping[str, Any]
    response: Mapping[str, Any]

    @property
    def added(self) -> Counter[str]:
        """Return the lines that a write put into its file, which the file did not have so often before."""
        if self.tool not in WRITERS:
            return Counter()
        before = self.response.get("originalFile") or ""
        if self.tool == "Write":
            after = self.given["content"]
        else:
            after = before.replace(self.given["old_string"], self.given["new_string"], 1)
        return Counter(after.split("\n")) - Counter(before.split("\n"))


class Partial(NamedTuple):
    """What becomes of transcripts and history before anybody asks; shares are in percent.

    `dropped` calls are not in the transcripts, `baseless` ones do not say what the file held before. `order` shuffles
    the halves of all transcripts, `rewritten` commits are made again afterwards, each `squashed` one with the next.
    """

    dropped: int = 0
    baseless: int = 0
    order: int = 0
    rewritten: int = 0
    squashed: int = 0


class Stenographer:
    """Hears what hooks are told, and keeps the clock of the story."""

    def __init__(self) -> None:
        """Begin with nothing heard."""
        self.now = BEGINNING
        self.calls: list[Call] = []

    def clock(self) -> int:
        """Return the time, which is later each time."""
        self.now += STEP
        return self.now

    def hear(self, payload: bytes, _cwd: str) -> None:
        """Remember a call that has ended."""
        said, time = json.loads(payload), self.clock()
        if said["hook_event_name"] == "PostToolUse":
            call = Call(said["session_id"], time, said["tool_name"], said["tool_input"], said["tool_response"])
            self.calls.append(call)


class CommittedLine(NamedTuple):
    """A line of a work tree whose commit git names: the answer of blame, and when that commit was made."""

    place: str
    line: Line
    answer: Attribution
    committed: int
    # the one session that put this text here between the commit before and this one, where its call was imported
    proved: str | None


class Imported(NamedTuple):
    """What blame says of each committed line after the import."""

    story: Sequence[str]
    lines: Sequence[CommittedLine]

    @property
    def impossible(self) -> list[str]:
        """Return the lines that are said to be written after the commit that git names for them."""
        return [
            f"{one.place} {one.line.text!r} by {by.session_id}, {by.evidence}, of {by.written_at}"
            for one in self.lines
            if (by := one.answer).session_id is not None and _seconds(by.written_at or "") > one.committed
        ]

    @property
    def proved(self) -> list[CommittedLine]:
        """Return the lines whose session a transcript proves."""
        return [one for one in self.lines if one.proved is not None]


def imported(history: History, partial: Partial, folder: Path) -> Imported:
    """Play a history without hooks, import a part of its transcripts, and ask who wrote what."""
    heard = Stenographer()
    world = play(history, folder, heard.hear, heard.clock)
    world.clean(PEOPLE[0])
    spans = dict(_spans(world))
    if partial.rewritten:
        spans = _rewrite(world, partial, spans)
    chance = random.Random(f"partial {partial}")
    kept = [call for call in heard.calls if chance.randrange(100) >= partial.dropped]
    baseless = {at for at in range(len(kept)) if chance.randrange(100) < partial.baseless}
    files = _saved(kept, baseless, folder, str(world.root))
    random.Random(partial.order).shuffle(files)
    for file in files:
        assert main(["-C", str(world.root), "import", "claude-code", str(file), "--json"]) == 0
    proving = {id(call) for at, call in enumerate(kept) if at not in baseless and "originalFile" in call.response}
    return Imported(world.story, list(_lines(world, heard.calls, proving, spans)))


def _saved(calls: Sequence[Call], baseless: set[int], folder: Path, root: str) -> list[Path]:
    """Write two files for each session, one for each half of it."""
    talks: dict[str, Transcript] = {}
    for at, call in enumerate(calls):
        talk = talks.setdefault(call.session, Transcript(call.session, root, 0))
        talk.now = datetime.fromtimestamp(call.time - 2, UTC)
        unknown = {"originalFile": None, "structuredPatch": []} if at in baseless and call.tool in WRITERS else {}
        talk.result(talk.call(call.tool, call.given), toolUseResult={**call.response, **unknown})
    files = []
    for name, talk in talks.items():
        middle = len(talk.lines) // 4 * 2
        for half, lines in enumerate((talk.lines[:middle], talk.lines[middle:])):
            files.append(talk.save(folder / f"{name}-{half}.jsonl", lines))
    return files


def _spans(world: World) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each commit with the time of its last parent and its own."""
    told = world.git("log", "--format=%H %ct %P", "HEAD") or ""
    rows = [row.split() for row in told.splitlines()]
    times = {revision: int(time) for revision, time, *_ in rows}
    for revision, time, *parents in rows:
        yield revision, (max((times[parent] for parent in parents), default=0), int(time))


def _rewrite(world: World, partial: Partial, spans: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Make the last commits again, as a rebase does, and return the spans with those of the new ones."""
    chance = random.Random(f"rewrite {partial}")
    rows = (world.git("rev-list", "--topo-order", "--parents", "--reverse", "HEAD") or "").splitlines()
    commits = [row.split() for row in rows]
    first = len(commits) * (100 - partial.rewritten) // 100
    squashed = {
        old[0]
        for old, new in pairwise(commits)
        if new[1:] == old[:1] and len(old) == 2 and chance.randrange(100) < partial.squashed
    }
    made: dict[str, str] = {}
    # since when a commit that went into the next one was at work
    begun: dict[str, int] = {}
    found = dict(spans)
    for revision, *parents in commits[first:]:
        new_parents = list(dict.fromkeys(made.get(parent, parent) for parent in parents))
        if revision in squashed:
            made[revision] = new_parents[0]
            begun[revision] = begun.get(parents[0], spans[revision][0])
            continue
        options = [word for parent in new_parents for word in ("-p", parent)]
        new = world.git("commit-tree", f"{revision}^{{tree}}", *options, "-m", "change")
        assert new is not None
        made[revision] = new
        since, until = spans[revision]
        found[new] = (begun.get(parents[0], since) if parents else since, until)
    world.git("reset", "--quiet", "--soft", made.get(commits[-1][0], commits[-1][0]))
    return found


def _lines(
    world: World, calls: Sequence[Call], proving: set[int], spans: Mapping[str, tuple[int, int]]
) -> Iterator[CommittedLine]:
    repository = find(str(world.root))
    paths = [path for path, file in sorted(world.files.items()) if file.lines]
    with Blamer(repository) as blamer:
        answers = list(blamer.answers([in_worktree(repository, path) for path in paths]))
    for path, answer in zip(paths, answers, strict=True):
        writes = [call for call in calls if call.tool in WRITERS and call.given["file_path"] == str(world.root / path)]
        told = world.git("blame", "-w", "--porcelain", "--", path) or ""
        named = [row.split()[0] for row in told.splitlines() if _is_heading(row)]
        times = dict(zip(*[iter(_times(told))] * 2, strict=True))
        rows = zip(world.files[path].lines, answer.attributions, named, strict=True)
        for at, (line, by, revision) in enumerate(rows, 1):
            since, until = spans[revision]
            writers = [call for call in writes if since < call.time <= until and call.added[line.text]]
            proved = {call.session for call in writers} if all(id(call) in proving for call in writers) else set()
            # whoever only broke or indented a line anew did not write it
            authors = {name for name in proved if f"ai:{name}" in line.authors}
            one = next(iter(authors), None) if len(proved) == 1 and tells(line) else None
            yield CommittedLine(f"{path}:{at}", line, by, int(times[revision]), one)


def _is_heading(row: str) -> bool:
    words = row.split(" ")
    return not row.startswith("\t") and len(words[0]) == 40 and words[1].isdecimal()


def _times(told: str) -> Iterator[str]:
    """Yield each commit that git names, and then when it was made."""
    for row in told.splitlines():
        if _is_heading(row):
            revision = row.split()[0]
        elif row.startswith("committer-time "):
            yield revision
            yield row.split()[1]


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())
