"""What HEAD defines: its files as they are parsed, each definition with its number, and the names that they use."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.graph import cache
from linetrail.projections.graph.commits import State
from linetrail.projections.graph.fold import NO_VERSION
from linetrail.projections.graph.resolution import Mention, Names, total
from linetrail.projections.graph.uses import Uses, uses
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.texts import plain
from linetrail.projections.syntax.language import language_of


class Standing(NamedTuple):
    """A file that HEAD has: its language, and its definitions with the last version of each, as far as there is one."""

    path: str
    blob: str
    language: str
    places: Sequence[Place]
    versions: Sequence[int]

    @property
    def is_followed(self) -> bool:
        """Whether its definitions have versions."""
        return NO_VERSION not in self.versions


class Known(msgspec.Struct, frozen=True, array_like=True):
    """What a content in a language is known to use."""

    blob: str
    language: str
    uses: Uses


def standing(repository: Repository, state: State) -> Iterator[Standing]:
    """Yield the files of a commit that define anything, by path."""
    with closing(Objects(repository)) as store, closing(DefinitionIndex(repository)) as indexed:
        for path, entry in sorted(state.items()):
            content = plain(store.read(entry.blob) or b"")
            language = language_of(path, content)
            places = list(indexed.side(path, content).places()) if language is not None else []
            if language is not None and places:
                versions = entry.versions or [NO_VERSION] * len(places)
                yield Standing(path, entry.blob, language.name, places, versions)


def mentions(repository: Repository, files: Sequence[Standing]) -> Iterator[Mention]:
    """Yield which definitions use the names of which others; a content is read for it once."""
    known = {(one.blob, one.language): one.uses for one in cache.load(repository, cache.USES, Known)}
    used = {
        (file.blob, file.language): known.get((file.blob, file.language)) or uses(file.places[0].side) for file in files
    }
    if used.keys() - known.keys():
        cache.save(repository, cache.USES, (Known(*key, one) for key, one in used.items()))
    named = Names((file.language, file.places) for file in files)
    found = (
        mention
        for file in files
        for mention in named.mentions(file.language, file.places, used[file.blob, file.language])
    )
    yield from total(found).values()
