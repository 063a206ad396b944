"""Measure what `linetrail plan` predicts over branches that were open at the same time in public histories.

    python -m benchmarks.queries.plan CLONE… [--merges N]

Each merge of a first-parent history stands for a piece of work. Two are a pair where the second had begun before the
first was merged; it is replayed as it was before it took the first in. They conflict where `git merge-tree` says so of
a file that both touched. What is predicted knows only a scope, as somebody might have written it down before, in two
ways: the folders of the files that were touched (`folders`), or these files, with the folder instead where there were
three or more in it (`files`). History is what was committed before both began. The baseline
knows what no plan can: it calls a pair a conflict where both did touch the same file.

Of pairs that conflict, that touched the same file, and that did neither, some of each kind are drawn (`--drawn`), and
each stands for as many as there are for one drawn. With `--check`, a command, those that merge are tried: they conflict
as well where it passes on each branch and fails on the merge. Precision depends on how common conflicts are, so it is
given for these histories and for the rate of agents' pull requests, 27.67 % (AgenticFlict, arXiv 2604.03551).
"""

import argparse
import os
import random
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from linetrail.ledger.intents.criteria import Check
from linetrail.ledger.intents.intent import DRAFT, Intent
from linetrail.ledger.paths.globs import literal
from linetrail.ledger.repository import find
from linetrail.queries.work import merging
from linetrail.queries.work.forecast import COMMITS, Forecast, History
from linetrail.queries.work.plan import predicted

MAX_FILES, FEW = 40, 2
CHECK_SECONDS = 300
AGENTS = 0.2767
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3)
CONFLICT, SAME_FILE, APART = "conflict", "same file", "apart"


class Branch(NamedTuple):
    """A branch that was merged: the commit before its merge, its base, its last commit, and what it touched."""

    before: str
    base: str
    tip: str
    files: frozenset[str]


class Pair(NamedTuple):
    """Two branches that were open at once, and which kind of pair they are."""

    one: Branch
    other: Branch
    kind: str


class Judged(NamedTuple):
    """What was predicted for a pair, by the name of the prediction; it stands for `weight` pairs of its kind."""

    kind: str
    weight: float
    probabilities: Mapping[str, float]


class Ancestry:
    """Who is an ancestor of whom, without asking git for each pair."""

    def __init__(self) -> None:
        lines = _git("rev-list", "--topo-order", "--reverse", "--parents", "HEAD").splitlines()
        rows = [line.split() for line in lines]
        self.parents = {commit: parents for commit, *parents in rows}
        self._place = {row[0]: at for at, row in enumerate(rows)}

    def holds(self, one: str, other: str) -> bool:
        """Return whether the first is the second, or in its history."""
        least, left, seen = self._place[one], [other], {other}
        while left:
            commit = left.pop()
            if commit == one:
                return True
            new = [each for each in self.parents[commit] if each not in seen and self._place[each] >= least]
            seen.update(new)
            left += new
        return False

    def first_parents(self, commit: str) -> Iterator[str]:
        """Yield a commit and those before it on its own line."""
        yield commit
        while self.parents[commit]:
            commit = self.parents[commit][0]
            yield commit


