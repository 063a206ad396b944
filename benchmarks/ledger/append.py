"""What one append costs, by what the ledger holds already.

    python -m benchmarks.ledger.append [--appends 300]

All ledgers are made first, then take turns, one append each, so that load on the machine hits all alike.
"""

import argparse
import statistics
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from benchmarks.ledgers import Work
from linetrail.ledger.event.event import Event
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

# Segments of how many events, and lines in the tail.
SIZES = ((0, 0, 10), (0, 0, 4_000), (10, 1_000, 10), (1_000, 100, 10), (200, 5_000, 10))


class Case:
    """A ledger of one size."""

    def __init__(self, root: Path, segments: int, events: int, tail: int) -> None:
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (root / ".orchestration").mkdir(mode=0o700)
        self.name = f"{segments * events + tail:,} events, {segments:,} segments"
        self.ledger = Ledger(find(str(root)))
        self.work = Work().events()
        for _ in range(segments):
            self.ledger.append(self._next(events), fresh=True)
            self.ledger.seal()
        self.ledger.append(self._next(tail), fresh=True)
        self.times: list[float] = []

    def _next(self, count: int) -> list[Event]:
        return list(islice(self.work, count))

    def append(self) -> None:
        """Append the next event and remember how long it took."""
        events = self._next(1)
        start = time.perf_counter()
        self.ledger.append(events)
        self.times.append(time.perf_counter() - start)


def main() -> int:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--appends", type=int, default=300)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = [Case(Path(folder, str(number)), *size) for number, size in enumerate(SIZES)]
        for _ in range(args.appends):
            for case in cases:
                case.append()
    print("| the ledger holds | p50 ms | p95 ms | ratio |\n|---|---:|---:|---:|")
    smallest = statistics.median(cases[0].times)
    for case in cases:
        middle, late = statistics.median(case.times), statistics.quantiles(case.times, n=20)[-1]
        print(f"| {case.name} | {middle * 1000:.2f} | {late * 1000:.2f} | {middle / smallest:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
