"""What one hook costs an agent: the whole process, sync included, against the interpreter's own floor.

Processor time says what the work costs, whatever else the machine does; the clock adds the disk and the neighbours.

    python -m benchmarks.ledger.hook path/to/linetrail-hook [--rounds 40]

Give the `linetrail-hook` of an environment into which the *wheel* was installed, by uv or by pip 25 or later: an
editable installation pays some 25 ms more at start, and scripts of older pips load `re` first, a third of the floor.
All rows are measured round-robin in one run, so load on the machine hits all alike. The hooks start in a folder of
their own: the strictest repository around where they start would count, too.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

FLOOR = [sys.executable, "-I", "-S", "-c", "import json,hashlib,os,sys"]
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
# Hooks keep what they have loaded where Python may keep bytecode.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SYNC = """import os,sys,time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
times = []
for _ in range(int(sys.argv[2])):
    os.write(fd, b"x" * 600)
    start = time.perf_counter(); os.fdatasync(fd); times.append(time.perf_counter() - start)
print(sorted(times)[len(times) // 2])"""


class Cost(NamedTuple):
    """What one run cost: processor time of the process and its children, and time on the clock."""

    processor_ms: float
    wall_ms: float


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hook", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--events", type=int, default=1_000_000, help="how many events the long ledger has")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repositories = {size: _repository(Path(folder) / str(size), size, args.hook) for size in (10, args.events)}
        gated = _gated(_repository(Path(folder) / "gated", 10, args.hook), args.hook)
        cases = _cases(args.hook, repositories) | _gate_cases(args.hook, gated)
        sync_ms = _sync_cost(Path(folder), args.rounds)
        times = _measure(cases, args.rounds)
    _print(times, sync_ms)
    return 0


def _cases(hook: Path, repositories: dict[int, Path]) -> dict[str, Callable[[int], Cost]]:
    (_, small), (events, large) = repositories.items()
    return {
        "python -I -S -c pass": lambda _: _timed(BARE, b"", small),
        "python -I -S -c 'import json,hashlib,os,sys'": lambda _: _timed(FLOOR, b"", small),
        "hook, no file (Stop), 10 events": lambda at: _timed(_call(hook), _payload(small, "Stop", at), small),
        f"hook, no file (Stop), {events:,} events": lambda at: _timed(_call(hook), _payload(large, "Stop", at), large),
        "hook, before an edit of 1,000 lines": lambda at: _timed(_call(hook), _edit(small, "PreToolUse", at), small),
        "hook, after an edit of 1,000 lines": lambda at: _after_edit(hook, small, at),
        "hook, before a command": lambda at: _timed(_call(hook), _command(small, "PreToolUse", at), small),
        "hook, after a command": lambda at: _timed(_call(hook), _command(small, "PostToolUse", at), small),
    }


def _gate_cases(hook: Path, gated: Path) -> dict[str, Callable[[int], Cost]]:
    call = _call(hook)
    return {
        "hook, block, no file (Stop)": lambda at: _timed(call, _payload(gated, "Stop", at), gated),
        "hook, block, before an edit of 1,000 lines": lambda at: _timed(call, _edit(gated, "PreToolUse", at), gated),
        "hook, block, after an edit of 1,000 lines": lambda at: _after_edit(hook, gated, at),
        "hook, block, before a command": lambda at: _timed(call, _command(gated, "PreToolUse", at), gated),
        "hook, block, after a command": lambda at: _timed(call, _command(gated, "PostToolUse", at), gated),
    }


def _gated(repository: Path, hook: Path) -> Path:
    """Set a repository to block, and select an intent that owns everything."""
    folder = repository / ".orchestration"
    (folder / "config.yaml").write_text("enforce: block\n")
    intent = "{id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ['**']}"
    (folder / "active_intents.yaml").write_text(f"active_intents: [{intent}]\n")
    select = [hook.with_name("linetrail"), "-C", repository, "select", "INT-001", "--session", "bench"]
    subprocess.run(select, check=True, capture_output=True)
    return repository


def _measure(cases: dict[str, Callable[[int], Cost]], rounds: int) -> dict[str, list[Cost]]:
    times: dict[str, list[Cost]] = {name: [] for name in cases}
    for at in range(rounds + 3):
        for name, run in cases.items():
            elapsed = run(at)
            if at >= 3:
                times[name].append(elapsed)
    return times


def _after_edit(hook: Path, repository: Path, at: int) -> Cost:
    """Change one line between the two hooks, as an agent does; only the second hook is measured."""
    file = repository / "src" / "big.py"
    lines = file.read_text().splitlines()
    lines[at % len(lines)] = f"value_{at} = {at}"
    file.write_text("\n".join([*lines, ""]))
    return _timed(_call(hook), _edit(repository, "PostToolUse", at), repository)


def _call(hook: Path) -> list[str]:
    return [str(hook), "claude-code"]


def _timed(command: list[str], stdin: bytes, cwd: Path) -> Cost:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, input=stdin, cwd=cwd, check=True, capture_output=True, env=ENVIRONMENT)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent * 1000, wall * 1000)


