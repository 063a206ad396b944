"""What the named questions cost, against counting the events in the same run.

    python -m benchmarks.queries.questions [--events 1000000] [--repository PATH] [--rounds 5] [--log]

A ledger is made in which everything happens that they ask about, and committed files that it names; `--repository`
takes one that is there. All that is kept for later questions is worked out before, and told. Then each question is
asked in this process: once with tables that were just opened, and again and again with the same ones; medians are
printed. Ratios are to `select count(*) from v_events` with the same tables.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import duckdb

from benchmarks.ledgers import FILES, Audited
from linetrail.ledger.event.event import GENESIS, line_digest, to_line
from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood

COMMAND = Path(sys.executable).with_name("linetrail")
FILE = "src/package_1/module_1.py"
TOLD = {
    "line_owner": {"path": FILE, "line": "2"},
    "line_conversation": {"path": FILE, "line": "2"},
    "file_share": {"path": FILE},
    "node_history": {"node": f"{FILE}:function_1"},
    "node_dependents": {"node": f"{FILE}:function_1"},
    "stack_owners": {"frames": f'Traceback (most recent call last):\n  File "{FILE}", line 2, in function_1\n'},
    "decisions_for": {"path": FILE},
    "cost_by": {"dim": "day"},
}
# What is not among the promised questions: one of them reads the whole ledger out.
EXTRA = frozenset({"log", "gate_violations", "class_contradictions", "tokens_by"})
COUNT: tuple[str, dict[str, object]] = ("select count(*) from v_events", {})


def make(root: Path, events: int) -> None:
    """Make a repository with a sealed ledger of so many events, and a commit with the files that they name."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", root], check=True)
    for module in range(FILES):
        path = root / f"src/package_{module % 20}/module_{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"def function_{at}(x):\n    return x + {at * module}\n\n\n" for at in range(30)))
    identity = ("-c", "user.name=Author", "-c", "user.email=author@example.org")
    subprocess.run(["git", "-C", root, "add", "src"], check=True)
    subprocess.run(["git", "-C", root, *identity, "commit", "--quiet", "--message", "begin"], check=True)
    ledger = root / ".orchestration" / "agent_trace.jsonl"
    ledger.parent.mkdir()
    prev = GENESIS
    with ledger.open("wb") as file:
        for seq, event in enumerate(islice(Audited().events(), events), 1):
            line = to_line(event, seq, prev)
            prev = line_digest(line)
            file.write(line)
    subprocess.run([COMMAND, "seal"], cwd=root, check=True, stdout=subprocess.DEVNULL)


class Cost(NamedTuple):
    """How many rows an answer had and how long it took; `cpu` is what all threads of this process worked together."""

    rows: int
    ms: float
    cpu: float


def cost(tables: Tables, sql: str, given: dict[str, object]) -> Cost:
    """Ask once."""
    start, worked = time.perf_counter(), time.process_time()
    rows = len(tables.ask(sql, given).rows)
    return Cost(rows, (time.perf_counter() - start) * 1000, (time.process_time() - worked) * 1000)


def median(costs: list[Cost]) -> Cost:
    """Return the median of each column."""
    return Cost(costs[0].rows, statistics.median(one.ms for one in costs), statistics.median(one.cpu for one in costs))


def measure(repository: Repository, names: list[str], rounds: int) -> None:
    """Ask every question and print the table."""
    questions = {
        name: (
            question_files.find(name).sql,
            understood(question_files.bound(question_files.find(name), TOLD.get(name, {})), repository),
        )
        for name in names
    }
    with open_tables(repository) as tables:
        start = time.perf_counter()
        for name in names:
            cost(tables, *questions[name])
        seconds = time.perf_counter() - start
        found: dict[str, list[Cost]] = {}
        for _ in range(rounds):
            found.setdefault("", []).append(cost(tables, *COUNT))
            for name in names:
                found.setdefault(name, []).append(cost(tables, *questions[name]))
        events = tables.count("events")
    base, *costs = map(median, found.values())
    print(f"\n{events:,} events, DuckDB {duckdb.__version__}; all asked once, and what is kept made: {seconds:.1f} s")
    print(f"counting the events: {base.ms:.1f} ms, {base.cpu:.1f} ms of work\n")
    print("| question | rows | ms | ratio | ms of work | just opened, ms |\n|---|---:|---:|---:|---:|---:|")
    for name, one in zip(names, costs, strict=True):
        with open_tables(repository) as opened:
            first = cost(opened, *questions[name])
        ratio = one.ms / base.ms
        print(f"| {name} | {one.rows:,} | {one.ms:,.0f} | {ratio:.1f} | {one.cpu:,.0f} | {first.ms:,.0f} |", flush=True)
    times = [one.ms for one in costs]
    over = sum(ms > 1000 for ms in times)
    print(f"\nmedian {statistics.median(times):,.0f} ms, most {max(times):,.0f} ms, {over} of {len(names)} over 1 s")


def main() -> int:
    """Make a ledger, bring its tables up to date, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repository", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = args.repository or Path(folder) / "project"
        if not os.path.isdir(root / ".orchestration"):
            make(root, args.events)
        subprocess.run([COMMAND, "rebuild"], cwd=root, check=True, stdout=subprocess.DEVNULL)
        names = args.only or [name for name in question_files.questions() if name not in EXTRA]
        measure(find(str(root)), names, args.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
