"""Answer who wrote each line of a file: ledger and git asked side by side, the answer remembered.

An answer is a function of the ledger, of git and of the content. It is remembered under a name made of all
three, so it never has to be invalidated, and asking again opens no database and follows no history.
"""

from collections import deque
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.blame import answer_cache
from linetrail.projections.blame.answer_cache import Made, Validity
from linetrail.projections.git.history import Blamed, Blaming, Objects
from linetrail.projections.git.ignored import standing
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import Attribution, Owner, classed, judge, presumable
from linetrail.projections.lines.causality import latest
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.tables.prefix import Cut

if TYPE_CHECKING:
    from linetrail.projections.blame.moved_blocks import Moves
    from linetrail.projections.blame.owners import Owners
    from linetrail.projections.blame.worktree import Uncommitted
    from linetrail.projections.git.blames import Answered, Blames
    from linetrail.projections.nodes.moved_lines import MovedLines
    from linetrail.projections.tables.tables import Tables

# So many files ahead of the one being replayed, git is asked already: enough to keep two processes at work.
AHEAD = 3


class Answer(NamedTuple):
    """Who wrote each line, beside what git says of it, and of how many lines git disproved a recorded owner."""

    attributions: Sequence[Attribution]
    git: Blamed
    disproved: int = 0

    @property
    def cut(self) -> bool:
        """Whether some line is only known from where a shallow clone ends."""
        return any(commit.cut for commit in self.git.commits.values())


class _Asked(NamedTuple):
    """A content whose answer somebody waits for: remembered, or what git is at work on."""

    target: Target
    name: str
    remembered: Answer | None
    blaming: "Blaming | Answered | None"


class _WorkedOut(NamedTuple):
    """An answer, what is recorded of each line, and what both follow from.

    `beside` are other files of the work tree, None where any file of it may have a say: where lines that are not
    committed have no owner. `names` are those of the file, `latest` is when its youngest line was committed.
    """

    answer: Answer
    owners: list[Owner]
    beside: Collection[str] | None
    names: Collection[str]
    latest: str | None


class Opened(NamedTuple):
    """Tables that somebody has open, and the digest that the ledger had before they were opened."""

    ledger: str
    tables: "Tables"


