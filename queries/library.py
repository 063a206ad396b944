"""The rows of commands, for `import linetrail`: each function answers what the command of its name prints as JSON.

A `path` is any in the repository; files are named from its root.
"""

import os
from contextlib import closing
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.classify.classify import judge
from linetrail.projections.classify.revisions import difference
from linetrail.projections.git import target as targets
from linetrail.projections.git.diff_sides import asked_paths, sides
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.projections.tables.verification import examine
from linetrail.queries.answers import audit as audits
from linetrail.queries.answers import decisions as decided
from linetrail.queries.answers import diff as differences
from linetrail.queries.answers import model
from linetrail.queries.answers import show as one
from linetrail.queries.answers import stats as counts
from linetrail.queries.answers.classify_rows import FileRow, file_rows
from linetrail.queries.answers.lineage import Symbols
from linetrail.queries.answers.why import line as reasons
from linetrail.queries.answers.why import symbol as why_symbol
from linetrail.queries.arguments.earlier_ledger import moved_back
from linetrail.queries.arguments.moments import moment
from linetrail.queries.ask import ask as asking
from linetrail.queries.ask import page, search
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.ask.connection import Connection
from linetrail.queries.ask.library import Path, Rows, UnansweredError, rows
from linetrail.queries.ask.replies import Named, asked_at, reply
from linetrail.queries.render import intents as registry
from linetrail.queries.restore.git_check import next_step
from linetrail.queries.statements import statement


def ask(path: Path | Connection, name: str, /, *, as_of: str | None = None, **parameters: object) -> Rows[Any]:
    """Answer one question about a repository, by its name or in words; a row has its columns as attributes.

    A connection of `connect` answers questions by their names, from what it has read already.

    A column that Python has a word for gets an underscore: `row.class_`. A question in words is answered as `linetrail
    ask` does it, with `model` by the SQL that this command writes; an `UnansweredError` says that there is no answer.
    """
    if isinstance(path, Connection):
        return rows(name, asking.answer_of_all(path.tables, name, **asking.understood(parameters)))
    if " " not in name.strip():
        return rows(name, asking.ask(os.fspath(path), name, as_of=as_of, **parameters))
    if parameters.keys() - {"model"}:
        raise UsageError(f"a question in words cannot be told {', '.join(parameters)}: say it in the question")
    repository, until = _opened(path, as_of)
    found = _in_words(repository, name, as_of, until, parameters.get("model"))
    if isinstance(found, Unanswered):
        raise UnansweredError(f"cannot answer {name!r}: {found.reason}")
    if isinstance(found, model.Modelled):
        return rows("modelled", found.answer.table)
    return (
        rows(found.chosen.question.name or "answer", found.table)
        if isinstance(found, Named)
        else rows("found", page.table(found))
    )


def _in_words(
    repository: Repository, question: str, as_of: str | None, until: Cut | None, command: object
) -> Named | Unanswered | search.Answer | model.Modelled:
    if command is not None:
        return model.reply(repository, str(command), question, asked_at(as_of), until)
    with open_tables(repository, until=until) as tables:
        return reply(tables, question, asked_at(as_of), search.known(tables))


def why(path: Path, place: str, /, *, rev: str | None = None, as_of: str | None = None) -> Rows[Any]:
    """Return who wrote lines (`PATH:12`, `PATH:12-20`) or a definition (`PATH:name`), and for which reason."""
    repository, until = _opened(path, as_of)
    span = reasons.span_of(place)
    if span is None:
        revision = None if rev is None else targets.resolve(repository, rev)
        _, symbol = why_symbol.explained_symbol(repository, repository.root, place, revision, until)
        return rows("why", why_symbol.table(symbol))
    target = targets.find_target(repository, targets.locate(repository, repository.root, span.path), rev)
    return rows("why", reasons.table(reasons.explained(repository, target, span, until)))


def diff(path: Path, between: str | None = None, /, *paths: str, as_of: str | None = None) -> Rows[Any]:
    """Return each line in which two revisions differ, who wrote it, and who deleted it; `between` is `A..B`."""
    repository, until = _opened(path, as_of)
    found = differences.diff(repository, between, paths=paths, until=until)
    return rows("diff", Table(differences.COLUMNS, list(differences.rows(found.lines()))))


