"""`linetrail record-decision`: record a decision, its reason, and the rejected alternatives."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.event.event import Event
from linetrail.ledger.knowledge.decision import STATUSES, Alternative, Decision, alternative
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.lines.decision_lines import decisions
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.decisions import Wish, as_record, author, decided, record, resolve
from linetrail.queries.render.output import add_json, give
from linetrail.queries.render.text import plain

COLUMNS = (
    *("decision_id", "title", "rationale", "status", "supersedes_id", "alternatives", "lines"),
    *("intent_id", "session_id"),
)
MAX_BYTES = 1024 * 1024
# flag -> the field of a wish
FLAGS = {
    "title": "title",
    "why": "rationale",
    "status": "status",
    "supersedes": "supersedes",
    "id": "id",
    "intent": "intent_id",
    "session": "session_id",
}
# what a JSON record may be called by: the names of the flags and those of the event
_TEXTS = FLAGS | {name: name for name in ("rationale", "intent_id", "session_id")} | {"decision_id": "id"}
_LISTS = ("alternatives", "lines")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "A decision with the id of an earlier one is its new state: what is not said stays as it was."
    parser.add_argument("--title", metavar="TEXT", help="what was decided, in one sentence")
    parser.add_argument("--why", metavar="TEXT", help="the reason")
    parser.add_argument(
        "--alternative",
        dest="alternatives",
        action="append",
        metavar="'OPTION: WHY NOT'",
        help="a way that was not taken; may be repeated",
    )
    parser.add_argument("--status", choices=STATUSES, help="default: accepted")
    parser.add_argument("--supersedes", metavar="ID", help="the decision that this one replaces")
    parser.add_argument(
        "--lines", action="append", metavar="PATH[:A-B]", help="the lines, or the file, it is about; may be repeated"
    )
    parser.add_argument("--intent", metavar="ID", help="default: the one that is selected")
    parser.add_argument("--session", metavar="S", help="default: the agent's own, where an agent runs this")
    parser.add_argument("--id", metavar="ID", help="default: a new one, as D-3f9a1c2e07")
    parser.add_argument(
        "--from-json", metavar="FILE", help="read one record, or a list of records, from a file; - is stdin"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check all decisions, append them together, and print their ids."""
    repository = require_ledger(find(args.directory))
    wishes = _wished(args)
    authors = [author(repository, wish) for wish in wishes]
    made = _checked(repository, args.directory, wishes)
    events = record(repository, zip(made, authors, strict=True))
    table = Table(COLUMNS, list(map(_row, events)))
    give(args, table, {"root": repository.root}, lambda: "\n".join(_line(event.data) for event in events))
    return 0


def _checked(repository: Repository, directory: str, wishes: Sequence[Wish]) -> list[Decision]:
    """Return the decisions, each checked against the recorded ones and those before it."""
    with open_tables(repository) as tables:
        known: list[Mapping[str, Any]] = list(decisions(tables))
    made = []
    for wish in wishes:
        decision = decided(repository, directory, wish, known)
        other = resolve(known, wish.supersedes).get("superseded_by_id") if wish.supersedes else None
        if other not in (None, decision.id):
            print(f"note: {decision.supersedes} was replaced by {other} before", file=sys.stderr)
        made.append(decision)
        known = [*(one for one in known if one["decision_id"] != decision.id), as_record(decision)]
    return made


def _wished(args: argparse.Namespace) -> list[Wish]:
    """Return the wishes in the flags or in the JSON input."""
    told = {key: _unicode(value) for key in FLAGS if (value := getattr(args, key)) is not None}
    fields: dict[str, Any] = {FLAGS[key]: value for key, value in told.items()}
    if args.alternatives:
        fields["alternatives"] = [alternative(_unicode(text)) for text in args.alternatives]
    if args.lines:
        fields["lines"] = args.lines
    if args.from_json is None:
        if args.title is None and args.id is None:
            raise UsageError("a decision needs a title: linetrail record-decision --title 'what' --why 'the reason'")
        return [Wish(**fields)]
    if fields.keys() - {"intent_id", "session_id"}:
        raise UsageError("--from-json says it all: of the other flags, only --intent and --session go with it")
    source = args.from_json if args.from_json == "-" else os.path.join(args.directory, args.from_json)
    return [_wish(one, Wish(**fields)) for one in _loaded(source)]


def _loaded(source: str) -> list[dict[str, Any]]:
    try:
        if source == "-":
            text = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(source, "rb") as file:
                text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from None
    if len(text) > MAX_BYTES:
        raise UsageError(f"{source} is larger than {MAX_BYTES // 1024} KB")
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"what --from-json reads is not JSON: {error}") from None
    listed = loaded if isinstance(loaded, list) else [loaded]
    if not listed or not all(isinstance(one, dict) for one in listed):
        raise UsageError("--from-json takes one object, or a list of objects")
    return listed


def _wish(told: Mapping[str, Any], otherwise: Wish) -> Wish:
    """Read one JSON record; session and intent default to those of the flags."""
    strange = sorted(told.keys() - _TEXTS.keys() - set(_LISTS))
    if strange:
        known = ", ".join((*_TEXTS, *_LISTS))
        raise UsageError(f"a decision has no {plain(', '.join(strange))}; it has {known}")
    fields: dict[str, Any] = {field: _text(told, key) for key, field in _TEXTS.items() if told.get(key) is not None}
    if told.get("alternatives") is not None:
        fields["alternatives"] = [_alternative(one) for one in _list(told, "alternatives")]
    if told.get("lines") is not None:
        fields["lines"] = [_text({"lines": one}, "lines") for one in _list(told, "lines")]
    return otherwise._replace(**fields)


def _alternative(told: Any) -> Alternative:
    if isinstance(told, str):
        return alternative(told)
    if isinstance(told, dict) and told.keys() <= {"option", "why_rejected"} and "option" in told:
        why = told.get("why_rejected")
        return Alternative(_text(told, "option"), None if why is None else _text(told, "why_rejected"))
    raise UsageError('an alternative is a text, or {"option": …, "why_rejected": …}')


def _text(told: Mapping[str, Any], key: str) -> str:
    value = told[key]
    if not isinstance(value, str):
        raise UsageError(f"{key} is a {type(value).__name__}, not a text")
    return _unicode(value)


def _list(told: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(told[key], list):
        raise UsageError(f"{key} is a {type(told[key]).__name__}, not a list")
    listed: list[Any] = told[key]
    return listed


def _unicode(text: str) -> str:
    """Return a text with undecodable bytes replaced, so that it can be stored."""
    return text.encode(errors="replace").decode()


def _row(event: Event) -> tuple[object, ...]:
    told = event.data
    names = ("decision_id", "title", "rationale", "status", "supersedes", "alternatives", "lines")
    return (*(told[name] for name in names), event.intent_id, event.session_id)


def _line(told: Mapping[str, Any]) -> str:
    replaced = f", in place of {told['supersedes']}" if told["supersedes"] else ""
    return f"{told['decision_id']} is recorded ({told['status']}{replaced}): {plain(told['title'])}"
