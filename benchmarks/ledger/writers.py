"""What many writers cost, against a C program that locks, writes, unlocks and syncs the same bytes.

    python -m benchmarks.ledger.writers [--writers 16] [--events 10000] [--rounds 3]

Each event is an append of its own, acknowledged when it is on the disk. C and Python take turns on the same file
system. Every round ends with a count: all lines there, each following the one before. Budget: half the rate of C.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.ledgers import Work
from linetrail.ledger.event.event import GENESIS, to_line
from linetrail.ledger.log.store import APPENDED, Ledger
from linetrail.ledger.repository import find

SOURCE = Path(__file__).with_name("writers.c")
PATIENCE = 600.0  # seconds for the lock: nothing goes to the spool here


def append_all(root: str, events: int, seed: int) -> int:
    """Be one writer: one append for each event, from when the word is given; the ids are new, as those of hooks."""
    ledger = Ledger(find(root), lock_seconds=PATIENCE)
    work = list(islice(Work(seed=seed).events(), events))
    print("ready", flush=True)
    sys.stdin.readline()
    for event in work:
        if ledger.append([event], fresh=True)[0].outcome != APPENDED:
            return 1
    return 0


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--events", type=int, default=10_000, help="by each writer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in", dest="folder", help="a folder of the file system to measure on")
    parser.add_argument("--be-writer", nargs=2, metavar=("ROOT", "SEED"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.be_writer:
        return append_all(args.be_writer[0], args.events, int(args.be_writer[1]))
    rates: dict[str, list[float]] = {"C": [], "linetrail": []}
    for number in range(args.rounds):
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            rates["C"].append(_in_c(Path(folder), args.writers, args.events))
            rates["linetrail"].append(_in_python(Path(folder), args.writers, args.events))
        print(
            f"round {number + 1}: C {rates['C'][-1]:,.0f}/s, linetrail {rates['linetrail'][-1]:,.0f}/s", file=sys.stderr
        )
    _print(rates, args.writers, args.events)
    return 0


def _in_c(folder: Path, writers: int, events: int) -> float:
    """Return the events per second of the C program."""
    program, lines, target = folder / "writers", folder / "lines", folder / "c.jsonl"
    subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
    written = [to_line(event, 1_000, GENESIS) for event in islice(Work(seed=1).events(), events)]
    lines.write_bytes(b"".join(written))
    seconds = _together([[str(program), str(target), str(lines), str(events)]] * writers)
    if target.stat().st_size != writers * lines.stat().st_size:
        raise SystemExit("the C writers lost something")
    return writers * events / seconds


def _in_python(folder: Path, writers: int, events: int) -> float:
    """Return the events per second through `Ledger.append`, after counting what arrived."""
    root = folder / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    command = [sys.executable, "-m", "benchmarks.ledger.writers", "--events", str(events), "--be-writer", str(root)]
    seconds = _together([[*command, str(seed)] for seed in range(1, writers + 1)])
    ids = {line.event.id for line in Ledger(find(str(root))).read()}
    if len(ids) != writers * events:
        raise SystemExit(f"{len(ids)} of {writers * events} events arrived")
    return writers * events / seconds


def _together(commands: Sequence[Sequence[str]]) -> float:
    """Let commands work at the same time, once all are ready, and return the seconds until the last one ended."""
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, stdin=pipe, stdout=pipe) for command in commands]
    for process in running:
        process.stdout.readline()
    start = time.perf_counter()
    for process in running:
        process.stdin.close()
    statuses = [process.wait() for process in running]
    if any(statuses):
        raise SystemExit(f"a writer failed: {statuses}")
    return time.perf_counter() - start


def _print(rates: dict[str, list[float]], writers: int, events: int) -> None:
    baseline = statistics.median(rates["C"])
    print(f"\n| {writers} writers x {events:,} events | events/s | ratio |\n|---|---:|---:|")
    for name, measured in rates.items():
        print(f"| {name} | {statistics.median(measured):,.0f} | {statistics.median(measured) / baseline:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
