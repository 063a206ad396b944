"""What `linetrail blame` costs beside `git blame` of the same file: whole processes, measured in turn in one run.

    python -m benchmarks.projections.blame path/to/linetrail [--rounds 7]

Give the `linetrail` of an environment into which the *wheel* was installed. *Cold* has no cache at all, *new answer*
has the tables but not this answer, *warm* asks the same thing again. Of the changes, two agents made four in five, a
person the rest: most of those are found by the next hook, every tenth by nobody, as when hooks were off.

The second table is about a repository of many files, all blamed in one call, against as many calls of `git blame`, one
after the other; with the largest size that linetrail had in memory.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from linetrail.ledger.event.event import Agent, Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import Vcs, find

PATH = "src/module.py"
# lines of the file, commits, recorded changes
SIZES = [(1_000, 100, 200), (10_000, 1_000, 1_000)]
# files, lines of each, commits, recorded changes
MANY = (2_000, 250, 2_000, 2_000)
FIRST = 1_760_000_000


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("linetrail", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--many-rounds", type=int, default=1, help="how often the many files are blamed")
    args = parser.parse_args()
    print("| lines | commits | changes | git blame | git blame -w | cold | new answer | warm |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder) / "repository"
            make(repository, *size)
            times = _measure(_cases(args.linetrail.resolve(), repository), args.rounds)
        print(f"| {' | '.join(f'{number:,}' for number in size)} | {' | '.join(f'{t * 1000:.0f} ms' for t in times)} |")
    print()
    print("| files | lines | commits | changes | git blame, each | linetrail, cold | ratio | again | largest size |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        _make_many(repository, *MANY)
        seconds = _measure(_cases_of_many(args.linetrail.resolve(), repository), args.many_rounds)
        largest = _largest([str(args.linetrail.resolve()), "blame", "--json", "."], repository)
    theirs, cold, warm = seconds
    files, length, commits, changes = MANY
    sizes = f"{files:,} | {files * length:,} | {commits:,} | {changes:,}"
    print(f"| {sizes} | {theirs:.1f} s | {cold:.1f} s | {cold / theirs:.2f} | {warm:.1f} s | {largest:.0f} MB |")
    return 0


def _cases_of_many(linetrail: Path, repository: Path) -> list[Callable[[], float]]:
    paths = [_path(at) for at in range(MANY[0])]
    ours = [str(linetrail), "blame", "--json", "."]

    def cold() -> float:
        shutil.rmtree(repository / ".orchestration" / "cache", ignore_errors=True)
        return _timed(ours, repository)

    return [
        lambda: sum(_timed(["git", "blame", path], repository) for path in paths),
        cold,
        lambda: _timed(ours, repository),
    ]


def _cases(linetrail: Path, repository: Path) -> list[Callable[[], float]]:
    cache = repository / ".orchestration" / "cache"
    ours = [str(linetrail), "blame", PATH]

    def after_removing(folder: Path) -> float:
        shutil.rmtree(folder, ignore_errors=True)
        return _timed(ours, repository)

    return [
        lambda: _timed(["git", "blame", PATH], repository),
        lambda: _timed(["git", "blame", "-w", PATH], repository),
        lambda: after_removing(cache),
        lambda: after_removing(cache / "blame"),
        lambda: _timed(ours, repository),
    ]


def _measure(cases: list[Callable[[], float]], rounds: int) -> list[float]:
    """Run all cases in turn, so that load on the machine hits all alike, and return the median of each."""
    times = [[case() for case in cases] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def _largest(command: list[str], repository: Path) -> float:
    """Run a command without its cache and return how much memory it took at most, in MB."""
    shutil.rmtree(repository / ".orchestration" / "cache", ignore_errors=True)
    process = subprocess.Popen(command, cwd=repository, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_maxrss / 1024


def _timed(command: list[str], folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def make(repository: Path, length: int, commits: int, changes: int) -> None:
    """Make a history in which a person and two agents take turns on one file, some changes seen and some not."""
    _start(repository)
    dice = random.Random(1)
    lines = [_line(dice) for _ in range(length)]
    stream, events = [_commit(0, {PATH: lines})], []
    for number in range(1, max(commits, changes)):
        before, lines = lines, _changed(lines, dice)
        if number < changes:
            events += _events(number, PATH, before, lines)
        if number < commits:
            stream.append(_commit(number, {PATH: lines}))
    _import(repository, stream)
    (repository / PATH).write_bytes(_content(lines))
    Ledger(find(str(repository))).append(events)


def _make_many(repository: Path, files: int, length: int, commits: int, changes: int) -> None:
    """Make a history in which each commit has changes of a few files, one of them recorded."""
    _start(repository)
    dice = random.Random(1)
    held = {_path(at): [_line(dice) for _ in range(length)] for at in range(files)}
    stream, events = [_commit(0, held)], []
    for number in range(1, max(commits, changes)):
        chosen = dice.sample(sorted(held), dice.randrange(1, 8))
        changed = {path: _changed(held[path], dice) for path in chosen}
        if number < changes:
            events += _events(number, chosen[0], held[chosen[0]], changed[chosen[0]])
        if number < commits:
            stream.append(_commit(number, changed))
        held |= changed
    _import(repository, stream)
    Ledger(find(str(repository))).append(events)


def _start(repository: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(repository)], check=True)
    (repository / ".orchestration").mkdir()
    (repository / ".git" / "info" / "exclude").write_text(".orchestration/\n")


def _import(repository: Path, stream: list[bytes]) -> None:
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input=b"".join(stream), check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", "main"], cwd=repository, check=True)


def _path(at: int) -> str:
    return f"src/part_{at // 50:02d}/module_{at:04d}.py"


def _line(dice: random.Random) -> str:
    return f"    value_{dice.randrange(10**6)} = compute({dice.randrange(10**6)}, {dice.randrange(100)})"


def _changed(lines: list[str], dice: random.Random) -> list[str]:
    at = dice.randrange(len(lines) - 10)
    count = dice.randrange(1, 6)
    return lines[:at] + [_line(dice) for _ in range(count)] + lines[at + count :]


def _events(number: int, path: str, before: list[str], after: list[str]) -> list[Event]:
    """Record a change: every fifth is a person's and found later, every tenth of those is not recorded at all."""
    if number % 50 == 0:
        return []
    seen = number % 5 != 0
    now = (FIRST + number) * 1_000_000_000
    agent, vcs = Agent("claude-code", "2.0", "anthropic/claude-model-x"), Vcs("git", None, "main")
    call = {"tool_call_id": f"toolu_{number}", "tool_name": "Edit", "via": "tool"} if seen else {"via": "unseen"}
    who = (f"session-{number % 2}", agent, "ai" if seen else "unknown", None, vcs)
    return [
        Event(new_id(now), rfc3339(now), "mutation.observed", *who, call | {"files": [entry]})
        for entry in transition(path, _content(before), _content(after))
    ]


def _commit(number: int, changed: Mapping[str, list[str]]) -> bytes:
    head = f"commit refs/heads/main\ncommitter A <a@example.org> {FIRST + number} +0000\ndata 2\nc\n"
    files = []
    for path, lines in changed.items():
        content = _content(lines)
        files.append(b"M 100644 inline %s\ndata %d\n%s\n" % (os.fsencode(path), len(content), content))
    return head.encode() + b"".join(files)


def _content(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


if __name__ == "__main__":
    sys.exit(main())
