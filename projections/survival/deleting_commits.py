"""Ask git which commit of a range took each line away.

`git blame --reverse` tells how long a line was there; the commit after that took it away. Where that is a merge, the
line may have gone on the other side, which is asked in turn.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, file_path, git, head
from linetrail.projections.blame.blame import Blamer
from linetrail.projections.closure import reached
from linetrail.projections.git import plumbing
from linetrail.projections.git.diff_patch import stored
from linetrail.projections.git.diff_sides import Sides, is_shallow
from linetrail.projections.git.history import Commit, GitLine, Objects
from linetrail.projections.git.target import Target

_LOG = ("-c", "log.showSignature=false", "log")


class Gone(NamedTuple):
    """What took a line away: a commit; without one, nothing that is committed did.

    `absent`: the later side never had the line. `unclear`: the commits that would tell are not in this clone. `now` is
    the number of the line in the last commit, where history has kept it until then.
    """

    revision: str | None = None
    absent: bool = False
    unclear: bool = False
    now: int | None = None

    @property
    def ended(self) -> bool:
        """Whether history tells what became of the line, and not that it is still there."""
        return self.revision is not None or self.absent or self.unclear


STILL_THERE = Gone()
ABSENT = Gone(absent=True)
UNCLEAR = Gone(unclear=True)


class Graph(NamedTuple):
    """The commits after one and up to another: the parents of each, those that came first in front."""

    parents: Mapping[str, Sequence[str]]
    children: Mapping[str, Sequence[str]]


class Deleting:
    """The commits between two sides, up to HEAD where the later one is the work tree."""

    def __init__(self, repository: Repository, store: Objects, blamer: Blamer, sides: Sides) -> None:
        self._repository, self._store, self._blamer = repository, store, blamer
        now = head(repository)
        self._before = sides.before or ""
        self._tip = sides.after or (now and now.revision) or self._before
        self._committed = sides.after is not None
        self._made: dict[str, Commit] = {}
        self._reached: dict[tuple[str, str], bool] = {}
        self._bases: dict[str, str | None] = {}
        self._graphs: dict[tuple[str, str], Graph] = {}
        self._names: dict[str, Mapping[str, str]] = {}
        self._log: tuple[Mapping[str, set[str]], Mapping[str, set[str]]] | None = None

    def commits(self, lines: Mapping[int, GitLine], path: str, new: str | None) -> dict[int, Gone]:
        """Return what took away each of these lines of the earlier side, by number.

        `lines` is what git says of them there; `path` and `new` are the names of the file on both sides.
        """
        if self._tip == self._before:
            return dict.fromkeys(lines, STILL_THERE)
        if self._base(self._tip) == self._before:
            touched, _ = self._range()
            only = touched.get(path, set()) | touched.get(new or path, set())
            if len(only) < 2 and (self._committed or not only):
                return dict.fromkeys(lines, Gone(next(iter(only), None)))
        return self._gone(lines, path, self._tip)

    def made(self, revisions: Iterable[str]) -> dict[str, Commit]:
        """Return who made these commits, and when, by the names that git's own answers have."""
        named = set(revisions)
        wanted = sorted(named - self._made.keys())
        if not wanted:
            return {revision: self._made[revision] for revision in named}
        asked = (*_LOG, "--no-walk=unsorted", "--format=%H%x00%aN%x00%at%x00%ct", "--stdin")
        told = plumbing.answer(self._repository, *asked, stdin="\n".join(wanted).encode() + b"\n")
        rows = (line.split("\0") for line in told.decode(errors="replace").split("\n") if line)
        self._made |= {name: Commit(who, int(written), int(made), (), cut=False) for name, who, written, made in rows}
        return {revision: self._made[revision] for revision in named}

    def reaches(self, earlier: str, later: str) -> bool:
        """Return whether a commit is another one or comes before it; one that is not here comes before none."""
        if earlier == later:
            return True
        if (earlier, later) not in self._reached:
            told = git(self._repository, "merge-base", "--is-ancestor", earlier, later)
            self._reached[earlier, later] = told is not None
        return self._reached[earlier, later]

    def holds(self, revision: str) -> bool:
        """Return whether a commit is part of the history of the later side, and was not rewritten since."""
        return revision == self._before or self.reaches(revision, self._tip)

    @property
    def committed(self) -> bool:
        """Whether the later side is a commit, so that nothing but commits took lines away."""
        return self._committed

    def happened_before(self, revision: str) -> bool:
        """Return whether what was recorded on top of a commit may have led to the later side."""
        return not self._committed or not self.reaches(self._tip, revision)

    def renames(self) -> Mapping[str, set[str]]:
        """Return what files were renamed to in the commits of the range."""
        return self._range()[1] if self._tip != self._before else {}

    def names(self, path: str) -> set[str]:
        """Return all that a file of the earlier side was called in the commits of the range."""
        base = self._base(self._tip)
        names = {path, path if base is None or base == self._before else self._name_at(path, base)}
        return reached(names, lambda name: self.renames().get(name, set()))

    def later(self, revision: str, paths: Iterable[str]) -> list[str]:
        """Return the commits of the range after this one that changed these files, in order."""
        touched, _ = self._range()
        changing = set().union(*(touched.get(path, ()) for path in paths))
        base = self._base(self._tip)
        if base is None or not changing:
            return []
        graph = self._graph(base, self._tip)
        children = graph.children
        after = reached(children.get(revision, ()), lambda commit: children.get(commit, ()))
        return [commit for commit in graph.parents if commit in changing and commit in after]

    def latest(self) -> tuple[list[str], list[str]]:
        """Return the commits of the range, the last one first: those with one parent, then the merges."""
        base = self._base(self._tip)
        parents = self._graph(base, self._tip).parents if base else {}
        latest = list(parents)[::-1]
        plain = [commit for commit in latest if len(parents[commit]) < 2]
        merges = [commit for commit in latest if len(parents[commit]) > 1]
        return plain, merges

    def _gone(self, lines: Mapping[int, GitLine], path: str, tip: str) -> dict[int, Gone]:
        base = self._base(tip)
        if base is None:
            return dict.fromkeys(lines, UNCLEAR if is_shallow(self._repository) else ABSENT)
        here = {at: at for at in lines} if base == self._before else self._numbers(lines, path, base)
        name = path if base == self._before else self._name_at(path, base)
        last = self._last_seen(base, tip, name) if here else []
        found = {at: ABSENT for at in lines if at not in here}
        leaving: dict[str, dict[int, GitLine]] = defaultdict(dict)
        for at, number in here.items():
            revision, now = last[number - 1]
            if revision == tip:
                found[at] = Gone(now=now)
            else:
                leaving[revision][at] = lines[at]
        for revision, group in leaving.items():
            found |= self._after(revision, group, path, self._graph(base, tip))
        return found

    def _after(self, last: str, lines: Mapping[int, GitLine], path: str, graph: Graph) -> dict[int, Gone]:
        """Return the commit after the last one that had these lines, on whichever side of a merge they went."""
        following = graph.children.get(last, ())
        plain = next((commit for commit in following if len(graph.parents[commit]) == 1), None)
        if plain is not None:
            return dict.fromkeys(lines, Gone(plain))
        found = dict.fromkeys(lines, Gone(following[0]) if following else UNCLEAR)
        for side in (parent for merge in following for parent in graph.parents[merge] if parent != last):
            told = self._gone(lines, path, side)
            found |= {at: gone for at, gone in told.items() if gone.revision is not None}
        return found

    def _last_seen(self, base: str, tip: str, path: str) -> list[tuple[str, int]]:
        """Return, for each line of a file, the last commit that had it, and its number there."""
        if base == tip:
            return [(tip, at) for at in range(1, len(split(self._content(base, path)).lines) + 1)]
        asked = ("blame", "--no-textconv", "--reverse", "-w", "--porcelain", f"{base}..{tip}", "--", file_path(path))
        told = plumbing.answer(self._repository, "-c", "blame.ignoreRevsFile=", *asked).split(b"\n")
        after_text = [at + 1 for at, line in enumerate(told) if line.startswith(b"\t")]
        headings = (told[at].split(b" ") for at in [0, *after_text[:-1]] if told[at])
        return [(revision.decode(), int(number)) for revision, number, *_ in headings]

    def _numbers(self, lines: Mapping[int, GitLine], path: str, base: str) -> dict[int, int]:
        """Find lines in the commit where two sides parted, by where git says that they were written."""
        name = self._name_at(path, base)
        content = self._content(base, name)
        if not content:
            return {}
        told = self._blamer.answer(Target(name, content, base, base)).git
        written = {_written(line): number for number, line in enumerate(told.lines, 1)}
        return {at: written[_written(line)] for at, line in lines.items() if _written(line) in written}

    def _content(self, revision: str, path: str) -> bytes:
        return self._store.read(f"{revision}:{file_path(path)}") or b""

    def _name_at(self, path: str, base: str) -> str:
        """Return what a file of the earlier side was called in the commit where two sides parted."""
        if base not in self._names:
            asked = (
                "diff",
                f"-O{os.devnull}",
                "--raw",
                "-z",
                "-M",
                "-l1000",
                "--diff-filter=R",
                base,
                self._before,
                "--",
            )
            words = plumbing.answer(self._repository, *asked).split(b"\0")
            self._names[base] = {stored(new): stored(old) for old, new in zip(words[1::3], words[2::3], strict=False)}
        return self._names[base].get(path, path)

    def _base(self, tip: str) -> str | None:
        if tip not in self._bases:
            found = git(self._repository, "merge-base", self._before, tip)
            self._bases[tip] = found.decode().strip() if found else None
        return self._bases[tip]

    def _graph(self, base: str, tip: str) -> Graph:
        if (base, tip) not in self._graphs:
            told = plumbing.answer(
                self._repository, "rev-list", "--topo-order", "--reverse", "--parents", f"{base}..{tip}"
            )
            parents = {one: rest for one, *rest in (line.split() for line in told.decode().splitlines())}
            children: dict[str, list[str]] = defaultdict(list)
            for commit, above in parents.items():
                for parent in above:
                    children[parent].append(commit)
            self._graphs[base, tip] = Graph(parents, children)
        return self._graphs[base, tip]

    def _range(self) -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
        """Return, for each file, the commits that changed it, and what it was renamed to.

        A merge changed what is like none of its parents.
        """
        if self._log is None:
            asked = ("--format=%H", "--raw", "-z", "-c", "-M", "-l1000", f"{self._before}..{self._tip}", "--")
            told = plumbing.answer(self._repository, *_LOG, f"-O{os.devnull}", *asked)
            self._log = _changed(told.split(b"\0"))
        return self._log


def _changed(words: Sequence[bytes]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    touched: dict[str, set[str]] = defaultdict(set)
    renamed: dict[str, set[str]] = defaultdict(set)
    revision, rest = "", iter(words)
    for word in rest:
        if word.lstrip().startswith(b":"):
            name = stored(next(rest))
            touched[name].add(revision)
            if word.rpartition(b" ")[2].startswith(b"R") and not word.lstrip().startswith(b"::"):
                new = stored(next(rest))
                touched[new].add(revision)
                renamed[name].add(new)
        elif word.strip():
            revision = word.strip().decode()
    return touched, renamed


def _written(line: GitLine) -> tuple[str | None, str, int]:
    return line.revision, line.filename, line.original_line
