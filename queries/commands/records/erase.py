"""`linetrail erase`: destroy contents and salts kept beside the ledger, and record that they are gone."""

import argparse
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from linetrail.ledger.errors import UsageError
from linetrail.ledger.event.event import Event
from linetrail.ledger.log import erasure
from linetrail.ledger.log.erasure import ALREADY, ERASED, NOT_KEPT, Found, Outcome, Payload
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git.target import locate
from linetrail.projections.tables.table import Table
from linetrail.queries.render.text import counted, document, plain

COLUMNS = ("kind", "sha256", "event_id", "path", "status", "bytes")
BATCH = 500
STAYS = (
    "the lines of the ledger: the first 200 characters of prompts, and commands (secrets taken out); paths",
    "hashes of files and of lines in them: whoever guesses a line can tell that the guess is right",
    "what git has: commits, and clones this ledger was pushed to; git keeps and drops contents by its own rules",
    "backups, snapshots and journals of the disk itself",
)
_HEX = re.compile(r"[0-9a-f]{64}")


class NothingFoundError(UsageError):
    """A selector names nothing in the ledger."""

    hint = "linetrail log"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Destroy the kept contents of files and the salts of prompts, in every worktree of this repository, and the\n"
        "cache; append one payload.erased for each. `linetrail verify` stays green.\n\n"
        "An event stands for the contents it led to, or for its prompt; a session for all of its events.\n"
        "Without its salt, nobody can tell any more whether a text is the prompt that was committed to."
    )
    parser.epilog = "What cannot be erased:\n" + "\n".join(f"- {what}" for what in STAYS)
    parser.add_argument("selectors", nargs="*", metavar="SELECTOR", help="id of an event or of a session, or a sha256")
    parser.add_argument(
        "--path", action="append", default=[], metavar="PATH", help="all contents of this file, under all its names"
    )
    parser.add_argument("--reason", metavar="TEXT", help="why, kept in the ledger")
    parser.add_argument("--dry-run", action="store_true", help="say what would be erased and write nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Erase, record that in the ledger, and print one row for each payload."""
    repository = require_ledger(find(args.directory))
    selectors = {f"sha256:{name}" if _HEX.fullmatch(name) else name for name in args.selectors}
    paths = {locate(repository, args.directory, path) for path in args.path}
    if not (selectors or paths):
        raise UsageError("say what to erase: an event, a session, a sha256, or --path PATH")
    ledger = Ledger(repository)
    if not args.dry_run:
        ledger.append([])  # what waits in the spool is a part of the ledger, too
    found = _found(repository, ledger, selectors, paths)
    if args.dry_run:
        outcomes = erasure.look(repository, found.payloads)
    else:
        outcomes = erasure.erase(repository, found.payloads)
        _tell(ledger, erasure.tombstones(outcomes, found.told, _reason(repository, args.reason), time.time_ns()))
    if args.json:
        rows = [_row(outcome) for outcome in outcomes]
        meta = {"root": repository.root, "dry_run": args.dry_run, "hashed_prompts": found.hashed, "stays": STAYS}
        print(document(Table(COLUMNS, rows), meta))
    else:
        print("\n".join(_lines(outcomes, dry_run=args.dry_run)))
        print("\n".join(_notes(repository, found, outcomes)), file=sys.stderr)
    return 0


def _found(repository: Repository, ledger: Ledger, selectors: set[str], paths: set[str]) -> Found:
    """Return what the ledger and the hooks' state know of the selectors; raise if one names nothing."""
    found = erasure.find(lambda: _events(ledger), selectors, paths)
    named = {payload.sha256 for payload in found.payloads}
    only_remembered = [one for one in erasure.remembered(repository, paths) if one.sha256 not in named]
    known = found.known | {path for payload in only_remembered for path in payload.paths}
    for unknown in sorted((selectors | paths) - known):
        raise NothingFoundError(f"nothing in the ledger is called {plain(unknown)}; ids and hashes are given in full")
    return found._replace(payloads=[*found.payloads, *only_remembered])


def _events(ledger: Ledger) -> Iterator[Event]:
    return (line.event for line in ledger.read())


def _reason(repository: Repository, reason: str | None) -> str | None:
    return None if reason is None else Redactor(private_folder(repository)).excerpt(reason)


def _tell(ledger: Ledger, events: Sequence[Event]) -> None:
    for at in range(0, len(events), BATCH):
        ledger.append(events[at : at + BATCH])


def _row(outcome: Outcome) -> tuple[object, ...]:
    payload = outcome.payload
    return (
        payload.kind,
        payload.sha256,
        payload.event_id,
        next(iter(payload.paths), None),
        outcome.status,
        outcome.bytes,
    )


def _lines(outcomes: Sequence[Outcome], *, dry_run: bool) -> Iterator[str]:
    gone = [outcome for outcome in outcomes if outcome.status == ERASED]
    kinds = [counted(number, name) for name in ("content", "salt") if (number := _count(gone, name))]
    size = sum(outcome.bytes for outcome in gone)
    yield f"{'would erase' if dry_run else 'erased'}: {' and '.join(kinds) or 'nothing'}, {counted(size, 'byte')}"
    for status in (ALREADY, NOT_KEPT):
        number = sum(outcome.status == status for outcome in outcomes)
        if number:
            yield f"{status}: {number}"


def _count(outcomes: Iterable[Outcome], kind: str) -> int:
    return sum(outcome.payload.kind == kind for outcome in outcomes)


def _notes(repository: Repository, found: Found, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield notes on what was not erased, those that a person can act on first."""
    for path in _still_there(repository, [outcome.payload for outcome in outcomes]):
        yield f"note: {plain(path)} holds one of these contents now; the file itself is yours to change"
    if found.hashed:
        prompts = counted(len(found.hashed), "prompt")
        yield f"note: {prompts} recorded by an older linetrail with a plain hash, which stays and can be guessed from"
    yield from (f"stays: {what}" for what in STAYS)


def _still_there(repository: Repository, payloads: Sequence[Payload]) -> list[str]:
    hashes = {payload.sha256 for payload in payloads}
    return sorted(path for path, name in erasure.lying(repository, payloads).items() if name in hashes)
