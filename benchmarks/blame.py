"""What `linetrail blame` costs beside `git blame` of the same file: whole processes, measured in turn in one run.

    python benchmarks/blame.py path/to/linetrail [--rounds 7]

Give the `linetrail` of an environment into which the *wheel* was installed. *Cold* has no cache at all, *new answer*
has the tables but not this answer, *warm* asks the same thing again. Of the changes, two agents made four in five, a
person the rest: most of those are found by the next hook, every tenth by nobody, as when hooks were off.
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
from collections.abc import Callable
from pathlib import Path

from linetrail.ledger.event import Agent, Event, Vcs, new_id, rfc3339
from linetrail.ledger.mutation import transition
from linetrail.ledger.repository import find
from linetrail.ledger.store import Ledger

PATH = "src/module.py"
# lines of the file, commits, recorded changes
SIZES = [(1_000, 100, 200), (10_000, 1_000, 1_000)]
FIRST = 1_760_000_000


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("linetrail", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    print("| lines | commits | changes | git blame | git blame -w | cold | new answer | warm |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder) / "repository"
            _make(repository, *size)
            times = _measure(_cases(args.linetrail.resolve(), repository), args.rounds)
        print(f"| {' | '.join(f'{number:,}' for number in size)} | {' | '.join(f'{t * 1000:.0f} ms' for t in times)} |")
    return 0


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


def _timed(command: list[str], folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def _make(repository: Path, length: int, commits: int, changes: int) -> None:
    """Make a history in which a person and two agents take turns on one file, some changes seen and some not."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(repository)], check=True)
    (repository / ".orchestration").mkdir()
    (repository / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    dice = random.Random(1)
    lines = [_line(dice) for _ in range(length)]
    stream, events = [_commit(0, lines)], []
    for number in range(1, max(commits, changes)):
        before, lines = lines, _changed(lines, dice)
        if number < changes:
            events += _events(number, before, lines)
        if number < commits:
            stream.append(_commit(number, lines))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input=b"".join(stream), check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", "main"], cwd=repository, check=True)
    (repository / PATH).write_bytes(_content(lines))
    Ledger(find(str(repository))).append(events)


def _line(dice: random.Random) -> str:
    return f"    value_{dice.randrange(10**6)} = compute({dice.randrange(10**6)}, {dice.randrange(100)})"


def _changed(lines: list[str], dice: random.Random) -> list[str]:
    at = dice.randrange(len(lines) - 10)
    count = dice.randrange(1, 6)
    return lines[:at] + [_line(dice) for _ in range(count)] + lines[at + count :]


def _events(number: int, before: list[str], after: list[str]) -> list[Event]:
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
        for entry in transition(PATH, _content(before), _content(after))
    ]


def _commit(number: int, lines: list[str]) -> bytes:
    content = _content(lines)
    head = f"commit refs/heads/main\ncommitter A <a@example.org> {FIRST + number} +0000\ndata 2\nc\n"
    return head.encode() + b"M 100644 inline %s\ndata %d\n%s\n" % (os.fsencode(PATH), len(content), content)


def _content(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


if __name__ == "__main__":
    sys.exit(main())