def stats(
    path: Path,
    between: str | None = None,
    /,
    *paths: str,
    by: str = "class",
    rev: str | None = None,
    as_of: str | None = None,
) -> Rows[Any]:
    """Count the lines that people and agents wrote: in the range `A..B`, or of all that `rev` holds, else HEAD."""
    repository, until = _opened(path, as_of)
    if between is not None and rev is not None:
        raise UsageError("give a range or rev=, not both")
    if between is None:
        found = counts.stats_of_tree(repository, rev, by=by, paths=paths, until=until)
    else:
        found = counts.stats_of_range(repository, between, by=by, paths=paths, until=until)
    return rows("stats", found.counted.table)


def lineage(path: Path, symbol: str, /, *, rev: str | None = None, as_of: str | None = None) -> Rows[Any]:
    """Return the versions of a definition (`name`, `Outer.name`, `PATH:name`), the latest first."""
    repository, until = _opened(path, as_of)
    revision = None if rev is None else targets.resolve(repository, rev)
    with closing(Symbols(repository)) as symbols, open_tables(repository, until=until) as tables:
        _, versions = symbols.history(tables, symbols.meant(symbol, directory=repository.root, revision=revision))
    return rows("lineage", Table(tuple(versions[0]), [tuple(row.values()) for row in versions]))


def classify(path: Path, between: str | None = None, /, *paths: str) -> Rows[FileRow]:
    """Judge each file of a difference: a refactor or an evolution, and by which evidence; needs no ledger."""
    repository = find(os.fspath(path))
    both = sides(repository, between)
    with closing(Objects(repository)) as store:
        found = difference(repository, store, both, asked_paths(repository, both, repository.root, paths))
        return Rows(FileRow._fields, file_rows(judge(found.step) if found.step else None, found))


def intents(path: Path = ".", /) -> Rows[Any]:
    """Return the intents of the registry in the order of the file."""
    repository, _ = _opened(path)
    selected = selection.read(repository, selection.shell_session())
    found = [registry.row(intent, selected) for intent in registry_file.read(repository)]
    return rows("intents", Table(registry.COLUMNS, found))


def decisions(
    path: Path = ".",
    /,
    *,
    status: str | None = None,
    intent_id: str | None = None,
    file: str | None = None,
    as_of: str | None = None,
) -> Rows[Any]:
    """Return what was decided, newest first: of this status, for this intent, about this file."""
    repository, until = _opened(path, as_of)
    with open_tables(repository, until=until) as tables:
        chosen = decided.decisions(tables, status=status, intent_id=intent_id, path=file)
        return rows("decisions", decided.table(chosen))


def sessions(path: Path = ".", /, *, as_of: str | None = None) -> Rows[Any]:
    """Return every session, the latest first, with the columns of the view `v_sessions`."""
    repository, until = _opened(path, as_of)
    with open_tables(repository, until=until) as tables:
        return rows("sessions", tables.ask(statement("sessions")))


def show(path: Path, id_: str, /, *, as_of: str | None = None) -> Rows[Any]:
    """Return one row with all that is known of an id: an event, a session, an intent, a commit, a hash of a content."""
    repository, until = _opened(path, as_of)
    with open_tables(repository, until=until) as tables:
        record = one.show(repository, tables, id_)
    return rows("show", Table(tuple(record), [tuple(record.values())]))


def audit(path: Path = ".", /, *rules: str, since: str | None = None) -> Rows[Any]:
    """Return what the rules found, those named or all, under the policy of the repository."""
    repository, _ = _opened(path)
    found = audits.audited(repository, rules, since=None if since is None else moment(since))
    return rows("audit", audits.rows(found.audit.findings))


def verify(path: Path = ".", /, *, full: bool = False) -> Rows[Any]:
    """Return what is missing of the ledger or was altered: no row where it is sound."""
    repository, _ = _opened(path)
    problems = examine(repository, full=full).problems
    return rows("verify", Table((*Problem._fields, "next"), [(*problem, next_step(problem)) for problem in problems]))


def _opened(path: Path, as_of: str | None = None) -> tuple[Repository, Cut | None]:
    repository = require_ledger(find(os.fspath(path)))
    return repository, None if as_of is None else moved_back(repository, as_of)
