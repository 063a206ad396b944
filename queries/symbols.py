"""Understand a definition's name as a person types it: `name`, `Outer.name` or `PATH:Outer.name`."""

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.history import Objects
from linetrail.projections.nodes.indexed import Indexed
from linetrail.projections.nodes.lookup import anywhere, in_file
from linetrail.projections.nodes.sides import Place
from linetrail.projections.target import Target, find_target, locate


def meant(
    repository: Repository, store: Objects, indexed: Indexed, symbol: str, *, directory: str, revision: str | None
) -> tuple[Place, Target]:
    """Return the one definition that is meant, in the work tree or at a revision, and the content it stands in."""
    path, _, name = symbol.rpartition(":")
    if not name:
        raise UsageError(f"{symbol!r} names no definition; write name, Outer.name or PATH:Outer.name")
    if not path:
        place = anywhere(repository, store, indexed, name, revision)
        return place, find_target(repository, place.path, revision)
    target = find_target(repository, locate(repository, directory, path), revision)
    return in_file(indexed.side(target.path, target.content), name), target
