"""Follow lines past a commit that moved the definition around them and edited it in the same step.

Blocks of lines are followed without this. What is left are lines that stand alone between edited ones: where syntax
says that one definition became the other, equal lines in the same order are the same. A commit is looked into only if
it took away, anywhere, lines like those that it is said to have brought.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.projections.git.history import Blamed, Commit, GitLine, Objects
from linetrail.projections.git.patches import Patches
from linetrail.projections.git.sources import Sources
from linetrail.projections.git.target import Target
from linetrail.projections.lines.align import trivial
from linetrail.projections.lines.moves import TAKEN, TELLING
from linetrail.projections.lines.states import lines_of

if TYPE_CHECKING:
    from linetrail.projections.nodes.index import DefinitionIndex
    from linetrail.projections.nodes.origins import Origins

# How many commits in a row that only moved and edited a definition are looked past.
ROUNDS = 3


# A path and what stood or stands there; empty where there is no file.
File = tuple[str, bytes]


class _Place(NamedTuple):
    """A line of a file in a commit, its number counted from 1."""

    revision: str
    path: str
    number: int


class MovedLines:
    """Follow lines of many files; what a commit did to definitions is worked out once."""

    def __init__(self, repository: Repository, store: Objects, patches: Patches, sources: Sources) -> None:
        self._repository, self._store, self._patches, self._sources = repository, store, patches, sources

    @cached_property
    def _indexed(self) -> "DefinitionIndex":
        from linetrail.projections.nodes.index import DefinitionIndex  # few contents have lines that syntax may tell of

        return DefinitionIndex(self._repository)

    @cached_property
    def _origins(self) -> "Origins":
        from linetrail.projections.nodes.origins import Origins  # as above

        return Origins(self._repository, self._store, self._indexed)

    def close(self) -> None:
        """Leave what was parsed to the next who asks."""
        if "_indexed" in vars(self):
            self._indexed.close()

    def followed(
        self, target: Target, blamed: Blamed, wanted: Collection[int], lost: Callable[[], Collection[str]]
    ) -> tuple[Blamed, frozenset[int]]:
        """Return git's answer with the wanted lines, by index, where they were before, and which ones were followed.

        `lost` tells the lines that the files of the work tree have no more.
        """
        lines, commits = list(blamed.lines), dict(blamed.commits)
        followed: set[int] = set()
        left = set(wanted)
        for _ in range(ROUNDS):
            places = dict(self._places(target, lines, left, lost)) if left else {}
            found, named = self._asked(places)
            for at, line in found.items():
                lines[at] = line
            commits |= named
            followed |= found.keys()
            left = set(found)
        if not followed:
            return blamed, frozenset()
        known = {line.revision for line in lines}
        return Blamed(lines, {name: commit for name, commit in commits.items() if name in known}), frozenset(followed)

    def _places(
        self, target: Target, lines: Sequence[GitLine], wanted: Collection[int], lost: Callable[[], Collection[str]]
    ) -> Iterator[tuple[int, _Place]]:
        """Yield where lines were before the commits that are said to have brought them."""
        text, hashes = lines_of(target.content)
        brought: dict[tuple[str | None, str], list[int]] = defaultdict(list)
        for at in wanted:
            brought[lines[at].revision, lines[at].filename].append(at)
        for (revision, filename), found in brought.items():
            before = self._sources.parent(revision) if revision else target.head
            said = [at for at in found if not trivial(hashes[at])]
            if before is None or not said:
                continue
            losing: list[str] | None = None
            patch = self._patches.of(revision) if revision is not None else None
            if patch is not None:
                said = [at for at in said if hash(text.substance[at]) in patch.deleted]
            else:
                said = [at for at in said if hashes[at] in lost()]
            telling = {one for at in said if len(one := text.lines[at].strip()) >= TELLING}
            if len(telling) < TAKEN or not _has_grammar(filename):
                continue
            if patch is not None:
                went = {hash(text.substance[at]) for at in said}
                losing = [stored_path(name) for name, gone in patch.lost.items() if not went.isdisjoint(gone.values())]
            content = self._store.read(f"{revision}:{filename}") if revision else target.content
            pairs = self._origins.step(stored_path(filename), content or b"", telling, revision, target.head, losing)
            numbers = {lines[at].original_line: at for at in found}
            for number, (path, old) in pairs.items():
                if number in numbers:
                    yield numbers[number], _Place(before, path, old)

    def _asked(self, places: Mapping[int, _Place]) -> tuple[dict[int, GitLine], dict[str, Commit]]:
        """Ask git which commits brought lines to where they were."""
        found: dict[int, GitLine] = {}
        commits: dict[str, Commit] = {}
        asked: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, (revision, path, number) in places.items():
            asked[revision, path][number].append(at)
        for (revision, path), lines in asked.items():
            answer = self._sources.traced(revision, file_path(path), sorted(lines))
            if answer is None:
                continue  # objects are missing: the lines stay where they are
            commits |= answer.commits
            for number, line in zip(sorted(lines), answer.lines, strict=True):
                found |= dict.fromkeys(lines[number], line)
        return found, commits


def lines_from(
    repository: Repository, here: File, here_before: File, there: File, there_before: File
) -> dict[int, int]:
    """Return for lines of a file, by number, the numbers they had in another one before the step."""
    if not (_has_grammar(*here) and _has_grammar(*there_before)):
        return {}
    from linetrail.projections.nodes.index import DefinitionIndex  # as above
    from linetrail.projections.nodes.matches import follow, paired_lines

    indexed = DefinitionIndex(repository)
    side = indexed.side(*here)
    matches = follow([indexed.side(*there_before), indexed.side(*here_before)], [side, indexed.side(*there)])
    indexed.close()
    return {number: old for number, (path, old) in paired_lines(side, matches).items() if path == there_before[0]}


def _has_grammar(path: str, content: bytes = b"") -> bool:
    from linetrail.projections.syntax.language import language_of  # it reads what is known of every language

    return language_of(path, content) is not None
