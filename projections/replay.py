"""Replay the recorded transitions of a file into its states, each line with the claim that made it.

States are named by the hash of their content, not by their place in a sequence: a transition applies to whatever
recorded state it started from, and one that leads to a state known already changes nothing, unless that state's
past was not known. Order is the ledger's; clocks are not asked. Nothing here reads a file or starts a process.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from linetrail.ledger import reflow
from linetrail.ledger.diff import Change, matches
from linetrail.ledger.substance import Split, edited_pairs, line_hash
from linetrail.projections.align import Alignment, Hashes, align, confirmed, gaps, trivial
from linetrail.projections.moves import moved
from linetrail.projections.transitions import Claim, Hunk, Transition

# How a line comes from its origin: it is that line; aligned with it; put elsewhere by one change; broken anew; found
# again in another state; made out of it.
SAME, KEPT, MOVED, REFLOWED, FOUND, EDITED = "same", "kept", "moved", "reflowed", "found", "edited"
# How many texts are kept at hand, so that the words of an older one can be compared with those of the next.
TEXTS = 16
# A content that nothing recorded leads to is compared with this many of the states seen last.
RECENT = 64
# How many more states may explain what the nearest does not, in a content merged from several.
ROUNDS = 4
# How many of the states met last are asked for lines that were joined or split, besides the nearest.
LAST = 2
# Up to so many lines in a row, replaced by as many, are presumed to be edited one by one where no text can tell.
PRESUMED_EDITS = 3


class Text(NamedTuple):
    """A content by its line hashes, and as text where somebody has it."""

    hashes: Hashes
    split: Split | None = None


def text_of(split: Split, hashed: Callable[[bytes], str] = line_hash) -> Text:
    """Return a content that is at hand."""
    return Text([hashed(line) for line in split.substance], split)


# Returns the content that a transition started from, None where nobody has it.
Contents = Callable[[Transition], Text | None]


class Line:
    """One line of one or more states. Its owner is its own claim, else that of the line it comes from.

    Of a line that was joined out of several, `origin` is the one that was changed last, `also` are the others.
    """

    __slots__ = ("_kept", "also", "claim", "hash", "origin", "relation")

    def __init__(
        self,
        line_hash: str | None,
        claim: Claim | None = None,
        origin: "Line | None" = None,
        relation: str = SAME,
        also: Sequence["Line"] = (),
    ) -> None:
        self.hash, self.claim, self.origin, self.relation, self.also = line_hash, claim, origin, relation, also
        self._kept: Line | None = None

    def kept(self) -> "Line":
        """Return this line as it is in a state that was aligned with its own."""
        if self.claim is None and self.origin is not None and self.relation != SAME:
            return self
        if self._kept is None:
            self._kept = Line(self.hash, None, self, KEPT)
        return self._kept

    def chain(self) -> Iterator["Line"]:
        """Yield this line and those it comes from, the nearest first."""
        line: Line | None = self
        while line is not None:
            yield line
            line = line.origin

    def owner(self) -> Claim | None:
        """Return the claim of the last change; None when no event is known to have made the line."""
        return next((line.claim for line in self.chain() if line.claim is not None), None)


class State:
    """A recorded content. `gone` and `came` are the lines that tell it from its parent, the state it was made from."""

    __slots__ = ("came", "digest", "gone", "lines", "parent")

    def __init__(self, lines: list[Line], parent: "State | None" = None, gone: Hashes = (), came: Hashes = ()) -> None:
        self.lines, self.parent, self.gone, self.came = lines, parent, gone, came
        self.digest: str | None = None

    @property
    def hashes(self) -> list[str | None]:
        """The lines as they are compared."""
        return [line.hash for line in self.lines]

    def descends_from(self, other: "State") -> bool:
        """Tell whether this state was made from the other, however long ago, or is it."""
        state: State | None = self
        while state is not None and state is not other:
            state = state.parent
        return state is other


class Replay:
    """The states that a file went through, as far as the ledger knows."""

    def __init__(self, transitions: Iterable[Transition], contents: Contents) -> None:
        self._contents = contents
        self._states: dict[str, State] = {}
        self._visits: list[State] = []
        self._claimed: set[str | None] = set()
        self._texts: dict[str, Split] = {}
        # who was seen writing a content where nothing was, by its digest; its lines are nowhere in the ledger
        self._creators: dict[str, Claim] = {}
        self._unread: list[Transition] = []
        for transition in transitions:
            if transition.after_hash is not None:
                self._take(transition, transition.after_hash)
            elif transition.op != "delete" and transition.claim.contributor_type == "ai":
                # A record says so, and nobody saw to what the file changed: no line is owned for it.
                self._unread.append(transition)

    @property
    def unread_since(self) -> str | None:
        """Return when an agent first changed the file without anything telling which lines are new, if one did."""
        unread = [change for change in self._unread if not self._is_created(change.after_hash)]
        return min((change.claim.occurred_at or "" for change in unread), default=None)

    def state(self, digest: str) -> State | None:
        """Return the recorded state with this content."""
        return self._states.get(digest)

    def knows(self, digest: str) -> bool:
        """Tell whether this content was recorded, be it without its lines."""
        return digest in self._states or digest in self._creators

    def read(self, digest: str, content: Split) -> Text:
        """Keep a text at hand, instead of the one that was longest here."""
        if len(self._texts) >= TEXTS:
            self._texts.pop(next(iter(self._texts)))
        self._texts[digest] = content
        return text_of(content)

    def meet(self, digest: str, hashes: Hashes) -> State | None:
        """Return the recorded state with this content, whose lines the ledger may not have."""
        creator = self._creators.get(digest)
        if creator is not None and digest not in self._states:
            self._visit(digest, State([Line(line, creator) for line in hashes]))
            self._claimed.update(hashes)
        return self._states.get(digest)

    def relate(self, text: Text, finder: Claim, *, recent: int | None = None) -> State:
        """Explain a content that nothing recorded leads to by the recorded states that resemble it.

        A line like none of theirs has no claim; one that seems made out of theirs has the finder's.
        """
        hashes = text.hashes
        visits = self._visits if recent is None else self._visits[-recent:]
        near = nearest(visits, hashes)
        if near is None:
            return State([Line(line) for line in hashes])
        if near.hashes == list(hashes):
            return State(near.lines, near)
        alignment = align(near.hashes, hashes)
        lines = [
            Line(line) if at is None else near.lines[at].kept() for line, at in zip(hashes, alignment, strict=True)
        ]
        kept = set(alignment)
        lost = [at for at in range(len(near.lines)) if at not in kept]
        missing = [at for at, old in enumerate(alignment) if old is None]
        for old, new in moved(near.hashes, lost, hashes, missing):
            lines[new] = Line(hashes[new], None, near.lines[old], MOVED)
        self._find_again(lines, [at for at in missing if lines[at].origin is None], visits, near)
        if text.split is not None:
            self._break_anew(lines, text.split, alignment, near)
            for state in self._last(near):
                if any(line.origin is None for line in lines):
                    self._break_anew(lines, text.split, align(state.hashes, hashes), state)
        for old, new in self._edits(near, alignment, text.split):
            if lines[new].origin is None:
                lines[new] = Line(hashes[new], finder, near.lines[old], EDITED)
        gone = [near.lines[at].hash for at in lost]
        return State(lines, near, gone, [hashes[at] for at in missing])

    def _last(self, near: State) -> Iterator[State]:
        """Yield the states that were met last: where lines were joined or split, they may share less than others."""
        met = dict.fromkeys(reversed(self._visits[-RECENT:]))
        return islice((state for state in met if state is not near), LAST)

    def _break_anew(self, lines: list[Line], split: Split, alignment: Alignment, state: State) -> None:
        """Give lines without origin those of a state that they were joined or split from."""
        before = self._texts.get(state.digest or "")
        for a0, a1, b0, b1 in gaps(alignment, len(state.lines)):
            if all(lines[at].origin is not None for at in range(b0, b1)):
                continue
            if before is None:
                pairs = reflow.by_hash([line.hash for line in state.lines[a0:a1]], split.lines[b0:b1])
            else:
                pairs = reflow.by_text(before.lines[a0:a1], split.lines[b0:b1])
            for new, sources in grouped((at, old) for old, at in pairs).items():
                if lines[b0 + new].origin is None:
                    lines[b0 + new] = _reflowed(lines[b0 + new].hash, [state.lines[a0 + old] for old in sources])

    def _edits(self, state: State, alignment: Alignment, split: Split | None) -> Iterator[tuple[int, int]]:
        """Pair lines with those they were made out of: by their words where both texts are at hand, else by place."""
        before = self._texts.get(state.digest or "")
        for gap in gaps(alignment, len(state.lines)):
            if before is None or split is None:
                yield from presumed_edits(gap)
            else:
                old, new = before.lines[gap.a0 : gap.a1], split.lines[gap.b0 : gap.b1]
                yield from ((gap.a0 + x, gap.b0 + y) for x, y in edited_pairs(old, new))

    def _take(self, transition: Transition, digest: str) -> None:
        if transition.unread and transition.claim.contributor_type == "ai" and not self.knows(digest):
            self._unread.append(transition)
        if transition.hunks is not None:
            self._apply(transition, digest, transition.hunks)
        elif transition.op == "add" and transition.claim.seen:
            self._creators.setdefault(digest, transition.claim)

    def _is_created(self, digest: str | None) -> bool:
        return digest in self._creators and digest in self._states

    def _apply(self, transition: Transition, digest: str, hunks: Sequence[Hunk]) -> None:
        known = self.meet(digest, _all_hashes(hunks)) if transition.snapshot else self._states.get(digest)
        if transition.snapshot:
            after = known or self.relate(Text(_all_hashes(hunks)), _finder(transition.claim), recent=RECENT)
        else:
            before = self._before(transition)
            made = _splice(before, hunks, transition)
            if made is None:
                return
            after = known or made
            if known is None and not transition.claim.seen:
                fresh = [at for at in _new_places(hunks) if made.lines[at].claim is transition.claim]
                self._find_again(made.lines, fresh, self._visits[-RECENT:], before)
            elif known is not None and not before.descends_from(known):
                _learn(known, made)
        self._visit(digest, after)
        if transition.claim.seen:
            self._claimed.update(line for hunk in hunks for line in hunk.hashes)

    def _before(self, transition: Transition) -> State:
        """Return the state a transition started from; where none was recorded, the content tells what it holds."""
        if transition.before_hash is None:
            return State([])
        known = self._states.get(transition.before_hash)
        if known is None:
            text = self._contents(transition) or Text([None] * (transition.before_lines or 0))
            known = self.meet(transition.before_hash, text.hashes)
            if known is None:
                known = self.relate(text, _finder(transition.claim), recent=RECENT)
                self._visit(transition.before_hash, known)
            if text.split is not None:
                self._texts[transition.before_hash] = text.split
        return known

    def _visit(self, digest: str, state: State) -> None:
        state.digest = digest
        self._states[digest] = state
        self._visits.append(state)

    def _find_again(self, lines: list[Line], missing: Iterable[int], visits: Sequence[State], near: State) -> None:
        """Take lines that came back from states other than the nearest: a stash popped, a branch merged, an undo.

        Only lines that somebody was seen writing are looked for, and only in a context that came back with them.
        """
        hashes = [line.hash for line in lines]
        left = {at for at in missing if (line := hashes[at]) in self._claimed and line and not trivial(line)}
        others = [state for state in visits if state is not near]
        for _ in range(ROUNDS):
            state = nearest(others, [hashes[at] for at in left]) if left else None
            if state is None:
                return
            alignment = align(state.hashes, hashes)
            for at in sorted(left & confirmed(state.hashes, hashes, alignment)):
                old = alignment[at]
                if old is not None:
                    lines[at] = Line(hashes[at], None, state.lines[old], FOUND)
                    left.discard(at)
            others = [other for other in others if other is not state]


def nearest(states: Iterable[State], wanted: Hashes) -> State | None:
    """Return the state that shares most lines of substance with these; of equals the shortest, then the latest."""
    need = {line: times for line, times in Counter(wanted).items() if line is not None and not trivial(line)}
    best, most = None, (1, -sys.maxsize)
    have: Counter[str | None] = Counter()
    shared = 0
    previous: State | None = None
    for state in states:
        if state is previous:
            continue
        if previous is None or state.parent is not previous:
            have = Counter(state.hashes)
            shared = sum(min(times, have[line]) for line, times in need.items())
        else:
            shared += _moved(have, need, state)
        if (shared, -len(state.lines)) >= most:
            best, most = state, (shared, -len(state.lines))
        previous = state
    return best


def _moved(have: Counter[str | None], need: Mapping[str, int], state: State) -> int:
    """Bring the lines at hand from a state's parent to the state; return by how much more of the need they meet."""
    gain = 0
    for lines, step in ((state.gone, -1), (state.came, 1)):
        for line in lines:
            if line is not None and line in need:
                gain -= min(have[line], need[line])
                have[line] += step
                gain += min(have[line], need[line])
    return gain


