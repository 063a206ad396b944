"""What HEAD defines: its files as they are parsed, each definition with its number, and the names that they use.

A name is resolved by the surest way that finds a definition. What is found by its name alone is a guess, and told as
one: of several with that name each is as likely, and of too many none is named. A name that the file takes from
somewhere else is not looked for here.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.graph import cache
from linetrail.projections.graph.commits import State
from linetrail.projections.graph.fold import NO_VERSION
from linetrail.projections.graph.uses import Use, Uses, uses
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.texts import plain
from linetrail.projections.syntax.language import language_of

# How sure an answer is, to be divided among those of one name.
SAME_FILE = IMPORTED = 0.95
OF_OWNER = 0.9
SAME_PACKAGE = 0.8
BY_NAME = 0.5
# Of more namesakes nothing is said; shorter names say nothing by themselves.
MANY, TELLING = 4, 3

_ITSELF = frozenset({"self", "this", "cls", "super", "@", "Self"})
_TYPES = frozenset(
    {"class", "enum", "implementation", "interface", "object", "record", "struct", "trait", "type", "union", "module"}
)
_VALUES = frozenset({"variable", "property", "constant", "field", "key"})
# Languages whose code uses each other's names.
_FAMILIES = {"tsx": "javascript", "typescript": "javascript", "c": "cpp", "scala": "java", "kotlin": "java"}
# Where a member is named without anything before it.
_IMPLICIT = frozenset({"cpp", "csharp", "java", "ruby", "swift"})
# Where whoever is in the same folder is known without being asked for.
_PACKAGES = frozenset({"csharp", "go", "java", "swift"})
# Where an import makes all names of a file known.
_INCLUDES = frozenset({"bash", "cpp", "lua", "php", "ruby"})
# Files that are named for their folder.
_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "main"})


class Mention(NamedTuple):
    """A definition that uses the name of another one, and how that is known."""

    source: Place
    target: Place
    line: int
    times: int
    evidence: str
    confidence: float


class Found(NamedTuple):
    """The definitions that a name may mean; each is as likely."""

    places: Sequence[Place]
    evidence: str
    confidence: float


class Names:
    """All definitions of a repository, by name."""

    def __init__(self, files: Iterable[tuple[str, Sequence[Place]]]) -> None:
        """Take the language and the definitions of each file."""
        self._named: dict[tuple[str, str], list[Place]] = defaultdict(list)
        for language, places in files:
            for place in places:
                self._named[_family(language), place.definition.name].append(place)

    def mentions(self, language: str, places: Sequence[Place], uses: Uses) -> Iterator[Mention]:
        """Yield what the definitions of one file use."""
        file = _File(_family(language), uses.imports)
        for use in uses.names:
            here = places[use.at]
            outer = set(_around(here))
            named = [place for place in self._named.get((file.family, use.name), ()) if place not in outer]
            found = _found(file, here, use, named) if named else None
            if found is not None:
                confidence = round(found.confidence / len(found.places), 3)
                for place in found.places:
                    yield Mention(here, place, use.line, use.times, found.evidence, confidence)


class _File:
    """What a file says of itself that tells names apart."""

    def __init__(self, family: str, imports: Sequence[Sequence[str]]) -> None:
        self.family = family
        self.imports = [frozenset(words) for words in imports]
        self.words = frozenset().union(*self.imports)

    def reach(self, path: str, statements: Iterable[frozenset[str]]) -> int:
        """Return how much of a path the statements name, from its end: 0 where they name another file."""
        stem, *folders = _module(path)
        best = 0
        for words in statements:
            if stem in words:
                best = max(best, 1 + next((at for at, part in enumerate(folders) if part not in words), len(folders)))
        return best


def _found(file: _File, here: Place, use: Use, named: Sequence[Place]) -> Found | None:
    return _member(file, here, use, named) if use.member else _plain(file, here, use, named)


def _member(file: _File, here: Place, use: Use, named: Sequence[Place]) -> Found | None:
    """Resolve a name after a dot."""
    if use.owner in _ITSELF:
        around = [place for place in _around(here) if place.definition.kind in _TYPES]
        own = [place for place in named if place.around in around or _scope(place) == _scope(here) != ""]
        return Found(own, "member of the same class", SAME_FILE) if own else _by_name(named, members=True)
    of_owner = [place for place in named if use.owner is not None and _scope(place) == use.owner]
    if of_owner:
        return Found(of_owner, f"member of `{use.owner}`", OF_OWNER)
    if use.owner in file.words:
        statements = [words for words in file.imports if use.owner in words]
        module = [place for place in named if place.around is None and _module(place.path)[0] == use.owner]
        near = _nearest(file, module, statements) or [
            place for place in named if file.family == "go" and _folder(place.path) == use.owner
        ]
        if near:
            return Found(near, f"imported with `{use.owner}`", OF_OWNER)
        if not any(file.reach(place.path, statements) for place in named):
            return None
    return _by_name(named, members=True)


def _plain(file: _File, here: Place, use: Use, named: Sequence[Place]) -> Found | None:
    """Resolve a name that stands by itself."""
    outer = set(_around(here))
    visible = [place for place in named if _is_visible(place, outer, implicit=file.family in _IMPLICIT)]
    near = [place for place in visible if place.path == here.path]
    if near:
        return Found(near, "same file", SAME_FILE)
    free = [place for place in visible if place.around is None]
    if use.name in file.words:
        imported = _nearest(file, free, [words for words in file.imports if use.name in words])
        return Found(imported, "imported by name", IMPORTED) if imported else None
    if file.family in _PACKAGES:
        beside = [place for place in free if os.path.dirname(place.path) == os.path.dirname(here.path)]
        return Found(beside, "same package", SAME_PACKAGE) if beside else None
    wide = file.imports if file.family in _INCLUDES else [words for words in file.imports if "*" in words]
    included = _nearest(file, free, wide)
    if included:
        return Found(included, "from an imported file", SAME_PACKAGE)
    return _by_name(free, members=False) if file.family in _INCLUDES else None


def _by_name(named: Sequence[Place], *, members: bool) -> Found | None:
    """Return all that have the name, if they are few."""
    fitting = [place for place in named if _is_guessed(place, members=members)]
    if 0 < len(fitting) <= MANY and len(fitting[0].definition.name) >= TELLING:
        return Found(fitting, "by its name alone", BY_NAME)
    return None


def _is_guessed(place: Place, *, members: bool) -> bool:
    """Return whether a bare name may mean a definition: variables and fields share their names with too many others."""
    return place.definition.kind not in _VALUES and (not members or place.around is not None or _scope(place) != "")


def _nearest(file: _File, places: Sequence[Place], statements: Sequence[frozenset[str]]) -> list[Place]:
    """Return those in the files that import statements name most of."""
    reached = {place: file.reach(place.path, statements) for place in places}
    best = max(reached.values(), default=0)
    return [place for place, much in reached.items() if much == best] if best else []


def _is_visible(place: Place, outer: set[Place], *, implicit: bool) -> bool:
    around = place.around
    if around is None:
        return not _scope(place)
    return around in outer and (implicit or around.definition.kind not in _TYPES)


def _scope(place: Place) -> str:
    """Return the name of what a definition is a member of, also where it does not stand in it."""
    return place.definition.qualified.rpartition(".")[0].rpartition(".")[2]


def _around(place: Place) -> Iterator[Place]:
    """Yield a definition and those around it."""
    at: Place | None = place
    while at is not None:
        yield at
        at = at.around


def _module(path: str) -> Sequence[str]:
    """Return the parts of a path as an import names them, the last one first."""
    *folders, base = path.split("/")
    stem = base.partition(".")[0]
    parts = [*folders, stem]
    return (parts[:-1] if stem in _FOLDERS and folders else parts)[::-1]


def _folder(path: str) -> str:
    return os.path.basename(os.path.dirname(path))


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)


def total(mentions: Iterable[Mention]) -> Mapping[tuple[Place, Place], Mention]:
    """Return the surest mention of each pair, at the first line, with how often there is any."""
    found: dict[tuple[Place, Place], Mention] = {}
    for mention in mentions:
        key = mention.source, mention.target
        known = found.get(key, mention._replace(times=0))
        surer = max(known, mention, key=lambda one: one.confidence)
        found[key] = surer._replace(line=min(known.line, mention.line), times=known.times + mention.times)
    return found


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
