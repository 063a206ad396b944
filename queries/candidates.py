"""Look up the values that shells offer as completions: ids, names and paths of the repository.

No database is opened: a shell asks at every key. What happened last stands at the end of the ledger, and is read there.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from linetrail.ledger.event.event import TYPES
from linetrail.ledger.intents import registry_file
from linetrail.ledger.log.segments import ordered, path, read_headers
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find, git

# A value, and what it is; shells that show both show both.
Candidate = tuple[str, str]
# How far back sessions and other ids are looked for.
RECENT_BYTES, RECENT_SEGMENTS = 1 << 20, 2
_MOMENTS = ("today", "yesterday", "monday", "last week", "last month", "24h", "7d", "30d")
_ID = re.compile(rb'"(session_id|decision_id|lesson_id|point_id|agent)":(?:\{"name":)?"([^"\\]+)"')


class Wanted(NamedTuple):
    """The value to complete: the directory, the command and its words, and the option or argument it belongs to."""

    directory: str
    command: str
    words: Sequence[str]
    name: str
    # which of its values, where one option takes several
    place: int
    current: str


def candidates(wanted: Wanted) -> Iterator[Candidate]:
    look = _OF_COMMAND.get((wanted.command, wanted.name)) or _OF_NAME.get(wanted.name)
    if look is not None:
        yield from look(wanted)


def _repository(wanted: Wanted) -> Repository:
    return find(os.path.expanduser(wanted.directory))


def _intents(wanted: Wanted) -> Iterator[Candidate]:
    for intent in registry_file.read(_repository(wanted)):
        yield intent.id, f"{intent.status} {intent.name}"


def _recent(wanted: Wanted, kind: str) -> Iterator[Candidate]:
    """Yield ids from the end of the ledger, the latest first."""
    repository = _repository(wanted)
    headers, _ = read_headers(repository.folder)
    sealed = [path(repository.folder, segment.name) for segment in ordered(headers)[-RECENT_SEGMENTS:]]
    seen: dict[str, None] = {}
    for file in (Ledger(repository).tail_path(), *reversed(sealed)):
        for name, value in reversed(_ID.findall(_end(file))):
            if name.decode() == kind:
                seen.setdefault(value.decode())
    yield from ((value, kind.removesuffix("_id")) for value in seen)


def _end(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            opened.seek(max(os.fstat(opened.fileno()).st_size - RECENT_BYTES, 0))
            return opened.read()
    except OSError:
        return b""


def _supported(_: Wanted) -> Iterator[Candidate]:
    """Yield the agents whose hooks can be installed."""
    from linetrail.ledger.adapters.catalogue import CATALOGUE

    yield from ((row.name, row.title) for row in CATALOGUE.values())
    yield "detected", "those seen here"
    yield "none", "the folder only"


def _ids(wanted: Wanted) -> Iterator[Candidate]:
    recent = (_recent(wanted, kind) for kind in ("decision_id", "session_id"))
    return chain(_intents(wanted), *recent, _revisions(wanted))


def _revisions(wanted: Wanted) -> Iterator[Candidate]:
    listed = git(
        _repository(wanted), "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"
    )
    yield "HEAD", "where you are"
    for name in (listed or b"").decode(errors="replace").split():
        yield name, "revision"


def _moments(_: Wanted) -> Iterator[Candidate]:
    return ((moment, "") for moment in _MOMENTS)


def _as_of(wanted: Wanted) -> Iterator[Candidate]:
    return chain(_moments(wanted), _revisions(wanted))


def _types(_: Wanted) -> Iterator[Candidate]:
    groups = sorted({name.partition(".")[0] for name in TYPES})
    return ((name, "event type") for name in (*groups, *sorted(TYPES)))


def _zones(_: Wanted) -> Iterator[Candidate]:
    from zoneinfo import available_timezones

    return ((name, "") for name in sorted(available_timezones()))


def _questions(_: Wanted) -> Iterator[Candidate]:
    from linetrail.queries.ask import question_files

    return ((f"@{name}", question.question) for name, question in question_files.questions().items())


def _parameters(wanted: Wanted) -> Iterator[Candidate]:
    """Yield the parameters of a question, or values for the parameter that was typed."""
    if wanted.place:
        named = wanted.words[-1]
        yield from candidates(wanted._replace(command="", name=named))
        return
    from linetrail.queries.ask import question_files

    asked = next((word[1:] for word in wanted.words if word.startswith("@")), None)
    if asked in question_files.questions():
        for parameter in question_files.questions()[asked].parameters:
            yield parameter.name, parameter.meaning


def _paths(wanted: Wanted) -> Iterator[Candidate]:
    """Yield tracked files, folder by folder."""
    folder, _, _ = wanted.current.rpartition("/")
    here = os.path.join(os.path.expanduser(wanted.directory), folder)
    repository = find(here)
    inside = os.path.relpath(os.path.realpath(here), os.path.realpath(repository.root))
    listed = git(repository, "ls-files", "-z", "--", "." if inside == "." else inside) or b""
    front = "" if inside == "." else f"{inside}/"
    for name in dict.fromkeys(_next(os.fsdecode(each), front) for each in listed.split(b"\0") if each):
        yield f"{folder}/{name}" if folder else name, "folder" if name.endswith("/") else "file"


def _next(file: str, front: str) -> str:
    """Return the part of a path behind a folder, up to the next one.

    >>> _next("src/billing/tax.py", "src/"), _next("src/a.py", "src/")
    ('billing/', 'a.py')
    """
    name, slash, _ = file.removeprefix(front).partition("/")
    return name + slash


def _places(wanted: Wanted) -> Iterator[Candidate]:
    """Yield tracked files, and after a colon the definitions in a file."""
    file, colon, _ = wanted.current.rpartition(":")
    if not colon:
        for name, about in _paths(wanted):
            yield (name, about) if name.endswith("/") else (f"{name}:", about)
        return
    from linetrail.projections.nodes.index import DefinitionIndex  # brings the grammar of the file

    repository = _repository(wanted)
    with open(os.path.join(os.path.expanduser(wanted.directory), file), "rb") as opened:
        side = DefinitionIndex(repository).side(file, opened.read())
    for definition in side.definitions:
        yield f"{file}:{definition.qualified}", f"{definition.kind}, line {definition.start_line}"


def _formats(_: Wanted) -> Iterator[Candidate]:
    from linetrail.queries.exporters.formats import FORMATS

    return ((name, format_.about) for name, format_ in FORMATS.items())


def _rules(_: Wanted) -> Iterator[Candidate]:
    from linetrail.queries.audit.rulebook import rules

    return ((rule.id, rule.finds) for rule in rules().values())


def _files(_: Wanted) -> Iterator[Candidate]:
    """Yield nothing: the shell itself completes files."""
    return iter(())


Look = Callable[[Wanted], Iterator[Candidate]]
# A name is that of an option, of an argument, or of a parameter of a question.
_OF_NAME: Mapping[str, Look] = {
    "agent": partial(_recent, kind="agent"),
    "as_of": _as_of,
    "base": _revisions,
    "commit": _revisions,
    "id": _ids,
    "intent": _intents,
    "intent_id": _intents,
    "into": _intents,
    "lesson_id": partial(_recent, kind="lesson_id"),
    "merged": _intents,
    "parent": _intents,
    "path": _paths,
    "paths": _paths,
    "place": _places,
    "range": _revisions,
    "rev": _revisions,
    "session": partial(_recent, kind="session_id"),
    "since": _moments,
    "supersedes": partial(_recent, kind="decision_id"),
    "symbol": _places,
    "timezone": _zones,
    "type": _types,
    "until": _moments,
}
_OF_COMMAND: Mapping[tuple[str, str], Look] = {
    ("init", "agent"): _supported,
    ("sql", "query"): _questions,
    ("sql", "parameters"): _parameters,
    ("export", "format"): _formats,
    ("explain", "name"): _rules,
    ("audit", "rules"): _rules,
    ("import", "paths"): _files,
    ("restore", "point"): partial(_recent, kind="point_id"),
}