def _splice(before: State, hunks: Sequence[Hunk], transition: Transition) -> State | None:
    """Make the state after a transition; None when the hunks do not fit the state they are said to start from."""
    lines: list[Line] = []
    gone: list[str | None] = []
    at = 0
    for hunk in hunks:
        if not at <= hunk.start <= hunk.stop <= len(before.lines):
            return None
        lines += before.lines[at : hunk.start]
        if len(lines) != hunk.new_start:
            return None
        lines += _replace(before.lines, hunk, transition.claim)
        gone += [line.hash for line in before.lines[hunk.start : hunk.stop]]
        at = hunk.stop
    lines += before.lines[at:]
    if len(lines) != transition.after_lines:
        return None
    _move(before, hunks, lines, transition.claim)
    return State(lines, before, gone, _all_hashes(hunks))


def _move(before: State, hunks: Sequence[Hunk], lines: list[Line], claim: Claim) -> None:
    """Give back to their owners the lines that a transition only put elsewhere."""
    came = [at for at in _new_places(hunks) if lines[at].claim is claim]
    kept = {id(lines[at]) for at in _new_places(hunks)}
    gone = [at for hunk in hunks for at in range(hunk.start, hunk.stop) if id(before.lines[at]) not in kept]
    if gone and came:
        for old, new in moved(before.hashes, gone, [line.hash for line in lines], came):
            lines[new] = Line(lines[new].hash, None, before.lines[old], MOVED)


