"""Find who is behind a check that fails only together: the intent that landed, then what it did to which definition.

Nothing is guessed that can be tried. Of the works that landed since, the first with which the check fails is found by
halves; then single definitions of it are put back as they were, those first that the failing test calls or names.
"""

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.intents.criteria import Check
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.git.history import Objects
from linetrail.projections.graph.commits import Entry
from linetrail.projections.graph.head_definitions import Standing, mentions, standing
from linetrail.projections.nodes.commits import blobs
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.syntax import definitions
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import UnparsableError
from linetrail.queries.work import merging
from linetrail.queries.work.changes import changes
from linetrail.queries.work.states import Work

# How sure it is that one part alone is behind it, one of several, the intent as a whole, and any other that landed.
ALONE, AMONG, INTENT, OTHER = 0.95, 0.7, 0.9, 0.05
_WORD = re.compile(r"\w+")


class Verdict(NamedTuple):
    """Who may be behind a failure: an intent, and what of its work, as far as that was found."""

    intent_id: str
    path: str | None
    # what it changed, added or took away there; None is the file as a whole
    definition: str | None
    # the definition of the failing test, or of the work that fails, from which it is reached
    used_by: str | None
    evidence: str
    confidence: float

    @property
    def sentence(self) -> str:
        """Who, what and how that is known, as one sentence."""
        where = f"{self.definition} of {self.path}" if self.definition else self.path
        used = f", reached from {self.used_by}" if self.used_by else ""
        return f"{self.intent_id}{f', {where}{used}' if where else ''}: {self.evidence} ({self.confidence:.0%})"


class _Part(NamedTuple):
    """What can be put back by itself: a definition, or where there is no name the file as a whole."""

    path: str
    name: str | None


class _Trial(NamedTuple):
    """Work that passes a check without what another landed, and fails with it."""

    main: Repository
    work: Work
    landed: Work
    check: Check

    @property
    def before(self) -> str:
        """The commit that the other landed on; one that its branch simply went on from is where that began."""
        revision = self.landed.revision or ""
        return f"{revision}^1" if revision != self.landed.head else self.landed.base or ""

    def passes(self, revision: str) -> bool:
        """Return whether the check passes on this work merged with a commit."""
        tree = self.merged(revision)
        if tree is None:
            return False
        together = merging.commit(self.main, tree, revision, self.work.head or "", "tried")
        return merging.try_out(self.main, self.work.intent_id, together, self.check).passed

    def merged(self, revision: str) -> str | None:
        """Return the tree of this work merged with a commit; None where git cannot merge them."""
        found = merging.merge(self.main, revision, self.work.head or "")
        return None if found.conflicts else found.tree


def verdicts(main: Repository, work: Work, landed: Sequence[Work], check: Check, said: str) -> list[Verdict]:
    """Return who may be behind a check that this work passes alone, the likely one first.

    `landed` are the works that landed since, in their order; `said` is what the check said when it failed.
    """
    if not landed:
        return []
    trials = [_Trial(main, work, one, check) for one in landed]
    # the first that fails; that the last one does is known
    at = bisect_left(trials[:-1], 1, key=lambda trial: not trial.passes(trial.landed.revision or ""))
    others = [one.intent_id for number, one in enumerate(landed) if number != at]
    rest = [Verdict(name, None, None, None, "landed since this work began", OTHER) for name in others]
    return [_behind(trials[at], said), *rest]


