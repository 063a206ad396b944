"""Explain a line: its intent, prompt, tool call and decisions, and its former versions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Blamer, Opened
from linetrail.projections.git.credits import reviewers
from linetrail.projections.git.history import Commit
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import CORRECTION, Attribution
from linetrail.projections.lines.decision_lines import decisions, governed, places
from linetrail.projections.lines.refused_writes import REFUSED
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.syntax.definitions import Definition
from linetrail.projections.tables.answers import remembering
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.records import JUDGED
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.statements import statement

Record = Mapping[str, Any]

# Of a decision that names no lines, all that belongs to its intent is meant.
MAX_DECISIONS = 5
# Lines as people and programs write them: `12`, `12-20`, `12,20`, `12,+9`, the heading of a hunk.
_LINES = re.compile(r"(?P<first>\d+)(?:[-,](?P<more>\+?)(?P<last>\d+))?")
_HUNK = re.compile(r"(?P<path>.+):@@ .*?\+(?P<first>\d+)(?:,(?P<count>\d+))? @@.*", re.DOTALL)


class Reason(NamedTuple):
    """The reason for a line, as far as the ledger knows it; `claim` is the change that is explained."""

    claim: Claim | None
    later: Sequence[Claim]
    earlier: Sequence[Claim]
    prompt: Record | None = None
    intent: Record | None = None
    tool: Record | None = None
    session: Record | None = None
    decisions: Sequence[Record] = ()
    # what the agent thought between the prompt and the change, the latest first
    thoughts: Sequence[Record] = ()
    # what was said of the call before it ran, and what a person answered
    verdicts: Sequence[Record] = ()
    approvals: Sequence[Record] = ()
    # the formatters that wrote the file anew after the change
    formatted: Sequence[Record] = ()
    # what each of the changes was judged to be, by its event
    classes: Mapping[str, Record] = MappingProxyType({})
    # the call that was refused, and may have written the line in spite of it
    refused: Record | None = None
    # what a person said in place of who wrote the line, or of what the change was
    corrections: Sequence[Record] = ()


class Reasons:
    """The reasons for the lines of one content; a reason that several lines share is looked up once."""

    def __init__(self, tables: Tables, path: str, content: bytes | None = None) -> None:
        self._tables, self._path = tables, path
        self._decided = decisions(tables)
        # Of most ledgers nothing was decided, and comparing lines takes a while.
        self._governed = governed(tables, path, content) if self._decided and content is not None else []
        self._known: dict[tuple[Any, ...], Reason] = {}

    def of(self, history: Sequence[Claim], line_no: int | None = None, by: Attribution | None = None) -> Reason:
        """Explain the last change that was observed; changes that nobody was seen making are listed as `later`."""
        at = next((at for at, claim in enumerate(history) if claim.seen), None)
        claim = None if at is None else history[at]
        decided = self._decisions(claim.intent_id if claim else None, line_no)
        refused = by.event_id if by and by.evidence == REFUSED else None
        corrected = by.event_id if by and by.evidence == CORRECTION else None
        key = (*history, refused, corrected, tuple(decision["event_id"] for decision in decided))
        if key not in self._known:
            verdict = self._first("refused", {"verdict_id": refused}) if refused else None
            about = {"correction_id": corrected, "event_id": claim.event_id if claim else None}
            self._known[key] = self._explained(history, at)._replace(
                decisions=decided, refused=verdict, corrections=self._all("corrections", about)
            )
        return self._known[key]

    @cached_property
    def _judgements(self) -> int:
        return int(self._tables.ask(JUDGED).rows[0][0])

    def _explained(self, history: Sequence[Claim], at: int | None) -> Reason:
        classes = self._classes(history)
        if at is None:
            return Reason(None, history, (), classes=classes)
        claim = history[at]
        call = {"tool_call_id": claim.tool_call_id, "session_id": claim.session_id}
        said_before = {"session_id": claim.session_id, "position": claim.position}
        verdicts = self._all("verdicts", call)
        asked = [verdict["approval_id"] for verdict in verdicts if verdict["approval_id"]]
        prompt = self._first("prompt_by_id", call) or self._first("prompt", said_before)
        return Reason(
            claim=claim,
            later=history[:at],
            earlier=history[at + 1 :],
            prompt=prompt,
            intent=self._first("intent", {"intent_id": claim.intent_id}) if claim.intent_id else None,
            tool=self._first("tool", call),
            session=self._first("session", {"session_id": claim.session_id}),
            thoughts=self._thoughts(claim, prompt),
            verdicts=verdicts,
            approvals=self._all("approvals", {"ids": asked}) if asked else (),
            formatted=self._all("formatted", {"event_id": claim.event_id, "path": self._path}),
            classes=classes,
        )

    def _decisions(self, intent_id: str | None, line_no: int | None) -> list[Record]:
        """Return the decisions about a line, then those about its intent as a whole."""
        about = [one.decision for one in self._governed if line_no is None or line_no in one.lines]
        general = [
            decision
            for decision in reversed(self._decided)
            if intent_id is not None and decision["intent_id"] == intent_id and not places(decision)
        ]
        return [_shown(decision) for decision in (*about, *general)][:MAX_DECISIONS]

    def _thoughts(self, claim: Claim, prompt: Record | None) -> list[Record]:
        if prompt is None or claim.occurred_at is None:
            return []
        told = {"prompt_id": prompt["prompt_id"], "asked_at": prompt["occurred_at"]}
        return self._all("thoughts", told | {"session_id": claim.session_id, "written_at": claim.occurred_at})

    def _classes(self, claims: Sequence[Claim]) -> Mapping[str, Record]:
        events = [claim.event_id for claim in claims if claim.event_id]
        if not events or not self._judgements:
            return {}
        rows = self._tables.ask(statement("why_classes"), {"ids": events}).mappings()
        return {row["mutation_id"]: row | {"evidence": json.loads(row["evidence"] or "[]")} for row in rows}

    def _first(self, name: str, parameters: Mapping[str, object]) -> Record | None:
        return next(self._tables.ask(statement(f"why_{name}"), parameters).mappings(), None)

    def _all(self, name: str, parameters: Mapping[str, object]) -> list[Record]:
        return list(self._tables.ask(statement(f"why_{name}"), parameters).mappings())


class Found(NamedTuple):
    """Lines with the same author, commit and reason."""

    path: str
    numbers: Sequence[int]
    texts: Sequence[str]
    by: Attribution
    commit: Commit | None
    why: Reason
    # the definition around the first of them
    within: Definition | None
    # who reviewed the commit
    reviewed_by: Sequence[str] = ()

    @property
    def summary(self) -> str | None:
        headers = self.commit.headers if self.commit else ()
        return next((header[8:] for header in headers if header.startswith("summary ")), None)


class Span(NamedTuple):
    """A range of lines of a file, whose path is as typed."""

    path: str
    first: int
    last: int


def span_of(place: str) -> Span | None:
    """Return the range of lines that a place names; None where it names a definition."""
    hunk = _HUNK.fullmatch(place)
    if hunk is not None:
        first, count = int(hunk["first"]), int(hunk["count"] or 1)
        return Span(hunk["path"], first, first + max(count, 1) - 1)
    path, _, last = place.rpartition(":")
    if not path or not last:
        raise UsageError(
            f"{place} names no line; write it as PATH:LINE, for example src/a.py:12, or as PATH:12-20 or PATH:SYMBOL"
        )
    lines = _LINES.fullmatch(last)
    if lines is None:
        return None
    first = int(lines["first"])
    end = int(lines["last"] or first)
    if lines["more"]:
        end += first - 1
    if end < first:
        raise UsageError(f"lines {last} end before they begin; write {path}:{end}-{first}")
    return Span(path, first, end)


class Explainer:
    """Explains the lines of one content, with tables that somebody has open; what several lines share is read once."""

    def __init__(self, repository: Repository, target: Target, opened: Opened, until: Cut | None = None) -> None:
        self._repository, self._target, self._tables = repository, target, opened.tables
        self._lines = split(target.content).lines
        with Blamer(repository, until, opened=opened) as blamer:
            self.answer, self._claims = blamer.explain(target)

    @cached_property
    def _reasons(self) -> Reasons:
        return Reasons(self._tables, self._target.path, self._target.content)

    @cached_property
    def definitions(self) -> Sequence[Definition]:
        """What the content defines, outer definitions before those inside them."""
        with closing(DefinitionIndex(self._repository)) as indexed:
            return indexed.side(self._target.path, self._target.content).definitions

    def explained(self, span: Span) -> list[Found]:
        """Return the author and the reason of each line in a range."""
        if not 1 <= span.first <= span.last <= len(self._lines):
            missing = span.first if not 1 <= span.first <= len(self._lines) else span.last
            raise UsageError(f"no line {missing} in {self._target.path}, which ends at line {len(self._lines)}")
        revisions = {line.revision for line in self.answer.git.lines[span.first - 1 : span.last] if line.revision}
        reviewed = reviewers(self._repository, revisions)
        return [self._found(number, reviewed) for number in range(span.first, span.last + 1)]

    def _found(self, number: int, reviewed: Mapping[str, Sequence[str]]) -> Found:
        by, revision = self.answer.attributions[number - 1], self.answer.git.lines[number - 1].revision or ""
        return Found(
            path=self._target.path,
            numbers=[number],
            texts=[self._lines[number - 1].decode("utf-8", "replace")],
            by=by,
            commit=self.answer.git.commits.get(revision),
            why=self._reasons.of(self._claims[number - 1], number, by),
            within=next((one for one in reversed(self.definitions) if one.start_line <= number <= one.end_line), None),
            reviewed_by=reviewed.get(revision, ()),
        )


def explained(
    repository: Repository, target: Target, span: Span, until: Cut | None = None, opened: Opened | None = None
) -> list[Found]:
    """Return the author and the reason of each line in a range, from tables that are `opened` already if any are."""
    if opened is not None:
        return Explainer(repository, target, opened, until).explained(span)
    ledger = Ledger(repository).digest()  # before the tables are opened: what is recorded meanwhile makes it another
    with open_tables(repository, until=until) as tables:
        explainer = Explainer(repository, target, Opened(ledger, tables), until)
        with remembering(repository, tables):
            return explainer.explained(span)


def together(found: Sequence[Found]) -> Iterator[Found]:
    """Yield lines with the same author and reason as one, in the order of their first lines."""
    groups: dict[tuple[Attribution, int], list[Found]] = {}
    for one in found:
        groups.setdefault((one.by, id(one.why)), []).append(one)
    for same in groups.values():
        numbers = [number for one in same for number in one.numbers]
        texts = [text for one in same for text in one.texts]
        within = same[0].within if len({one.within for one in same}) == 1 else None
        yield same[0]._replace(numbers=numbers, texts=texts, within=within)


def table(found: Sequence[Found]) -> Table:
    """Return a row for each line, with its author and its reason."""
    rows = list(map(_row, found))
    return Table(tuple(rows[0]), [tuple(row.values()) for row in rows])


def _row(found: Found) -> dict[str, object]:
    why, within = found.why, found.within
    behind = {
        "prompt": why.prompt,
        "intent": why.intent,
        "tool": why.tool,
        "session": why.session,
        "decisions": why.decisions,
        "thoughts": why.thoughts,
        "verdicts": why.verdicts,
        "approvals": why.approvals,
        "refused": why.refused,
        "formatted": why.formatted,
        "corrections": why.corrections,
        "classes": list(why.classes.values()),
        "later": [claim._asdict() for claim in why.later],
        "earlier": [claim._asdict() for claim in why.earlier],
        "node": within
        and {
            "qualified_name": within.qualified,
            "kind": within.kind,
            "start_line": within.start_line,
            "end_line": within.end_line,
        },
    }
    place = {"path": found.path, "line_no": found.numbers[0], "text": found.texts[0]}
    return place | found.by._asdict() | {"commit_summary": found.summary, "reviewed_by": found.reviewed_by} | behind


def _shown(decision: Record) -> Record:
    named = ("decision_id", "title", "rationale", "status", "supersedes_id", "superseded_by_id", "intent_id")
    return {name: decision[name] for name in (*named, "alternatives", "lines", "occurred_at", "event_id")}