def _payload(repository: Path, event: str, at: int, **fields: Any) -> bytes:
    base = {"session_id": "bench", "cwd": str(repository), "hook_event_name": event, "prompt_id": f"p{at}"}
    return json.dumps(base | fields).encode()


def _edit(repository: Path, event: str, at: int) -> bytes:
    path = str(repository / "src" / "big.py")
    given = {"file_path": path, "old_string": "x", "new_string": "y"}
    return _payload(repository, event, at, tool_name="Edit", tool_input=given, tool_use_id=f"edit-{at}")


def _command(repository: Path, event: str, at: int) -> bytes:
    given = {"command": "make test"}
    return _payload(repository, event, at, tool_name="Bash", tool_input=given, tool_use_id=f"bash-{at}")


def _repository(path: Path, events: int, hook: Path) -> Path:
    """Make a repository of 200 files whose ledger has about so many events, written by the real hook's writer."""
    (path / "src").mkdir(parents=True)
    git = shutil.which("git") or "git"
    subprocess.run([git, "init", "-q", path], check=True)
    for n in range(200):
        (path / "src" / f"m{n}.py").write_text(f"x = {n}\n" * 40)
    (path / "src" / "big.py").write_text("".join(f"line_{n} = {n}\n" for n in range(1000)))
    for file in (path / "src").iterdir():  # git reads anew what is as young as its index
        os.utime(file, (0, 0))
    subprocess.run([git, "add", "-A"], cwd=path, check=True)
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"]
    subprocess.run([git, *identity, "commit", "-q", "-m", "start"], cwd=path, check=True)
    (path / ".orchestration").mkdir()
    (path / ".orchestration" / ".gitignore").write_text("*\n")
    subprocess.run([hook.with_name("python"), "-c", FILL, str(path), str(events)], check=True)
    return path


FILL = """
import sys
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.repository import find
from linetrail.ledger.log.store import Ledger
ledger, total = Ledger(find(sys.argv[1])), int(sys.argv[2])
for start in range(0, total, 1000):
    ledger.append([
        Event(new_id(n), rfc3339(n), "agent.signalled", "fill", None, "unknown", None, None, {"signal": "Stop"})
        for n in range(start, min(start + 1000, total))
    ], fresh=True)
    if ledger.due:
        ledger.seal()
"""


def _sync_cost(folder: Path, rounds: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", SYNC, str(folder / "sync"), str(rounds)], check=True, capture_output=True, text=True
    )
    return float(done.stdout) * 1000


def _print(times: dict[str, list[Cost]], sync_ms: float) -> None:
    names = list(times)
    floor_spent, floor = (statistics.median(values) for values in zip(*times[names[1]], strict=True))
    print(f"one fdatasync of 600 bytes: {sync_ms:.1f} ms; Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| whole process | processor ms | ratio to floor | p50 ms | p95 ms | ratio to floor + sync |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, costs in times.items():
        spent, values = statistics.median(cost.processor_ms for cost in costs), [cost.wall_ms for cost in costs]
        p50, p95 = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        allowance = floor + (sync_ms if name.startswith("hook") else 0)
        by_work, by_clock = spent / floor_spent, p50 / allowance
        print(f"| {name} | {spent:.1f} | {by_work:.2f} | {p50:.1f} | {p95:.1f} | {by_clock:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
