"""Read recorded mutations as steps that can be judged, and steps that followed one another as runs.

A step is what one call of a tool did, in however many events it is told. A run is what an agent did between two prompts
and for one intent: a rename in five edits is five evolutions and one refactor.

A mutation is recorded on top of the commit before the one that will hold it. Where history was rewritten since, the
content tells: one commit alone has the file as the mutation left it, or holds what went on from there.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.classify.judgement import Change
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.statements import statement

if TYPE_CHECKING:
    from linetrail.projections.classify.contents import Contents
    from linetrail.projections.tables.tables import Tables

_OF_SESSIONS = """
select mutation_id
from mutations
where session_id in (select unnest($sessions)) and contributor_type = 'ai'
"""


class File(NamedTuple):
    """A file between two states, each named by its hash, None where there was no file.

    `likely` are names under which git may have the content before.
    """

    path: str
    from_path: str | None
    before: str | None
    after: str | None
    likely: tuple[str, ...] = ()


class Step(NamedTuple):
    """The change of one tool call, or a change without a known author.

    `files` is None where a state before or after is not known. `parts` are the events that record it, each with its
    files.
    """

    parts: tuple[tuple[str, frozenset[str]], ...]
    position: int
    session_id: str | None
    agent_id: str | None
    intent_id: str | None
    contributor_type: str
    declared_class: str | None
    vcs_revision: str | None
    # where the prompt stands that it answers to
    asked_at: int | None
    files: tuple[File, ...] | None

    @property
    def mutation_ids(self) -> tuple[str, ...]:
        """The events that tell it, in their order."""
        return tuple(mutation_id for mutation_id, _ in self.parts)


def missing(tables: "Tables", rule_version: int, limit: int) -> list[str]:
    """Return mutations that these rules have not judged, the latest first."""
    asked = {"rule_version": rule_version, "limit": limit}
    return [mutation_id for (mutation_id,) in tables.ask(statement("steps_missing"), asked).rows]


def steps(tables: "Tables", mutation_ids: Collection[str]) -> list[Step]:
    """Return the steps that these mutations are, whole, in the order of the ledger."""
    return _read(
        tables,
        [mutation_id for (mutation_id,) in tables.ask(statement("steps_chosen"), {"ids": list(mutation_ids)}).rows],
    )


def of_sessions(tables: "Tables", sessions: Collection[str]) -> list[Step]:
    """Return everything that agents did in these sessions, in the order of the ledger."""
    found = tables.ask(_OF_SESSIONS, {"sessions": list(sessions)}).rows
    return _read(tables, [mutation_id for (mutation_id,) in found])


def runs(done: Iterable[Step]) -> list[list[Step]]:
    """Group what agents did in a row: in one conversation, after one prompt, for one intent."""
    ordered = sorted(
        (step for step in done if step.contributor_type == "ai" and step.session_id is not None),
        key=lambda step: (step.session_id or "", step.agent_id or "", step.position),
    )
    groups = groupby(ordered, lambda step: (step.session_id, step.agent_id, step.asked_at, step.intent_id))
    return sorted((list(group) for _, group in groups), key=lambda run: run[0].position)


def span(run: Sequence[Step]) -> tuple[File, ...] | None:
    """Return what a run of steps did as a whole: each file from before the first of them to after the last."""
    files: dict[str, File] = {}
    for step in run:
        if step.files is None:
            return None
        for file in step.files:
            earlier = files.pop(file.from_path or file.path, None)
            begun = file if earlier is None else earlier
            origin = begun.from_path or begun.path
            joined = File(file.path, None if origin == file.path else origin, begun.before, file.after, begun.likely)
            files[file.path] = joined if joined.before is not None else joined._replace(from_path=None)
    return tuple(file for file in files.values() if file.before is not None or file.after is not None)


def changes(files: Sequence[File] | None, contents: "Contents") -> list[Change] | None:
    """Return the contents behind the hashes; None where one of them is nowhere to be found."""
    if not files:
        return None
    found = []
    for file in files:
        before = None if file.before is None else contents.find(file.before, file.from_path or file.path, file.likely)
        after = None if file.after is None else contents.find(file.after, file.path)
        if (before is None) != (file.before is None) or (after is None) != (file.after is None):
            return None
        found.append(Change(file.path, before, after, file.from_path))
    return found


def _read(tables: "Tables", mutation_ids: Sequence[str]) -> list[Step]:
    asked = {"ids": list(mutation_ids)}
    files: dict[int, list[dict[str, Any]]] = {}
    for row in tables.ask(statement("steps_files"), asked).mappings():
        files.setdefault(row["position"], []).append(row)
    rows = list(tables.ask(statement("steps_mutations"), asked).mappings())
    calls: dict[object, list[dict[str, Any]]] = {}
    for row in rows:
        call = row["tool_call_id"] and (row["session_id"], row["tool_call_id"], row["via"])
        calls.setdefault(call or row["mutation_id"], []).append(row)
    return [_step([(event, files.get(event["position"], [])) for event in events]) for events in calls.values()]


def _step(told: Sequence[tuple[dict[str, Any], list[dict[str, Any]]]]) -> Step:
    events, files = [event for event, _ in told], [file for _, files in told for file in files]
    first = events[0]
    return Step(
        parts=tuple((event["mutation_id"], frozenset(file["path"] for file in of)) for event, of in told),
        position=first["position"],
        session_id=first["session_id"],
        agent_id=first["agent_id"],
        intent_id=first["intent_id"],
        contributor_type=first["contributor_type"],
        declared_class=next((event["declared_class"] for event in events if event["declared_class"]), None),
        vcs_revision=first["vcs_revision"],
        asked_at=first["asked_at"],
        files=tuple(_joined(map(_file, files))) if files and not any(map(_is_unknown, files)) else None,
    )


def _is_unknown(row: dict[str, Any]) -> bool:
    return row["snapshot"] or (row["before_hash"] is None and row["after_hash"] is None)


def _file(row: dict[str, Any]) -> File:
    """Return one transition; a copy is a new file beside the one it was copied from."""
    if row["op"] == "copy":
        return File(row["path"], None, None, row["after_hash"])
    revision, path = row["vcs_revision"], file_path(row["from_path"] or row["path"])
    likely = (row["before_blob"], revision and f"{revision}:{path}")
    return File(row["path"], row["from_path"], row["before_hash"], row["after_hash"], tuple(filter(None, likely)))


def _joined(files: Iterable[File]) -> Iterator[File]:
    """Yield each file of a step once: where it is told of twice, from the first state to the last."""
    whole: dict[str, File] = {}
    for file in files:
        earlier = whole.get(file.path)
        whole[file.path] = file if earlier is None else earlier._replace(after=file.after)
    yield from whole.values()


# So many commits that changed one of the files are looked at.
MAX_COMMITS = 2_000
# More files than these are not named to git.
MAX_PATHS = 200
_FORMAT = "--format=%x01%H %P"


class _Touch(NamedTuple):
    """A commit that changed a file, and what git calls the file then."""

    revision: str
    parent: str | None
    blob: str


def committed(repository: Repository, store: Objects, done: Sequence[Step]) -> dict[str, str]:
    """Return the commit of each mutation, by its id, as far as one of HEAD's history holds it."""
    paths = dict.fromkeys(file.path for step in done for file in step.files or ())
    held = _Held(store, _touches(repository, list(paths)))
    found: dict[str, str] = {}
    # what a later step left tells of the earlier ones
    later: dict[tuple[str, str], str] = {}
    for step in sorted(done, key=lambda step: -step.position):
        revision = next(filter(None, (held.by(step, file, later) for file in step.files or ())), None)
        if revision is None:
            continue
        found |= dict.fromkeys(step.mutation_ids, revision)
        later |= {(file.from_path or file.path, file.before): revision for file in step.files or () if file.before}
    return found


