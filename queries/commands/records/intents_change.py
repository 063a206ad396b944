"""Change active_intents.yaml by the verbs of `linetrail intents`, and record each change as an event."""

import argparse
import sys
from collections.abc import Callable, Sequence

from linetrail.ledger.errors import UsageError
from linetrail.ledger.intents import archive, registry_file, transitions
from linetrail.ledger.intents.edits import Change, changed
from linetrail.ledger.intents.intent import ABORTED, BLOCKED, DONE, DRAFT, IN_PROGRESS, SYNONYMS, Intent
from linetrail.ledger.intents.registry import CANONICAL
from linetrail.ledger.intents.rules import PRIORITIES
from linetrail.ledger.intents.transitions import LISTED, Fields, TransitionError
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.author import require_person
from linetrail.queries.record.criteria import Result
from linetrail.queries.record.intent_record import change, deselect, finish, recorded_ids, require_unused
from linetrail.queries.render.output import add_json, give
from linetrail.queries.render.text import plain, table_of

VERBS = {
    "add": "write a new intent into the file",
    "start": "begin or go on with an intent",
    "done": "say that an intent is done",
    "block": "say that an intent has to wait, and for what",
    "abort": "give an intent up",
    "reopen": "go on with an intent that was done or given up",
    "update": "put a text into a field of an intent, or add to its lists and take out of them",
    "remove": "take an intent out of the file for which nothing was ever done",
    "archive": "move an intent that is done or given up into a file beside this one",
    "fork": "split a new intent off another, with its scope and constraints",
    "merge": "let one intent go on with what others are about",
}
# What an agent may do by itself where the gate blocks: it widens nothing.
OWN_VERBS = transitions.OWN_VERBS
# The fields that `update` puts; the status has verbs of its own, and links have theirs.
TEXTS = ("name", "description", "owner", "priority", "parent_intent", "blocked_reason", "approval")
OK = 0


