"""Is linetrail right and fast on a real repository with a real past?

    python -m benchmarks.real CLONE [--rounds 3] [--files 60] [--asked 5] [--seed 1] [--show 0] [--import entire]

CLONE is a git clone with a ledger, for example after `linetrail init --agent none && linetrail import entire`. The
clone is only read: everything is asked of a copy, where events and commits are added and the cache is thrown away.

The first table looks for what git can disprove: `ai` lines of HEAD that are said to be written after the committer
time of the commit that git blames for that very line, in that file (`-w`), wherever it was moved from, or wherever it
is like (`-w -M -C`): git takes what is written alike for a copy, so a line was *moved* only where the one that git
names left its place in the commit that brought it here. With `--show`, so many of the first two are printed as well.
The second has processor time: what a process and all processes that it started used, in user and in system mode, in
turn with git's in the same run; medians of the rounds. Files are drawn by `--seed` from those that the ledger has
changes of. The last two lines of the table are histories made up here.

`--import SOURCE [PATH ...]` reads the same past once more, into a copy that has no ledger.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.projections.blame import PATH, make
from linetrail.ledger.event.event import Agent, Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import Vcs, find

LINETRAIL = str(Path(sys.executable).with_name("linetrail"))
# lines of the file, commits, recorded changes
MADE_UP = [(1_000, 50, 50), (10_000, 1_000, 1_000)]
# Whoever installs linetrail has its modules compiled.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CHECKPOINTS = "entire/checkpoints/v1"
# so many files of commits are kept at hand
STANDING = 256
SOMEBODY = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")


class Cost(NamedTuple):
    """What one process and those it started used."""

    processor: float
    wall: float
    megabytes: float


class Row(NamedTuple):
    """One line of the table: what was asked, what it cost each time, and what git's part of it cost."""

    name: str
    ours: Sequence[Cost]
    git: Sequence[Cost]


class Doubt(NamedTuple):
    """An `ai` line, and whether git had it before it is said to be written."""

    place: str
    evidence: str
    confidence: float
    written_at: datetime
    in_file: datetime
    moved: datetime
    anywhere: datetime


# a commit, the number of a line in it, and its file
Place = tuple[str, int, str]


class Blamed(NamedTuple):
    """A line as a commit brought it."""

    committed_at: datetime
    revision: str
    number: int
    path: str

    @property
    def place(self) -> Place:
        """What tells it from all other lines of the history."""
        return self[1:]


class Copy:
    """A copy of a clone, in which anything may happen."""

    def __init__(self, clone: Path, root: Path, *, ledger: bool = True) -> None:
        if not (clone / ".git").is_dir():
            raise SystemExit(f"{clone} has no .git folder of its own, a commit in a copy would be one in the original")
        without = None if ledger else shutil.ignore_patterns(".orchestration")
        shutil.copytree(clone, root, symlinks=True, ignore=without)
        self.root = root
        self.git("status", "--short")  # git notes that the copies are the files of its index

    def git(self, *arguments: str) -> str:
        """Return what git answers."""
        command = ["git", "-c", "core.quotePath=off", *arguments]
        done = subprocess.run(command, cwd=self.root, check=True, capture_output=True)
        return done.stdout.decode(errors="surrogateescape")

    def answer(self, *arguments: str) -> list[dict[str, Any]]:
        """Return the rows that linetrail answers with."""
        done = subprocess.run([LINETRAIL, *arguments, "--json"], cwd=self.root, check=True, capture_output=True)
        rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
        return rows

    def cost(self, *command: str) -> Cost:
        """Run a command, for which findings are an answer as well, and return what it used."""
        start = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=self.root, env=ENVIRONMENT, **quiet)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) not in {0, 1}:
            raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)

    def texts(self) -> list[str]:
        """Return the tracked files of HEAD that have lines."""
        listed = self.git("grep", "-I", "--name-only", "-z", "--full-name", "-e", "", "HEAD")
        return [name.removeprefix("HEAD:") for name in listed.split("\0") if name]

    def forget(self) -> None:
        """Throw the cache away."""
        shutil.rmtree(self.root / ".orchestration" / "cache", ignore_errors=True)

    def event(self, path: str) -> None:
        """Let an agent write one more line at the end of a file, and record it."""
        file = self.root / path
        before = file.read_bytes()
        after = before + b"one more line of an agent %d\n" % time.time_ns()
        file.write_bytes(after)
        now = time.time_ns()
        call = {"tool_call_id": f"toolu_{now}", "tool_name": "Edit", "via": "tool"}
        vcs = Vcs("git", self.git("rev-parse", "HEAD").strip(), "main")
        who = ("one-more-session", Agent("claude-code", "2.0", "anthropic/claude-model-x"), "ai", None, vcs)
        files = list(transition(path, before, after))
        event = Event(new_id(now), rfc3339(now), "mutation.observed", *who, call | {"files": files})
        Ledger(find(str(self.root))).append([event])

    def commit(self) -> None:
        """Commit what the work tree has."""
        self.git(*SOMEBODY, "commit", "--all", "--quiet", "--no-verify", "--message", "one more")