class _Held:
    """What the commits of HEAD's history hold."""

    def __init__(self, store: Objects, touches: dict[str, list[_Touch]]) -> None:
        self._store, self._touches = store, touches
        self._contents: dict[str, frozenset[str]] = {}

    def by(self, step: Step, file: File, later: dict[tuple[str, str], str]) -> str | None:
        """Return the commit that holds what a step did to a file."""
        touches = self._touches.get(file.path, ())
        on_top = next((one.revision for one in touches if one.parent == step.vcs_revision), None)
        if on_top is not None:
            return on_top
        same = [one.revision for one in touches if file.after is not None and file.after in self._of(one.blob)]
        return same[0] if len(same) == 1 else later.get((file.path, file.after or ""))

    def _of(self, blob: str) -> frozenset[str]:
        if blob not in self._contents:
            self._contents[blob] = frozenset(map(digest, checked_out(self._store.read(blob))))
        return self._contents[blob]


def _touches(repository: Repository, paths: Sequence[str]) -> dict[str, list[_Touch]]:
    """Return the commits that changed files, these at least, oldest first."""
    where = [f":(top,literal){file_path(path)}" for path in paths] if len(paths) <= MAX_PATHS else []
    found: dict[str, list[_Touch]] = defaultdict(list)
    if not paths:
        return found
    flags = ("--raw", "--no-merges", "--no-renames", "--no-abbrev", "-z", f"--max-count={MAX_COMMITS}", _FORMAT)
    listed = git(repository, "log", *flags, "HEAD", "--", *where) or b""
    for record in listed.split(b"\x01")[1:]:
        heading, *fields = record.rstrip(b"\0").split(b"\0")
        revision, *parents = heading.decode().split()
        for about, name in zip(fields[::2], fields[1::2], strict=False):
            path = stored_path(name.decode("utf-8", "surrogateescape"))
            found[path].insert(0, _Touch(revision, parents[0] if parents else None, about.decode().split()[3]))
    return found
