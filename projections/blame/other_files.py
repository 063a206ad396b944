"""Find lines of one file in the recorded states of another: a block was moved there, or the file is a copy.

What was moved stands here in a run of at least two lines of substance and left the other file in the commit that has
it here, or was never committed there. A copy is a new file most of which, and of the other file, are the same. What
was here in a commit before somebody was seen writing it elsewhere did not come from there.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from linetrail.ledger.observe.reflow import LAST_COMMA
from linetrail.ledger.observe.substance import Split, substance_hash
from linetrail.ledger.repository import Repository, file_path, git
from linetrail.projections.git.blames import Blames
from linetrail.projections.git.history import Blamed, GitLine, Objects
from linetrail.projections.git.target import Target, on_disk
from linetrail.projections.lines import evidence
from linetrail.projections.lines.align import align, confirmed, trivial
from linetrail.projections.lines.attribution import Owner, explain, owner
from linetrail.projections.lines.causality import Causality
from linetrail.projections.lines.evidence import Snapshots
from linetrail.projections.lines.moves import moved
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import MOVED, NODE, REFLOWED, Line, State, lines_of, nearest
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.tables.tables import Tables

# No formatter wraps a longer line, or into more lines.
MOST_BYTES, MOST_LINES = 500, 60
# The same lines stand in many files.
KEPT_SPELLINGS = 1 << 15
_OPEN, _CLOSED = b"([{", b")]}"
_OTHER_QUOTES = bytes.maketrans(b"\"'", b"'\"")


def logical_lines(lines: Sequence[bytes], places: Iterable[int]) -> list[range]:
    """Return the runs among these places that may have been one line, which a formatter wrapped.

    A line that opens brackets goes on up to the line that closes them, and one that ends in a colon for a line; no
    other does. A last comma inside of brackets is layout.

    >>> logical_lines([b"total = add(", b"    one,", b"    two,", b")", b"print(total)"], range(5))
    [range(0, 4)]
    >>> logical_lines([b"if one:", b"    return", b"two()"], range(3))
    [range(0, 2)]
    """
    wanted = set(places)
    opened = {at: _opened(lines[at]) for at in wanted}
    runs = [_run(at, lines, opened) for at in sorted(wanted) if opened[at] > 0]
    runs += [range(at, at + 2) for at in sorted(wanted) if at + 1 in wanted and lines[at].rstrip().endswith(b":")]
    return [run for run in runs if run]


@lru_cache(KEPT_SPELLINGS)
def spellings(*substance: bytes) -> tuple[str, ...]:
    """Return the hashes of the lines out of which a formatter may have made these; the first is that of these as one.

    Lines are given without their white space. Layout is which quotes a text has, a semicolon at the end, and brackets
    that only hold together what was wrapped.

    >>> substance_hash(b"names='one'+two") in spellings(b"names=(", b'"one"', b"+two", b")")
    True
    >>> substance_hash(b"one") in spellings(b"(one,)"), substance_hash(b"(one)") in spellings(b"(one,)")
    (False, False)
    """
    told = [substance[0] if len(substance) == 1 else LAST_COMMA.sub(b"", b"".join(substance))]
    if len(substance) > 1 and substance[0].endswith(b"(") and substance[-1].startswith(b")"):
        told.append(b"".join((substance[0][:-1], *substance[1:-1], substance[-1][1:])))
    quoted = [one for text in told for one in _quoted(text)]
    return tuple(dict.fromkeys(substance_hash(one) for text in quoted for one in (text, _ended(text))))


def _quoted(text: bytes) -> tuple[bytes, ...]:
    return (text, text.translate(_OTHER_QUOTES)) if (b'"' in text) != (b"'" in text) else (text,)


def _ended(text: bytes) -> bytes:
    """Return a text with the other end: without its semicolon, or with one."""
    return text[:-1] if text.endswith(b";") else text + b";"


def _run(start: int, lines: Sequence[bytes], opened: Mapping[int, int]) -> range:
    """Return the lines from one that opens brackets to the one that closes them; none where that is too far."""
    depth = size = 0
    for at in range(start, start + MOST_LINES):
        if at not in opened:
            break
        depth += opened[at]
        size += len(lines[at].strip())
        if depth <= 0 or size > MOST_BYTES:
            return range(start, at + 1) if size <= MOST_BYTES else range(0)
    return range(0)


def _opened(line: bytes) -> int:
    """Return how many brackets a line opens beyond those that it closes."""
    return sum(map(line.count, _OPEN)) - sum(map(line.count, _CLOSED))


# So many lines of substance in a row are a block, so many of a whole file may be a copy, and such a share of both is.
MIN_BLOCK, MIN_COPY, COPIED = 2, 3, 0.8
# So many commits are looked through for when another file lost its lines.
MAX_COMMITS = 16
# So many other files are looked into for one.
MAX_FILES = 6
# So many commits, on which a session worked, are asked for what another file had then.
MAX_REVISIONS = 4
# A session takes lines out of one file and puts them into another within so many events.
NEAR = 200
# So many replays and contents of other files are kept at hand.
KEPT = 256
# Later than any commit.
_NOW = "~"

_EMPTIED = """
select session_id, position, path
from mutation_files
where session_id is not null and contributor_type = 'ai' and lines_deleted >= $least
order by position
"""


class Here(NamedTuple):
    """A content, all names that its file had, and what is known of each line so far.

    `asked` are the places of the lines that are asked about.
    """

    target: Target
    names: frozenset[str]
    hashes: Sequence[str]
    owners: Sequence[Owner]
    git: Blamed
    made_at: Mapping[str, str]
    asked: Sequence[int]
    content: Split

    @property
    def lines(self) -> Sequence[GitLine]:
        """What git says of each line."""
        return self.git.lines

    def made(self, at: int) -> str | None:
        """Return when the commit was made that has a line; None while it is not committed."""
        return self.made_at.get(self.git.lines[at].revision or "")


class Elsewhere:
    """The other files of a repository, as far as they explain lines of one."""

    def __init__(
        self,
        repository: Repository,
        tables: Tables,
        store: Objects,
        blames: Blames,
        snapshots: Snapshots,
        causality: Causality,
    ) -> None:
        self._repository, self._tables, self._store = repository, tables, store
        self._snapshots, self._causality = snapshots, causality
        self._present = lru_cache(KEPT)(self._hashes_at)
        self._lines = lru_cache(KEPT)(lambda path, revision: frozenset(self._present(path, revision)))
        self._once = lru_cache(KEPT)(self._lines_between)
        self._is_known = lru_cache(KEPT)(lambda path, head: blames.was_committed(file_path(path), head))
        self._names = lru_cache(KEPT)(self._names_at)
        # files of the work tree, in their present state, that were looked at; whoever asks empties it
        self.beside: set[str] = set()

    def explain(self, here: Here) -> list[Owner]:
        """Return the owners; a line that was merely put here has those of the file it comes from."""
        nobody_s = self._nobody_s(here)
        written = self._as_written(here, nobody_s)
        files = self._sharing(here, nobody_s, written)
        self._tables.records.read(files)
        owners = self._from_others(here, files)
        if files and written:
            whole, places = _unwrapped(here._replace(owners=owners), written)
            for one, lines in zip(self._from_others(whole, files), places, strict=True):
                if one is not owners[lines.start]:
                    relation = REFLOWED if lines in written else one.relation
                    owners[lines.start : lines.stop] = [one._replace(relation=relation)] * len(lines)
        return self.brought(here, owners)

    def _nobody_s(self, here: Here) -> list[int]:
        """Return the lines that are asked about and that nobody was seen writing, though somebody may have been."""
        nobody_s = [at for at in here.asked if (claim := here.owners[at].claim) is None or not claim.seen]
        first = self._tables.records.first if nobody_s else None
        return [] if first is None else [at for at in nobody_s if (here.made(at) or _NOW) >= first]

    def _as_written(self, here: Here, places: Sequence[int]) -> dict[range, str]:
        """Return the runs of lines that somebody wrote as one line, or in another spelling, with the hash of that."""
        lines, substance, _ = here.content
        runs = [*(range(at, at + 1) for at in places if not trivial(here.hashes[at])), *logical_lines(lines, places)]
        spelled = {run: spellings(*substance[run.start : run.stop]) for run in runs if _is_of_one(here, run)}
        known = self._tables.records.known(set(chain.from_iterable(spelled.values())))
        found = {run: next((line for line in each if line in known), None) for run, each in spelled.items()}
        return {run: line for run, line in found.items() if line is not None and line != here.hashes[run.start]}

    def _from_others(self, here: Here, files: Iterable[str]) -> list[Owner]:
        """Return the owners; those of lines that nobody wrote here as they are in the files that these come from."""
        owners, nobody_s = list(here.owners), self._nobody_s(here)
        for path in files:
            left = [(one, at) for one, at in self._moved(path, here, nobody_s) if self._left(path, here, at, one.claim)]
            for source, at in [*self._copied(path, here, nobody_s), *left]:
                if source.claim is not None and source.claim.seen and self._may_be_from(here, at, source.claim):
                    owners[at] = source
        return owners

    def brought(self, here: Here, owners: Sequence[Owner]) -> list[Owner]:
        """Return the owners, with those of other files in the place of the agents' that took lines out of these."""
        owners = list(owners)
        sessions = dict(_by_session(owners, here.asked))
        lines = {here.hashes[at] for places in sessions.values() for at in places}
        for session, places in sessions.items():
            files = self._emptied_near(session, here, [owners[at].claim for at in places])
            if files:
                self._tables.records.look_up(lines)
            wanted = {line for at in places if not trivial(line := here.hashes[at])}
            for path in files:
                if not self._had(path, wanted, owners, places):
                    continue
                moved = self._moved(path, here, places)
                for source, at in [*moved, *self._edited_on_the_way(path, here, owners, places, moved)]:
                    if self._is_older(source.claim, owners[at].claim, path, here.hashes[at]):
                        owners[at] = source
        return owners

    def _sharing(self, here: Here, places: Iterable[int], written: Mapping[range, str]) -> list[str]:
        """Return the files in which most of these lines were written before a commit had them here."""
        until: dict[str, str] = {}
        respelled = ((run.start, line) for run, line in written.items())
        for at, line in chain(((at, here.hashes[at]) for at in places), respelled):
            if not trivial(line):
                until[line] = max(until.get(line, ""), here.made(at) or _NOW)
        if len(until) < MIN_BLOCK:
            return []
        return self._tables.records.sharing(until, here.names, MIN_BLOCK, MAX_FILES)

    def _emptied_near(self, session: str, here: Here, claims: Sequence[Claim | None]) -> list[str]:
        """Return the files out of which a session took lines, nearest to when it put some here."""
        positions = {claim.position for claim in claims if claim is not None}
        near = [
            (min(abs(position - at) for at in positions), path)
            for position, path in self._emptied.get(session, ())
            if path not in here.names
        ]
        return list(dict.fromkeys(path for distance, path in sorted(near) if distance <= NEAR))[:MAX_FILES]

    def _moved(self, path: str, here: Here, places: Sequence[int]) -> list[tuple[Owner, int]]:
        """Return the owners that lines at these places had in another file, where they were moved from there."""
        present = self._present(path, here.target.revision)
        if here.target.revision is None:
            self.beside.add(path)
        remaining = set(present)
        gone = [line for at in places if (line := here.hashes[at]) not in remaining and not trivial(line)]
        state = nearest(self._holding(path, here, gone), gone) if len(gone) >= MIN_BLOCK else None
        before = state.hashes if state is not None else []
        if state is None or len(set(before).intersection(gone)) < MIN_BLOCK:
            return []
        kept = set(align(before, present))
        lost = {at: line for at, line in enumerate(before) if at not in kept}
        pairs = moved(lost, {at: here.hashes[at] for at in places}, least=MIN_BLOCK)
        return [(owner(Line(here.hashes[at], None, state.lines[old], MOVED)), at) for old, at in pairs]

    def _edited_on_the_way(
        self, path: str, here: Here, owners: Sequence[Owner], places: Sequence[int], moved: Sequence[tuple[Owner, int]]
    ) -> Iterator[tuple[Owner, int]]:
        """Yield the owners that lines had in another file, whose definition came here as another than it was there."""
        from linetrail.projections.nodes.moved_lines import lines_from

        left = set(places).difference(at for _, at in moved)
        claims = (owners[at].claim for at in sorted(left))
        revision = next((claim.vcs_revision for claim in claims if claim and claim.vcs_revision), None)
        content = self._store.read(f"{revision}:{file_path(path)}") if revision else None
        if content is None:
            return
        own = here.target.path
        before = self._store.read(f"{revision}:{file_path(own)}") or b""
        now = self._content_at(path, here.target.revision)
        pairs = lines_from(self._repository, (own, here.target.content), (own, before), (path, now), (path, content))
        found = explain(self.replay(path, here.target), content) if pairs else []
        for number, old in pairs.items():
            if number - 1 in left:
                yield found[old - 1]._replace(relation=NODE), number - 1

    def _copied(self, path: str, here: Here, places: Sequence[int]) -> list[tuple[Owner, int]]:
        """Return the owners that lines at these places have in another file, of which this one began as a copy."""
        new = [at for at in places if here.lines[at].previous is None]
        wanted = [line for at in new if not trivial(line := here.hashes[at])]
        if len(wanted) < MIN_COPY:
            return []
        alike = self._tables.records.shared(path, set(wanted)).union(self._present(path, here.target.revision))
        if len(alike.intersection(wanted)) < COPIED * len(set(wanted)):
            return []
        state = nearest(self._holding(path, here, wanted), wanted)
        if state is None or not _is_copy(state, here.hashes):
            return []
        alignment = align(state.hashes, here.hashes)
        sure = confirmed(state.hashes, here.hashes, alignment, new)
        pairs = [(old, at) for at in new if at in sure and (old := alignment[at]) is not None]
        return [(owner(Line(here.hashes[at], None, state.lines[old], MOVED)), at) for old, at in pairs]

    def replay(self, path: str, target: Target) -> Replay:
        """Return the replay of another file, as it is where the target is."""
        return self._snapshots.of(self._names(path, target.revision, target.head))

    def _names_at(self, path: str, revision: str | None, head: str | None) -> evidence.Names:
        return evidence.names(self._store, self._tables, Target(path, b"", revision, head))

    def _holding(self, path: str, here: Here, lines: Collection[str]) -> Iterable[State]:
        """Return the states of another file that had some of these lines, if it ever had enough of them."""
        return self.replay(path, here.target).visits.holding(lines, least=MIN_BLOCK)

    def _left(self, path: str, here: Here, at: int, claim: Claim | None) -> bool:
        """Return whether another file lost a line when this one got it, by the commits that have both."""
        line, revision = here.hashes[at], here.lines[at].revision
        if trivial(line) or here.target.head is None or not self._is_known(path, here.target.head):
            return True
        if revision is not None and line in self._lines(path, revision):
            return False
        before = f"{revision}^" if revision is not None else here.target.head
        if line in self._lines(path, before):
            return True
        return line not in self._once(path, claim and claim.vcs_revision, before)

    def _lines_between(self, path: str, since: str | None, until: str) -> frozenset[str]:
        """Return all lines that another file had in commits after one of them, as far as they are looked through."""
        span = f"{since}..{until}" if since else until
        listed = git(self._repository, "log", f"--max-count={MAX_COMMITS}", "--format=%H", span, "--", file_path(path))
        return frozenset[str]().union(*(self._lines(path, revision) for revision in (listed or b"").decode().split()))

    def _had(self, path: str, wanted: Collection[str], owners: Sequence[Owner], places: Sequence[int]) -> bool:
        """Return whether a file may have had enough of these lines that a session put somewhere, before it did."""
        if len(wanted) < MIN_BLOCK:
            return False
        found = self._tables.records.shared(path, wanted)
        if len(found) < MIN_BLOCK:
            claims = (owners[at].claim for at in places)
            revisions = dict.fromkeys(claim.vcs_revision for claim in claims if claim and claim.vcs_revision)
            for revision in list(revisions)[:MAX_REVISIONS]:
                found |= self._lines(path, revision).intersection(wanted)
        return len(found) >= MIN_BLOCK and self._tables.records.tells(found)

    def _hashes_at(self, path: str, revision: str | None) -> Sequence[str]:
        """Return the lines that another file has in a commit or in the work tree; none where there is no such file."""
        return lines_of(self._content_at(path, revision))[1]

    def _content_at(self, path: str, revision: str | None) -> bytes:
        if revision is None:
            return on_disk(self._repository, path) or b""
        return self._store.read(f"{revision}:{file_path(path)}") or b""

    @cached_property
    def _emptied(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """Where each session took lines out of files: the position in the ledger, and the file."""
        found: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for session, position, path in self._tables.ask(_EMPTIED, {"least": MIN_BLOCK}).rows:
            found[session].append((position, path))
        return found

    def _may_be_from(self, here: Here, at: int, claim: Claim) -> bool:
        """Return whether a line was not committed here before an event that is said to have made it elsewhere."""
        revision = here.lines[at].revision
        if not self._causality.allows(claim, revision, here.made(at)):
            return False
        if claim.vcs_revision is None:
            return True
        if revision is not None and self._causality.is_in(revision, claim.vcs_revision):
            return False
        return here.hashes[at] not in self._lines(here.target.path, claim.vcs_revision)

    def _is_older(self, source: Claim | None, claim: Claim | None, path: str, line: str) -> bool:
        """Return whether a line was in another file before an agent put it here."""
        if claim is None:
            return False
        if source is not None:
            return source.position < claim.position
        return claim.vcs_revision is not None and line in self._lines(path, claim.vcs_revision)


def _is_of_one(here: Here, run: range) -> bool:
    """Return whether lines came with one commit, or none of them with any."""
    return len({here.lines[at].revision for at in run}) == 1


def _unwrapped(here: Here, written: Mapping[range, str]) -> tuple[Here, list[range]]:
    """Return a content with each run as the line that was written, and the lines that each of its lines is made of."""
    starts = {run.start: run for run in written}  # of a line and the run that it begins, the run, which comes later
    places: list[range] = []
    while (at := places[-1].stop if places else 0) < len(here.hashes):
        places.append(starts.get(at, range(at, at + 1)))
    hashes = [written.get(lines) or here.hashes[lines.start] for lines in places]
    owners = [here.owners[lines.start] for lines in places]
    firsts = [here.lines[lines.start] for lines in places]
    wanted = set(here.asked)
    asked = [at for at, lines in enumerate(places) if lines.start in wanted]
    return here._replace(hashes=hashes, owners=owners, git=here.git._replace(lines=firsts), asked=asked), places


def _by_session(owners: Sequence[Owner], asked: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield the agents' sessions that wrote enough of these lines to have moved a block, with their places."""
    places: dict[str, list[int]] = {}
    for at in asked:
        claim = owners[at].claim
        if claim is not None and claim.contributor_type == "ai" and claim.session_id is not None:
            places.setdefault(claim.session_id, []).append(at)
    return ((session, lines) for session, lines in places.items() if len(lines) >= MIN_BLOCK)


def _is_copy(state: State, hashes: Sequence[str]) -> bool:
    """Return whether a content and a state have most of their lines of substance in common."""
    here, there = (Counter(line for line in lines if line and not trivial(line)) for lines in (hashes, state.hashes))
    shared = (here & there).total()
    return shared >= max(MIN_COPY, COPIED * max(here.total(), there.total()))
