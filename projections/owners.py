"""Find the recorded owner of each line of a content, while git works out which commit it comes from."""

from typing import NamedTuple

from linetrail.ledger.content import digest
from linetrail.ledger.repository import Repository, file_path
from linetrail.ledger.substance import split
from linetrail.projections import evidence
from linetrail.projections.history import Blamed, Blaming, Objects
from linetrail.projections.lines import Owner, explain
from linetrail.projections.replay import Replay
from linetrail.projections.tables import Tables
from linetrail.projections.target import Target


class Recorded(NamedTuple):
    """What ledger and git say of a content, line by line.

    `unread_since` is when an agent may first have written what has no owner; None where that cannot be.
    """

    owners: list[Owner]
    git: Blamed
    unread_since: str | None


def recorded_owners(
    repository: Repository, tables: Tables, target: Target, blaming: Blaming, store: Objects
) -> Recorded:
    """Replay the ledger while git is at work; what git says of former names may bring more of it to light."""
    contents = evidence.base_contents(store)
    replay = Replay(evidence.transitions(repository, tables, target), contents)
    git = blaming.answer()
    former = {line.filename for line in git.lines} - {file_path(target.path)}
    if former:
        replay = Replay(evidence.transitions(repository, tables, target, former), contents)
    name = digest(target.content)
    earlier = {} if replay.knows(name) else evidence.earlier_texts(store, target, git)
    return Recorded(explain(replay, name, split(target.content), earlier), git, replay.unread_since)
