"""`linetrail lesson`: list, add, promote and forget lessons.

Lists are made from the ledger, AGENT.md follows from it.
"""

import argparse
import os
import sys
from collections.abc import Callable

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.knowledge import lessons
from linetrail.ledger.knowledge.lesson import Lesson, from_demand
from linetrail.ledger.knowledge.lessons import FOLDER_GLOB, Known
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git import target
from linetrail.projections.tables.lessons import recalled
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.author import current_author
from linetrail.queries.record.lessons import learn, record
from linetrail.queries.render.output import add_json, add_verb, give
from linetrail.queries.render.text import counted, plain
from linetrail.queries.setup import instructions, promotion

COLUMNS = ("lesson_id", "title", "body", "source", "code", "path", "intent_ids", "times", "resolution", "pattern")
VERBS = {
    "list": "list what was learned, latest first; with --intent, what applies to it, most useful first",
    "add": "say what is to be known here",
    "promote": "put a lesson into the instruction file that every agent reads first",
    "forget": "take a lesson away for good",
    "rebuild": "make the list in AGENT.md anew from the ledger",
}


class UnknownLessonError(LinetrailError):
    """No lesson has this id."""

    hint = "linetrail lesson list"
    exit_status = 1


class ForPeopleError(LinetrailError):
    """An agent tried to change its own instructions."""

    hint = "ask the person you work for to run it"
    exit_status = 1


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, about in VERBS.items():
        sub = add_verb(verbs, verb, about)
        if verb == "add":
            sub.add_argument("text", metavar="TEXT", help="in a sentence or two")
            sub.add_argument("--path", metavar="P", help="the file or folder that it is about")
            sub.add_argument("--resolution", metavar="TEXT", help="how it is put right")
            sub.add_argument("--pattern", metavar="TEXT", help="by what it is known when it comes again")
        elif verb in ("promote", "forget"):
            sub.add_argument("lesson_id", metavar="ID")
        if verb in ("add", "list"):
            sub.add_argument("--intent", metavar="ID", help="the intent it is for")
        if verb == "promote":
            sub.add_argument("--to", choices=instructions.FILES, help="default: the one there is, else CLAUDE.md")
            sub.add_argument("--undo", action="store_true", help="take it out again")
        if verb == "rebuild":
            sub.add_argument("--check", action="store_true", help="write nothing; exit 1 if the list is another")
        add_json(sub)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    answer: Callable[[Repository, argparse.Namespace], int] = {
        "list": _list,
        "add": _add,
        "promote": _promote,
        "forget": _forget,
        "rebuild": _rebuild,
    }[args.verb]
    return answer(repository, args)


def _recalled(repository: Repository) -> Known:
    with open_tables(repository) as tables:
        return recalled(tables)


def _list(repository: Repository, args: argparse.Namespace) -> int:
    known = _recalled(repository)
    chosen = list(known.lessons)
    if args.intent is not None:
        owner = _owner(registry_file.require(repository, args.intent).scope)
        chosen = lessons.fitting(known, intent_id=args.intent, scope_owner=owner)
    give(args, _table(chosen), _meta(repository), lambda: "\n".join(_lines(chosen)) or "nothing was learned here yet")
    return 0


def _add(repository: Repository, args: argparse.Namespace) -> int:
    if not args.text.strip():
        raise UsageError("a lesson needs words")
    if args.intent is not None:
        registry_file.require(repository, args.intent)
    path = None if args.path is None else _place(repository, args.directory, args.path)
    stated = from_demand(args.text, path, args.intent, resolution=args.resolution, pattern=args.pattern)
    lesson, new = learn(repository, stated, args.intent, current_author(repository))
    said = f"{lesson.id} {'is learned' if new else f'was known, {lesson.times} times now'}: {plain(lesson.title)}"
    give(args, _table([lesson]), _meta(repository), lambda: said)
    return 0


def _promote(repository: Repository, args: argparse.Namespace) -> int:
    _require_person("changes what agents are told to do")
    name = args.to or instructions.existing(repository)
    if args.undo:
        changed = promotion.demote(repository, args.lesson_id, name)
        outcome = "is taken out of" if changed else "is not in"
        lesson = Lesson(args.lesson_id, "")
    else:
        lesson = _require(_recalled(repository), args.lesson_id)
        changed = promotion.promote(repository, lesson, name)
        outcome = "is put into" if changed else "is already in"
    table = Table(("lesson_id", "file", "changed"), [(lesson.id, name, changed)])
    about = {"root": repository.root, "undo": args.undo}
    give(args, table, about, lambda: f"{plain(lesson.id)} {outcome} {name}")
    return 0


def _forget(repository: Repository, args: argparse.Namespace) -> int:
    _require_person("takes a lesson away from everybody")
    known = _recalled(repository)
    if args.lesson_id not in known.forgotten:
        lesson = _require(known, args.lesson_id)
        record(repository, lesson, None, current_author(repository), forgotten=True)
    lessons.forget(repository, args.lesson_id)
    table = Table(("lesson_id", "forgotten"), [(args.lesson_id, True)])
    give(args, table, {"root": repository.root}, lambda: f"{plain(args.lesson_id)} is forgotten")
    return 0


def _rebuild(repository: Repository, args: argparse.Namespace) -> int:
    known = _recalled(repository)
    if args.check:
        changed = lessons.read(repository) != known
    else:
        changed = lessons.keep(repository, known)
    verdict = ("differs from" if args.check else "is made anew from") if changed else "is what follows from"
    said = f"{lessons.FILE} {verdict} the ledger: {counted(len(known.lessons), 'lesson')}"
    give(args, _table(known.lessons), {**_meta(repository), "changed": changed}, lambda: said)
    return 1 if args.check and changed else 0


def _require(known: Known, lesson_id: str) -> Lesson:
    for lesson in known.lessons:
        if lesson.id == lesson_id:
            return lesson
    raise UnknownLessonError(f"no lesson is called {plain(lesson_id)}")


def _require_person(what: str) -> None:
    if selection.shell():
        raise ForPeopleError(f"this {what}, which is for a person to do")


def _place(repository: Repository, directory: str, path: str) -> str | None:
    """Return the stored form of a path; a folder stands for everything in it, the root for None."""
    stored = target.locate(repository, directory, path)
    if stored == ".":
        return None
    return stored + FOLDER_GLOB if path.endswith("/") or os.path.isdir(repository.absolute(stored)) else stored


def _owner(scope: tuple[str, ...]) -> Callable[[str], bool] | None:
    try:
        compiled = compile_scope(scope)
    except ScopeError as error:
        print(f"note: the scope of the intent owns nothing: {error}", file=sys.stderr)
        return None
    return lambda path: compiled.owner(path) is not None


def _meta(repository: Repository) -> dict[str, object]:
    return {"root": repository.root, "file": lessons.path(repository)}


def _table(chosen: list[Lesson] | tuple[Lesson, ...]) -> Table:
    rows = [
        (*one[:2], one.body or None, *one[3:6], list(one.intent_ids), one.times, *(text or None for text in one[8:]))
        for one in chosen
    ]
    return Table(COLUMNS, rows)


def _lines(chosen: list[Lesson]) -> list[str]:
    ids = max((len(lesson.id) for lesson in chosen), default=0)
    most = max((len(str(lesson.times)) for lesson in chosen), default=0)
    return [f"{plain(one.id):<{ids}}  {one.times:>{most}} x  {plain(one.brief)}" for one in chosen]
