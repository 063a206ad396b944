"""Replay the recorded transitions of a file into its states, each line with the claim that made it.

States are named by the hash of their content, not by their place in a sequence: a transition applies to whatever
recorded state it started from, and one that leads to a state known already changes nothing, unless that state's
past was not known. Order is the ledger's; clocks are not asked. Nothing here reads a file or starts a process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from linetrail.ledger.observe.substance import Split
from linetrail.projections.lines.align import Hashes, matches
from linetrail.projections.lines.moves import moved
from linetrail.projections.lines.resemblance import MIN_BLOCK, Visits, grouped, reflowed
from linetrail.projections.lines.states import EDITED, MOVED, SAME, Line, State, Text, hashes_of
from linetrail.projections.lines.transitions import Claim, Hunk, Transition

# Returns the content that a transition started from, None where nobody has it.
Contents = Callable[[Transition], Text | None]


class Replay:
    """The states that a file went through, as far as the ledger knows."""

    def __init__(self, transitions: Iterable[Transition], contents: Contents) -> None:
        self._contents = contents
        self._states: dict[str, State] = {}
        self.visits = Visits()
        # who was seen writing a content where nothing was, by its digest; its lines are nowhere in the ledger
        self._creators: dict[str, Claim] = {}
        self._unread: list[Transition] = []
        # contents that no transition led to when they were met
        self._presumed: list[tuple[State, Text]] = []
        for transition in transitions:
            if transition.after_hash is not None:
                self._take(transition, transition.after_hash)
            elif transition.op != "delete" and transition.claim.contributor_type == "ai":
                # A record says so, and nobody saw to what the file changed: no line is owned for it.
                self._unread.append(transition)
        self._reconsider()

    @property
    def is_empty(self) -> bool:
        """Whether nothing that was recorded tells of a content."""
        return not self.visits.states and not self._creators

    @property
    def unread(self) -> list[Transition]:
        """Return the changes by agents without anything telling which lines are new."""
        return [change for change in self._unread if not self._is_created(change.after_hash)]

    @property
    def unread_since(self) -> str | None:
        """Return when an agent first changed the file without anything telling which lines are new, if one did."""
        return min((change.claim.occurred_at or "" for change in self.unread), default=None)

    def explain(
        self, digest: str, text: Text, earlier: Callable[[], Mapping[str, Split]] = dict, until: str | None = None
    ) -> State:
        """Return the state with this content, be it one that nothing recorded leads to.

        Only states that were there `until` a moment explain it; `earlier` returns texts of recorded states, by digest.
        """
        known = self.meet(digest, text.hashes)
        if known is not None:
            return self._looked_at_again(known, text, until) if known.committed else known
        if self._creators.keys() - self._states.keys():
            for name, one in earlier().items():
                self.meet(name, hashes_of(one))
        return self.visits.relate(text, Claim(), self.visits.until(until), earlier, committed=until is not None)

    def _looked_at_again(self, state: State, text: Text, until: str | None) -> State:
        """Explain lines that a state which git had owes to events that came after it: branches have their own order."""
        open_lines = [at for at, line in enumerate(state.lines) if not _is_seen(line)]
        if self.visits.claimed.keys().isdisjoint(state.lines[at].hash for at in open_lines):
            return state
        others = [other for other in self.visits.until(until) if not other.descends_from(state)]
        again = self.visits.relate(text, Claim(), others, committed=True).lines
        lines = list(state.lines)
        for at in open_lines:
            if _is_seen(again[at]):
                lines[at] = again[at]
        return State(lines, state)

    def state(self, digest: str) -> State | None:
        """Return the recorded state with this content."""
        return self._states.get(digest)

    def knows(self, digest: str) -> bool:
        """Return whether this content was recorded, be it without its lines."""
        return digest in self._states or digest in self._creators

    def meet(self, digest: str, hashes: Hashes) -> State | None:
        """Return the recorded state with this content, whose lines the ledger may not have."""
        creator = self._creators.get(digest)
        if creator is not None and digest not in self._states:
            self._visit(digest, State([Line(line, creator) for line in hashes]), creator)
            self.visits.claim(creator, hashes)
        return self._states.get(digest)

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
            after = known or self.visits.relate(Text(_all_hashes(hunks)), _finder(transition.claim), self.visits.recent)
        else:
            before = self._before(transition)
            made = _splice(before, hunks, transition)
            if made is None:
                return
            after = known or made
            if known is None:
                self._look_back(made, before, hunks, transition.claim)
            elif not before.descends_from(known):
                _learn(known, made)
        self._visit(digest, after, transition.claim)
        if transition.claim.seen:
            self.visits.claim(transition.claim, _all_hashes(hunks))

    def _look_back(self, made: State, before: State, hunks: Sequence[Hunk], claim: Claim) -> None:
        """Give lines back to their owners that a transition did not make: they were moved, or had been here before."""
        kept = {id(made.lines[at]) for at in _new_places(hunks)}
        gone = {
            at: before.lines[at].hash
            for hunk in hunks
            for at in range(hunk.start, hunk.stop)
            if id(before.lines[at]) not in kept
        }
        came = {at: made.lines[at].hash for at in _new_places(hunks) if made.lines[at].claim is claim}
        for old, new in moved(gone, came) if gone and came else ():
            made.lines[new] = Line(came[new], None, before.lines[old], MOVED)
            del gone[old], came[new]
        among = self.visits.lost if claim.seen else self.visits.claimed
        self.visits.find_again(made.lines, list(came), self.visits.recent, before, among)
        if claim.seen and len(self.visits.written[claim.session_id].intersection(gone.values())) >= MIN_BLOCK:
            _give_back(made, before, gone, claim)

    def _before(self, transition: Transition) -> State:
        """Return the state a transition started from; where none was recorded, the content tells what it holds."""
        if transition.before_hash is None:
            return State([])
        known = self._states.get(transition.before_hash)
        if known is None:
            text = self._contents(transition) or Text([None] * (transition.before_lines or 0))
            known = self.meet(transition.before_hash, text.hashes)
            if known is None:
                committed = text.split is not None
                known = self.visits.relate(text, _finder(transition.claim), self.visits.recent, committed=committed)
                known.committed = committed
                self._visit(transition.before_hash, known, transition.claim)
                if not committed:
                    self._presumed.append((known, text))
            if text.split is not None:
                self.visits.keep(transition.before_hash, text.split)
        return known

    def _reconsider(self) -> None:
        """Explain what was met before the events that tell of its lines: branches come in an order of their own."""
        for state, text in self._presumed:
            unexplained = state.came if state.presumed else text.hashes
            if not self.visits.claimed.keys().isdisjoint(unexplained):
                others = [other for other in self.visits.states if not other.descends_from(state)]
                _learn(state, self.visits.relate(text, Claim(), others))

    def _visit(self, digest: str, state: State, claim: Claim) -> None:
        if digest not in self._states:
            state.digest, state.since = digest, claim.since
        self._states[digest] = state
        self.visits.add(state)


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
    return State(lines, before, gone, _all_hashes(hunks))


def _give_back(made: State, before: State, gone: Mapping[int, str | None], claim: Claim) -> None:
    """Follow a block that a session wrote a second time elsewhere before it took the first one away."""
    wanted = set(gone.values())
    again = {}
    for at, line in enumerate(made.lines):
        owner = line.owner() if line.hash in wanted else None
        if owner is not None and owner.session_id == claim.session_id and owner.seen:
            again[at] = line.hash
    for old, new in moved(gone, again, least=MIN_BLOCK):
        first, second = before.lines[old].owner(), made.lines[new].owner()
        if second is not None and (first is None or first.position < second.position):
            made.lines[new] = Line(made.lines[new].hash, None, before.lines[old], MOVED)


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
            made[new] = reflowed(hunk.hashes[new], [before[old] for old in sources])
    old_lines = before[hunk.start : hunk.stop]
    for a, b, length in matches([line.hash for line in old_lines], hunk.hashes):
        made[b : b + length] = old_lines[a : a + length]
    return made


def _learn(known: State, made: State) -> None:
    """Let a state whose lines nobody was seen writing take the past that a transition tells of it now.

    Where a line of that past was itself taken for one that came out of this state, only the last change is learnt.
    """
    for line, told in zip(known.lines, made.lines, strict=False):
        if line.hash is None:
            line.hash = told.hash
        teller = told.owner()
        if teller is None or not teller.seen or _is_seen(line):
            continue
        if line not in told.chain():
            line.claim, line.origin, line.relation = None, told, SAME
        elif told.claim is not None:
            line.claim, line.relation = told.claim, told.relation
            line.origin = Line(None) if told.origin is not None else None


def _is_seen(line: Line) -> bool:
    owner = line.owner()
    return owner is not None and owner.seen


def _finder(claim: Claim) -> Claim:
    """Return the claim of nobody: the change was there when this event came, and nothing more is known."""
    return Claim(claim.position, claim.event_id, claim.occurred_at, path=claim.path)


def _new_places(hunks: Iterable[Hunk]) -> Iterator[int]:
    return (at for hunk in hunks for at in range(hunk.new_start, hunk.new_start + len(hunk.hashes)))


def _all_hashes(hunks: Iterable[Hunk]) -> list[str]:
    return [line for hunk in hunks for line in hunk.hashes]
