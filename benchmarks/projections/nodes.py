"""What the tables of definitions cost: once, after one more commit, asked again, and against `linetrail lineage`.

    python -m benchmarks.projections.nodes [REPOSITORY] [--definitions 20]

Measured in a clone without a ledger, in seconds of the processor, which other programs leave alone. The baseline is
what `linetrail lineage` takes for a few definitions, which the tables answer for all at once.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables

PROGRAM = Path(sys.executable).parent / "linetrail"
# What a table is asked, and how many rows it has.
COUNTED = {
    "node_versions": "select count(*) from v_node_versions",
    "nodes": "select count(*) from v_nodes",
    "lineage": "select count(*) from v_lineage",
}

_Result = TypeVar("_Result")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="?", default=str(Path(__file__).resolve().parents[2]))
    parser.add_argument("--definitions", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        git("clone", "--quiet", options.repository, folder)
        git("-C", folder, "reset", "--quiet", "--hard", "HEAD~1")
        os.mkdir(os.path.join(folder, ".orchestration"))
        commits = git("-C", folder, "rev-list", "--count", "HEAD")
        print(f"{commits} commits\n\n| asked | rows | first | again | after a commit |\n|---|---:|---:|---:|---:|")
        first = {name: spent(lambda sql=sql: asked(folder, sql)) for name, sql in COUNTED.items()}
        again = {name: spent(lambda sql=sql: asked(folder, sql)) for name, sql in COUNTED.items()}
        git("-C", folder, "merge", "--quiet", "--ff-only", "origin/HEAD")
        after = {name: spent(lambda sql=sql: asked(folder, sql)) for name, sql in COUNTED.items()}
        for name, (seconds, rows) in first.items():
            print(f"| {name} | {rows:,} | {seconds:.1f} s | {again[name][0]:.2f} s | {after[name][0]:.1f} s |")
        each = spent(lambda: followed(folder, options.definitions))[0] / options.definitions
    total = first["node_versions"][0]
    print(f"\none definition by `linetrail lineage`: {each:.2f} s; all in the table cost {total / each:.0f} times that")


def spent(function: Callable[[], _Result]) -> tuple[float, _Result]:
    """Return the processor time that a function and the processes it starts take, and what it returns."""
    before = used()
    result = function()
    return used() - before, result


def used() -> float:
    """Return the processor time that was used up to now."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def asked(folder: str, sql: str) -> int:
    """Ask in a process of its own, as people do, and return the number that comes back."""
    return int(run(str(PROGRAM), "-C", folder, "sql", "--csv", sql).split()[-1])


def followed(folder: str, many: int) -> None:
    """Follow some definitions one by one."""
    with open_tables(find(folder)) as tables:
        rows = tables.ask("select path || ':' || qualified_name from v_nodes where kind = 'function' order by all").rows
    for (symbol,) in random.Random(1).sample(rows, many):
        run(str(PROGRAM), "-C", folder, "lineage", symbol)


def git(*arguments: str) -> str:
    """Run git, and return what it prints."""
    return run("git", *arguments).strip()


def run(*command: str) -> str:
    """Run a program, and return what it prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
