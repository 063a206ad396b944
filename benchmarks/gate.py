"""What it costs to judge a shell command, against the bare parse of the same commands by tree-sitter-bash.

    python benchmarks/gate.py [--rounds 20] [COMMANDS.jsonl]

Every command is judged in turn in one process; what is imported for the first is measured apart, in fresh processes.
Budget: a decision within 5 ms at the 99th percentile, hostile input within 50 ms or not safe.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tree_sitter
import tree_sitter_bash

from linetrail.ledger.shell.commands import judge

OURS = Path(__file__).resolve().parent.parent / "tests" / "ledger" / "commands" / "rows.jsonl"
HOSTILE = {
    "1 MB of commands": "ls;" * 350_000,
    "10,000 levels": "echo $(" * 10_000 + "ls" + ")" * 10_000,
    "1,000 pipes": "ls | " * 1_000 + "cat",
    "256 KB here-document": "cat > a.py <<'EOF'\n" + "x = 1  # a line\n" * 15_000 + "EOF\n",
}
IMPORTS = {
    "import of nothing": "pass",
    "import of ledger.commands": "import linetrail.ledger.shell.commands",
    "import of tree-sitter and its bash": "import tree_sitter, tree_sitter_bash as b; "
    "tree_sitter.Parser(tree_sitter.Language(b.language()))",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="?", type=Path, default=OURS)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args(arguments)
    rows = [json.loads(line) for line in args.commands.read_text(encoding="utf-8").splitlines()]
    commands = [row["command"] for row in rows if row.get("shell", "bash") == "bash"]
    bash = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))

    print(f"| {len(commands)} commands | decisions/s | p50 µs | p99 µs | worst µs |\n|---|---:|---:|---:|---:|")
    for name, work in (("tree-sitter parse alone", lambda text: bash.parse(text.encode())), ("judge", judge)):
        times = sorted(measured(work, commands, args.rounds))
        p50, p99 = (times[int(len(times) * part)] / 1e3 for part in (0.5, 0.99))
        print(f"| {name} | {1e9 * len(times) / sum(times):,.0f} | {p50:.0f} | {p99:.0f} | {times[-1] / 1e3:.0f} |")

    print("\n| hostile | answer | ms |\n|---|---|---:|")
    for name, command in HOSTILE.items():
        best = min(measured(judge, [command], 5)) / 1e6
        print(f"| {name} | {judge(command).cls} | {best:.1f} |")

    print("\n| fresh process | p50 ms |\n|---|---:|")
    for name, program in IMPORTS.items():
        print(f"| {name} | {statistics.median(started(program) for _ in range(args.rounds)):.1f} |")


def measured(work: Callable[[str], object], commands: Sequence[str], rounds: int) -> list[int]:
    """Return the nanoseconds of the fastest round for each command, so that a busy machine counts once."""
    best = [sys.maxsize] * len(commands)
    for _ in range(rounds):
        for place, command in enumerate(commands):
            start = time.perf_counter_ns()
            work(command)
            best[place] = min(best[place], time.perf_counter_ns() - start)
    return best


def started(program: str) -> float:
    """Return the milliseconds of a process that runs this program and ends."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return 1e3 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
