"""Count lines by who wrote them and who took them away; every line counts once, so the rows add up to the totals."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.files import is_binary
from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Answer, Blamer, Opened
from linetrail.projections.git import plumbing
from linetrail.projections.git.diff_patch import is_below, stored
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.diff_lines import ADDED, DELETED, MOVED, Difference
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table

# What lines can be counted by, beside the kind of their author: the field of the attribution, or the file. `class` is
# that kind alone; `change` is what the change that wrote them was judged to be.
BY = {
    "class": (),
    "agent": ("agent_name",),
    "model": ("model_id",),
    "intent": ("intent_id",),
    "session": ("session_id",),
    "author": ("author",),
    "change": ("mutation_class",),
    "path": ("path",),
}
_REGULAR = "100"
# Shares are cut off behind so many digits, never rounded up: together they are at most 1.
_DIGITS = 10_000

# The kind of an author and, where lines are counted by more, the value of that.
Key = tuple[str | None, ...]


class Counted(NamedTuple):
    """Rows, each with the key of its author in front, and what they add up to."""

    table: Table
    totals: Mapping[str, object]


class Listed(NamedTuple):
    """A file as the tree of a commit lists it."""

    path: str
    mode: str
    blob: str
    size: int


class Held(NamedTuple):
    """One file of a commit with who wrote its lines; `left_out` says why nobody can: `binary`, `symlink`, …."""

    path: str
    left_out: str | None
    answer: Answer | None


def of_range(found: Difference, by: str) -> Counted:
    """Count the lines of a difference: `added` by an author, `deleted` by them, and `lost` of theirs to `lost_to`."""
    added: Counter[Key] = Counter()
    deletions: Counter[tuple[Key, Key]] = Counter()
    moved = 0
    for line in found.lines():
        author = _key(by, line.by, line.path)
        if line.change == ADDED:
            added[author] += 1
        elif line.change == DELETED and line.deleted_by is not None:
            deletions[author, _key(by, line.deleted_by, line.path)] += 1
        moved += line.change == MOVED
    deleted, lost = (_sum(deletions, side) for side in (1, 0))
    keys = sorted({*added, *deleted, *lost}, key=lambda key: (-added[key] - deleted[key], -lost[key], _order(key)))
    rows = [(*key, added[key], deleted[key], lost[key], _lost_to(by, deletions, key)) for key in keys]
    totals = {
        "files": len(found.files),
        "added": added.total(),
        "deleted": deletions.total(),
        "moved": moved,
        "left_out": [[file.diff.path, file.diff.left_out] for file in found.files if file.diff.left_out],
    }
    return Counted(Table((*_names(by), "added", "deleted", "lost", "lost_to"), rows), totals)


def of_tree(files: Iterable[Held], by: str) -> Counted:
    """Count the lines of files by their authors; `presumed` are those that only git speaks for.

    In the totals, `noted` are those that only a note of another tool or a trailer speaks for: known, and not recorded.
    `doubtful` are those recorded with little confidence, `disproved` those whose recorded owner git disproved.
    """
    lines: Counter[Key] = Counter()
    presumed: Counter[Key] = Counter()
    mixed: Counter[Key] = Counter()
    noted = doubtful = disproved = 0
    left_out: list[list[str]] = []
    read = 0
    for file in files:
        if file.left_out is not None:
            left_out.append([file.path, file.left_out])
        read += file.answer is not None
        disproved += file.answer.disproved if file.answer else 0
        for line, times in _counted(file.answer.attributions if file.answer else ()):
            key = _key(by, line, file.path)
            lines[key] += times
            presumed[key] += times * (line.evidence == "git" and line.contributor_type != "unknown")
            mixed[key] += times * line.mixed
            noted += times * (line.evidence in {"external", "trailer"})
            doubtful += times * line.doubtful
    total = lines.total()
    unknown = sum(times for key, times in lines.items() if key[0] == "unknown")
    keys = sorted(lines, key=lambda key: (-lines[key], _order(key)))
    rows = [(*key, lines[key], presumed[key], mixed[key], _share(lines[key], total)) for key in keys]
    totals = {
        "files": read,
        "lines": total,
        "known": total - unknown,
        "known_share": _share(total - unknown, total),
        "recorded": total - unknown - presumed.total() - noted,
        "noted": noted,
        "doubtful": doubtful,
        "disproved": disproved,
        "left_out": left_out,
    }
    return Counted(Table((*_names(by), "lines", "presumed", "mixed", "share"), rows), totals)


def tree(repository: Repository, commit: str, paths: Sequence[str] = ()) -> list[Listed]:
    """Return every file of a commit that is one of these stored paths or below one."""
    listed = plumbing.answer(repository, "ls-tree", "-r", "-z", "--full-tree", "--long", commit).split(b"\0")
    entries = (entry.partition(b"\t") for entry in listed if entry)
    files = [_listed(about.decode().split(), stored(name)) for about, _, name in entries]
    return [file for file in files if is_below(file.path, paths)]


def held(
    repository: Repository,
    commit: str,
    files: Sequence[Listed],
    until: Cut | None,
    advance: Callable[[int], None],
    *,
    remembered: bool = False,
    opened: Opened | None = None,
) -> Iterator[Held]:
    """Yield these files of a commit with who wrote their lines; `advance` is told how many bytes are done.

    Where only what is `remembered` counts, a file that was not asked about has no answer.
    """
    with Blamer(repository, until, opened=opened) as blamer:
        targets: list[Target] = []
        for file in files:
            content = blamer.store.read(file.blob) if file.mode.startswith(_REGULAR) else None
            if content is not None and not is_binary(content):
                targets.append(Target(file.path, content, commit, commit))
            else:
                advance(file.size)
                yield Held(file.path, _KINDS.get(file.mode, "binary" if content else "not in this clone"), None)
        if not remembered:
            blamer.expect(targets)
        answers = map(blamer.remembered, targets) if remembered else blamer.answers(targets)
        for target, answer in zip(targets, answers, strict=True):
            advance(len(target.content))
            yield Held(target.path, None, answer)


def _listed(about: Sequence[str], path: str) -> Listed:
    mode, _, blob, size = about
    return Listed(path, mode, blob, int(size) if size.isdecimal() else 0)


_KINDS = {"120000": "symlink", "160000": "submodule"}


def _counted(lines: Sequence[Attribution]) -> Iterator[tuple[Attribution, int]]:
    """Yield each attribution with how many lines share it: as one object, which costs less than to compare fields."""
    times = Counter(map(id, lines))
    return ((line, times[key]) for key, line in {id(line): line for line in lines}.items())


def _key(by: str, who: Attribution, path: str) -> Key:
    return (who.contributor_type, *(path if name == "path" else getattr(who, name) for name in BY[by]))


def _names(by: str) -> tuple[str, ...]:
    return ("contributor_type", *BY[by])


def _order(key: Key) -> tuple[str, ...]:
    return tuple(value or "" for value in key)


def _sum(deletions: Mapping[tuple[Key, Key], int], side: int) -> Counter[Key]:
    found: Counter[Key] = Counter()
    for pair, times in deletions.items():
        found[pair[side]] += times
    return found


def _lost_to(by: str, deletions: Mapping[tuple[Key, Key], int], author: Key) -> list[dict[str, object]]:
    taken = {deleter: times for (whose, deleter), times in deletions.items() if whose == author}
    order = sorted(taken, key=lambda key: (-taken[key], _order(key)))
    return [dict(zip(_names(by), key, strict=True)) | {"lines": taken[key]} for key in order]


def _share(part: int, whole: int) -> float | None:
    return part * _DIGITS // whole / _DIGITS if whole else None
