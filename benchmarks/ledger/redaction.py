"""How many secrets are found, and how many ordinary lines are altered.

    python -m benchmarks.ledger.redaction --examples FILE CLONE…

FILE has one JSON object a line, `{"kind": …, "text": …, "secrets": […]}`: what a scanner's rules give as examples of
themselves, say. The lines are those of the tracked text files of the clones, each once.
"""

import argparse
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linetrail.ledger.redact.redactor import scrub

LONGEST = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=Path)
    parser.add_argument("clones", nargs="*", type=Path)
    args = parser.parse_args()
    if args.examples:
        report_examples(args.examples)
    if args.clones:
        report_lines(sorted({line for clone in args.clones for line in lines(clone)}))


def report_examples(path: Path) -> None:
    missed: Counter[str] = Counter()
    examples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for example in examples:
        clean = scrub(example["text"])
        missed[example["kind"]] += any(secret in clean for secret in example["secrets"])
    print(f"{len(examples)} examples of {len(missed)} kinds: {1 - missed.total() / len(examples):.2%} found")
    for kind, number in missed.most_common(20):
        if number:
            print(f"  {number:5} of {kind} missed")


def report_lines(ordinary: list[str]) -> None:
    began = time.process_time()
    altered = [line for line in ordinary if scrub(line) != line]
    each = (time.process_time() - began) / len(ordinary)
    share = len(altered) / len(ordinary)
    print(f"{len(ordinary)} ordinary lines: {len(altered)} altered ({share:.3%}), {each:.1e} s each")


def lines(clone: Path) -> Iterator[str]:
    """Yield the lines of a clone's tracked files that are text and no lock files."""
    names = subprocess.run(["git", "-C", clone, "ls-files", "-z"], check=True, capture_output=True).stdout.split(b"\0")
    for name in names:
        path = clone / name.decode(errors="surrogateescape")
        if not path.is_file() or "lock" in path.name:
            continue
        content = path.read_bytes()
        if b"\0" not in content[:8000]:
            yield from (line for line in content.decode(errors="replace").splitlines() if 0 < len(line) <= LONGEST)


if __name__ == "__main__":
    main()
