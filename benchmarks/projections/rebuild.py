"""What a rebuild costs, against DuckDB's own typed load of the same lines into memory.

    python -m benchmarks.projections.rebuild [--events 100000 1000000 5000000] [--rounds 5] [--sealed]

Processes are measured whole, from start to exit. All rows of a size are measured round-robin in one run, so load on
the machine hits all alike; medians are printed, ratios are medians of the ratios within a round. With `--sealed`
all lines but the newest are in segments, as they are after a while; without, all are in one file.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.ledgers import Work, write
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.tables import tables_over

COMMAND = Path(sys.executable).with_name("linetrail")
LOADED = "DuckDB: typed load into memory"
HUNK = """struct(
    old_start bigint, old_lines bigint, new_start bigint, new_lines bigint,
    content_hash varchar, line_hashes varchar[], edited bigint[][]
)"""
FILE = f"""struct(
    path varchar, op varchar, from_path varchar, snapshot boolean, before_hash varchar, after_hash varchar,
    before_blob varchar, before_lines bigint, after_lines bigint, eol varchar, part bigint, parts bigint,
    omitted varchar, hunks {HUNK}[]
)"""
DATA = f"""struct(
    source varchar, transcript varchar, cwd varchar, permission_mode varchar, parent_session_id varchar,
    reason varchar, prompt_id varchar, excerpt varchar, sha256 varchar, length bigint, tool_call_id varchar,
    tool_name varchar, operation varchar, targets struct(path varchar, role varchar)[], command varchar,
    input_sha256 varchar, agent_id varchar, agent_type varchar, duration_ms bigint, exit_code bigint,
    output_sha256 varchar, interrupted boolean, error varchar, verdict varchar, code varchar, rule varchar,
    via varchar, user_modified boolean, declared_class varchar, files {FILE}[], usage_key varchar,
    message_id varchar, request_id varchar, model_id varchar, input_tokens bigint, output_tokens bigint,
    cache_read_input_tokens bigint, cache_creation_input_tokens bigint
)"""
LOAD = f"""create table lines as
from read_json($paths, format = 'newline_delimited', columns = {{
    v: 'bigint', id: 'varchar', seq: 'bigint', prev: 'varchar', timestamp: 'timestamp', type: 'varchar',
    session_id: 'varchar', agent: 'struct(name varchar, version varchar, model_id varchar)', contributor: 'varchar',
    intent_id: 'varchar', vcs: 'struct(type varchar, revision varchar, branch varchar, dirty boolean)', data: '{DATA}'
}})"""


class Bench:
    """One repository with a ledger, and the things that are done to it."""

    def __init__(self, root: Path, events: int, *, sealed: bool) -> None:
        """Make a repository that has this many events."""
        self.root = root
        (root / ".git").mkdir()
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        folder = root / ".orchestration"
        write(events, folder / "agent_trace.jsonl")
        self._repository = find(str(root))
        if sealed:
            self.command("seal")
        self._paths = [*sorted(folder.glob("segments/*.jsonl")), folder / "agent_trace.jsonl"]
        self.megabytes = sum(path.stat().st_size for path in self._paths) / 1e6
        self._more = Work(seed=2).events()

    def load(self) -> "Cost":
        """Let DuckDB read the lines into memory, every field typed."""
        return _alone(_load, self._paths)

    def tables(self) -> "Cost":
        """Validate every line and write every fact as Parquet."""
        return _alone(_tables, self.root)

    def command(self, *arguments: str) -> "Cost":
        """Run `linetrail` as a process."""
        with _stopwatch() as cost:
            process = subprocess.Popen([COMMAND, *arguments], cwd=self.root, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"linetrail {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
        cost.megabytes = usage.ru_maxrss / 1024
        return cost

    def append(self) -> None:
        """Let one more event happen."""
        Ledger(self._repository).append([next(self._more)])


class Cost:
    """How long something took, and how large its process was at most, where it had one of its own."""

    ms = 0.0
    megabytes: float | None = None


def _alone(measure: Callable[[Any], Cost], argument: object) -> Cost:
    """Measure in a process of its own: a process that grew hands its size down to those that it starts."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, argument).result()


def _load(paths: Sequence[Path]) -> Cost:
    with _stopwatch() as cost, duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")  # DuckDB takes a spawned process for a terminal
        connection.execute(LOAD, {"paths": [str(path) for path in paths]})
    return cost


def _tables(root: Path) -> Cost:
    repository = find(str(root))
    with _stopwatch() as cost, tables_over(repository, Parts(repository).current(anew=True)) as tables:
        tables.counts()
    cost.megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return cost


@contextmanager
def _stopwatch() -> Iterator[Cost]:
    cost, start = Cost(), time.perf_counter()
    yield cost
    cost.ms = (time.perf_counter() - start) * 1000


def main() -> int:
    """Measure and print one table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=[100_000, 1_000_000, 5_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sealed", action="store_true")
    args = parser.parse_args()
    for events in args.events:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(Path(folder), events, sealed=args.sealed)
            about = f"{events:,} events, {bench.megabytes:,.0f} MB, DuckDB {duckdb.__version__}"
            print(f"\n| {about} | ms | load / this | largest size, MB |")
            print("|---|---:|---:|---:|")
            _print(_measured(bench, args.rounds))
    return 0


def _measured(bench: Bench, rounds: int) -> dict[str, list[Cost]]:
    """Run every case in turn, and again."""
    costs: dict[str, list[Cost]] = {}
    for _ in range(rounds):
        costs.setdefault(LOADED, []).append(bench.load())
        costs.setdefault("tables from nothing", []).append(bench.tables())
        costs.setdefault("linetrail rebuild --full", []).append(bench.command("rebuild", "--full"))
        costs.setdefault("linetrail rebuild, nothing new", []).append(bench.command("rebuild"))
        bench.append()
        costs.setdefault("linetrail rebuild after one event", []).append(bench.command("rebuild"))
        bench.append()
        costs.setdefault("linetrail log -n 20 after one event", []).append(bench.command("log", "-n", "20"))
        costs.setdefault("linetrail log -n 20, nothing new", []).append(bench.command("log", "-n", "20"))
    return costs


def _print(costs: dict[str, list[Cost]]) -> None:
    for name, measured in costs.items():
        ratio = statistics.median(load.ms / cost.ms for load, cost in zip(costs[LOADED], measured, strict=True))
        print(
            f"| {name} | {statistics.median(cost.ms for cost in measured):,.0f} | {ratio:.2f} | {_largest(measured)} |"
        )


def _largest(measured: Sequence[Cost]) -> str:
    sizes = [cost.megabytes for cost in measured if cost.megabytes is not None]
    return f"{max(sizes):,.0f}" if sizes else ""


if __name__ == "__main__":
    sys.exit(main())
