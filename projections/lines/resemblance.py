"""Explain a content that nothing recorded leads to by the recorded states that resemble it.

It is aligned with the nearest; what that one lacks was moved in it, came back from another, was broken anew or edited.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from linetrail.ledger.observe import reflow
from linetrail.ledger.observe.diff import Change
from linetrail.ledger.observe.substance import Split, edited_pairs
from linetrail.projections.lines.align import MIN_RUN, Hashes, align, confirmed, gaps, trivial, unmatched
from linetrail.projections.lines.moves import moved
from linetrail.projections.lines.states import EDITED, FOUND, KEPT, MOVED, REFLOWED, SAME, Line, State, Text, nearest
from linetrail.projections.lines.transitions import Claim

# How many texts are kept at hand, so that the words of an older one can be compared with those of the next.
TEXTS = 16
# A content that nothing recorded leads to is compared with this many of the states seen last.
RECENT = 64
# How many more states may explain what the nearest does not, in a content merged from several.
ROUNDS = 4
# So many of the states in which a line was last written, or which last had it, are looked at for it.
HOLDERS = 8
# How many of the states met last are asked for lines that were joined or split, besides the nearest.
LAST = 2
# So many lines of substance in a row are a block.
MIN_BLOCK = 2
# Up to so many lines in a row, replaced by as many, are presumed to be edited one by one where no text can tell.
PRESUMED_EDITS = 3


class Visits:
    """The states that a file was in, in the order in which they were met, with the texts of some."""

    def __init__(self) -> None:
        self.states: list[State] = []
        # the lines that somebody was seen writing: since when, as `Claim.since` tells, and by session
        self.claimed: dict[str | None, str] = {}
        self.written: defaultdict[str | None, set[str | None]] = defaultdict(set)
        # those that were taken away
        self.lost: set[str | None] = set()
        self._texts: dict[str, Split] = {}
        # lines by those that they come from, which do not know them: what is not asked for any more is gone at once
        self._aligned: dict[Line, Line] = {}
        # by line, the states that first had it and those that had it last, as they were met
        self._holders: defaultdict[str | None, list[State]] = defaultdict(list)

    def add(self, state: State) -> None:
        """Meet a state, perhaps again."""
        self.states.append(state)
        if not state.presumed:
            self.lost.update(state.gone)
        for line in state.came if state.parent is not None else state.hashes:
            if line is not None:
                self._holders[line].append(state)
        if state.parent is not None:
            for line in state.gone:
                self._holders[line].append(state.parent)

    @property
    def recent(self) -> list[State]:
        """The states that were met last."""
        return self.states[-RECENT:]

    def until(self, moment: str | None) -> Sequence[State]:
        """Return the states that were there at a moment, as far as is known; all of them where none is given."""
        return self.states if moment is None else [state for state in self.states if state.since <= moment]

    def holding(self, lines: Collection[str | None], least: int = 1) -> list[State]:
        """Return the states, in order, that had some of these lines first or last; none where so many never were."""
        known = [line for line in lines if line in self._holders]
        if len(known) < least:
            return []
        holders = {id(state) for line in known for state in self._holders[line][-HOLDERS:]}
        return [state for state in self.states if id(state) in holders]

    def claim(self, claim: Claim, lines: Sequence[str | None]) -> None:
        """Remember that these lines were seen being written, and the first time that each was."""
        self.written[claim.session_id].update(lines)
        since = claim.since
        for line in lines:
            self.claimed[line] = min(since, self.claimed.get(line, since))

    def keep(self, digest: str, text: Split) -> None:
        """Keep a text at hand, instead of the one that was longest here."""
        if len(self._texts) >= TEXTS:
            self._texts.pop(next(iter(self._texts)))
        self._texts[digest] = text

    def relate(
        self,
        text: Text,
        finder: Claim,
        among: Sequence[State] | None = None,
        earlier: Callable[[], Mapping[str, Split]] = dict,
        *,
        committed: bool = False,
    ) -> State:
        """Explain a content that nothing recorded leads to by the recorded states that resemble it.

        A line like none of theirs has no claim; one that seems made out of theirs has the finder's. Of a content that
        is `committed`, what was broken anew is left to git, which knows by which commit. `earlier`, by
        digest, are texts of states besides those at hand, looked up where lines changed.
        """
        hashes = text.hashes
        visits = self.states if among is None else among
        near = nearest(visits, hashes)
        if near is None:
            return State([Line(line) for line in hashes])
        if near.hashes == list(hashes):
            return State(near.lines, near)
        alignment = align(near.hashes, hashes)
        lines = [
            Line(line) if at is None else self._carried(near.lines[at])
            for line, at in zip(hashes, alignment, strict=True)
        ]
        kept = set(alignment)
        lost = [at for at in range(len(near.lines)) if at not in kept]
        missing = unmatched(alignment)
        for old, new in moved({at: near.lines[at].hash for at in lost}, {at: hashes[at] for at in missing}):
            lines[new] = Line(hashes[new], None, near.lines[old], MOVED)
        self.find_again(lines, [at for at in missing if lines[at].origin is None], visits, near, self.claimed)
        between = gaps(alignment, len(near.lines))
        texts = {**self._texts, **earlier()} if between else self._texts
        if text.split is not None and not committed:
            _break_anew(lines, text.split, between, near, texts)
            for state in self._last(near):
                if any(lines[at].origin is None for at in missing):
                    between_them = gaps(align(state.hashes, hashes), len(state.lines))
                    _break_anew(lines, text.split, between_them, state, texts)
        for old, new in _edits(near, between, text.split, texts):
            if lines[new].origin is None:
                lines[new] = Line(hashes[new], finder, near.lines[old], EDITED)
        gone = [near.lines[at].hash for at in lost]
        return State(lines, near, gone, [hashes[at] for at in missing], presumed=True)

    def _carried(self, line: Line) -> Line:
        """Return a line as it is in states that were aligned with its own."""
        if line.claim is None and line.origin is not None and line.relation != SAME:
            return line
        if line not in self._aligned:
            self._aligned[line] = Line(line.hash, None, line, KEPT)
        return self._aligned[line]

    def _last(self, near: State) -> Iterator[State]:
        """Yield the states that were met last, after the nearest: where lines were joined or split they share less."""
        later = takewhile(lambda state: state is not near, reversed(self.recent))
        return islice(dict.fromkeys(later), LAST)

    def find_again(
        self,
        lines: list[Line],
        missing: Sequence[int],
        visits: Sequence[State],
        near: State,
        among: Collection[str | None],
    ) -> None:
        """Take lines that came back from states other than the nearest: a stash popped, a branch merged, an undo.

        Only lines among these are looked for, and only in a context that came back with them.
        """
        left = {at for at in missing if (line := lines[at].hash) in among and line and not trivial(line)}
        hashes = [line.hash for line in lines] if left else []
        if not _is_block(left, hashes) and all(hashes.count(hashes[at]) > 1 for at in left):
            return  # single lines that stand in several places do not tell whether they came back
        held = {id(state) for state in self.holding({hashes[at] for at in left})}
        others = [state for state in visits if id(state) in held and state is not near]
        for _ in range(ROUNDS):
            state = nearest(others, [hashes[at] for at in left]) if left else None
            if state is None:
                return
            alignment = align(state.hashes, hashes)
            sure = confirmed(state.hashes, hashes, alignment, missing)
            pairs = [(old, at) for at in missing if at in sure and (old := alignment[at]) is not None]
            aligned = set(alignment)
            away = {at: line.hash for at, line in enumerate(state.lines) if at not in aligned}
            pairs += moved(away, {at: hashes[at] for at in missing if at not in sure}, least=MIN_BLOCK)
            for old, at in pairs:
                if at in left or trivial(hashes[at] or ""):
                    lines[at] = Line(hashes[at], None, state.lines[old], FOUND)
                    left.discard(at)
            others = [other for other in others if other is not state]


def _is_block(places: Collection[int], hashes: Hashes) -> bool:
    """Return whether enough of these lines of substance follow each other."""
    run = 0
    previous = -1
    for at in sorted(places):
        between = hashes[previous + 1 : at]
        run = run + 1 if all(line is not None and trivial(line) for line in between) else 1
        if run >= MIN_RUN:
            return True
        previous = at
    return False


def _break_anew(
    lines: list[Line], split: Split, between: Iterable[Change], state: State, texts: Mapping[str, Split]
) -> None:
    """Give lines without origin those of a state that they were joined or split from."""
    before = texts.get(state.digest or "")
    for a0, a1, b0, b1 in between:
        if all(lines[at].origin is not None for at in range(b0, b1)):
            continue
        if before is None:
            pairs = reflow.by_hash([line.hash for line in state.lines[a0:a1]], split.lines[b0:b1])
        else:
            pairs = reflow.by_text(before.lines[a0:a1], split.lines[b0:b1])
        for new, sources in grouped((at, old) for old, at in pairs).items():
            if lines[b0 + new].origin is None:
                lines[b0 + new] = reflowed(lines[b0 + new].hash, [state.lines[a0 + old] for old in sources])


def _edits(
    state: State, between: Iterable[Change], split: Split | None, texts: Mapping[str, Split]
) -> Iterator[tuple[int, int]]:
    """Pair lines with those they were made out of: by their words where both texts are at hand, else by place."""
    before = texts.get(state.digest or "")
    for gap in between:
        if before is None or split is None:
            yield from presumed_edits(gap)
        else:
            old, new = before.lines[gap.a0 : gap.a1], split.lines[gap.b0 : gap.b1]
            yield from ((gap.a0 + x, gap.b0 + y) for x, y in edited_pairs(old, new))


def reflowed(line_hash: str | None, sources: Sequence[Line]) -> Line:
    """Make a line that was broken out of others: its author is who changed these last."""
    last = max(sources, key=lambda line: claim.position if (claim := line.owner()) else -1)
    return Line(line_hash, None, last, REFLOWED, [line for line in sources if line is not last])


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
