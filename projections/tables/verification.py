"""Look whether everything that was acknowledged is there, byte for byte: segments, how they hang together, the tail.

Every problem is found, not only the first; what is wrong with one file hides nothing in another.
"""

import contextlib
import io
import math
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError, StorageError
from linetrail.ledger.event.event import from_line
from linetrail.ledger.files import Stamp, open_file, stamp
from linetrail.ledger.log import checkpoint, duplicates, id_index, integrity, segments
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.log.id_index import Span
from linetrail.ledger.log.seal import sealed_end
from linetrail.ledger.log.segments import SEGMENTS, Segment
from linetrail.ledger.log.store import SPOOL, Ledger
from linetrail.ledger.log.tail import anchor
from linetrail.ledger.repository import Repository
from linetrail.projections.tables import verdicts
from linetrail.projections.tables.inspection import Problem, Verdict, contract, judge_segment, judge_tail
from linetrail.projections.tables.progress import working
from linetrail.projections.tables.verdicts import Memory, Sound, SoundTail

if TYPE_CHECKING:
    from array import array

# Less is read before a second process would have begun.
PARALLEL_BYTES = 24 * 1024 * 1024
_CHUNK = 4
_DIGITS = frozenset("0123456789abcdefABCDEF")


class Report(NamedTuple):
    """What was found, and how much there is."""

    problems: list[Problem]
    sound: Mapping[str, Segment]
    events: int
    tail: Head
    # segments that were read; the others are the files that they were when they were
    read: int
    # lines whose event stands before them already: one transcript, imported on two branches
    repeated: int
    # lines that were lost before they were sealed, as the ledger itself says
    lost: int
    # events with a type or a field that this version does not know
    unknown: int


def examine(repository: Repository, *, full: bool = False, brief: bool = False) -> Report:
    """Judge a ledger; `full` trusts nothing that was remembered, `brief` is content with the bytes of the tail."""
    ledger, hook = Ledger(repository), anchor(repository)
    # The note, then the tail, then the segments: or what is sealed meanwhile would look as if it were gone.
    noted = hook.read()[0] if hook is not None else START
    with _opened(ledger.tail_path()) as tail:
        found = _Examination(repository.folder, tail, ledger.tail_path(), full=full, brief=brief)
        problems = [
            *found.problems,
            *found.cut(noted),
            *map(Problem.of, integrity.gone(repository, found.present, anew=True)),
            *_spoiled(repository.folder),
        ]
    content = checkpoint.read(repository.folder)
    if content is not None:
        file = checkpoint.path(repository.folder)
        problems += map(Problem.of, checkpoint.judge(content, found.sound, file=file))
    return found.report(problems)


