"""Understand a definition's name as a person types it: `name`, `Outer.name` or `PATH:Outer.name`."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target, find_target, locate
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.lineage import Lineage, lineage
from linetrail.projections.nodes.lookup import SymbolError, anywhere, in_file
from linetrail.projections.nodes.sides import Place
from linetrail.projections.tables.tables import Tables
from linetrail.queries.arguments.node_rows import Row, rows


class Meant(NamedTuple):
    """The definition that a name means, and the content that it stands in."""

    place: Place
    target: Target


class Symbols:
    """The definitions of a repository, found by name and followed through history."""

    def __init__(self, repository: Repository) -> None:
        self._repository, self._store, self._indexed = repository, Objects(repository), DefinitionIndex(repository)

    def close(self) -> None:
        """End what was started."""
        self._store.close()
        self._indexed.close()

    def meant(self, symbol: str, *, directory: str, revision: str | None) -> Meant:
        """Return the one definition that is meant, in the work tree or at a revision."""
        path, _, name = symbol.rpartition(":")
        if not name:
            raise UsageError(f"{symbol!r} names no definition; write name, Outer.name or PATH:Outer.name")
        if not path:
            place = anywhere(self._repository, self._store, self._indexed, name, revision)
            return Meant(place, find_target(self._repository, place.path, revision))
        target = find_target(self._repository, locate(self._repository, directory, path), revision)
        return Meant(in_file(self._indexed.side(target.path, target.content), name), target)

    def history(self, tables: Tables, meant: Meant) -> tuple[Lineage, list[Row]]:
        """Return the versions of a definition, and the same as rows."""
        found = lineage(self._repository, tables, self._store, self._indexed, *meant)
        events = {version.claim.event_id for version in found.versions if version.claim and version.claim.event_id}
        shows_agent = partial(self._store.shows_agent, recorded_on=tables.records.agents_on())
        return found, rows(found, shows_agent, tables.records.classes(events))


def as_numbers(repository: Repository, target: Target, ranges: Sequence[str]) -> list[str]:
    """Return ranges with numbers in the place of names that the file defines once; the others git itself reads."""
    with closing(DefinitionIndex(repository)) as indexed:
        side = indexed.side(target.path, target.content)

    def numbers(text: str) -> str:
        try:
            definition = in_file(side, text[1:]).definition
        except SymbolError:
            return text
        return f"{definition.start_line},{definition.end_line}"

    return [numbers(text) if text.startswith(":") else text for text in ranges]
