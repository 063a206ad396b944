"""`linetrail why`: the intent, prompt and changes behind lines, or behind one function, class or method."""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.blame.blame import Answer, blame, explain
from linetrail.projections.git import target as targets
from linetrail.projections.git.target import Target
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.syntax.definitions import Definition
from linetrail.projections.tables.cut import Cut
from linetrail.projections.tables.tables import Table, open_tables
from linetrail.queries.answers.reasons import Reason, Reasons
from linetrail.queries.answers.why_text import Found, Look, page, pages
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.printing import add_formats, give, terminal_width
from linetrail.queries.render.terminal import coloured, links

if TYPE_CHECKING:
    from linetrail.projections.lines.lines import Attribution
    from linetrail.queries.answers import why_node

# Lines as people and programs write them: `12`, `12-20`, `12,20`, `12,+9`, the heading of a hunk.
_LINES = re.compile(r"(?P<first>\d+)(?:[-,](?P<more>\+?)(?P<last>\d+))?")
_HUNK = re.compile(r"(?P<path>.+):@@ .*?\+(?P<first>\d+)(?:,(?P<count>\d+))? @@.*", re.DOTALL)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `why`."""
    parser.add_argument(
        "place",
        metavar="PATH:LINE|PATH:A-B|PATH:SYMBOL",
        help="a line, as `linetrail blame` numbers it; lines: 12-20, or 12,+9, or the '@@ -1,2 +1,3 @@' of a hunk; "
        "or what is defined there: name or Outer.name",
    )
    parser.add_argument(
        "--rev", metavar="REV", help="the file as this commit has it; what is known of it, --as-of says"
    )
    parser.add_argument(
        "--transcript",
        action="store_true",
        help="what was said around the change, read where its agent keeps it; nothing of it is stored",
    )
    parser.add_argument(
        "--full", action="store_true", help="all former changes, whole reasons, how changes were judged"
    )
    add_as_of(parser)
    add_formats(parser)


class Span(NamedTuple):
    """Lines of a file, by the name that somebody typed."""

    path: str
    first: int
    last: int


def run(args: argparse.Namespace) -> int:
    """Answer for lines, or for all that one name stands for."""
    span = span_of(args.place)
    repository = require_ledger(find(args.directory))
    if span is None and args.transcript:
        raise UsageError(f"--transcript is about lines: write {args.place.rpartition(':')[0]}:LINE")
    return _of_symbol(repository, args) if span is None else _of_lines(repository, args, span)


def span_of(place: str) -> Span | None:
    """Return the lines that are meant; None where a definition is."""
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


def _of_lines(repository: Repository, args: argparse.Namespace, span: Span) -> int:
    target = targets.find_target(repository, targets.locate(repository, args.directory, span.path), args.rev)
    until = asked(repository, args)
    found = explained(repository, target, span, until)
    look = Look(args.full, coloured(sys.stdout, args.color), _address(repository, target))
    about = {"path": target.path, "revision": target.revision, **meta(until)}
    if args.transcript:
        return _with_what_was_said(repository, args, found, about, look)
    give(args, _table(found), about, lambda: pages(list(together(found)), look))
    return 0


def _with_what_was_said(
    repository: Repository, args: argparse.Namespace, found: Sequence[Found], about: Mapping[str, object], look: Look
) -> int:
    """Answer with the conversation beside each line, in a field of its row, or below what is known of it."""
    from linetrail.queries.answers import transcript_text, why_transcript  # they read the files of all agents

    with open_tables(repository) as tables:
        conversations = why_transcript.Conversations(repository, tables)
        spoken = {id(one.why): conversations.behind(one.why) for one in found}
    wide = transcript_text.Look(terminal_width() or transcript_text.WIDTH, look.full, look.colour, links(sys.stdout))
    table = _table(found)
    told = (spoken[id(one.why)] for one in found)
    rows = [(*row, one and one.rows()) for row, one in zip(table.rows, told, strict=True)]
    give(
        args,
        Table((*table.columns, "transcript"), rows),
        about,
        lambda: "\n\n".join(
            "\n".join([page(one, look), *why_transcript.lines(spoken[id(one.why)], wide)]) for one in together(found)
        ),
    )
    return 0


def explained(repository: Repository, target: Target, span: Span, until: Cut | None = None) -> list[Found]:
    """Return what is known of each of these lines."""
    lines = split(target.content).lines
    if not 1 <= span.first <= span.last <= len(lines):
        missing = span.first if not 1 <= span.first <= len(lines) else span.last
        raise UsageError(f"no line {missing} in {target.path}, which ends at line {len(lines)}")
    answer, claims = explain(repository, target, until)
    with open_tables(repository, until=until) as tables:
        reasons = Reasons(tables, target.path, target.content)
        whys = [
            reasons.of(claims[number - 1], number, answer.attributions[number - 1])
            for number in range(span.first, span.last + 1)
        ]
    return [
        _found(target, number, lines[number - 1], answer, why, within)
        for (number, why), within in zip(enumerate(whys, span.first), _around(repository, target, span), strict=True)
    ]


def _address(repository: Repository, target: Target) -> str | None:
    """Return where a file of the work tree can be opened, for terminals that show links."""
    if target.revision is not None or not links(sys.stdout):
        return None
    return Path(repository.absolute(target.path)).as_uri()


def _found(target: Target, number: int, line: bytes, answer: Answer, why: Reason, within: Definition | None) -> Found:
    return Found(
        path=target.path,
        numbers=[number],
        texts=[line.decode("utf-8", "replace")],
        by=answer.attributions[number - 1],
        commit=answer.git.commits.get(answer.git.lines[number - 1].revision or ""),
        why=why,
        within=within,
    )


def _around(repository: Repository, target: Target, span: Span) -> list[Definition | None]:
    """Return the innermost definition around each line."""
    with closing(DefinitionIndex(repository)) as indexed:
        defined = indexed.side(target.path, target.content).definitions
    return [
        next((one for one in reversed(defined) if one.start_line <= number <= one.end_line), None)
        for number in range(span.first, span.last + 1)
    ]


def together(found: Sequence[Found]) -> Iterator[Found]:
    """Yield lines of which the same is to be said as one, where the first of them stands."""
    groups: dict[tuple[Attribution, int], list[Found]] = {}
    for one in found:
        groups.setdefault((one.by, id(one.why)), []).append(one)
    for same in groups.values():
        numbers = [number for one in same for number in one.numbers]
        texts = [text for one in same for text in one.texts]
        within = same[0].within if len({one.within for one in same}) == 1 else None
        yield same[0]._replace(numbers=numbers, texts=texts, within=within)


def _of_symbol(repository: Repository, args: argparse.Namespace) -> int:
    from linetrail.queries.answers import why_node  # it reads the syntax of files

    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    until = asked(repository, args)
    target, found = explained_symbol(repository, args.directory, args.place, revision, until)
    look = Look(args.full, coloured(sys.stdout, args.color), _address(repository, target))
    about = {"path": target.path, "revision": target.revision, **meta(until)}
    give(args, why_node.table(found), about, lambda: why_node.page(found, look))
    return 0


def explained_symbol(
    repository: Repository, directory: str, place: str, revision: str | None = None, until: Cut | None = None
) -> "tuple[Target, why_node.Found]":
    """Return what is known of one definition, and the file that it is in."""
    from linetrail.queries.answers import why_node  # these read the syntax of files
    from linetrail.queries.arguments.symbols import Symbols

    with closing(Symbols(repository)) as symbols:
        meant = symbols.meant(place, directory=directory, revision=revision)
        answer = blame(repository, meant.target, until)
        with open_tables(repository, until=until) as tables:
            lineage, versions = symbols.history(tables, meant)
            return meant.target, why_node.found(tables, meant.place, lineage, answer.attributions, versions)


def _table(found: Sequence[Found]) -> Table:
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
    return place | found.by._asdict() | {"commit_summary": found.summary} | behind
