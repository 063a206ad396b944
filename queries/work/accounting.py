"""Account for each line and definition of both sides of a merge: it is kept, merged, or one side deleted it.

A merge driver may end with 0 and have dropped what it did not understand. White space does not count: drivers that know
syntax lay code out anew.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.syntax import definitions
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import UnparsableError
from linetrail.queries.work.changes import changes

DROPPED, INVENTED = "DROPPED", "INVENTED"


class Merge(NamedTuple):
    """A merge: what both sides began from, the two sides, and the tree that was made of them."""

    base: str
    ours: str
    theirs: str
    tree: str


class Breach(NamedTuple):
    """What a merge dropped although a side has it and none deleted it, or holds more often than both sides wrote it."""

    code: str
    path: str
    what: str
    text: str
    times: int


def breaches(repository: Repository, merge: Merge) -> list[Breach]:
    """Return all that a merge does not account for; files that were renamed count together."""
    blobs = _blobs(repository, merge)
    store = Objects(repository)
    found: list[Breach] = []
    moved: list[str] = []
    try:
        for path, (base, ours, theirs, merged) in sorted(blobs.items()):
            if (ours == base and merged == theirs) or (theirs == base and merged == ours) or ours == theirs == merged:
                continue
            if None in (ours, theirs, merged):
                moved.append(path)
                continue
            found += _of_file(path, [_read(store, blob) for blob in (base, ours, theirs, merged)])
        lines = [sum((_lines(_read(store, blobs[path][side])) for path in moved), Counter[str]()) for side in range(4)]
        found += _unaccounted(", ".join(moved), "line", lines)
    finally:
        store.close()
    return found


def _of_file(path: str, contents: Sequence[bytes]) -> Iterator[Breach]:
    yield from _unaccounted(path, "line", list(map(_lines, contents)))
    yield from _unaccounted(path, "definition", [_defined(path, content) for content in contents])


def _unaccounted(path: str, what: str, four: Sequence[Counter[str]]) -> Iterator[Breach]:
    """Yield what there is too few or too many of, given what base, ours, theirs and the merge have.

    >>> [one.text for one in _unaccounted("a", "line", list(map(Counter, ("a", "ab", "ac", "ab"))))]
    ['c']
    """
    base, ours, theirs, merged = four
    added = [side - base for side in (ours, theirs)]
    deleted = [base - side for side in (ours, theirs)]
    least = (base - deleted[0] - deleted[1]) + (added[0] | added[1])
    most = (base - (deleted[0] | deleted[1])) + added[0] + added[1]
    yield from (Breach(DROPPED, path, what, text, times) for text, times in sorted((least - merged).items()))
    yield from (Breach(INVENTED, path, what, text, times) for text, times in sorted((merged - most).items()))


def _lines(content: bytes) -> Counter[str]:
    found = ("".join(line.split()) for line in content.decode("utf-8", "replace").splitlines())
    return Counter(filter(None, found))


def _defined(path: str, content: bytes) -> Counter[str]:
    language = language_of(path, content)
    try:
        return Counter(one.qualified for one in definitions.index(language, content)) if language else Counter()
    except UnparsableError:
        return Counter()


def _read(store: Objects, blob: str | None) -> bytes:
    return (store.read(blob) if blob else None) or b""


def _blobs(repository: Repository, merge: Merge) -> Mapping[str, tuple[str | None, ...]]:
    """Return what base, ours, theirs and the merge have of each file that differs anywhere."""
    differing = [{one.path: one for one in changes(repository, merge.base, side)} for side in merge[1:]]
    found = {}
    for path in {path for side in differing for path in side}:
        base = next(side[path].before for side in differing if path in side)
        found[path] = (base, *(side[path].after if path in side else base for side in differing))
    return found
