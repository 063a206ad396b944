"""Find the recorded changes that took the lines of a file away, and what came back after them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import split
from linetrail.projections.lines.align import matches, trivial
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import EDITED, FOUND, KEPT, REFLOWED, SAME, Line, hashes_of
from linetrail.projections.lines.transitions import Claim, Transition


class Went(NamedTuple):
    """What a ledger says of a line that went: `by` which change, or `on` which commit it was seen to be there again."""

    by: Claim | None = None
    on: str | None = None


class Removals:
    """The recorded changes that took lines of a file away, in the order of the ledger."""

    def __init__(
        self,
        replay: Replay,
        changes: Sequence[Transition],
        after: bytes | None,
        by_hand: Callable[[Transition], bool],
    ) -> None:
        self._of: dict[Line, list[Claim]] = defaultdict(list)
        self._like: dict[str, list[tuple[Line, Claim]]] = defaultdict(list)
        for change in changes:
            for line in _removed(replay, change):
                self._of[line].append(change.claim)
                if line.hash is not None and not trivial(line.hash):
                    self._like[line.hash].append((line, change.claim))
        self._whole = [change.claim for change in changes if after is None and change.after_hash is None]
        recorded = replay.visits.states[-1].hashes if replay.visits.states and not self._whole else []
        # lines that were there when the last change was recorded: where they had come back, nobody was seen taking them
        self._left = Counter(recorded) - Counter(hashes_of(split(after or b"")))
        self._came: dict[str, Claim] = {}
        for change in changes:
            back = {line for hunk in change.hunks or () for line in hunk.hashes if line in self._left}
            if back and not change.snapshot and (change.claim.seen or by_hand(change)):
                self._came |= dict.fromkeys(back, change.claim)

    def last(self, line: Line, fits: Callable[[Claim], bool], within: Callable[[Claim], bool]) -> Went:
        """Return the last change that took a line away, or one like it that somebody wrote again after that."""
        own = self._of.get(_itself(line), ())
        if not own:
            return Went()
        last = _last(own, fits)
        since = (last or own[-1]).position
        came = self._came.get(line.hash or "")
        if came and came.position > since and within(came):
            return Went(on=came.vcs_revision)
        like = self._like.get(line.hash or "", ())
        again = [claim for one, claim in like if one.claim and since <= one.claim.position <= claim.position]
        return Went(_last(again, fits) or last)

    def last_like(self, line: Line, fits: Callable[[Claim], bool]) -> Claim | None:
        """Return the last change that took a line like this one away: no recorded state is known to have had it."""
        return _last([claim for _, claim in self._like.get(line.hash or "", ())], fits)

    def last_whole(self, fits: Callable[[Claim], bool]) -> Claim | None:
        """Return the last change that took the whole file away."""
        return _last(self._whole, fits)


def _last(claims: Sequence[Claim], fits: Callable[[Claim], bool]) -> Claim | None:
    return next((claim for claim in reversed(claims) if fits(claim)), None)


def _removed(replay: Replay, change: Transition) -> Iterator[Line]:
    """Yield the lines that were there before a change, and after it neither there nor elsewhere in the file."""
    before = replay.state(change.before_hash or "")
    if before is None or change.snapshot:
        return
    if change.after_hash is None:
        yield from map(_itself, before.lines)
        return
    after = replay.state(change.after_hash)
    hunks = change.hunks or ()
    came = [line for hunk in hunks for line in after.lines[hunk.new_start :][: len(hunk.hashes)]] if after else []
    moved = set(map(_itself, came))
    for hunk in hunks:
        old = before.lines[hunk.start : hunk.stop]
        kept = {
            at for run in matches([line.hash for line in old], hunk.hashes) for at in range(run.a, run.a + run.length)
        }
        yield from (itself for at, line in enumerate(old) if at not in kept and (itself := _itself(line)) not in moved)


def _itself(line: Line) -> Line:
    """Follow a line back to where it first was this line, and not one that it was made out of."""
    while line.origin is not None and line.relation not in {EDITED, REFLOWED}:
        line = line.origin
    return line


def followed(line: Line) -> str:
    """Return the weakest way in which a line was followed to the states in which it was taken away."""
    ways = set()
    while line.origin is not None and line.relation not in {EDITED, REFLOWED}:
        ways.add(line.relation)
        line = line.origin
    return FOUND if FOUND in ways else KEPT if KEPT in ways else SAME