def configure(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add these verbs to those of `intents`."""
    subs = {
        verb: verbs.add_parser(verb, help=about, description=f"{about.capitalize()}.") for verb, about in VERBS.items()
    }
    for verb, sub in subs.items():
        if verb == "add":
            sub.add_argument("intent_id", metavar="ID", nargs="?", help="default: the next free number")
        elif verb == "merge":
            sub.add_argument("merged", metavar="ID", nargs="+")
            sub.add_argument("--into", metavar="ID", required=True, help="the intent that goes on")
        else:
            sub.add_argument("intent_id", metavar="ID")
    for verb in ("add", "fork"):
        _describing(subs[verb], new=verb == "add")
    subs["fork"].add_argument("--id", dest="new_id", metavar="ID", help="default: the next free number")
    subs["start"].add_argument("--force", action="store_true", help="also before what it depends on is done")
    notes = "how it was verified; needed where there are criteria that no command decides"
    subs["done"].add_argument("--notes", metavar="TEXT", help=notes)
    forced = "also where a command of a criterion fails, which stays on record; only a person can"
    subs["done"].add_argument("--force", action="store_true", help=forced)
    subs["block"].add_argument("--reason", metavar="TEXT", help="what it waits for; whoever wants to select it is told")
    subs["update"].add_argument("field", metavar="FIELD", help=f"one of {', '.join((*TEXTS, *LISTED))}")
    subs["update"].add_argument("value", metavar="TEXT", nargs="?", help='of a text; "" takes it away')
    subs["update"].add_argument("--add", metavar="TEXT", action="append", default=[], help="to a list; may be repeated")
    subs["update"].add_argument("--remove", metavar="TEXT", action="append", default=[], help="the same, out of it")
    for verb in ("abort", "reopen", "remove", "update", "archive"):
        subs[verb].add_argument("--reason", metavar="TEXT", help="why; kept in the ledger")
    for sub in subs.values():
        add_json(sub)


def run(repository: Repository, args: argparse.Namespace) -> int:
    """Make the change, record it, and print the new state of the intent."""
    if args.verb in ("remove", "archive"):
        return {"remove": _remove, "archive": _archive}[args.verb](repository, args)
    made = {"add": _add, "fork": _fork, "merge": _merge, "update": _update}.get(args.verb, _move)(repository, args)
    intent = registry_file.require(repository, made)
    if intent.closed:
        for gone in (intent.id, *getattr(args, "merged", ())):
            deselect(repository, gone, f"{gone} is {intent.status}")
    for gone in getattr(args, "merged", ()):
        deselect(repository, gone, f"{gone} was merged into {intent.id}")
    table = table_of({"intent_id": "id", "name": "name", "status": "status", "scope": "scope"}, [intent])
    said = f"{intent.id} is {intent.status}: {plain(intent.name)}"
    give(args, table, {"file": registry_file.path(repository)}, lambda: said)
    if intent.status == BLOCKED and not intent.blocked_reason:
        print("note: nobody is told what it waits for; say it with --reason", file=sys.stderr)
    if args.verb == "reopen" and not args.reason:
        print("note: nobody is told why it was reopened; say it with --reason", file=sys.stderr)
    return OK


def _add(repository: Repository, args: argparse.Namespace) -> str:
    status = SYNONYMS.get(args.status, args.status)
    if status not in (DRAFT, IN_PROGRESS):
        raise UsageError(f"--status {args.status}: a new intent is {DRAFT} or {IN_PROGRESS}")
    fields = Fields(
        name=args.name,
        scope=args.scope,
        status=status,
        description=args.description,
        owner=args.owner,
        priority=args.priority,
        constraints=args.constraint,
        criteria=args.criterion,
        dependencies=args.depends_on,
        parent=args.parent,
    )
    return _new(repository, args.intent_id, lambda _: fields)


def _fork(repository: Repository, args: argparse.Namespace) -> str:
    def fields(found: Sequence[Intent]) -> Fields:
        origin = transitions.find(found, args.intent_id)
        return Fields(
            name=args.name,
            scope=args.scope or origin.scope,
            description=args.description or origin.description,
            owner=args.owner or origin.owner,
            priority=args.priority or origin.priority,
            constraints=(*origin.constraints, *origin.rules, *args.constraint),
            criteria=(*origin.acceptance, *args.criterion),
            dependencies=(*origin.dependencies, *args.depends_on),
            parent=args.parent or origin.parent,
            forked_from=origin.id,
        )

    return _new(repository, args.new_id, fields)


def _new(repository: Repository, intent_id: str | None, fields: Callable[[Sequence[Intent]], Fields]) -> str:
    """Add an intent to the file, under the next free number unless an id is given, and return its id."""
    recorded = [] if intent_id else recorded_ids(repository)
    made: list[str] = []

    def decide(found: Sequence[Intent]) -> Change:
        made[:] = [intent_id or transitions.free_id(found, recorded)]
        return transitions.add(found, made[0], fields(found))

    change(repository, decide)
    return made[0]


def _merge(repository: Repository, args: argparse.Namespace) -> str:
    change(repository, lambda found: transitions.merge(found, args.merged, args.into))
    return str(args.into)


def _remove(repository: Repository, args: argparse.Namespace) -> int:
    """Take an intent out of the file, unless the ledger has events for it: those would point to nothing."""
    intent = registry_file.require(repository, args.intent_id)
    with open_tables(repository) as tables:
        require_unused(tables, intent.id)
    return _take_out(repository, args, intent, "removed")


def _archive(repository: Repository, args: argparse.Namespace) -> int:
    """Move a closed intent into the archive, where the events that are for it can still be understood."""
    intent = registry_file.require(repository, args.intent_id)
    if intent.status not in (DONE, ABORTED):
        raise TransitionError(
            f"{intent.id} is {intent.status}; only what is DONE or ABORTED is archived",
            f"linetrail intents abort {intent.id}",
        )
    before, file = registry_file.load(repository) or b"", registry_file.path(repository)
    changed(before, lambda found: transitions.remove(found, intent.id), file)  # or nothing is archived
    archive.keep(repository, intent.id)
    return _take_out(repository, args, intent, "archived")


def _take_out(repository: Repository, args: argparse.Namespace, intent: Intent, how: str) -> int:
    reason = args.reason or ("it was archived" if how == "archived" else None)
    change(repository, lambda found: transitions.remove(found, intent.id), reason=reason)
    deselect(repository, intent.id, f"{intent.id} was {how}")
    table = table_of({"intent_id": "id", "name": "name", "status": "status", "scope": "scope"}, [intent])
    said = f"{intent.id} is {how}: {plain(intent.name)}"
    give(args, table, {"file": registry_file.path(repository)}, lambda: said)
    return OK


def _update(repository: Repository, args: argparse.Namespace) -> str:
    field = CANONICAL.get(args.field, args.field)
    put, add, remove = [], [(field, item) for item in args.add], [(field, item) for item in args.remove]
    if field in LISTED and (args.value is not None or not (add or remove)):
        raise UsageError(f"{field} is a list: say what changes with --add and --remove")
    if field in TEXTS and (args.value is None or add or remove):
        raise UsageError(f'{field} is a text: linetrail intents update {args.intent_id} {field} "…"')
    if field not in LISTED and field not in TEXTS:
        hint = "; start, done, block, abort and reopen change it" if field == "status" else ""
        raise UsageError(f"{field} is no field that can be put{hint}; there are {', '.join((*TEXTS, *LISTED))}")
    put += [(field, args.value or None)] if field in TEXTS else []
    change(
        repository,
        lambda found: transitions.amend(found, args.intent_id, put=put, add=add, remove=remove),
        reason=args.reason,
    )
    return str(args.intent_id)


def _move(repository: Repository, args: argparse.Namespace) -> str:
    if args.verb == "done":
        if args.force:
            require_person("complete an intent whose checks fail")
        finish(repository, args.intent_id, args.notes, force=args.force, say=tell)
        return str(args.intent_id)

    def decide(found: Sequence[Intent]) -> Change:
        made = transitions.move(found, args.intent_id, args.verb, reason=getattr(args, "reason", None))
        if args.verb == "start" and not args.force:
            _ready(found, args.intent_id)
        return made

    change(repository, decide, reason=getattr(args, "reason", None))
    return str(args.intent_id)


def tell(result: Result) -> None:
    """Say how the check of a criterion ended, as soon as it did."""
    print(
        f"{'ok' if result.passed else 'FAILED'}  {plain(result.criterion)}: {plain(result.sentence)}", file=sys.stderr
    )


def _ready(found: Sequence[Intent], intent_id: str) -> None:
    waiting = transitions.waits_for(found, intent_id)
    if waiting:
        named = ", ".join(f"{other.id} ({other.status})" for other in waiting)
        hint = f"linetrail intents start {waiting[0].id}, or linetrail intents start {intent_id} --force"
        raise TransitionError(f"{intent_id} depends on what is not done yet: {named}", hint)


def _describing(sub: argparse.ArgumentParser, *, new: bool) -> None:
    """Add the options for the fields of a new intent."""
    sub.add_argument("--name", metavar="TEXT", required=True, help="what it is about, in a few words")
    sub.add_argument("--scope", metavar="GLOB", nargs="+", action="extend", required=new, help="files that it owns")
    if new:
        sub.add_argument("--status", default=DRAFT, type=str.upper, help=f"{DRAFT} (default) or {IN_PROGRESS}")
    more = "" if new else "another "
    for option, about in (
        ("--constraint", f"{more}thing that has to stay true"),
        ("--criterion", f"{more}thing that has to be so when it is done"),
        ("--depends-on", f"{more}intent that has to be done first"),
    ):
        sub.add_argument(
            option, metavar="ID" if option == "--depends-on" else "TEXT", action="append", default=[], help=about
        )
    sub.add_argument("--parent", metavar="ID", help="the intent that it is a part of")
    sub.add_argument("--owner", metavar="WHO", help="whose it is")
    sub.add_argument("--priority", type=str.upper, choices=PRIORITIES, help="how urgent it is")
    sub.add_argument("--description", metavar="TEXT", help="what it is about, in full")
