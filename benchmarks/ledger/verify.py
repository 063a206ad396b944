"""What it costs to verify a ledger, against `sha256sum` of the same bytes.

    python -m benchmarks.ledger.verify [--events 1000000] [--bytes 590] [--rounds 3]

Processes are measured whole and take turns. *Again* means that segments which were sound before are not read a second
time. Budget: ten seconds and 512 MB for a million events.
"""

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from linetrail.ledger.event.event import GENESIS, Event, derived_id, line_digest, rfc3339, to_line
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

# `linetrail`, and on the last line of stderr the most memory it held, in kB.
PROGRAM = """
import re, sys
from linetrail.queries.cli import main
status = main(sys.argv[1:])
told = open("/proc/self/status", encoding="ascii").read()
print(re.search(r"VmHWM:\\s+(\\d+)", told)[1], file=sys.stderr)
sys.exit(status)
"""
BEGINNING = 1_760_000_000_000_000_000
ROWS = ("sha256sum", "linetrail verify --full", "linetrail verify, again", "linetrail verify after one more segment")


def make(root: Path, events: int, size: int) -> int:
    """Write a sealed ledger of so many lines of this size, and return how many bytes its segments have."""
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".orchestration").mkdir(mode=0o700)
    more(root, 0, events, size)
    return sum(path.stat().st_size for path in _segments(root))


def more(root: Path, first: int, events: int, size: int) -> None:
    """Seal so many more lines."""
    ledger = Ledger(find(str(root)))
    with open(ledger.path, "wb") as file:
        file.writelines(_lines(first, events, size))
    ledger.seal()


def _lines(first: int, events: int, size: int) -> Iterator[bytes]:
    prev = GENESIS
    for seq, number in enumerate(range(first, first + events), 1):
        at = BEGINNING + number * 1_000_000
        event = Event(
            derived_id(at, str(number)), rfc3339(at), "agent.signalled", "s1", None, "ai", None, None, {"signal": ""}
        )
        missing = size - len(to_line(event, seq, prev))
        line = to_line(event._replace(data={"signal": "x" * missing}), seq, prev)
        prev = line_digest(line)
        yield line


def _segments(root: Path) -> Sequence[Path]:
    return sorted((root / ".orchestration" / "segments").glob("*.jsonl"))


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=590, help="of one line")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    seconds: dict[str, list[float]] = {name: [] for name in ROWS}
    largest: dict[str, float] = dict.fromkeys(ROWS, 0)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        total = make(root, args.events, args.bytes)
        for number in range(args.rounds):
            for name in ROWS:
                if name == ROWS[-1]:
                    more(root, args.events + 5_000 * number, 5_000, args.bytes)
                took, size = _measured(_command(name, root), root)
                seconds[name].append(took)
                largest[name] = max(largest[name], size)
    _print(seconds, largest, f"{args.events:,} events, {total / 1e6:.0f} MB")
    return 0


def _command(name: str, root: Path) -> Sequence[str | Path]:
    if name == "sha256sum":
        return ["sha256sum", *_segments(root)]
    return [sys.executable, "-c", PROGRAM, "verify", *(["--full"] if "--full" in name else [])]


def _measured(command: Sequence[str | Path], root: Path) -> tuple[float, float]:
    """Run a command and return its seconds and the most memory it held, in MB."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - start, int((done.stderr.split() or [0])[-1]) / 1000


def _print(seconds: Mapping[str, Sequence[float]], largest: Mapping[str, float], what: str) -> None:
    baseline = statistics.median(seconds["sha256sum"])
    print(f"| {what} | seconds | ratio | largest size, MB |\n|---|---:|---:|---:|")
    for name, measured in seconds.items():
        median = statistics.median(measured)
        print(f"| {name} | {median:.2f} | {median / baseline:.2f} | {largest[name] or math.nan:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