def _reflowed(line_hash: str | None, sources: Sequence[Line]) -> Line:
    """Make a line that was broken out of others: its author is who changed these last."""
    last = max(sources, key=lambda line: claim.position if (claim := line.owner()) else -1)
    return Line(line_hash, None, last, REFLOWED, [line for line in sources if line is not last])


def _replace(before: Sequence[Line], hunk: Hunk, claim: Claim) -> list[Line]:
    """Make the new lines of a hunk; one that was among the old ones, in order, stays what it was."""
    made = [Line(line, claim) for line in hunk.hashes]
    for line, old in hunk.edited.items():
        new = line - hunk.new_start
        if hunk.start <= old < hunk.stop and 0 <= new < len(made):
            made[new] = Line(hunk.hashes[new], claim, before[old], EDITED)
    for line, sources in grouped(hunk.reflowed).items():
        if 0 <= line - hunk.new_start < len(made) and all(hunk.start <= old < hunk.stop for old in sources):
            new = line - hunk.new_start
            made[new] = _reflowed(hunk.hashes[new], [before[old] for old in sources])
    old_lines = before[hunk.start : hunk.stop]
    for a, b, length in matches([line.hash for line in old_lines], hunk.hashes):
        made[b : b + length] = old_lines[a : a + length]
    return made


