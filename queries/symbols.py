"""Understand a definition's name as a person types it: `name`, `Outer.name` or `PATH:Outer.name`."""

from collections.abc import Sequence
from contextlib import closing

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.history import Objects
from linetrail.projections.nodes.indexed import Indexed
from linetrail.projections.nodes.lookup import SymbolError, anywhere, in_file
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


def as_numbers(repository: Repository, target: Target, ranges: Sequence[str]) -> list[str]:
    """Return ranges with numbers in the place of names that the file defines once; the others git itself reads."""
    with closing(Indexed(repository)) as indexed:
        side = indexed.side(target.path, target.content)

    def numbers(text: str) -> str:
        try:
            definition = in_file(side, text[1:]).definition
        except SymbolError:
            return text
        return f"{definition.start_line},{definition.end_line}"

    return [numbers(text) if text.startswith(":") else text for text in ranges]