class Blamer:
    """Answers for many contents of one repository, as far as is recorded `until` then.

    Tables and objects are opened once, unless they are `opened` already, and only when something is asked that is not
    remembered. `flags` are flags of
    `git blame`, by default those that have it look past the commits which project and person list; where they say how
    to follow what was moved, it is not followed in our own way. Of answers that are not `whole`, only the lines that no
    commit has are worked out.
    """

    def __init__(
        self,
        repository: Repository,
        until: Cut | None = None,
        flags: Sequence[str] | None = None,
        opened: Opened | None = None,
        *,
        whole: bool = True,
    ) -> None:
        self._repository, self._until, self._whole = repository, until, whole
        self._flags = tuple(standing(repository).flags if flags is None else flags)
        self._asked = [until and [until.segments, until.tail], self._flags, whole]
        ledger = opened.ledger if opened else Ledger(repository).digest()
        self._validity = Validity(repository, ledger, lambda: self._tables)
        self._lent = opened and opened.tables
        self._opened = ExitStack()
        self._owners: Owners | None = None
        self._expected = 0
        self.store = Objects(repository)
        self._following: tuple[Moves, Uncommitted, MovedLines] | None = None
        self._agents: dict[str, bool] = {}
        self._saved = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of tables and objects."""
        if self._following is not None:
            moves, _, nodes = self._following
            moves.close()
            nodes.close()
        if "_blames" in self.__dict__:
            self._blames.close()
        self.store.close()
        self._opened.close()
        if self._saved:
            answer_cache.forget_oldest(self._repository)

    def expect(self, targets: Iterable[Target]) -> None:
        """Prepare for questions about these contents, as far as nothing is remembered of them."""
        names = (answer_cache.name(self._repository, target, self._asked) for target in targets)
        self._expected = sum(not answer_cache.has(self._repository, name) for name in names)
        self._blames.expect(self._expected)

    def answers(self, targets: Iterable[Target]) -> Generator[Answer]:
        """Yield an answer for each content, in order; git is at work for the next ones meanwhile."""
        ahead: deque[_Asked] = deque()
        try:
            for target in targets:
                ahead.append(self._ask(target))
                if len(ahead) > AHEAD:
                    yield self._finish(ahead.popleft())
            while ahead:
                yield self._finish(ahead.popleft())
        finally:
            for asked in ahead:
                if asked.blaming is not None:
                    asked.blaming.close()

    def answer(self, target: Target) -> Answer:
        """Return who wrote each line of one content."""
        return self._finish(self._ask(target))

    def explain(self, target: Target) -> tuple[Answer, Sequence[Sequence[Claim]]]:
        """Return who wrote each line of one content, and all claims on each line and on what it was made of."""
        asked = self._ask(target)
        known = answer_cache.histories(self._repository, asked.name) if asked.remembered is not None else None
        if asked.remembered is not None and known is not None:
            return asked.remembered, known
        made = self._made(asked)
        return made.answer, [one.history for one in made.owners]

    def remembered(self, target: Target) -> Answer | None:
        """Return what is remembered of one content; None where ledger and git would have to be asked."""
        return self._remembered(target, answer_cache.name(self._repository, target, self._asked))

    def _ask(self, target: Target) -> _Asked:
        name = answer_cache.name(self._repository, target, self._asked)
        remembered = self._remembered(target, name)
        blaming = None if remembered else self._blames.ask(target)
        return _Asked(target, name, remembered, blaming)

    def _remembered(self, target: Target, name: str) -> Answer | None:
        found = answer_cache.load(self._repository, name)
        if found is None or not self._still_holds(name, found.made, target.head):
            return None
        return Answer(found.attributions, found.git, found.disproved)

    def _still_holds(self, name: str, made: Made, head: str | None) -> bool:
        if self._validity.is_new(made, head):
            return True
        if not self._validity.holds(made, head):
            return False
        answer_cache.renew(self._repository, name, self._validity.made(head, made.names, made.latest))
        return True

    def _finish(self, asked: _Asked) -> Answer:
        return asked.remembered if asked.remembered is not None else self._made(asked).answer

    def _made(self, asked: _Asked) -> _WorkedOut:
        """Work an answer out, and remember it."""
        with closing(asked.blaming or self._blames.ask(asked.target)) as blaming:
            found = self._worked_out(asked.target, blaming)
        if found.beside is not None:
            made = self._validity.made(asked.target.head, found.names, found.latest)
            behind = (one.history for one in found.owners)
            answer = found.answer
            answer_cache.save(
                self._repository,
                asked.name,
                made,
                answer.attributions,
                answer.git,
                disproved=answer.disproved,
                behind=behind,
                beside=found.beside,
            )
            self._saved = True
        return found

    def _worked_out(self, target: Target, blaming: "Blaming | Answered") -> _WorkedOut:
        """Ask ledger and git about a content."""
        recorded = self._open().find(target, blaming, whole=self._whole)
        git, follows = recorded.git, not any(flag.startswith(("-M", "-C")) for flag in self._flags)
        if follows and (told := recorded.unobserved):
            recorded, git = self._open().before_moves(recorded, self._follow()[0].followed(target, git, told))
        owners, unseen = recorded.owners, recorded.unseen
        by_node: Collection[int] = ()
        if follows and unseen:
            _, uncommitted, nodes = self._follow()
            git = uncommitted.followed(target, git, unseen)
            git, by_node = nodes.followed(target, git, unseen, lambda: uncommitted.lost(target.head or ""))
        if unseen:
            owners = self._open().as_committed(recorded, git, by_node)
        doubtful = presumable(owners, git.lines) if self._whole else ()
        agents = {revision: self._shows_agent(revision) for revision in doubtful}
        noted = self._open().refused.about(owners, git.lines, unseen) | self._open().notes.about(git.lines, unseen)
        judged = judge(owners, git.lines, git.commits, agents, recorded.unread_since, noted)
        said = self._open().corrections.applied(
            classed(judged, self._open().classes(judged)), git.lines, target, recorded.names
        )
        answer = Answer(said, git, recorded.disproved)
        fleeting = any(recorded.git.lines[at].revision is None for at in unseen)
        return _WorkedOut(
            answer,
            list(owners),
            None if fleeting and target.head else self._open().beside,
            recorded.names,
            latest(recorded.git),
        )

    def _open(self) -> "Owners":
        from linetrail.projections.blame.owners import Owners  # reads tables, so it brings the database

        if self._owners is None:
            self._tables.records.expect(self._expected)
            self._owners = Owners(self._repository, self._tables, self.store, self._blames)
        return self._owners

    @cached_property
    def _blames(self) -> "Blames":
        from linetrail.projections.git.blames import Blames  # a remembered answer needs none

        return Blames(self._repository, self.store, self._flags)

    @cached_property
    def _tables(self) -> "Tables":
        from linetrail.projections.tables.tables import open_tables  # a remembered answer may need none

        if self._lent is not None:
            return self._lent
        return self._opened.enter_context(open_tables(self._repository, until=self._until))

    def _follow(self) -> "tuple[Moves, Uncommitted, MovedLines]":
        from linetrail.projections.blame.moved_blocks import Moves  # a remembered answer need not wait for these
        from linetrail.projections.blame.worktree import Uncommitted
        from linetrail.projections.nodes.moved_lines import MovedLines

        if self._following is None:
            moves = Moves(self._repository, self.store, self._blames)
            nodes = MovedLines(self._repository, self.store, moves.patches, moves.sources)
            self._following = moves, Uncommitted(self._repository, self.store), nodes
        return self._following

    def _shows_agent(self, revision: str) -> bool:
        if revision not in self._agents:
            self._agents[revision] = self.store.shows_agent(revision, self._open().agents_on)
        return self._agents[revision]


def blame(repository: Repository, target: Target, until: Cut | None = None) -> Answer:
    """Return who wrote each line of a content as far as is recorded `until` then, from memory where nothing changed."""
    with Blamer(repository, until) as blamer:
        return blamer.answer(target)
