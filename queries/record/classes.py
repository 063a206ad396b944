"""Classify the changes that the current rules have not judged yet, and record the classes.

Contents are read while they are there: what a hook kept is on this machine alone, and what was never committed is in no
clone. What is recorded travels with the ledger, so that every clone has the same answers.

The events travel with the repository, so they hold names, ranges and short notes, and no content: each note is searched
for secrets and cut, and of very large changes the first files and notes are kept.
"""

import json
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from itertools import islice
from threading import current_thread, main_thread
from typing import Any, NamedTuple

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.event.drafts import fitting
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.files import digest, locked_path
from linetrail.ledger.hook.deadline import DeadlineError, deadline
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, Vcs, head
from linetrail.projections.classify import steps as reading
from linetrail.projections.classify.classify import Judged, judge
from linetrail.projections.classify.contents import Contents
from linetrail.projections.classify.judgement import (
    AST_REFACTOR,
    INTENT_EVOLUTION,
    RULE_VERSION,
    Change,
    decided,
    named,
)
from linetrail.projections.classify.revisions import commits, difference
from linetrail.projections.classify.steps import File, Step, committed
from linetrail.projections.git.history import Objects
from linetrail.projections.nodes.definition_lines import named as named_lines
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.statements import statement

# Events that are appended and synced at once.
BATCH = 200
# How much is looked at where somebody waits for something else, and where somebody asked for all of it.
LATEST, ALL = 300, 100_000
LATEST_SESSIONS, MAX_COMMITS = 10, 2_000
# A stretch of a run that is harmless as a whole is looked for among so many steps, and so often.
MAX_STRETCH, MAX_TRIES = 12, 24
# How long another process that records classes is waited for: by who is in a hurry, and by everybody else.
HURRY_SECONDS, LOCK_SECONDS = 0.2, 30.0
# What takes longer is left unjudged.
JUDGEMENT_SECONDS = 30.0

TYPE = "mutation.classified"
MAX_NOTES, MAX_FILE_NOTES = 12, 4
# Room in an event for the files of a change, and for the mutations that a commit holds.
FILES_BYTES, IDS_BYTES = 36_000, 12_000
# For what those files define; what stands further down is left out.
DEFINITIONS_BYTES = 12_000


class Basis(NamedTuple):
    """What a class is based on: the source, its words, and the events that show it."""

    by: str
    mutation_class: str
    words: str | None = None
    event_ids: tuple[str, ...] = ()


class Recorded(NamedTuple):
    """How much was recorded; the contents of `unknown` mutations are not available.

    `late` judgements have to wait, and of `failed` ones the rules have a bug.
    """

    mutations: int = 0
    runs: int = 0
    commits: int = 0
    unknown: int = 0
    late: int = 0
    failed: int = 0

    @property
    def events(self) -> int:
        """The number of recorded events."""
        return self.mutations + self.runs + self.commits


def record(repository: Repository, *, seconds: float | None = None) -> Recorded:
    """Judge all changes that are not judged yet; with `seconds`, the latest of them within that time.

    In a hurry no history is searched, and what an agent is still at work on is left for the next time.
    """
    with _alone(repository, LOCK_SECONDS if seconds is None else HURRY_SECONDS), warnings.catch_warnings():
        warnings.simplefilter("ignore", DamageWarning)  # whoever asks the ledger is told about it
        with closing(Objects(repository)) as store, open_tables(repository) as tables:
            recording = _Recording(repository, tables, store, seconds)
            events, ledger = recording.events(), Ledger(repository)
            while batch := list(islice(events, BATCH)):
                ledger.append(batch, fresh=True)
                if ledger.due:
                    ledger.seal()
            return recording.counted


