"""What a rebuild costs, against DuckDB's own typed load of the same lines into memory.

    python benchmarks/rebuild.py [--events 10000 100000] [--rounds 5]

Processes are measured whole, from start to exit. All rows of a size are measured round-robin in one run, so load on
the machine hits all alike; medians are printed.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb
from ledgers import Work, write

from linetrail.ledger.repository import find
from linetrail.ledger.store import Ledger
from linetrail.projections.parts import Parts

COMMAND = Path(sys.executable).with_name("linetrail")
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
from read_json($path, format = 'newline_delimited', columns = {{
    v: 'bigint', id: 'varchar', seq: 'bigint', prev: 'varchar', timestamp: 'timestamp', type: 'varchar',
    session_id: 'varchar', agent: 'struct(name varchar, version varchar, model_id varchar)', contributor: 'varchar',
    intent_id: 'varchar', vcs: 'struct(type varchar, revision varchar, branch varchar, dirty boolean)', data: '{DATA}'
}})"""


class Bench:
    """One repository with a ledger, and the things that are done to it."""

    def __init__(self, root: Path, events: int) -> None:
        """Make a repository that has this many events."""
        self.root = root
        (root / ".git").mkdir()
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.path = root / ".orchestration" / "agent_trace.jsonl"
        write(events, self.path)
        self._repository = find(str(root))
        self._more = Work(seed=2).events()

    def load(self) -> float:
        """Let DuckDB read the lines into memory, every field typed."""
        with _stopwatch() as watch, duckdb.connect() as connection:
            connection.execute(LOAD, {"path": str(self.path)})
        return watch.ms

    def tables(self) -> float:
        """Validate every line and write every fact as Parquet."""
        with _stopwatch() as watch:
            Parts(self._repository).current(anew=True)
        return watch.ms

    def command(self, *arguments: str) -> float:
        """Run `linetrail` as a process."""
        with _stopwatch() as watch:
            subprocess.run([COMMAND, *arguments], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        return watch.ms

    def append(self) -> None:
        """Let one more event happen."""
        Ledger(self._repository).append([next(self._more)])


class Watch:
    """How long something took."""

    ms = 0.0


@contextmanager
def _stopwatch() -> Iterator[Watch]:
    watch, start = Watch(), time.perf_counter()
    yield watch
    watch.ms = (time.perf_counter() - start) * 1000


def main() -> int:
    """Measure and print one table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    for events in args.events:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(Path(folder), events)
            _print(bench.path, events, _measured(bench, args.rounds))
    return 0


def _measured(bench: Bench, rounds: int) -> dict[str, float]:
    """Run every case in turn, and again; return the medians."""
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        times.setdefault("DuckDB: typed load into memory", []).append(bench.load())
        times.setdefault("tables from nothing", []).append(bench.tables())
        times.setdefault("linetrail rebuild --full", []).append(bench.command("rebuild", "--full"))
        times.setdefault("linetrail rebuild, nothing new", []).append(bench.command("rebuild"))
        bench.append()
        times.setdefault("linetrail rebuild after one event", []).append(bench.command("rebuild"))
        bench.append()
        times.setdefault("linetrail log -n 20 after one event", []).append(bench.command("log", "-n", "20"))
        times.setdefault("linetrail log -n 20, nothing new", []).append(bench.command("log", "-n", "20"))
    return {name: statistics.median(measured) for name, measured in times.items()}


def _print(path: Path, events: int, medians: Mapping[str, float]) -> None:
    floor = medians["DuckDB: typed load into memory"]
    print(
        f"\n| {events:,} events, {path.stat().st_size / 1e6:.0f} MB, DuckDB {duckdb.__version__} | ms | load / this |"
    )
    print("|---|---|---|")
    for name, median in medians.items():
        print(f"| {name} | {median:,.0f} | {floor / median:.2f} |")


if __name__ == "__main__":
    sys.exit(main())
