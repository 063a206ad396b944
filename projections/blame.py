"""Answer who wrote each line of a file: ledger and git asked side by side, the answer remembered.

An answer is a function of the ledger, of git and of the content. It is remembered under a name made of all
three, so it never has to be invalidated, and asking again starts neither git nor the database.
"""

from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.ledger.store import Ledger
from linetrail.projections import recall
from linetrail.projections.cut import Cut
from linetrail.projections.history import Blamed, Blaming, Objects
from linetrail.projections.lines import Attribution, Owner, judge, presumable
from linetrail.projections.target import Target


class Answer(NamedTuple):
    """Who wrote each line, beside what git says of it."""

    attributions: Sequence[Attribution]
    git: Blamed

    @property
    def cut(self) -> bool:
        """Whether some line is only known from where a shallow clone ends."""
        return any(commit.cut for commit in self.git.commits.values())


def blame(repository: Repository, target: Target, until: Cut | None = None) -> Answer:
    """Return who wrote each line of a content as far as is recorded `until` then, from memory where nothing changed."""
    name = recall.name(repository, target, [Ledger(repository).digest(), until and [until.segments, until.tail]])
    remembered = recall.load(repository, name)
    if remembered is not None:
        return Answer(*remembered)
    answer, _ = work_out(repository, target, until)
    recall.save(repository, name, answer.attributions, answer.git)
    return answer


def work_out(repository: Repository, target: Target, until: Cut | None = None) -> tuple[Answer, list[Owner]]:
    """Ask ledger and git who wrote each line, with all that is recorded of each."""
    from linetrail.projections.owners import recorded_owners  # reads tables, so it brings the database
    from linetrail.projections.tables import open_tables

    with closing(Blaming(repository, target)) as blaming, closing(Objects(repository)) as store:
        with open_tables(repository, until=until) as tables:
            recorded = recorded_owners(repository, tables, target, blaming, store)
        owners, git = recorded.owners, recorded.git
        agents = {revision: store.shows_agent(revision) for revision in presumable(owners, git.lines)}
    return Answer(judge(owners, git.lines, git.commits, agents, recorded.unread_since), git), owners
