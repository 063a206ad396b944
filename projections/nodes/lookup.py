"""Find the definition that a person means by a name: `name`, `Outer.name` or, with its file, `path:Outer.name`.

A whole qualified name goes before the end of one. Where no file is named, git says which ones have the name at all.
"""

import os
from collections.abc import Iterable, Iterator, Sequence

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import FOLDER, Repository, file_path, git, stored_path
from linetrail.projections.git.history import Objects
from linetrail.projections.git.shell import command, operand
from linetrail.projections.git.target import on_disk
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.syntax.language import language_of

# So many files are looked into for a name, and so many places are listed where it is not unique.
MAX_FILES, MAX_LISTED = 500, 10


class SymbolError(LinetrailError):
    """No definition has this name, or several have."""


def in_file(side: Side, name: str) -> Place:
    """Return the definition of this name in a file."""
    found = _meant(side.places(), name)
    if not found:
        raise SymbolError(
            f"{side.path} defines no {name}", command(["grep", "-nF", "-e", name, operand(file_path(side.path))])
        )
    return _only(found, name)


def anywhere(
    repository: Repository, store: Objects, indexed: DefinitionIndex, name: str, revision: str | None
) -> Place:
    """Return the definition of this name in the work tree, or in a commit."""
    places = (place for side in _having(repository, store, indexed, name, revision) for place in side.places())
    found = _meant(places, name)
    if repository.git_dir is None:
        raise SymbolError(f"without git nobody can tell which file has {name}", f"write PATH:{name}")
    if not found and on_disk(repository, stored_path(name)) is not None:
        raise SymbolError(f"{name} is a file; say which definition of it is meant", f"write {name}:NAME")
    if not found:
        where = revision or "the work tree"
        raise SymbolError(f"nothing in {where} is called {name}", command(["git", "log", "--oneline", "-S", name]))
    return _only(found, name)


def _meant(places: Iterable[Place], name: str) -> list[Place]:
    """Return the definitions that a name may mean."""
    ending = [place for place in places if f".{place.definition.qualified}".endswith(f".{name}")]
    whole = [place for place in ending if place.definition.qualified == name]
    return whole or ending


def _only(found: Sequence[Place], name: str) -> Place:
    if len(found) == 1:
        return found[0]
    listed = [
        f"{file_path(place.path)}:{place.definition.qualified} (line {place.definition.start_line})"
        for place in found[:MAX_LISTED]
    ]
    more = [f"and {len(found) - MAX_LISTED} more"] if len(found) > MAX_LISTED else []
    first = f"{file_path(found[0].path)}:{found[0].definition.qualified}"
    raise SymbolError(f"{name} is not unique: {', '.join(listed + more)}", f"write one of these, such as {first}")


def _having(
    repository: Repository, store: Objects, indexed: DefinitionIndex, name: str, revision: str | None
) -> Iterator[Side]:
    """Yield the files in which the last part of a name stands."""
    word = name.rpartition(".")[2].partition("#")[0]
    where = ["--untracked"] if revision is None else [revision]
    options = ("grep", "-I", "-l", "-z", "-F", "-e", word)
    listed = git(repository, *options, *where) or b""
    prefix = f"{revision}:" if revision is not None else ""
    names = [os.fsdecode(entry).removeprefix(prefix) for entry in listed.split(b"\0") if entry]
    wanted = [entry for entry in names if language_of(entry) is not None and not entry.startswith(f"{FOLDER}/")]
    for path in map(stored_path, sorted(wanted)[:MAX_FILES]):
        content = on_disk(repository, path) if revision is None else store.read(f"{revision}:{file_path(path)}")
        if content is not None:
            yield indexed.side(path, content)