def main() -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--rounds", type=int, default=3, help="how often the times are taken; 0 for none")
    parser.add_argument("--files", type=int, default=60, help="how many files are held against git; 0 for none")
    parser.add_argument("--asked", type=int, default=5, help="how many files blame and why are timed with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="how many impossible lines are printed")
    parser.add_argument("--import", dest="source", nargs="+", metavar=("SOURCE", "PATH"))
    args = parser.parse_args()
    dice = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(args.clone, Path(folder) / "clone")
        texts = copy.texts()
        changed = {row["path"] for row in copy.answer("sql", "select distinct path from v_mutations")}
        known = sorted(changed.intersection(texts)) or texts
        asked = dice.sample(known, min(args.asked, len(known)))
        _print_doubts(_doubts(copy, dice.sample(known, min(args.files, len(known)))), args.show)
        if args.rounds:
            _print_costs(_costs(copy, texts, asked, args.rounds, dice), f"{len(texts):,} files")
    if args.source:
        _print_import(args.clone, *args.source)
    return 0


def _costs(copy: Copy, texts: Sequence[str], asked: Sequence[str], rounds: int, dice: random.Random) -> list[Row]:
    """Ask everything in turn, and again, so that load on the machine hits all alike."""
    ours: dict[str, list[Cost]] = {}
    git: dict[str, list[Cost]] = {}
    places = {path: _place(copy.root, path, dice) for path in asked}
    for _ in range(rounds):
        _add(ours, git, _all_lines(copy, texts, asked[0]))
        for path in asked:
            _add(ours, git, _one_file(copy, path, places[path]))
        _add(ours, git, _whole_ledger(copy, asked[0]))
        copy.commit()
    rows = [Row(name, costs, git.get(name, [])) for name, costs in ours.items()]
    return [*rows, *(row for size in MADE_UP for row in _made_up(*size, rounds))]


# what was asked, what it cost, and what git's part of it cost
Asked = Iterator[tuple[str, Cost, Cost | None]]


def _add(ours: dict[str, list[Cost]], git: dict[str, list[Cost]], asked: Asked) -> None:
    for name, cost, beside in asked:
        ours.setdefault(name, []).append(cost)
        if beside is not None:
            git.setdefault(name, []).append(beside)


def _all_lines(copy: Copy, texts: Sequence[str], changed: str) -> Asked:
    costs = [copy.cost("git", "blame", path) for path in texts]
    git = Cost(sum(c.processor for c in costs), sum(c.wall for c in costs), max(c.megabytes for c in costs))
    copy.forget()
    yield "all lines at HEAD (`stats`), cold", copy.cost(LINETRAIL, "stats"), git
    yield "the same, again", copy.cost(LINETRAIL, "stats"), git
    copy.event(changed)
    yield "the same, after one more event", copy.cost(LINETRAIL, "stats"), git
    copy.commit()
    yield "the same, after one more commit", copy.cost(LINETRAIL, "stats"), git


def _one_file(copy: Copy, path: str, place: str) -> Asked:
    git = copy.cost("git", "blame", path)
    copy.forget()
    yield "`blame FILE`, cold", copy.cost(LINETRAIL, "blame", path), git
    shutil.rmtree(copy.root / ".orchestration" / "cache" / "blame", ignore_errors=True)
    yield "`blame FILE`, a new answer", copy.cost(LINETRAIL, "blame", path), git
    yield "`blame FILE`, warm", copy.cost(LINETRAIL, "blame", path), git
    yield "`why FILE:LINE`, first", copy.cost(LINETRAIL, "why", place), git
    yield "`why FILE:LINE`, warm", copy.cost(LINETRAIL, "why", place), git


def _whole_ledger(copy: Copy, changed: str) -> Asked:
    copy.cost(LINETRAIL, "status")
    git = copy.cost("git", "status")
    yield "`status`, warm", copy.cost(LINETRAIL, "status"), git
    copy.event(changed)
    yield "`status`, after one event", copy.cost(LINETRAIL, "status"), git
    copy.forget()
    yield "`rebuild` from nothing", copy.cost(LINETRAIL, "rebuild"), None
    yield "`audit`, first", copy.cost(LINETRAIL, "audit"), None
    yield "`audit`, again", copy.cost(LINETRAIL, "audit"), None
    copy.event(changed)
    yield "`audit`, after one event", copy.cost(LINETRAIL, "audit"), None
    copy.event(changed)
    yield "`rebuild`, after one event", copy.cost(LINETRAIL, "rebuild"), None


def _place(root: Path, path: str, dice: random.Random) -> str:
    return f"{path}:{dice.randrange(len((root / path).read_bytes().splitlines()) or 1) + 1}"


def _made_up(lines: int, commits: int, events: int, rounds: int) -> Iterator[Row]:
    """Measure blame of a file with a made-up history."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        maker = get_context("spawn").Process(target=make, args=(made, lines, commits, events))
        maker.start()  # a process that grew hands its size down to those that it starts
        maker.join()
        copy = Copy(made, Path(folder) / "copy")
        git, cold, warm = [], [], []
        for _ in range(rounds):
            git.append(copy.cost("git", "blame", PATH))
            copy.forget()
            cold.append(copy.cost(LINETRAIL, "blame", PATH))
            warm.append(copy.cost(LINETRAIL, "blame", PATH))
    about = f"made up: {lines:,} lines, {commits:,} commits, {events:,} events"
    yield Row(f"{about}, cold", cold, git)
    yield Row(f"{about}, warm", warm, git)


def _doubts(copy: Copy, paths: Sequence[str]) -> Iterator[Doubt]:
    """Yield every `ai` line of these files as HEAD has them, with when git has it."""
    standing = lru_cache(STANDING)(lambda revision, path: _standing(copy, revision, path))
    for path in paths:
        rows = [row for row in copy.answer("blame", "--rev", "HEAD", path) if row["contributor_type"] == "ai"]
        if not rows:
            continue
        in_file, anywhere = (_blamed(copy, "HEAD", path, *flags) for flags in (["-w"], ["-w", "-M", "-C"]))
        named = Counter(line.place for line in anywhere.values())
        for row in rows:
            number, written = row["line_no"], row["written_at"]
            if written is not None:
                at = datetime.fromisoformat(written).replace(microsecond=0)
                own, other = in_file[number], anywhere[number]
                names = {own.path, other.path} if at > other.committed_at else ()
                stood = any(other.place in standing(own.revision, name) for name in names)
                moved = other if named[other.place] == 1 and not stood else own
                times = (own.committed_at, moved.committed_at, other.committed_at)
                yield Doubt(f"{path}:{number}", row["evidence"], row["confidence"], at, *times)


def _standing(copy: Copy, revision: str, path: str) -> frozenset[Place]:
    """Return the lines that stand where they were in a file of a commit; none where it has no such file."""
    has = copy.git("ls-tree", "--name-only", revision, "--", path)
    return frozenset(line.place for line in _blamed(copy, revision, path, "-w").values()) if has else frozenset()


def _blamed(copy: Copy, at: str, path: str, *flags: str) -> dict[int, Blamed]:
    """Return, for each line of a file in a commit, the line that git names for it."""
    lines: dict[int, tuple[str, int, str]] = {}
    times: dict[str, datetime] = {}
    revision, number, old = "", 0, 0
    for line in copy.git("blame", "--line-porcelain", *flags, at, "--", path).split("\n"):
        key, _, rest = line.partition(" ")
        if len(key) in {40, 64} and rest[:1].isdecimal() and not line.startswith("\t"):
            revision, (old, number) = key, map(int, rest.split()[:2])
        elif key == "committer-time":
            times[revision] = datetime.fromtimestamp(int(rest), UTC)
        elif key == "filename":
            lines[number] = (revision, old, rest)
    return {number: Blamed(times[place[0]], *place) for number, place in lines.items()}


def _print_doubts(doubts: Iterator[Doubt], show: int) -> None:
    found = list(doubts)
    columns = ("in_file", "moved", "anywhere")
    if not found:
        return
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for doubt in found:
        late = {name: int(doubt.written_at > getattr(doubt, name)) for name in columns}
        for kind in (doubt.evidence, "all"):
            counted[kind].update({"lines": 1, **late})
        if (late["in_file"] or late["moved"]) and show > 0:
            show -= 1
            print(f"{doubt.place}: {doubt.evidence} {doubt.confidence}, {doubt.written_at} after {doubt.moved}")
    print("\n| evidence | ai lines | impossible, `-w` | | moved | | like others, `-w -M -C` | |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kind in sorted(counted, key=lambda kind: (kind == "all", kind)):
        of = counted[kind]
        cells = "".join(f" {of[name]:,} | {of[name] / of['lines']:.2%} |" for name in columns)
        print(f"| {kind} | {of['lines']:,} |{cells}")


def _print_costs(rows: Sequence[Row], about: str) -> None:
    print(f"\n| {about} | git, processor ms | processor ms | most | ratio | wall ms | largest size, MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, ours, git in rows:
        processor = statistics.median(cost.processor for cost in ours)
        beside = statistics.median(cost.processor for cost in git) if git else None
        told = f"{beside * 1000:,.0f}" if beside is not None else ""
        ratio = f"{processor / beside:.1f}" if beside else ""
        most, wall = max(cost.processor for cost in ours), statistics.median(cost.wall for cost in ours)
        size = max(cost.megabytes for cost in ours)
        times = f"{processor * 1000:,.0f} | {most * 1000:,.0f} | {ratio} | {wall * 1000:,.0f}"
        print(f"| {name} | {told} | {times} | {size:,.0f} |")


def _print_import(clone: Path, source: str, *paths: str) -> None:
    """Read a past into a copy without a ledger; how much there was to read is counted here."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(clone, Path(folder) / "clone", ledger=False)
        copy.cost(LINETRAIL, "init", "--agent", "none", "--no-input")
        places = [str(Path(path).resolve()) for path in paths]
        megabytes = sum(_sizes(copy, source, places)) / 1e6
        cost = copy.cost(LINETRAIL, "import", source, *places)
    print("\n| import | MB | processor s | MB/s | wall s | largest size, MB |")
    print("|---|---:|---:|---:|---:|---:|")
    times = f"{cost.processor:.1f} | {megabytes / cost.processor:.1f} | {cost.wall:.1f}"
    print(f"| {source} | {megabytes:,.0f} | {times} | {cost.megabytes:,.0f} |")


def _sizes(copy: Copy, source: str, paths: Sequence[str]) -> Iterator[int]:
    """Yield how long each transcript is, one that many checkpoints hold once."""
    for path in paths:
        files = [path] if os.path.isfile(path) else [str(file) for file in Path(path).rglob("*")]
        yield from (os.path.getsize(file) for file in files if file.endswith(".jsonl"))
    if source == "entire" and not paths:
        listed = copy.git("ls-tree", "-r", "-l", "-z", CHECKPOINTS).split("\0")
        blobs = {tuple(entry.partition("\t")[0].split()[2:]) for entry in listed if entry.endswith(".jsonl")}
        yield from (int(size) for _, size in blobs if size.isdecimal())


if __name__ == "__main__":
    sys.exit(main())
