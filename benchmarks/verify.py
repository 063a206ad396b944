"""What it costs to look at every byte of a ledger, against `sha256sum` of the same bytes.

    python benchmarks/verify.py [--events 10000 100000] [--rounds 5] [--keep FOLDER]

Processes are measured whole, from start to exit, round-robin in one run, so load on the machine hits all alike; medians
are printed, and the most memory that one process of a run had. `--keep` leaves the ledgers there for the next time.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ledgers import write

from linetrail.ledger.repository import find
from linetrail.ledger.store import Ledger

COMMAND = Path(sys.executable).with_name("linetrail")
CASES = {
    "sha256sum": ("sh", "-c", "exec sha256sum .orchestration/segments/*.jsonl"),
    "linetrail verify --full": (str(COMMAND), "verify", "--full"),
    "linetrail verify, nothing new": (str(COMMAND), "verify"),
}
FLOOR = next(iter(CASES))


def main() -> int:
    """Measure and print one table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for events in args.events:
            root = (args.keep or Path(folder)) / str(events)
            _sealed(root, events)
            measured = [{name: _run(case, root) for name, case in CASES.items()} for _ in range(args.rounds)]
            _print(root, events, measured)
    return 0


def _sealed(root: Path, events: int) -> None:
    """Make a repository with a ledger of this many events, all of them sealed."""
    if root.exists():
        return
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    write(events, root / ".orchestration" / "agent_trace.jsonl")
    (root / ".orchestration" / "cache").mkdir()
    Ledger(find(str(root))).seal()


def _run(case: Sequence[str], root: Path) -> tuple[float, float]:
    """Run a command, and return its seconds and its megabytes."""
    start = time.perf_counter()
    with subprocess.Popen(case, cwd=root, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(case)}: exit {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def _print(root: Path, events: int, measured: Sequence[Mapping[str, tuple[float, float]]]) -> None:
    size = sum(path.stat().st_size for path in (root / ".orchestration" / "segments").iterdir())
    floor = statistics.median(each[FLOOR][0] for each in measured)
    print(f"\n| {events:,} events, {size / 1e6:.0f} MB | ms | of {FLOOR} | MB of memory |")
    print("|---|---|---|---|")
    for name in CASES:
        seconds = statistics.median(each[name][0] for each in measured)
        memory = max(each[name][1] for each in measured)
        print(f"| {name} | {seconds * 1000:,.0f} | {seconds / floor:.1f} x | {memory:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