def _behind(trial: _Trial, said: str) -> Verdict:
    """Name what of the other's work the check does not pass with: what passes when it is put back as it was."""
    with closing(Objects(trial.main)) as store:
        sides = dict(_sides(trial, store))
    parts, reached = _ordered(trial, sides, said)

    def passes(chosen: Sequence[_Part]) -> bool:
        names: dict[str, list[str | None]] = defaultdict(list)
        for part in chosen:
            names[part.path].append(part.name)
        contents = {path: put_back(*sides[path], found) for path, found in names.items()}
        return trial.passes(merging.altered(trial.main, trial.landed.revision or "", contents, trial.before))

    intent_id, needed = trial.landed.intent_id, _needed(parts, passes)
    if needed is None:
        return Verdict(intent_id, None, None, None, "the check passes without it, and fails with it", INTENT)
    part = parts[needed - 1]
    evidence, confidence = "with this alone as it was before, the check passes", ALONE
    if needed > 1 and not passes([part]):
        evidence, confidence = f"with this and {needed - 1} more as they were before, the check passes", AMONG
    return Verdict(intent_id, part.path, part.name, reached.get(part), evidence, confidence)


def _needed(parts: Sequence[_Part], passes: Callable[[Sequence[_Part]], bool]) -> int | None:
    """Return how many parts, from the first, have to be put back for the check to pass; None where all are too few."""
    tried, many = 0, 1
    while parts and not passes(parts[:many]):
        if many >= len(parts):
            return None
        tried, many = many, 2 * many
    counts = range(tried + 1, min(many, len(parts)))
    return tried + 1 + bisect_left(counts, 1, key=lambda count: passes(parts[:count])) if parts else None


def _sides(trial: _Trial, store: Objects) -> Iterator[tuple[str, tuple[Side | None, Side | None]]]:
    """Yield the files that the other changed, as they were and as they are."""
    for change in changes(trial.main, trial.before, trial.landed.revision or ""):
        contents = (None if blob is None else store.read(blob) for blob in (change.before, change.after))
        before, after = (None if content is None else side(change.path, content) for content in contents)
        yield change.path, (before, after)


def _ordered(
    trial: _Trial, sides: Mapping[str, tuple[Side | None, Side | None]], said: str
) -> tuple[list[_Part], Mapping[_Part, str]]:
    """Return the parts to put back, the likely ones first, and from where those are reached that are.

    First comes what the check names, then what the failing test or this work calls, the nearest first, then what this
    work names, and whole files last.
    """
    files = _without_it(trial)
    ours = [one.path for one in changes(trial.main, trial.work.base or "", trial.work.head or "")]
    starts = list(_named_tests((file for file in files if file.path not in sides), said))
    starts = starts or [_name(file, at) for file in files if file.path in ours for at in _all(file)]
    steps = _reached(trial.main, files, starts)
    told, words = set(_WORD.findall(said)), _words(trial, ours)
    parts = [_Part(path, name) for path, (before, after) in sides.items() for name in edited(before, after)]
    parts += [_Part(path, None) for path in sides]

    def likely(part: _Part) -> tuple[bool, bool, int, bool]:
        short = (part.name or "").partition("#")[0].rpartition(".")[2]
        distance = steps[part.path, part.name][0] if (part.path, part.name) in steps else len(steps)
        return part.name is None, short not in told, distance, short not in words

    reached = {part: ":".join(steps[part.path, part.name][1]) for part in parts if (part.path, part.name) in steps}
    return sorted(parts, key=likely), reached


def _without_it(trial: _Trial) -> list[Standing]:
    """Return what is defined where the check passes: in this work, merged with what the other landed on."""
    tree = trial.merged(trial.before)
    found = blobs(trial.main, tree) if tree is not None else {}
    return list(standing(trial.main, {path: Entry(blob, trial.before, ()) for path, blob in found.items()}))


def _named_tests(files: Iterable[Standing], said: str) -> Iterator[tuple[str, str]]:
    """Yield the definitions that what a check said names with their file, as test runners do; else all of that file."""
    for file in files:
        if file.path in said:
            rest = set(_WORD.findall(said))
            named = [at for at in _all(file) if file.places[at].definition.name in rest]
            yield from (_name(file, at) for at in named or _all(file))