class _Examination:
    """All files of one ledger, each judged for itself and all together."""

    def __init__(self, folder: str, tail: BinaryIO, tail_path: str, *, full: bool, brief: bool) -> None:
        self.folder, self.tail_path, self.tail_file = folder, tail_path, tail
        self.present, self.problems = _listing(folder)
        before = Memory() if full else verdicts.recall(folder)
        self._trusted = {
            name: before.segments[name]
            for name, stamp in self.present.items()
            if name in before.segments and before.segments[name].stamp == stamp
        }
        self._new = _judged(folder, {name: at for name, at in self.present.items() if name not in self._trusted})
        self._headers = {name: sound.segment for name, sound in self._trusted.items()}
        self._headers |= {name: new.segment for name, new in self._new.items() if new.segment is not None}
        self.base = sealed_end(tail, self._headers)
        known = max(before.tail, before.followed, key=lambda tail: tail.end.size) if brief else before.tail
        self.tail, ids, reached = judge_tail(tail, tail_path, self.base, known, brief=brief)
        self._tail_spans = id_index.spans("", ids)
        for verdict in (*self._new.values(), self.tail):
            self.problems += verdict.problems
        self.problems += _unconnected(folder, self._headers, self.present)
        self._repeated: Counter[str] = Counter()
        self.problems += self._reused()
        judged, followed = (before.tail, reached) if brief else (reached, SoundTail())
        verdicts.remember(folder, self._remembered(), judged, followed, before)

    @property
    def sound(self) -> dict[str, Segment]:
        """Return the segments in which there is nothing wrong."""
        blamed = {problem.file for problem in self.problems}
        return {name: held for name, held in self._headers.items() if segments.path(self.folder, name) not in blamed}

    def report(self, problems: Sequence[Problem]) -> Report:
        """Sum up."""
        judged = [*self._new.values(), self.tail]
        known = self._trusted.values()
        return Report(
            sorted(set(problems)),
            self.sound,
            sum(header.events for header in self._headers.values()) + self.tail.end.seq - self.base.seq,
            self.tail.end,
            len(self._new),
            sum(sound.repeated for sound in known) + self._repeated.total(),
            sum(sound.lost for sound in known) + sum(verdict.lost for verdict in judged),
            sum(sound.unknown for sound in known) + sum(verdict.unknown for verdict in judged),
        )

    def cut(self, noted: Head) -> Iterator[Problem]:
        """Yield what is missing of the tail, or is not as it was, by the note that was made of its end."""
        found = integrity.cut(self.tail_file, self.tail_path, self.folder, self.tail.end, noted)
        if found is not None:
            yield Problem.of(found)

    def _reused(self) -> Iterator[Problem]:
        """Yield every id that two different events have, and count the lines that say the same again."""
        common = id_index.shared(self._suspects())
        first: dict[str, tuple[str, str]] = {}
        same: defaultdict[str, list[str]] = defaultdict(list)
        for name in (*(segment.name for segment in segments.ordered(self._headers)), ""):
            if name not in common:
                continue
            lines, begin = self._lines(name)
            file = segments.path(self.folder, name) if name else self.tail_path
            for place in id_index.places(lines, common[name]):
                where = f"{file} at offset {begin + place.offset}"
                substance = place.substance()
                known, earlier = first.setdefault(place.event_id, (where, substance))
                if earlier == substance:
                    same[place.event_id].append(name)
                else:
                    message = f"another event has the id {place.event_id}: {known}"
                    yield Problem(file, begin + place.offset, "ID_REUSED", message)
        for names in same.values():
            self._repeated.update(name for name in sorted(names, key=self._changed)[1:] if name not in self._trusted)

    def _changed(self, name: str) -> float:
        """Return when a file changed last, as far as that matters: a file is not remembered before the older ones are.

        So a line that repeats is counted in the newest file, again and again until that is remembered.
        """
        if not name:
            return math.inf
        return 0 if name in self._trusted else max(self.present[name][1:3])

    def _suspects(self) -> dict[str, "array[int]"]:
        """Return the ids of the files that may share some: those of new ones, and of old ones of the same time."""
        fresh = [*map(_span, filter(None, (verdict.segment for verdict in self._new.values()))), *self._tail_spans]
        old = [_span(sound.segment) for sound in self._trusted.values()]
        meeting = id_index.overlapping(fresh) | id_index.touching(fresh, old)
        keyed = {}
        for name in dict.fromkeys(span.name for span in fresh):
            keys = self._new[name].keys if name else self.tail.keys
            if name in meeting or len(set(keys)) < len(keys):
                keyed[name] = keys
        for name in sorted(id_index.touching(old, [span for span in fresh if span.name in keyed])):
            keyed[name] = duplicates.keys_of(self.folder, name)
        return keyed

    def _lines(self, name: str) -> tuple[bytes, int]:
        """Return the lines of a segment, or those of the tail that are not sealed, and where in the file they begin."""
        if not name:
            self.tail_file.seek(self.base.size)
            return self.tail_file.read(self.tail.end.size - self.base.size), self.base.size
        content = segments.whole(segments.path(self.folder, name))
        begin = content.index(b"\n") + 1
        return content[begin:], begin

    def _remembered(self) -> Iterator[Sound]:
        sound = self.sound
        for name, known in self._trusted.items():
            if name in sound:
                yield known
        for name, verdict in self._new.items():
            if name in sound:
                counts = verdict.lost, verdict.unknown, self._repeated[name]
                yield Sound(sound[name], self.present[name], *counts)


