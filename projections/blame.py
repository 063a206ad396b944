"""Answer who wrote each line of a file: ledger and git asked side by side, the answer remembered.

An answer is a function of the ledger, of git and of the content. It is remembered under a name made of all
three, so it never has to be invalidated, and asking again starts neither git nor the database.
"""

from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.content import digest
from linetrail.ledger.repository import Repository, file_path
from linetrail.ledger.store import Ledger
from linetrail.ledger.substance import split
from linetrail.projections import recall
from linetrail.projections.cut import Cut
from linetrail.projections.history import Blamed, Blaming, Objects
from linetrail.projections.lines import Attribution, Owner, explain, judge, presumable
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
    with closing(Blaming(repository, target)) as blaming, closing(Objects(repository)) as store:
        owners, git, unread_since = _owners(repository, target, until, blaming, store)
        agents = {revision: store.shows_agent(revision) for revision in presumable(owners, git.lines)}
    return Answer(judge(owners, git.lines, git.commits, agents, unread_since), git), owners


def _owners(
    repository: Repository, target: Target, until: Cut | None, blaming: Blaming, store: Objects
) -> tuple[list[Owner], Blamed, str | None]:
    """Replay the ledger while git is at work; what git says of former names may bring more of it to light.

    The last of the answers is since when an agent may have written what has no owner.
    """
    from linetrail.projections import evidence  # reads tables, so it brings the database
    from linetrail.projections.replay import Replay
    from linetrail.projections.tables import open_tables

    contents = evidence.base_contents(store)
    with open_tables(repository, until=until) as tables:
        replay = Replay(evidence.transitions(repository, tables, target), contents)
        git = blaming.answer()
        former = {line.filename for line in git.lines} - {file_path(target.path)}
        if former:
            replay = Replay(evidence.transitions(repository, tables, target, former), contents)
    name = digest(target.content)
    earlier = {} if replay.knows(name) else evidence.earlier_texts(store, target, git)
    return explain(replay, name, split(target.content), earlier), git, replay.unread_since