class _Recording:
    """One pass over what is not judged yet."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects, seconds: float | None) -> None:
        self._repository, self._tables, self._store = repository, tables, store
        self._hurry = seconds is not None
        self._end = time.monotonic() + (seconds if seconds is not None else float("inf"))
        self._contents = Contents(repository, store, search=not self._hurry)
        self._redactor, self._vcs = Redactor(private_folder(repository)), head(repository)
        self._computed: dict[str, str] = {}
        self._indexed = DefinitionIndex(repository)
        self.counted = Recorded()

    def events(self) -> Iterator[Event]:
        """Yield an event for each judgement: mutations, then the runs that they are part of, then commits."""
        for bodies in (self._mutations(), self._runs(), self._commits()):
            for body in bodies:
                yield _event(body, time.time_ns(), self._vcs)

    def _mutations(self) -> Iterator[dict[str, Any]]:
        wanted = reading.missing(self._tables, RULE_VERSION, LATEST if self._hurry else ALL)
        for some in (wanted[at : at + BATCH] for at in range(0, len(wanted), BATCH)):
            done = reading.steps(self._tables, some)
            repaired = self._repairs(some)
            last = self._last_states({file.path for step in done for file in step.files or ()})
            for step in done:
                ids = [mutation_id for mutation_id in step.mutation_ids if mutation_id in some]
                if self._is_late():
                    self._count(late=1)
                elif (change := reading.changes(step.files, self._contents)) is None:
                    self._count(unknown=len(ids))
                elif (judged := self._in_time(change)) is not None:
                    defined = self._definitions(file for file in step.files or () if last.get(file.path) == file.after)
                    for body in self._of_step(step, ids, judged, repaired):
                        yield body | {"files": [entry | defined.get(entry["path"], {}) for entry in body["files"]]}

    def _last_states(self, paths: set[str]) -> dict[str, str]:
        return dict(self._tables.ask(statement("classes_states"), {"paths": sorted(paths)}).rows)

    def _definitions(self, files: Iterable[File]) -> dict[str, dict[str, Any]]:
        """Return what files define as they were last recorded: until they are committed, only this machine can say."""
        found: dict[str, dict[str, Any]] = {}
        room = DEFINITIONS_BYTES
        for file in files:
            content = self._contents.find(file.after, file.path) if file.after else None
            names = [] if content is None else named_lines(self._indexed.side(file.path, content))
            words = _notes((one.name for one in names), len(names), self._redactor)
            told = [one._asdict() | {"name": name} for one, name in zip(names, words, strict=True)]
            if kept := fitting(told, room):
                room -= len(json.dumps(kept))
                found[file.path] = {"definitions": kept}
        return found

    def _of_step(
        self, step: Step, ids: Sequence[str], judged: Judged, repaired: Mapping[str, Basis]
    ) -> Iterator[dict[str, Any]]:
        declared = named(step.declared_class)
        paths = dict(step.parts)
        for mutation_id in ids:
            said = [Basis("call", declared, event_ids=(mutation_id,))] if declared else []
            shown = [repaired[mutation_id]] if mutation_id in repaired else []
            files = [file for file in step.files or () if file.path in paths[mutation_id]]
            self._computed[mutation_id] = judged.whole.mutation_class
            self._count(mutations=1)
            about = {"about": "mutation", "mutation_id": mutation_id}
            yield _data(about, judged, files, [*said, *shown], self._redactor)

    def _runs(self) -> Iterator[dict[str, Any]]:
        known = set(self._tables.ask(statement("classes_runs"), {"rule_version": RULE_VERSION}).rows)
        limit = LATEST_SESSIONS if self._hurry else ALL
        for session_id, ended, asked_at in self._tables.ask(statement("classes_sessions"), {"limit": limit}).rows:
            of_agents: dict[str | None, list[list[Step]]] = {}
            for run in reading.runs(reading.of_sessions(self._tables, [session_id])):
                of_agents.setdefault(run[0].agent_id, []).append(run)
            for runs in of_agents.values():
                is_over = ended or not self._hurry or (asked_at or 0) > runs[-1][-1].position
                for run in runs if is_over else runs[:-1]:
                    if _ends(run) not in known:
                        yield from self._of_run(run)

    def _of_run(self, run: Sequence[Step]) -> Iterator[dict[str, Any]]:
        """Judge a run as a whole where its steps alone are not harmless, then its harmless stretches."""
        ids = [mutation_id for step in run for mutation_id in step.mutation_ids]
        computed = (
            dict(self._tables.ask(statement("classes_computed"), {"rule_version": RULE_VERSION, "ids": ids}).rows)
            | self._computed
        )
        changing = [any(computed.get(one) != AST_REFACTOR for one in step.mutation_ids) for step in run]
        judged = self._judged(reading.span(run)) if len(run) > 1 and any(changing) else None
        if judged is None:
            return
        yield self._run(run, judged)
        if judged.whole.mutation_class == INTENT_EVOLUTION:
            for first, last, found in self._stretches(run, changing):
                yield self._run(run[first : last + 1], found)

    def _stretches(self, run: Sequence[Step], changing: Sequence[bool]) -> Iterator[tuple[int, int, Judged]]:
        """Yield the stretches of a run that are harmless as a whole, each from one changing step to another."""
        first, tries = 0, MAX_TRIES
        while first < len(run):
            longest = min(first + MAX_STRETCH, len(run) - (first == 0)) - 1
            ends = [last for last in range(longest, first, -1) if changing[first] and changing[last]]
            for last in ends:
                tries -= 1
                if tries < 0 or self._is_late():
                    return
                judged = self._judged(reading.span(run[first : last + 1]))
                if judged is not None and judged.whole.mutation_class == AST_REFACTOR:
                    yield first, last, judged
                    first = last
                    break
            first += 1

    def _run(self, run: Sequence[Step], judged: Judged) -> dict[str, Any]:
        self._count(runs=1)
        first, last = _ends(run)
        about = {"about": "run", "mutation_id": last, "first_mutation_id": first}
        return _data(about, judged, reading.span(run) or (), [], self._redactor)

    def _commits(self) -> Iterator[dict[str, Any]]:
        """Judge the commits that declare a class and contain changes by agents."""
        known = {
            revision
            for (revision,) in self._tables.ask(statement("classes_commits"), {"rule_version": RULE_VERSION}).rows
        }
        if self._repository.git_dir is None or self._vcs is None or self._vcs.revision is None:
            return
        limit = LATEST if self._hurry else MAX_COMMITS
        claiming = [
            commit
            for commit in commits(self._repository, ["HEAD"], limit)
            if commit.revision not in known and commit.claim not in (None, INTENT_EVOLUTION)
        ]
        if not claiming:
            return
        ids = [
            one
            for (one,) in self._tables.ask(statement("classes_agents"), {"limit": LATEST if self._hurry else ALL}).rows
        ]
        held: dict[str, list[str]] = {}
        for mutation_id, revision in committed(self._repository, self._store, reading.steps(self._tables, ids)).items():
            held.setdefault(revision, []).append(mutation_id)
        for commit in claiming:
            if commit.revision in held:
                step = difference(self._repository, self._store, commit.sides).step
                judged = self._in_time(step)
                if judged is None:
                    continue
                files = [File(one.path, one.from_path, _digest(one.before), _digest(one.after)) for one in step]
                said = [Basis("commit", commit.claim or "", words=commit.subject)]
                self._count(commits=1)
                yield _data(_of_commit(commit.revision, held[commit.revision]), judged, files, said, self._redactor)

    def _judged(self, files: Sequence[File] | None) -> Judged | None:
        step = reading.changes(files, self._contents)
        return None if step is None else self._in_time(step)

    def _in_time(self, step: Sequence[Change]) -> Judged | None:
        """Judge a change; return None if that takes too long or a rule fails."""
        left = min(self._end - time.monotonic(), JUDGEMENT_SECONDS)
        try:
            # a timer belongs to the main thread
            with deadline(clock=left) if current_thread() is main_thread() else nullcontext():
                return judge(step)
        except DeadlineError:
            self._count(late=1)
        except Exception:
            if os.environ.get("LINETRAIL_DEBUG") == "1":
                raise
            self._count(failed=1)  # a bug costs the change that showed it, never the judgements of the others
        return None

    def _repairs(self, ids: Sequence[str]) -> dict[str, Basis]:
        rows = self._tables.ask(statement("classes_repairs"), {"ids": list(ids)}).mappings()
        return {
            row["mutation_id"]: Basis(
                "tests", "BUG_FIX", row["command"], (row["failed_event_id"], row["passed_event_id"])
            )
            for row in rows
        }

    def _is_late(self) -> bool:
        return time.monotonic() > self._end

    def _count(self, **more: int) -> None:
        counts = self.counted._asdict()
        self.counted = Recorded(**(counts | {name: counts[name] + number for name, number in more.items()}))


def _data(
    about: Mapping[str, Any], judged: Judged, files: Iterable[File], spoken: Sequence[Basis], redactor: Redactor
) -> dict[str, Any]:
    """Return the data of an event: `about` names what was judged, `spoken` are further grounds for its class."""
    whole = judged.whole
    declared = next((basis.mutation_class for basis in spoken if basis.by != "tests"), None)
    told = [_file(file, judged, redactor) for file in files if file.path in judged.files]
    kept = fitting(told, FILES_BYTES)
    evolved = {entry["path"] for entry in told}.intersection(judged.evolved)
    basis = [Basis("syntax", whole.mutation_class), *spoken]
    left_out = {"files_left_out": len(told) - len(kept)} if len(kept) < len(told) else {}
    return {
        **about,
        "rule_version": whole.rule_version,
        "label": whole.label,
        "kind": whole.kind,
        "computed_class": whole.mutation_class,
        "mutation_class": decided(
            whole.mutation_class, declared, repaired=any(basis.by == "tests" for basis in spoken)
        ),
        "declared_class": declared,
        "evidence": _notes(whole.evidence, MAX_NOTES, redactor),
        "basis": [_basis(one, redactor) for one in basis],
        "files": kept,
        **left_out,
        "evolved_files": len(evolved),
    }


def _of_commit(revision: str, mutation_ids: Sequence[str]) -> dict[str, Any]:
    """Return the fields that name a judged commit and the mutations that it contains."""
    return {"about": "commit", "revision": revision, "mutation_ids": fitting(mutation_ids, IDS_BYTES)}


def _event(body: dict[str, Any], now_ns: int, vcs: Vcs | None) -> Event:
    """Return an event that belongs to no session."""
    return Event(new_id(now_ns), rfc3339(now_ns), TYPE, None, None, "unknown", None, vcs, body)


def _file(file: File, judged: Judged, redactor: Redactor) -> dict[str, Any]:
    of = judged.files[file.path]
    renamed = {} if file.from_path is None else {"from_path": file.from_path}
    return {
        "path": file.path,
        **renamed,
        "before_hash": file.before,
        "after_hash": file.after,
        "label": of.label,
        "kind": of.kind,
        "evidence": _notes(of.evidence, MAX_FILE_NOTES, redactor),
    }


def _basis(basis: Basis, redactor: Redactor) -> dict[str, Any]:
    words = {} if basis.words is None else {"words": redactor.excerpt(basis.words)}
    ids = {"event_ids": list(basis.event_ids)} if basis.event_ids else {}
    return {"by": basis.by, "mutation_class": basis.mutation_class, **words, **ids}


def _notes(notes: Iterable[str], most: int, redactor: Redactor) -> list[str]:
    return [redactor.excerpt(note.encode(errors="replace").decode()) for note in list(notes)[:most]]


def _ends(run: Sequence[Step]) -> tuple[str, str]:
    return run[0].mutation_ids[0], run[-1].mutation_ids[-1]


def _digest(content: bytes | None) -> str | None:
    return None if content is None else digest(content)


@contextmanager
def _alone(repository: Repository, seconds: float) -> Iterator[None]:
    """Hold the lock that keeps other processes from recording the same."""
    path = os.path.join(repository.folder, "state", "locks", "classes")
    with locked_path(path, seconds, "the recording of classes"):
        yield