def _reached(
    main: Repository, files: Sequence[Standing], starts: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str | None], tuple[int, tuple[str, str]]]:
    """Return what definitions call, and what that calls: how many steps away, and from which of them."""
    calls: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for one in mentions(main, files):
        source, target = ((place.path, place.definition.qualified) for place in (one.source, one.target))
        calls[source].append(target)
    found: dict[tuple[str, str | None], tuple[int, tuple[str, str]]] = {}
    left = deque((start, 0, start) for start in starts)
    while left:
        here, steps, start = left.popleft()
        if here not in found:
            found[here] = steps, start
            left.extend((target, steps + 1, start) for target in calls[here])
    return found


def _words(trial: _Trial, paths: Iterable[str]) -> set[str]:
    with closing(Objects(trial.main)) as store:
        contents = [store.read(f"{trial.work.head}:{file_path(path)}") or b"" for path in paths]
    return {word for content in contents for word in _WORD.findall(content.decode(errors="replace"))}


def _all(file: Standing) -> range:
    return range(len(file.places))


def _name(file: Standing, at: int) -> tuple[str, str]:
    return file.path, file.places[at].definition.qualified


# Single definitions of a file, edited and put back


def side(path: str, content: bytes) -> Side:
    """Return a file with what it defines, byte for byte as it is; what nobody can parse defines nothing."""
    language = language_of(path, content)
    try:
        return Side(path, content, definitions.index(language, content) if language is not None else ())
    except UnparsableError:
        return Side(path, content, ())


def edited(before: Side | None, after: Side | None) -> list[str]:
    """Return the definitions that were changed, added or taken away, by their names.

    What came or went with all that is in it is one; of what was changed, that in which nothing smaller was.
    """
    was, now = _places(before), _places(after)
    came_or_went = was.keys() ^ now.keys()
    changed = {name for name in was.keys() & now.keys() if was[name].definition.tokens != now[name].definition.tokens}
    around = {name: set(_around(now.get(name) or was[name])) for name in came_or_went | changed}
    holding = set().union(*around.values())
    return sorted((changed - holding) | {name for name in came_or_went if came_or_went.isdisjoint(around[name])})


def put_back(before: Side | None, after: Side | None, names: Sequence[str | None]) -> bytes | None:
    """Return a file with these definitions as they were before; None among them is the file as a whole."""
    if None in names or before is None or after is None:
        return None if before is None else before.content
    was, now = _places(before), _places(after)
    edits = [_edit(was.get(name or ""), now.get(name or ""), after, now) for name in names]
    content = after.content
    for start, end, text in sorted(edits, reverse=True):
        content = content[:start] + text + content[end:]
    return content


def _edit(was: Place | None, now: Place | None, after: Side, there: Mapping[str, Place]) -> tuple[int, int, bytes]:
    """Return which bytes of a file have to be replaced by what."""
    if now is not None:
        return now.definition.start_byte, now.definition.end_byte, b"" if was is None else was.text
    if was is None:
        raise ValueError("a definition is on neither side")
    at = _place_of(was, after, there)
    return at, at, b"\n" + _lines(was)


def _place_of(was: Place, after: Side, there: Mapping[str, Place]) -> int:
    """Return where a definition that is gone had its place: behind the last one before it that is still there."""
    beside = [one for one in was.side.places() if one.at < was.at and one.around == was.around]
    left = [there[one.definition.qualified] for one in beside if one.definition.qualified in there]
    if not left and was.around is not None and was.around.definition.qualified in there:
        left = [there[was.around.definition.qualified]]
    if not left:
        return len(after.content)
    end = after.content.find(b"\n", left[-1].definition.end_byte)
    return len(after.content) if end == -1 else end + 1


def _lines(place: Place) -> bytes:
    """Return a definition with the white space before it, and a line end behind it."""
    content, start = place.side.content, place.definition.start_byte
    return content[content.rfind(b"\n", 0, start) + 1 : place.definition.end_byte] + b"\n"


def _places(side: Side | None) -> dict[str, Place]:
    return {} if side is None else {place.definition.qualified: place for place in side.places()}


def _around(place: Place) -> Iterator[str]:
    """Yield the names of what a definition is part of."""
    around = place.around
    while around is not None:
        yield around.definition.qualified
        around = around.around
