"""What it costs to start, and to say how things are, against a Python that does nothing.

    python -m benchmarks.startup [--events 1000000] [--rounds 15]

Processes are measured whole and take turns, so load on the machine hits all alike. *After one more event* means that
an event was appended since the cache was made. Budgets: 80 ms for help, 150 ms for what a shell asks while somebody
types, 400 ms for `status` on a ledger of a million events.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.ledgers import write
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

COMMAND = Path(sys.executable).with_name("linetrail")
NOTHING = "python -c pass"
MORE = "linetrail status, after one more event"
ROWS: Mapping[str, Sequence[str | Path]] = {
    NOTHING: [sys.executable, "-c", "pass"],
    "linetrail --help": [COMMAND, "--help"],
    "linetrail --version": [COMMAND, "--version"],
    "linetrail help status": [COMMAND, "help", "status"],
    "a shell asks for commands": [COMMAND, "__complete", "fish", "linetrail", ""],
    "a shell asks for options": [COMMAND, "__complete", "fish", "linetrail", "blame", "--"],
    "a shell asks for questions": [COMMAND, "__complete", "fish", "linetrail", "sql", "@"],
    "a shell asks for sessions": [COMMAND, "__complete", "fish", "linetrail", "log", "--session", ""],
    "import duckdb": [sys.executable, "-c", "import duckdb"],
    "linetrail status": [COMMAND, "status"],
    MORE: [COMMAND, "status"],
    "linetrail log -n 20": [COMMAND, "log", "-n", "20"],
    "linetrail usage monthly": [COMMAND, "usage", "monthly"],
}


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        make(root, args.events)
        milliseconds: dict[str, list[float]] = {name: [] for name in ROWS}
        for _ in range(args.rounds):
            for name, command in ROWS.items():
                if name == MORE:
                    append(root)
                milliseconds[name].append(measured(command, root))
    show(milliseconds, args.events)
    return 0


def make(root: Path, events: int) -> None:
    """Make a repository with a sealed ledger, and ask once, so that the cache is there."""
    subprocess.run(["git", "init", "--quiet", root], check=True)
    write(events, root / ".orchestration" / "agent_trace.jsonl")
    for command in (["seal"], ["status"], ["usage"], ["log", "-n", "1"]):
        subprocess.run([COMMAND, *command], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def append(root: Path) -> None:
    """Let one more thing happen."""
    now = time.time_ns()
    event = Event(new_id(now), rfc3339(now), "agent.signalled", "s1", None, "ai", None, None, {"signal": "Stop"})
    Ledger(find(str(root))).append([event])


def measured(command: Sequence[str | Path], root: Path) -> float:
    """Run a command and return its milliseconds."""
    start = time.perf_counter()
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


def show(milliseconds: Mapping[str, Sequence[float]], events: int) -> None:
    """Print the table; a ratio is the median of the ratios within a round."""
    print(f"| whole process, {events:,} events | least ms | p50 ms | ratio |\n|---|---:|---:|---:|")
    for name, measured_ms in milliseconds.items():
        ratio = statistics.median(one / base for one, base in zip(measured_ms, milliseconds[NOTHING], strict=True))
        print(f"| {name} | {min(measured_ms):.0f} | {statistics.median(measured_ms):.0f} | {ratio:.1f} |")


if __name__ == "__main__":
    sys.exit(main())
