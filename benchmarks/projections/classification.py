"""What classifying costs, and how right it is on labelled changes.

    python -m benchmarks.projections.classification CORPUS.jsonl [--cases 1000] [--lines 400]

CORPUS.jsonl holds one change a line: `id`, `language`, `path`, `before`, `after`, `label`, `kind`; or, instead of a
path, `files`. The baseline is what no judgement can do without: parsing both sides. `--lines` repeats the judging for
changes of about that many lines, on as many processes as there are processors.
"""

import argparse
import json
import os
import resource
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from linetrail.projections.classify.classify import classify
from linetrail.projections.classify.judgement import Change
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import UnparsableError, parse

SLACK = 0.25


def main() -> None:
    """Print three tables: right answers, costs, and the throughput for changes of one size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=400)
    args = parser.parse_args()
    with args.corpus.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    steps = [step(row) for row in rows]
    costs = [cost(one) for one in steps]
    accuracy(rows, [label for label, _, _ in costs])
    table("language", [row["language"] for row in rows], costs)
    throughput([one for one in steps if size(one) in about(args.lines)], args.cases, args.lines)
    print(f"\nmost memory of one process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def step(row: dict[str, Any]) -> list[Change]:
    """Return a row as a change."""
    return [Change(one["path"], encoded(one["before"]), encoded(one["after"])) for one in row.get("files") or [row]]


def encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def cost(changes: list[Change]) -> tuple[str, float, float]:
    """Return the label of a change, the seconds to judge it, and the seconds to parse both its sides."""
    start = time.perf_counter()
    label = classify(changes).whole.label
    judged = time.perf_counter()
    for change in changes:
        for side in (change.before, change.after):
            language = language_of(change.path, side or b"")
            if side is not None and language is not None:
                try:
                    parse(language, side)
                except UnparsableError:
                    continue
    return label, judged - start, time.perf_counter() - judged


def accuracy(rows: Sequence[dict[str, Any]], labels: Sequence[str]) -> None:
    """Print how often each label was given to what it is, and to what not."""
    counts = Counter((row["label"], label) for row, label in zip(rows, labels, strict=True))
    print(f"{'label':12} {'cases':>6} {'recall':>7} {'precision':>10}")
    for label in ("evolution", "refactor", "formatting", "comment"):
        is_it = sum(count for (gold, _), count in counts.items() if gold == label)
        called = sum(count for (_, given), count in counts.items() if given == label)
        right = counts[label, label]
        print(f"{label:12} {is_it:6} {right / max(is_it, 1):7.4f} {right / max(called, 1):10.4f}")


def table(title: str, names: Sequence[str], costs: Sequence[tuple[str, float, float]]) -> None:
    """Print the costs by language."""
    groups: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for name, (_, judged, parsed) in zip(names, costs, strict=True):
        groups[name].append((judged * 1000, parsed * 1000))
    print(f"\n{title:12} {'cases':>6} {'p50 ms':>7} {'p95 ms':>7} {'max ms':>7} {'of parsing':>11}")
    for name, found in sorted(groups.items()):
        judged = sorted(one for one, _ in found)
        ratio = sum(judged) / sum(parsed for _, parsed in found)
        p95 = judged[int(len(judged) * 0.95)]
        print(f"{name:12} {len(found):6} {statistics.median(judged):7.1f} {p95:7.1f} {judged[-1]:7.1f} {ratio:10.1f}x")


def size(changes: Sequence[Change]) -> int:
    return sum((change.before or change.after or b"").count(b"\n") for change in changes)


def about(lines: int) -> range:
    return range(int(lines * (1 - SLACK)), int(lines * (1 + SLACK)))


def throughput(steps: Sequence[list[Change]], cases: int, lines: int) -> None:
    """Print how long it takes to judge many changes of about one size."""
    if not steps:
        return
    work = [steps[at % len(steps)] for at in range(cases)]
    start = time.perf_counter()
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(label_of, work, chunksize=16))
    print(
        f"\n{cases} changes of about {lines} lines, on {os.cpu_count()} processors: {time.perf_counter() - start:.1f} s"
    )


def label_of(changes: list[Change]) -> str:
    """Judge a change in a process of its own."""
    return classify(changes).whole.label


if __name__ == "__main__":
    main()
