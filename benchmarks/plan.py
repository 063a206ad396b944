"""Measure what `linetrail plan` predicts over branches that were open at the same time in a public history.

``python benchmarks/plan.py CLONE [--pairs N]``. Each merge of the first-parent history stands for a piece of work. Two
are a pair where the second had begun before the first was merged, and neither has the other. They conflict where
`git merge-tree` says so of a file that both touched. The scope of each is the folders of the files that it touched, as
somebody might have written it down before; history is what was committed before both began. The baseline knows what no
plan can: it calls a pair a conflict where both did touch the same file.
"""

import argparse
import os
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from linetrail.ledger.intents.intent import DRAFT, Intent
from linetrail.queries.work.chances import COMMITS, Chances, History
from linetrail.queries.work.plan import predicted

MAX_FILES = 40
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


class Branch(NamedTuple):
    """A branch that was merged: its place in the history, the commit before its merge, its base, its last commit."""

    place: int
    before: str
    base: str
    tip: str
    files: frozenset[str]


class Pair(NamedTuple):
    """What was predicted for two branches, by scopes and with history, and what is so."""

    by_scope: float
    with_history: float
    same_file: bool
    conflict: bool


def main() -> None:
    """Replay pairs and print precision and recall at each threshold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--near", type=int, default=8, help="how many merges a pair is apart at most")
    args = parser.parse_args()
    os.chdir(args.clone)
    found = [pair for _, pair in zip(range(args.pairs), _replayed(list(_branches()), args.near), strict=False)]
    conflicts = sum(pair.conflict for pair in found)
    print(
        f"{len(found)} pairs, {conflicts} conflicts, {sum(pair.same_file for pair in found)} that touched the same file"
    )
    print(f"{'':24}    conflict            same file")
    print(f"{'':24}precision  recall   precision  recall")
    _line("same file, known after", found, [pair.same_file for pair in found])
    for threshold in THRESHOLDS:
        _line(f"scopes alone     >= {threshold:.2f}", found, [pair.by_scope >= threshold for pair in found])
    for threshold in THRESHOLDS:
        _line(f"with history     >= {threshold:.2f}", found, [pair.with_history >= threshold for pair in found])


def _line(name: str, pairs: list[Pair], said: list[bool]) -> None:
    cells = []
    for so in ([pair.conflict for pair in pairs], [pair.same_file for pair in pairs]):
        right = sum(map(all, zip(so, said, strict=True)))
        precision = right / sum(said) if any(said) else float("nan")
        cells.append(f"{precision:9.2f}  {right / (sum(so) or 1):6.2f}")
    print(f"{name:24}{'   '.join(cells)}")


def _branches() -> Iterator[Branch]:
    listed = _git("rev-list", "--first-parent", "--merges", "--parents", "--reverse", "HEAD").splitlines()
    for place, line in enumerate(listed):
        _, before, tip, *_ = line.split()
        base = _git("merge-base", before, tip).strip()
        files = frozenset(_git("diff", "--name-only", "--no-renames", base, tip).splitlines())
        if base and 0 < len(files) <= MAX_FILES:
            yield Branch(place, before, base, tip, files)


def _replayed(branches: list[Branch], near: int) -> Iterator[Pair]:
    for at, second in enumerate(branches):
        for first in branches[max(0, at - near) : at]:
            earlier = _without(second, first)
            if earlier is not None and _is_ancestor(earlier.base, first.before):
                yield _replay(first, earlier)


def _without(branch: Branch, other: Branch) -> Branch | None:
    """Return a branch as it was before it took in another, as whoever mends a conflict does before the merge."""
    for tip in _git("rev-list", "--first-parent", branch.tip, f"^{branch.before}").splitlines():
        if not _is_ancestor(other.tip, tip):
            base = _git("merge-base", branch.before, tip).strip()
            files = frozenset(_git("diff", "--name-only", "--no-renames", base, tip).splitlines())
            return branch._replace(base=base, tip=tip, files=files) if 0 < len(files) <= MAX_FILES else None
    return None


def _replay(first: Branch, second: Branch) -> Pair:
    base = _git("merge-base", first.tip, second.tip).strip()
    files = _git("ls-tree", "-r", "--name-only", base).splitlines()
    intents = [Intent(name, name, DRAFT, _scope(one.files), 1) for name, one in (("A", first), ("B", second))]
    merged = _git("merge-tree", "--write-tree", "--name-only", "--no-messages", first.tip, second.tip)
    conflicts = merged.splitlines()[1:]
    shared = first.files & second.files
    alone, informed = (_probability(Chances(files, past), intents) for past in (History(), _history(base)))
    return Pair(alone, informed, bool(shared), not shared.isdisjoint(conflicts))


def _probability(chances: Chances, intents: list[Intent]) -> float:
    return next((meeting.probability for meeting in predicted(intents, chances)), 0.0)


@cache
def _history(base: str) -> History:
    commits = _git(
        "log", "--first-parent", "-m", "--no-renames", "--name-only", "--format=%x01", f"-n{COMMITS}", base
    ).split("\1")
    touched = (frozenset(filter(None, commit.splitlines())) for commit in commits)
    return History([paths for paths in touched if 0 < len(paths) <= MAX_FILES])


def _scope(files: Iterable[str]) -> tuple[str, ...]:
    folders = {os.path.dirname(path) for path in files}
    return tuple(sorted({f"{folder}/*" if folder else "*" for folder in folders}))


def _is_ancestor(one: str, other: str) -> bool:
    return subprocess.run(["git", "merge-base", "--is-ancestor", one, other], check=False).returncode == 0


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main()