def main() -> None:
    """Replay the pairs of each clone and print recall and precision at each threshold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", metavar="CLONE", nargs="+")
    parser.add_argument("--merges", type=int, default=400, help="so many of the last")
    parser.add_argument("--near", type=int, default=10, help="how many merges a pair is apart at most")
    parser.add_argument("--drawn", type=int, default=60, help="of each kind and clone")
    parser.add_argument("--check", metavar="CMD", help="a command that has to pass on what merges")
    args = parser.parse_args()
    found: list[Judged] = []
    start = os.getcwd()
    for clone in args.clones:
        os.chdir(os.path.join(start, clone))
        judged = list(_judged(list(_pairs(args.merges, args.near)), args.drawn, args.check))
        kinds = ", ".join(f"{_weight(judged, kind):.0f} {kind}" for kind in (CONFLICT, SAME_FILE, APART))
        print(f"{clone}: {kinds}; {len(judged)} drawn", flush=True)
        found += judged
    print(f"\n{'predicted':32}recall  wrong of the others  precision here  at {AGENTS:.0%}")
    _line("same file, known afterwards", found, lambda pair: pair.kind != APART)
    for name in found[0].probabilities if found else ():
        for threshold in THRESHOLDS:
            _line(f"{name} >= {threshold:.2f}", found, partial(_is_predicted, name, threshold))


def _is_predicted(name: str, threshold: float, pair: Judged) -> bool:
    return pair.probabilities[name] >= threshold


def _line(name: str, found: Sequence[Judged], says: Callable[[Judged], bool]) -> None:
    right = sum(pair.weight for pair in found if pair.kind == CONFLICT and says(pair))
    wrong = sum(pair.weight for pair in found if pair.kind != CONFLICT and says(pair))
    conflicts = _weight(found, CONFLICT)
    recall = right / conflicts
    alarm = wrong / (_weight(found, SAME_FILE) + _weight(found, APART))
    among_agents = recall * AGENTS / (recall * AGENTS + alarm * (1 - AGENTS) or 1)
    print(f"{name:32}{recall:6.2f}{alarm:21.3f}{right / (right + wrong or 1):16.2f}{among_agents:8.2f}")


def _weight(found: Iterable[Judged], kind: str) -> float:
    return sum(pair.weight for pair in found if pair.kind == kind)


def _pairs(merges: int, near: int) -> Iterator[Pair]:
    ancestry = Ancestry()
    branches = list(_branches(ancestry, merges))
    for at, second in enumerate(branches):
        for first in branches[max(0, at - near) : at]:
            earlier = _without(second, first, ancestry)
            if earlier is not None and ancestry.holds(earlier.base, first.before):
                yield Pair(first, earlier, _kind(first, earlier))


def _branches(ancestry: Ancestry, merges: int) -> Iterator[Branch]:
    line = list(ancestry.first_parents(_git("rev-parse", "HEAD").strip()))
    merged = [ancestry.parents[commit] for commit in line if len(ancestry.parents[commit]) == 2][:merges]
    for before, tip in reversed(merged):
        branch = _branch(before, tip)
        if branch is not None:
            yield branch


def _branch(before: str, tip: str) -> Branch | None:
    base = _git("merge-base", before, tip).strip()
    files = frozenset(_git("diff", "--name-only", "--no-renames", base, tip).splitlines()) if base else frozenset()
    return Branch(before, base, tip, files) if 0 < len(files) <= MAX_FILES else None


def _without(branch: Branch, other: Branch, ancestry: Ancestry) -> Branch | None:
    """Return a branch as it was before it took in another, as whoever mends a conflict does before the merge."""
    if not ancestry.holds(other.tip, branch.tip):
        return branch
    for tip in ancestry.first_parents(branch.tip):
        if ancestry.holds(tip, branch.before):
            return None
        if not ancestry.holds(other.tip, tip):
            return _branch(branch.before, tip)
    return None


def _kind(one: Branch, other: Branch) -> str:
    shared = one.files & other.files
    if not shared:
        return APART
    merged = _git("merge-tree", "--write-tree", "--name-only", "--no-messages", one.tip, other.tip)
    return SAME_FILE if shared.isdisjoint(merged.splitlines()[1:]) else CONFLICT


def _judged(pairs: Sequence[Pair], drawn: int, check: str | None) -> Iterator[Judged]:
    chance = random.Random(0)
    kinds: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        kinds[pair.kind].append(pair)
    for kind, found in kinds.items():
        for pair in chance.sample(found, min(drawn, len(found))):
            breaks = check is not None and kind != CONFLICT and _breaks(pair, Check("passes", check, CHECK_SECONDS))
            yield Judged(CONFLICT if breaks else kind, len(found) / min(drawn, len(found)), _probabilities(pair))


def _breaks(pair: Pair, check: Check) -> bool:
    """Return whether a check passes on each of two branches, and not on the merge that git makes of them."""
    here, (one, other) = find(os.getcwd()), (pair.one.tip, pair.other.tip)
    merge = merging.commit(here, merging.merge(here, one, other).tree, one, other, "tried")
    passes = [merging.try_out(here, "tried", revision, check).passed for revision in (merge, one, other)]
    print(f"  {pair.kind}: {one[:12]} {other[:12]}: the check passes on {passes.count(True)} of 3", flush=True)
    return passes == [False, True, True]


def _probabilities(pair: Pair) -> dict[str, float]:
    base = _git("merge-base", pair.one.tip, pair.other.tip).strip()
    files = _git("ls-tree", "-r", "--name-only", base).splitlines()
    known = {"alone": Forecast(files), "with history": Forecast(files, _history(base))}
    return {
        f"{kind}, {name}": _probability(forecast, [scope(pair.one.files), scope(pair.other.files)])
        for name, forecast in known.items()
        for kind, scope in (("folders", _folders), ("files", _files))
    }


def _probability(forecast: Forecast, scopes: Sequence[tuple[str, ...]]) -> float:
    intents = [Intent(str(at), str(at), DRAFT, scope, 1) for at, scope in enumerate(scopes)]
    return next((meeting.probability for meeting in predicted(intents, forecast)), 0.0)


def _history(base: str) -> History:
    """Return what the commits before touched. The scopes own all that was touched, so nothing is outside of them."""
    asked = ("log", "--first-parent", "-m", "--no-renames", "--name-only", "--format=%x01", f"-n{COMMITS}", base)
    touched = (frozenset(filter(None, commit.splitlines())) for commit in _git(*asked).split("\1"))
    return History([paths for paths in touched if 0 < len(paths) <= MAX_FILES], outside=0.0)


def _folders(files: Iterable[str]) -> tuple[str, ...]:
    folders = {os.path.dirname(path) for path in files}
    return tuple(sorted(f"{literal(folder)}/*" if folder else "*" for folder in folders))


def _files(files: Iterable[str]) -> tuple[str, ...]:
    beside: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        beside[os.path.dirname(path)].append(path)
    few = (literal(path) for paths in beside.values() if len(paths) <= FEW for path in paths)
    return tuple(sorted({*few, *_folders(paths[0] for paths in beside.values() if len(paths) > FEW)}))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, errors="replace", check=False)
    return done.stdout


if __name__ == "__main__":
    main()
