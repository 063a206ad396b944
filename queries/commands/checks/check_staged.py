"""`linetrail check-staged`: do the files that are staged belong to the intent that is selected?

The same scopes and exemptions as the gate's; what only the gate protects, a person may commit.
"""

import argparse
import os
import sys
from collections.abc import Iterator

from linetrail.ledger.errors import IntentError, UsageError
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.registry_file import read
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.paths.names import exemptions
from linetrail.ledger.repository import FOLDER, Repository, find, require_ledger, stored_path
from linetrail.projections.git.plumbing import answer
from linetrail.projections.tables.table import Table
from linetrail.queries.render.text import counted, document, plain

OUTSIDE = 1
SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit status 1 when a staged file lies outside. Made for a hook of pre-commit: linetrail-scope."
    parser.add_argument("--intent", metavar="ID", help="this intent instead of the one that is selected")
    parser.add_argument("--session", metavar="S", help="the one that is selected for this session")
    parser.add_argument("--require", action="store_true", help="it is an error when no intent is selected")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the staged files outside the scope."""
    repository = require_ledger(find(args.directory))
    if repository.git_dir is None:
        raise UsageError(f"{repository.root} is no git repository: nothing is staged")
    name = args.intent or selection.read(repository, args.session or selection.shell_session())
    if name is None:
        return _unselected(args)
    intent = _known(repository, name)
    outside = list(_outside(repository, intent, staged(repository)))
    if args.json:
        print(document(Table(("path", "intent_id"), [(path, intent.id) for path in outside]), {"intent": intent.id}))
    else:
        _tell(intent, outside)
    return OUTSIDE if outside else 0


def staged(repository: Repository) -> list[str]:
    """Return the stored paths that the next commit changes; a rename counts as both names."""
    # `git commit FILE` and `-a` have an index of their own while their hooks run
    index = {name: os.environ[name] for name in ("GIT_INDEX_FILE",) if name in os.environ}
    listed = answer(repository, "diff", "--cached", "--name-only", "--no-renames", "-z", around=index)
    return [stored_path(os.fsdecode(name)) for name in listed.split(b"\0") if name]


def _outside(repository: Repository, intent: Intent, paths: list[str]) -> Iterator[str]:
    exempt = exemptions(repository.folder)
    try:
        scope = compile_scope(intent.scope)
    except ScopeError as error:
        raise UsageError(f"the scope of {intent.id} owns nothing as it is: {error}", "linetrail intents lint") from None
    for path in paths:
        ours = path == FOLDER or path.startswith(f"{FOLDER}/")
        if not ours and scope.owner(path) is None and exempt.match(path) is None:
            yield path


def _known(repository: Repository, name: str) -> Intent:
    found = next((intent for intent in read(repository) if intent.id == name), None)
    if found is None:
        raise IntentError(f"{name} is selected, and is not in the registry", "linetrail select ID")
    return found


def _unselected(args: argparse.Namespace) -> int:
    if args.require:
        raise IntentError("no intent is selected", "linetrail select ID")
    if args.json:
        print(document(Table(("path", "intent_id"), ()), {"intent": None}))
    else:
        print("no intent is selected: there is no scope to hold staged files against", file=sys.stderr)
    return 0


def _tell(intent: Intent, outside: list[str]) -> None:
    if not outside:
        print(f"every staged file is in the scope of {plain(intent.id)}")
        return
    print(f"{counted(len(outside), 'staged file')} outside the scope of {plain(intent.id)} ({plain(intent.name)}):")
    for path in outside[:SHOWN]:
        print(f"  {plain(path)}")
    if len(outside) > SHOWN:
        print(f"  and {len(outside) - SHOWN} more")
    print(f"scope: {plain(', '.join(intent.scope))}")
    print(
        "next: git restore --staged PATH, or linetrail select the intent that owns it, or add it to owned_scope in "
        f"{FOLDER}/active_intents.yaml",
        file=sys.stderr,
    )
