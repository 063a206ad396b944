"""What a fleet costs: pushing, building its tables, one new segment, questions, verifying.

    python -m benchmarks.queries.fleet [--repositories 20] [--events 5000] [--store FOLDER] [--engine duckdb spark]

Repositories are made up by tests/fleet; `--store` takes what `python -m tests.fleet --out FOLDER` wrote, and
builds in it. Processes are measured whole, from start to exit, beside what cannot be avoided: a copy of the bytes,
their hashes, or the same text asked of plain DuckDB over the same files. Questions are asked once, in this process.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.ask.question_files import Question
from linetrail.queries.cli import main as main_of_linetrail
from linetrail.queries.fleet import layout, objects, questions
from linetrail.queries.fleet.asking import visible
from tests.fleet.__main__ import Plan, write

COMMAND = str(Path(sys.executable).with_name("linetrail"))
GIT = ("git", "-c", "user.name=Author", "-c", "user.email=author@example.org")
# What the questions that must be told something are told.
TOLD = {"cost_by": {"dim": "day"}, "acceptance": {"by": "month"}, "tokens_by": {"by": "model"}}


class Cost(NamedTuple):
    """How long a process took, how long it worked, and how large it was at most, in MB."""

    seconds: float
    cpu: float
    peak: float


def measured(*command: str, cwd: Path | None = None) -> Cost:
    """Run a process to its end; 3 is the answer to a store with damage, which this one has."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in {0, 3}:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def print_row(what: str, cost: Cost, base: Cost | None = None) -> None:
    """Print a line of the table, with the ratio of work to that of a baseline."""
    ratio = "" if base is None else f"{cost.cpu / base.cpu:,.1f}"
    print(f"| {what} | {cost.seconds:,.1f} | {cost.cpu:,.1f} | {ratio} | {cost.peak:,.0f} |", flush=True)


def pushing(store: Path, folder: Path) -> None:
    """Push the segments of one repository of the store, as its own clone would."""
    [*_, largest] = sorted((store / "segments").iterdir(), key=lambda one: sum(1 for _ in one.iterdir()))
    clone = folder / "clone"
    subprocess.run(["git", "init", "--quiet", clone], check=True)
    subprocess.run([*GIT, "-C", clone, "commit", "--quiet", "--allow-empty", "--message", "begin"], check=True)
    shutil.copytree(largest, clone / ".orchestration" / "segments")
    base = measured("cp", "-r", str(largest), str(folder / "copied"))
    url = (folder / "pushed").as_uri()
    print_row(f"copy {sum(1 for _ in largest.iterdir()):,} segments of a repository", base)
    print_row("linetrail push", measured(COMMAND, "push", url, cwd=clone), base)
    print_row("linetrail push, again", measured(COMMAND, "push", url, cwd=clone), base)


def building(store: Path, folder: Path) -> None:
    """Build from nothing, after one more segment, and read it all."""
    base = measured("cp", "-r", str(store / "segments"), str(folder / "bytes"))
    print_row("copy all segments", base)
    held = last_segment(store)
    aside = folder / held.name
    shutil.move(held, aside)
    build = (COMMAND, "fleet", "build", store.as_uri(), "--work", str(folder / "work"))
    print_row("linetrail fleet build --work", measured(*build), base)
    shutil.move(aside, held)
    print_row("the same after one new segment", measured(*build), base)
    print_row("the same with nothing new", measured(*build), base)
    hashes = measured("find", str(store / "lake"), "-type", "f", "-exec", "sha256sum", "{}", "+")
    print_row("sha256sum of all tables", hashes)
    print_row("linetrail fleet build --verify", measured(COMMAND, "fleet", "build", store.as_uri(), "--verify"), hashes)


