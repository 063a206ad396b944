"""The history of one definition: its versions, and the id that it keeps through all of them."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects, cut_commits
from linetrail.projections.git.target import Target
from linetrail.projections.nodes.chains import Recorded
from linetrail.projections.nodes.history import Between
from linetrail.projections.nodes.index import Indexed
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.versions import FOUND, Version
from linetrail.projections.nodes.walk import Walk
from linetrail.projections.tables.tables import Tables


class Lineage(NamedTuple):
    """A definition's id and its versions, the last one first."""

    node_id: str
    versions: Sequence[Version]


def lineage(
    repository: Repository, tables: Tables, store: Objects, indexed: Indexed, place: Place, target: Target
) -> Lineage:
    """Follow a definition of a content back as far as anything is known of it."""
    walk = Walk(repository, store, indexed)
    between = Between(repository, walk, indexed, Recorded(repository, tables, store, target), target)
    steps = walk.steps(place, target.revision, target.head)
    versions = [version for step in steps for version in between.versions(step)]
    first = versions[-1]
    if first.former is None and first.commit is not None and first.commit.revision in cut_commits(repository):
        versions[-1] = first._replace(kinds=[FOUND])
    return Lineage(_node_id(versions), versions)


def _node_id(versions: Sequence[Version]) -> str:
    """Name a definition by where it was seen first: by which name, in which state of which file."""
    first = versions[-1]
    told = f"{first.path}\0{first.qualified}\0{first.state}"
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:16]
