"""`linetrail intents`: list, check and change active_intents.yaml, and show its history.

Every verb first records what an editor or git has changed in the file since. A change edits the file as a person
would, and is an event like any other.
"""

import argparse
from contextlib import nullcontext

from linetrail.ledger.errors import IntentError, UsageError
from linetrail.ledger.gate import policy, roles
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.intents.intent import STATUSES, SYNONYMS, Intent
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers import intent_history
from linetrail.queries.answers.criteria import progress, said, unchecked
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.commands.records import intents_change
from linetrail.queries.record.author import current_author
from linetrail.queries.record.criteria import Result, run_checks
from linetrail.queries.record.intent_record import notice, recorded_ids, reopened
from linetrail.queries.render import intents
from linetrail.queries.render.output import add_formats, add_verb, give
from linetrail.queries.render.text import counted, table_of

OK, FINDINGS = 0, 1
LOOKING = {
    "list": "list the intents in the order of the file",
    "show": "show one intent",
    "check": "run the commands of its acceptance criteria, and record how they ended",
    "lint": "say everything that is wrong with the file",
    "history": "show every change of an intent, oldest first",
    "graph": "show which intents are part of, wait for, split off or merged into which",
    "schema": "print the JSON Schema of the file, for editors",
}


class AgentMayNotError(IntentError):
    """An agent tried to change what may be written while the gate blocks."""

    hint = "ask a person to run it in their own terminal"


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, about in LOOKING.items():
        sub = add_verb(verbs, verb, about)
        if verb in ("show", "check", "history"):
            sub.add_argument("intent_id", metavar="ID", help="an id or its first characters")
        if verb == "list":
            sub.add_argument("--status", metavar="S", help=f"only those that are {', '.join(STATUSES)}")
            sub.add_argument("--archived", action="store_true", help="those that were archived instead")
        if verb == "history":
            add_as_of(sub)
        if verb != "schema":
            add_formats(sub)
    intents_change.configure(verbs)


def run(args: argparse.Namespace) -> int:
    if args.verb == "schema":
        print(intents.schema(), end="")
        return OK
    repository = require_ledger(find(args.directory))
    plans = policy.role_of(repository) == roles.ARCHITECT
    if plans:  # what is planned in a worktree of its own counts for everybody
        repository = repository.main() or repository
    if args.verb in intents_change.VERBS:
        if args.verb not in {"add", "merge"}:
            args.intent_id = prefixes.intent(repository, args.intent_id)
        if not plans or (args.verb == "update" and args.field == roles.FOR_PEOPLE):
            _may_change(repository, args)
        status = intents_change.run(repository, args)
    else:
        notice(repository)
        status = _LOOK[args.verb](repository, args)
    policy.of(repository)  # reads the file for hooks, which have no time for thousands of intents
    return status


def _list(repository: Repository, args: argparse.Namespace) -> int:
    status = args.status and SYNONYMS.get(args.status.upper(), args.status.upper())
    if status and status not in STATUSES:
        raise UsageError(f"--status {args.status}: expected one of {', '.join((*STATUSES, *SYNONYMS))}")
    file, found = registry_file.path(repository), registry_file.read
    if args.archived:
        from linetrail.ledger.intents import archive

        file, found = archive.path(repository), archive.read
    chosen = [intent for intent in found(repository) if not status or intent.status == status]
    selected = selection.read(repository, selection.shell_session())
    page = "\n".join(intents.listed(chosen, selected)) or f"no intent{f' is {status}' if status else 's'} in {file}"
    give(args, _table(chosen, selected), {"file": file}, lambda: page)
    return OK


def _show(repository: Repository, args: argparse.Namespace) -> int:
    intent = registry_file.require(repository, prefixes.intent(repository, args.intent_id))
    selected = selection.read(repository, selection.shell_session())
    with open_tables(repository) if intent.checks else nullcontext() as tables:
        rows = progress(tables, [intent])[intent.id] if tables else unchecked(intent)
    page = "\n".join(intents.page(intent, selected, {row["criterion"]: said(row) for row in rows}))
    about = {"file": registry_file.path(repository)}
    shown = _table([intent], selected)
    give(args, Table((*shown.columns, "criteria"), [(*shown.rows[0], rows)]), about, lambda: page)
    return OK


def _check(repository: Repository, args: argparse.Namespace) -> int:
    intent = registry_file.require(repository, prefixes.intent(repository, args.intent_id))
    results = run_checks(repository, intent, by="check", say=intents_change.tell)
    none = f"no command decides a criterion of {intent.id}; write one: {{text: …, run: …}}"
    wrong = sum(not result.passed for result in results)
    summed = f"{intent.id}: {len(results) - wrong} of {counted(len(results), 'check')} passed" if results else none
    give(args, table_of({name: name for name in Result._fields}, results), {"failed": wrong}, lambda: summed)
    return FINDINGS if wrong else OK


def _lint(repository: Repository, args: argparse.Namespace) -> int:
    problems = sorted([*intents.problems(repository), *reopened(repository)], key=lambda one: one.line)
    wrong = sum(problem.level == "error" for problem in problems)
    columns = ("level", "code", "intent_id", "field", "line", "message")
    told = {"file": registry_file.path(repository), "errors": wrong, "warnings": len(problems) - wrong}
    table = Table(columns, [problem[: len(columns)] for problem in problems])
    give(args, table, told, lambda: "\n".join(intents.findings(repository, problems)))
    return FINDINGS if wrong else OK


def _history(repository: Repository, args: argparse.Namespace) -> int:
    until = asked(repository, args)
    intent_id = prefixes.only(args.intent_id, prefixes.matching(args.intent_id, recorded_ids(repository)), "intent")
    changes = intent_history.history(repository, intent_id, until)
    if not changes:
        raise IntentError(f"the ledger tells of no intent {args.intent_id}")
    table = Table(intent_history.COLUMNS, changes)
    about = {"intent_id": intent_id, **meta(until)}
    give(args, table, about, lambda: "\n".join(intent_history.pages(changes)))
    return OK


def _graph(repository: Repository, args: argparse.Namespace) -> int:
    found = registry_file.read(repository)
    told = {"file": registry_file.path(repository), "intents": [intent.id for intent in found]}
    page = "\n".join(intent_history.graph(found)) or f"no intents in {registry_file.path(repository)}"
    give(args, Table(("from_id", "to_id", "kind"), intent_history.edges(found)), told, lambda: page)
    return OK


_LOOK = {"list": _list, "show": _show, "check": _check, "lint": _lint, "history": _history, "graph": _graph}


def _may_change(repository: Repository, args: argparse.Namespace) -> None:
    """Raise if an agent asks for a change that only a person may make while the gate blocks."""
    who = current_author(repository)
    if who.agent is None or policy.of(repository).mode != BLOCK:
        return
    if args.verb not in intents_change.OWN_VERBS:
        what = f"`linetrail intents {args.verb}` changes what may be written"
        raise AgentMayNotError(f"{what}; that is for a person to do")
    if selection.read(repository, who.session_id) != args.intent_id:
        raise AgentMayNotError(f"{args.intent_id} is not what this session works on; that is for a person to do")


def _table(chosen: list[Intent], selected: str | None) -> Table:
    return Table(intents.COLUMNS, [intents.row(intent, selected) for intent in chosen])