def last_segment(store: Path) -> Path:
    """Return the largest segment that no other names as its parent: whatever comes next is such a one."""
    every = list((store / "segments").rglob("*.jsonl"))
    parents: set[bytes] = set()
    for path in every:
        with path.open("rb") as file:
            parents |= {*re.findall(rb"[0-9a-f]{64}", file.readline())}
    return max((path for path in every if path.stem.encode() not in parents), key=lambda path: path.stat().st_size)


def asking(store: Path, engines: Sequence[str]) -> None:
    """Ask every question that a store can answer of each engine, and the same text of plain DuckDB."""
    costs: dict[str, list[float]] = {}
    print(f"\n| question | rows | plain DuckDB, ms | {' | '.join(f'{name}, ms' for name in engines)} |")
    print(f"|---|---:|---:|{'---:|' * len(engines)}")
    with plain(store) as connection:
        for question in (*questions.of_organisation().values(), *questions.of_repositories().values()):
            given = TOLD.get(question.name, {})
            if any(not one.optional and one.name not in given for one in question.parameters):
                continue
            rows, seconds = asked_plainly(connection, question, given)
            found = [seconds]
            for name in engines:
                found.append(asked(store, question, given, name))
                costs.setdefault(name, []).append(found[-1])
            print(f"| {question.name} | {rows:,} | {' | '.join(f'{1000 * one:,.0f}' for one in found)} |", flush=True)
    for name, every in costs.items():
        most, over = max(every), sum(one > 2 for one in every)
        print(
            f"\n{name}: median {1000 * statistics.median(every):,.0f} ms, most {1000 * most:,.0f} ms, {over} over 2 s"
        )


def asked_plainly(
    connection: duckdb.DuckDBPyConnection, question: Question, given: dict[str, str]
) -> tuple[int, float]:
    """Ask DuckDB a question with nothing in between; return how many rows it has, and the seconds."""
    told = understood(question_files.bound(question, {**given}))
    start = time.perf_counter()
    rows = len(connection.execute(question.sql, told).fetchall())
    return rows, time.perf_counter() - start


def asked(store: Path, question: Question, given: dict[str, str], engine: str) -> float:
    """Ask a question as `linetrail fleet sql` does, in this process; return the seconds."""
    told = [word for name, value in given.items() for word in ("-p", name, value)]
    command = ["fleet", "sql", store.as_uri(), f"@{question.name}", "--engine", engine, "--csv", *told]
    start = time.perf_counter()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        status = main_of_linetrail(command)
    return time.perf_counter() - start if status in {0, 3} else float("nan")


@contextlib.contextmanager
def plain(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB on the files of a store."""
    manifest = layout.require(objects.open_store(store.as_uri()), store.as_uri())
    with duckdb.connect() as connection:
        for name, table in visible(manifest, excerpts=False).items():
            columns = ", ".join(f'cast(null as {one.type}) as "{one.name}"' for one in table.columns)
            files = [str(store / file.path) for file in table.files]
            rows = f" union all by name from read_parquet({files}, hive_partitioning = false)" if files else ""
            connection.execute(f"create view {name} as from (select {columns} limit 0){rows}")
        yield connection


def main() -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--events", type=int, default=5_000, help="of a repository, on average")
    parser.add_argument("--store", type=Path, help="a folder that tests.fleet wrote")
    parser.add_argument("--engine", nargs="*", default=["duckdb"], help="whom to ask")
    parser.add_argument("--built", action="store_true", help="the tables are there: ask only")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = args.store or Path(folder, "fleet")
        if args.store is None:
            write(Plan(out, repositories=args.repositories, events=args.events), jobs=os.cpu_count() or 1)
        events = json.loads((out / "truth.json").read_text())["total"]["store"]["events"]
        print(f"{events:,} events, DuckDB {duckdb.__version__}, load {os.getloadavg()[0]:.0f}\n")
        if not args.built:
            print("| whole process | s | s of work | ratio of work | largest size, MB |\n|---|---:|---:|---:|---:|")
            pushing(out / "store", Path(folder))
            building(out / "store", Path(folder))
        asking(out / "store", args.engine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
