"""Explain a definition: who wrote its lines, for which intents, after which prompts, in which changes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import blame
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.nodes.lineage import Lineage
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.versions import named
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers.lineage import Row, Symbols
from linetrail.queries.answers.lineage_text import text
from linetrail.queries.answers.why.line import Reasons, Record
from linetrail.queries.answers.why.text import Fact, Look, decided, line
from linetrail.queries.render.terminal import AGENT, DOUBT, linked
from linetrail.queries.render.text import counted, plain, timestamp


class Found(NamedTuple):
    """A definition, the authors of its lines, its versions, and the intents, prompts and decisions behind them."""

    place: Place
    lineage: Lineage
    by: Sequence[Attribution]
    versions: Sequence[Row]
    intents: Sequence[Record]
    prompts: Sequence[Record]
    decisions: Sequence[Record]


class _Writer(NamedTuple):
    """The author of some lines: `presumed` when git alone names it, `doubtful` when the record is uncertain."""

    contributor_type: str
    agent_name: str | None
    session_id: str | None
    author: str | None
    presumed: bool
    doubtful: bool


def explained_symbol(
    repository: Repository, directory: str, place: str, revision: str | None = None, until: Cut | None = None
) -> tuple[Target, Found]:
    """Return what is known of one definition, and the file that contains it."""
    with closing(Symbols(repository)) as symbols:
        meant = symbols.meant(place, directory=directory, revision=revision)
        answer = blame(repository, meant.target, until)
        with open_tables(repository, until=until) as tables:
            lineage, versions = symbols.history(tables, meant)
            return meant.target, found(tables, meant.place, lineage, answer.attributions, versions)


def found(tables: Tables, place: Place, lineage: Lineage, by: Sequence[Attribution], versions: Sequence[Row]) -> Found:
    """Gather the intents, prompts and decisions behind the versions of a definition, each once, the latest first."""
    intents: dict[str, Record] = {}
    prompts: dict[str, Record] = {}
    decisions: dict[str, Record] = {}
    reasons = Reasons(tables, place.path)
    for claim in (version.claim for version in lineage.versions):
        if claim is None or not claim.seen:
            continue
        why = reasons.of((claim,))
        if why.intent is not None:
            intents.setdefault(why.intent["intent_id"], why.intent)
        if why.prompt is not None:
            prompts.setdefault(why.prompt["event_id"], why.prompt)
        decisions |= {decision["decision_id"]: decision for decision in why.decisions}
    start, stop = place.definition.start_line - 1, place.definition.end_line
    return Found(
        place, lineage, by[start:stop], versions, [*intents.values()], [*prompts.values()], [*decisions.values()]
    )


def table(told: Found) -> Table:
    definition = told.place.definition
    row = {
        "path": told.place.path,
        "qualified_name": definition.qualified,
        "kind": definition.kind,
        "start_line": definition.start_line,
        "end_line": definition.end_line,
        "node_id": told.lineage.node_id,
        "lines": [writer._asdict() | {"lines": count} for writer, count in _writers(told.by)],
        "last_change": told.versions[0],
        "intents": told.intents,
        "prompts": told.prompts,
        "decisions": told.decisions,
        "versions": told.versions,
    }
    return Table(tuple(row), [tuple(row.values())])


def page(told: Found, look: Look) -> str:
    """Return the answer as text, one fact a line; what is not known is left out."""
    definition = told.place.definition
    where = f"{named(told.place)}  lines {definition.start_line}-{definition.end_line}, node {told.lineage.node_id}"
    heading = linked(plain(where), look.address)
    return "\n".join([heading, *(line(fact, look) for fact in _facts(told, look))])


def _facts(told: Found, look: Look) -> Iterator[Fact]:
    for writer, count in _writers(told.by):
        tone = DOUBT if writer.doubtful else {"ai": AGENT, "unknown": DOUBT}.get(writer.contributor_type)
        yield "lines", f"{counted(count, 'line')} by {_name(writer)}", tone
    for intent in told.intents:
        title = f' "{intent["title"]}"' if intent["title"] else ""
        yield "intent", f"{intent['intent_id']}{title}  {intent['status'] or ''}", None
    for prompt in told.prompts:
        yield (
            "asked",
            f'"{prompt["prompt_excerpt"]}"  turn {prompt["turn"]}, {timestamp(prompt["occurred_at"])[:10]}',
            None,
        )
    for decision in told.decisions:
        yield from decided(decision, look)
    for said, row in zip(text(told.versions), told.versions, strict=True):
        yield "changed", said, None
        for note in row["evidence"]:
            yield "", f"  {note}", None


def _writers(by: Sequence[Attribution]) -> list[tuple[_Writer, int]]:
    """Count the lines of each author, those with most first."""
    return Counter(map(_writer, by)).most_common()


def _writer(by: Attribution) -> _Writer:
    if by.contributor_type == "ai":
        return _Writer("ai", by.agent_name, by.session_id, None, presumed=False, doubtful=by.doubtful)
    return _Writer(by.contributor_type, None, None, by.author, presumed=by.evidence == "git", doubtful=by.doubtful)


def _name(writer: _Writer) -> str:
    """Return an author as `blame` spells it: in parentheses when presumed from git, with `?` when doubtful."""
    doubt = "?" if writer.doubtful else ""
    if writer.contributor_type == "ai":
        session = f", session {writer.session_id}" if writer.session_id else ""
        return f"{writer.agent_name or 'an agent'}{doubt}{session}"
    if writer.contributor_type == "unknown":
        return "nobody knows whom"
    return f"({writer.author})" if writer.presumed else f"{writer.author or 'a person'}{doubt}"
