"""How much of what agents wrote does blame find, in a real repository with real transcripts?

    python -m benchmarks.projections.explained CLONE TRANSCRIPTS [--commits 10] [--others 10]

CLONE is a git clone with a ledger into which TRANSCRIPTS (a folder of Claude Code's JSONL files) were imported:
`linetrail init --agent none && linetrail import claude-code TRANSCRIPTS`. For each commit the table compares,
over its added lines that are not blank:

- *explained*: a transcript shows an agent writing this very line (white space aside) into this file;
- *ai*: `linetrail blame --rev COMMIT` calls the line `ai`;
- *both*, and *session*: those of them that have a session which wrote the line;
- *ai only*: lines blame claims although no transcript shows the line.

The last row is of the newest commits that change no file a transcript wrote to.

The transcripts are read here by a few lines of their own, so that the two columns have nothing in common.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import blame
from linetrail.projections.git.target import TargetError, at_revision

# file name -> path on the transcripts' machine -> the lines written to it, each with the sessions that did
Lines = dict[str, set[str]]
Written = dict[str, dict[str, Lines]]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--others", type=int, default=10)
    args = parser.parse_args()
    written = _written(args.transcripts)
    print("| commit | added lines | explained | ai | both | session | ai only |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    rows = []
    for revision in _commits(args.clone, args.commits, written, touched=True):
        rows.append(_judge(args.clone, revision, written))
        _print(revision[:9], rows[-1])
    _print("all", _sums(rows))
    others = [_judge(args.clone, one, written) for one in _commits(args.clone, args.others, written, touched=False)]
    _print(f"{len(others)} others", _sums(others))
    return 0


def _sums(rows: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)] or [0] * 6


def _print(name: str, row: list[int]) -> None:
    added, *parts = row
    print(f"| {name} | {added} | " + " | ".join(f"{part} ({part / max(added, 1):.0%})" for part in parts) + " |")


def _judge(clone: Path, revision: str, written: Written) -> list[int]:
    repository = find(str(clone))
    added = explained = ai = both = session = 0
    for path, numbers in _added(clone, revision):
        try:
            target = at_revision(repository, path, revision)
        except TargetError:
            continue
        rows = blame(repository, target).attributions
        known_lines = _lines_of(written, path)
        texts = target.content.decode(errors="replace").split("\n")
        for number in numbers:
            line = _substance(texts[number - 1])
            if not line:
                continue
            by = rows[number - 1]
            known, claimed = line in known_lines, by.contributor_type == "ai"
            added, explained, ai, both = added + 1, explained + known, ai + claimed, both + (known and claimed)
            session += claimed and by.session_id in known_lines.get(line, ())
    return [added, explained, ai, both, session, ai - both]


def _commits(clone: Path, count: int, written: Written, *, touched: bool) -> Iterator[str]:
    """Yield the newest commits, without merges, that change a file some transcript wrote to, or none."""
    log = _git(clone, "log", "--no-merges", "--format=%x01%H", "--name-only")
    found = 0
    for block in log.split("\1")[1:]:
        revision, *paths = block.split("\n")
        if any(_lines_of(written, path) for path in paths) == touched:
            yield revision
            found += 1
        if found == count:
            return


def _added(clone: Path, revision: str) -> Iterator[tuple[str, list[int]]]:
    """Yield each file of a commit with the numbers of the lines it added."""
    diff = _git(clone, "show", "--format=", "-U0", "--no-renames", "--no-color", revision)
    path, numbers = "", []
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            if numbers:
                yield path, numbers
            path, numbers = line[6:], []
        elif line.startswith("@@ "):
            start, _, count = line.split(" ")[2][1:].partition(",")
            numbers += range(int(start), int(start) + int(count or 1))
    if numbers:
        yield path, numbers


def _written(folder: Path) -> Written:
    """Read which lines the transcripts show being written to which file, by the file's name."""
    written: Written = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    for file in folder.rglob("*.jsonl"):
        for raw in file.open("rb"):
            if b'"structuredPatch"' not in raw:
                continue
            record = json.loads(raw)
            result = record.get("toolUseResult")
            if isinstance(result, dict) and "filePath" in result:
                path = result["filePath"]
                for line in _new_lines(result):
                    written[os.path.basename(path)][path][line].add(record["sessionId"])
    return written


def _new_lines(result: dict[str, Any]) -> Counter[str]:
    """Return the lines an edit wrote; one it only re-indented or moved was there before."""
    if result.get("type") == "create":
        return Counter(map(_substance, result["content"].split("\n")))
    patch = [line for hunk in result["structuredPatch"] for line in hunk["lines"]]
    plus = Counter(_substance(line[1:]) for line in patch if line.startswith("+"))
    return plus - Counter(_substance(line[1:]) for line in patch if line.startswith("-"))


def _lines_of(written: Written, path: str) -> Lines:
    """Return the lines written to a file of the repository, wherever the transcripts' machine kept it."""
    found: Lines = defaultdict(set)
    for name, lines in written.get(os.path.basename(path), {}).items():
        for line, sessions in lines.items() if name.endswith(f"/{path}") else ():
            found[line] |= sessions
    return found


def _substance(line: str) -> str:
    return "".join(line.split())


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), "-c", "core.quotepath=off", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


if __name__ == "__main__":
    sys.exit(main())
