"""Who wrote each line of a file, or of many: the rows that every surface shows."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Answer, Blamer, Opened
from linetrail.projections.git import target as targets
from linetrail.projections.git import tracked
from linetrail.projections.git.history import Blamed, GitLine, Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.tables.prefix import Cut
from linetrail.queries.arguments.line_ranges import as_numbers, chosen, needs_git


class Row(NamedTuple):
    """One line of the answer: its number, its bytes without the newline, who wrote it, and what git says of it."""

    number: int
    raw: bytes
    by: Attribution
    git: GitLine

    @property
    def text(self) -> str:
        """The line as text, without a carriage return that only ends it."""
        return self.raw.removesuffix(b"\r").decode("utf-8", "replace")


class Found(NamedTuple):
    """The answer for a file: its stored path, its name as a person may type it, the rows to show `of` those asked.

    `cut` says that some lines are only known from where a shallow clone ends.
    """

    path: str
    name: str
    rows: Sequence[Row]
    of: Sequence[Row]
    git: Blamed
    cut: bool


class Files:
    """The files that a list of typed paths names; a folder stands for the text files in it that git tracks."""

    def __init__(
        self, repository: Repository, directory: str, paths: Sequence[str], revision: str | None, store: Objects
    ) -> None:
        self._repository, self._directory, self._revision, self._store = repository, directory, revision, store
        self._typed: dict[str, str] = {}
        for path in paths:
            self._typed.setdefault(targets.locate(repository, directory, path), path)
        self._folders = {path for path in paths if tracked.is_folder(repository, directory, path, revision)}
        self.several = len(self._typed) > 1 or bool(self._folders)
        # files of folders that have no lines, and folders in which git tracks nothing: known at the end
        self.left_out: list[str] = []
        self.empty: list[str] = []

    def targets(self) -> Iterator[Target]:
        """Yield the files, each once."""
        seen = set()
        for found in self._all():
            if isinstance(found, Target) and found.path not in seen:
                seen.add(found.path)
                yield found
            elif not isinstance(found, Target) and found not in self.left_out:
                self.left_out.append(found)

    def _all(self) -> Iterator[Target | str]:
        for stored, path in self._typed.items():
            if path in self._folders:
                found = None
                for found in tracked.below(self._repository, self._directory, path, self._revision, self._store):
                    yield found
                if found is None:
                    self.empty.append(path)
            else:
                yield targets.find_target(self._repository, stored, self._revision)

    def name(self, target: Target) -> str:
        """Return the name of a file as a person may type it in the directory."""
        if not self.several:
            return next(iter(self._typed.values()))
        return os.path.relpath(self._repository.absolute(target.path), os.path.realpath(self._directory))


def blame(
    repository: Repository,
    files: Files,
    *,
    until: Cut | None = None,
    opened: Opened | None = None,
    ranges: Sequence[str] | None = None,
    flags: Sequence[str] = (),
    wanted: Callable[[Row], bool] = lambda _: True,
) -> Iterator[Found]:
    """Yield the answer for each file: its lines inside `ranges` for which `wanted` is true; git gets `flags`."""
    ahead: list[Target] = []

    def read() -> Iterator[Target]:
        for target in files.targets():
            ahead.append(target)
            yield target

    with Blamer(repository, until, flags, opened) as blamer:
        for answer in blamer.answers(read()):
            target = ahead.pop(0)
            of = _rows(repository, target, answer, ranges)
            shown = list(filter(wanted, of))
            yield Found(target.path, files.name(target), shown, of, answer.git, answer.cut)


def _rows(repository: Repository, target: Target, answer: Answer, ranges: Sequence[str] | None) -> list[Row]:
    lines = target.content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if ranges and lines and needs_git(ranges):
        ranges = as_numbers(repository, target, ranges)
    if ranges and lines and needs_git(ranges):
        from linetrail.projections.git.ranges import numbers  # starts several processes

        picked = numbers(repository, target, ranges)
    else:
        picked = chosen(ranges, len(lines), target.path) if lines else []
    return [Row(at, lines[at - 1], answer.attributions[at - 1], answer.git.lines[at - 1]) for at in picked]