def _opened(path: str) -> BinaryIO:
    try:
        return open_file(path)
    except FileNotFoundError:
        return io.BytesIO()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def _listing(folder: str) -> tuple[dict[str, Stamp], list[Problem]]:
    """Return the files that may be segments, sorted, and what else lies there under a name like theirs."""
    where = os.path.join(folder, SEGMENTS)
    present: dict[str, Stamp] = {}
    problems: list[Problem] = []
    if os.path.islink(where):
        return present, [Problem(where, 0, "FOREIGN_FILE", "is a symbolic link; no link is followed out of a ledger")]
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for entry in sorted(os.scandir(where), key=lambda entry: entry.name):
            name, status = segments.name_of(entry.name), entry.stat(follow_symlinks=False)
            if name is not None and stat.S_ISREG(status.st_mode):
                present[name] = stamp(status)
            elif name is not None:
                problems.append(Problem(entry.path, 0, "FOREIGN_FILE", "named like a segment, and no plain file"))
            elif entry.name.endswith(".jsonl") or _DIGITS.issuperset(entry.name[:64].ljust(64, "-")):
                problems.append(Problem(entry.path, 0, "FOREIGN_FILE", "is no segment: its name is not a hash"))
    return present, problems


def _judged(folder: str, files: Mapping[str, Stamp]) -> dict[str, Verdict]:
    """Judge these segments, with all processors where there is much to read."""
    workers = min(len(files), os.cpu_count() or 1, 8)
    paths = [(name, segments.path(folder, name)) for name in files]
    total = sum(size for size, *_ in files.values())
    if workers < 2 or total < PARALLEL_BYTES:
        return _told(files, total, map(_judge, paths))
    from concurrent.futures import ProcessPoolExecutor

    from linetrail.ledger.event.schema import DATA

    for kind in DATA:
        contract(kind)  # made once, where processes begin as copies of this one
    with ProcessPoolExecutor(workers) as pool:
        return _told(files, total, pool.map(_judge, paths, chunksize=_CHUNK))


def _told(files: Mapping[str, Stamp], total: int, verdicts: Iterable[Verdict]) -> dict[str, Verdict]:
    """Gather the verdicts, and say how far that has come."""
    found = {}
    with working("verifying", total) as advance:
        for (name, (size, *_)), verdict in zip(files.items(), verdicts, strict=True):
            found[name] = verdict
            advance(size)
    return found


def _judge(segment: tuple[str, str]) -> Verdict:
    name, file = segment
    try:
        content = segments.whole(file)
    except IntegrityError as error:
        return Verdict.refused(error)
    return judge_segment(name, content, file)


def _unconnected(folder: str, headers: Mapping[str, Segment], present: Mapping[str, Stamp]) -> Iterator[Problem]:
    """Yield the parents that are missing, and the stretches of a chain that go on from none of theirs."""
    for name, child in segments.absent(headers).items():
        if name not in present and _is_gone(folder, name):
            yield Problem.of(segments.missing(folder, name, child))
    yield from map(Problem.of, segments.unfounded(folder, headers))


def _is_gone(folder: str, name: str) -> bool:
    """Look again: what was sealed while all this is looked at is not missing."""
    return not os.path.lexists(segments.path(folder, name))


def _spoiled(folder: str) -> Iterator[Problem]:
    """Yield what waits in the spool and cannot be read: it was acknowledged, too."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for name in sorted(os.listdir(os.path.join(folder, SPOOL))):
            path = os.path.join(folder, SPOOL, name)
            if not name.endswith(".jsonl"):
                continue
            try:
                with open(path, "rb") as file:
                    offset = 0
                    for raw in file:
                        from_line(raw)
                        offset += len(raw)
            except FutureLedgerError:
                raise
            except EventError as error:
                yield Problem(path, offset, "UNREADABLE_LINE", str(error))
            except OSError:
                continue  # folded in meanwhile


def _span(segment: Segment) -> Span:
    return Span(segment.name, segment.oldest_id, segment.newest_id)
