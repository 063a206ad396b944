"""Judge recorded changes: one, all of a session, or every change that is not judged yet."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository
from linetrail.projections.classify import steps as reading
from linetrail.projections.classify.classify import Judged, judge
from linetrail.projections.classify.contents import Contents
from linetrail.projections.classify.judgement import contradiction, decided, named
from linetrail.projections.classify.steps import File, Step
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers import classify_text
from linetrail.queries.answers.classify_rows import FILES, STEPS, StepRow, fails, file_row
from linetrail.queries.ask import subject
from linetrail.queries.record.classes import record
from linetrail.queries.render.output import give

MUTATION, RUN = "mutation", "run"


class NotJudgedError(LinetrailError):
    """The id names no change, or the contents of the change are gone."""

    hint = "linetrail log --type mutation.observed"
    exit_status = 1


def run(repository: Repository, args: argparse.Namespace) -> int:
    """Run `classify` with `--record`, `--event` or `--session`."""
    if args.record:
        return _record(repository, args)
    with closing(Objects(repository)) as store, open_tables(repository) as tables:
        contents = Contents(repository, store)
        if args.event:
            return _event(repository, tables, contents, args)
        return _session(repository, tables, contents, args)


def _record(repository: Repository, args: argparse.Namespace) -> int:
    done = record(repository)
    table = Table(done._fields, [tuple(done)])
    give(args, table, {"root": repository.root}, lambda: classify_text.recorded(done))
    return 0


def _event(repository: Repository, tables: Tables, contents: Contents, args: argparse.Namespace) -> int:
    """Judge the whole step that an event is part of: everything that one call changed."""
    found = subject.find(repository, tables, args.event)
    done = reading.steps(tables, [found.id]) if found.kind == subject.EVENT else []
    if not done:
        raise NotJudgedError(f"{found.kind} {found.id} is no recorded change of files")
    [step] = done
    judged = _judged(step.files, contents)
    if judged is None or step.files is None:
        raise NotJudgedError(f"what {found.id} changed is not known any more: neither kept on this machine nor in git")
    of = judged.files
    rows = [file_row(file.path, file.from_path, of[file.path]) for file in step.files if file.path in of]
    row = _row(MUTATION, [step], judged)
    said = row._asdict()
    give(args, Table(FILES, rows), said, lambda: classify_text.files(rows, said, explain=args.explain))
    return int(fails(args.fail_on, [row]))


def _session(repository: Repository, tables: Tables, contents: Contents, args: argparse.Namespace) -> int:
    """Judge every step of a session, and every run of steps as a whole."""
    found = subject.find(repository, tables, args.session)
    if found.kind != subject.SESSION:
        raise NotJudgedError(f"{found.id} is no session but {found.kind}")
    rows = list(_session_rows(reading.of_sessions(tables, [found.id]), contents))
    told = {"root": repository.root, "session_id": found.id}
    give(args, Table(STEPS, rows), told, lambda: classify_text.steps(rows, explain=args.explain))
    return int(fails(args.fail_on, rows))


def _session_rows(done: Sequence[Step], contents: Contents) -> Iterator[StepRow]:
    for steps in reading.runs(done):
        for step in steps:
            yield _row(MUTATION, [step], _judged(step.files, contents))
        if len(steps) > 1:
            yield _row(RUN, steps, _judged(reading.span(steps), contents))


def _judged(files: Sequence[File] | None, contents: Contents) -> Judged | None:
    step = reading.changes(files, contents)
    return None if step is None else judge(step)


def _row(about: str, steps: Sequence[Step], judged: Judged | None) -> StepRow:
    declared = named(steps[-1].declared_class) if about == MUTATION else None
    whole = judged.whole if judged else None
    return StepRow(
        about=about,
        mutation_id=steps[-1].mutation_ids[-1],
        first_mutation_id=steps[0].mutation_ids[0] if about == RUN else None,
        seq=steps[0].position,
        paths=sorted({file.path for step in steps for file in step.files or ()}),
        label=whole and whole.label,
        kind=whole and whole.kind,
        mutation_class=whole and decided(whole.mutation_class, declared),
        declared_class=declared,
        contradiction=contradiction(declared, whole.mutation_class, len(judged.evolved)) if judged and whole else None,
        evidence=list(whole.evidence) if whole else [],
        rule_version=whole and whole.rule_version,
    )