def _learn(known: State, made: State) -> None:
    """Let a state whose lines nobody was seen writing take the past that a transition tells of it now."""
    for line, told in zip(known.lines, made.lines, strict=False):
        if line.hash is None:
            line.hash = told.hash
        owner, teller = line.owner(), told.owner()
        news = teller is not None and teller.seen and not (owner is not None and owner.seen)
        if news and all(link is not line for link in told.chain()):
            line.claim, line.origin, line.relation = None, told, SAME


def grouped(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Gather the second numbers of pairs by the first."""
    found: dict[int, list[int]] = {}
    for one, other in pairs:
        found.setdefault(one, []).append(other)
    return found


def presumed_edits(gap: Change) -> list[tuple[int, int]]:
    """Pair old and new lines, one by one, in a short gap that has as many of both."""
    a0, a1, b0, b1 = gap
    return [(a0 + step, b0 + step) for step in range(a1 - a0)] if a1 - a0 == b1 - b0 <= PRESUMED_EDITS else []


def _finder(claim: Claim) -> Claim:
    """Return the claim of nobody: the change was there when this event came, and nothing more is known."""
    return Claim(claim.position, claim.event_id, claim.occurred_at, path=claim.path)


def _new_places(hunks: Iterable[Hunk]) -> Iterator[int]:
    return (at for hunk in hunks for at in range(hunk.new_start, hunk.new_start + len(hunk.hashes)))


def _all_hashes(hunks: Iterable[Hunk]) -> list[str]:
    return [line for hunk in hunks for line in hunk.hashes]
