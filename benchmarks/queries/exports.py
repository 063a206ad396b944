"""What it costs to export a whole ledger, against DuckDB turning the same lines into one file of Parquet.

    python -m benchmarks.queries.exports [--events 100000 1000000] [--rounds 3]

Processes are measured whole, from start to exit, over tables that are up to date. All rows of a size are measured
round-robin in one run; medians are printed, ratios are medians of the ratios within a round.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks.ledgers import write

COMMAND = str(Path(sys.executable).with_name("linetrail"))
BASELINE = "DuckDB: read the lines, write Parquet"
COPY = """
import sys, duckdb
duckdb.sql("set enable_progress_bar = false")
columns = "{id: 'varchar', seq: 'bigint', timestamp: 'timestamp', type: 'varchar', session_id: 'varchar', data: 'json'}"
lines = f"from read_json('{sys.argv[1]}', format = 'newline_delimited', columns = {columns})"
duckdb.sql(f"copy ({lines}) to '{sys.argv[2]}' (format parquet, compression zstd)")
"""


class Cost(NamedTuple):
    """How long a process took, how large it was at most, and how much it left on the disk."""

    seconds: float
    peak: float
    written: float


def measured(root: Path, out: Path, command: Sequence[str]) -> Cost:
    """Run a process to its end."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(time.perf_counter() - start, usage.ru_maxrss / 1024, _size(out))


def cases(root: Path, folder: Path) -> dict[str, tuple[Path, list[str]]]:
    """Return what is measured: where it writes, and the command."""
    tail, lake = root / ".orchestration" / "agent_trace.jsonl", folder / "lake"
    files = {name: folder / name for name in ("baseline.parquet", "traces.jsonl", "events.csv")}
    return {
        BASELINE: (
            files["baseline.parquet"],
            [sys.executable, "-c", COPY, str(tail), str(files["baseline.parquet"])],
        ),
        "export otlp": (files["traces.jsonl"], [COMMAND, "export", "otlp", "--out", str(files["traces.jsonl"])]),
        "export parquet": (lake, [COMMAND, "export", "parquet", "--out", str(lake)]),
        "export parquet, nothing new": (lake, [COMMAND, "export", "parquet", "--out", str(lake)]),
        "export csv --table v_events": (
            files["events.csv"],
            [COMMAND, "export", "csv", "--table", "v_events", "--out", str(files["events.csv"])],
        ),
    }


def main() -> int:
    """Measure and print one table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for events in args.events:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "repository")
            (root / ".git").mkdir(parents=True)
            (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            write(events, root / ".orchestration" / "agent_trace.jsonl")
            subprocess.run([COMMAND, "rebuild"], cwd=root, check=True, stdout=subprocess.DEVNULL)
            size = _size(root / ".orchestration" / "agent_trace.jsonl")
            about = f"{events:,} events, {size:,.0f} MB, DuckDB {duckdb.__version__}"
            print(f"\n| {about} | s | this / baseline | largest size, MB | written, MB |")
            print("|---|---:|---:|---:|---:|")
            _print(_rounds(root, Path(folder), args.rounds))
    return 0


def _rounds(root: Path, folder: Path, rounds: int) -> dict[str, list[Cost]]:
    costs: dict[str, list[Cost]] = {}
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir()
        for name, (out, command) in cases(root, place).items():
            costs.setdefault(name, []).append(measured(root, out, command))
    return costs


def _print(costs: dict[str, list[Cost]]) -> None:
    for name, told in costs.items():
        pairs = zip(costs[BASELINE], told, strict=True)
        ratio = statistics.median(cost.seconds / base.seconds for base, cost in pairs)
        seconds = statistics.median(cost.seconds for cost in told)
        peak, written = max(cost.peak for cost in told), told[-1].written
        print(f"| {name} | {seconds:,.1f} | {ratio:.1f} | {peak:,.0f} | {written:,.0f} |")


def _size(path: Path) -> float:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
