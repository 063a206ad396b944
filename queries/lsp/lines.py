"""Show the lines of a text: the reason for each, a hint behind it, what a definition went through."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from lsprotocol import types
from pygls.workspace import PositionCodec

from linetrail.projections.lines.attribution import CORRECTION, Attribution
from linetrail.projections.syntax.definitions import Definition
from linetrail.queries.answers.why.line import Explainer, Found, Span
from linetrail.queries.answers.why.text import Look, facts
from linetrail.queries.lsp.documents import Document
from linetrail.queries.lsp.mentions import linked
from linetrail.queries.render.text import counted, plain

# What Markdown would take for more than text: within a word, `_` is none of it.
_SIGNS = re.compile(r"([\\`*\[\]<~&]|(?<![^\W_])_|_(?![^\W_]))")
_UNITS = ((365, "y"), (30, "mo"), (7, "w"), (1, "d"))


def reason(document: Document, explainer: Explainer, number: int, *, markdown: bool) -> types.MarkupContent | None:
    """Return the reason for a line, counted from 1; None where nothing is known of it."""
    if not 1 <= number <= len(document.lines):
        return None
    [found] = explainer.explained(Span(document.path, number, number))
    if found.by.evidence == "none":
        return None
    if markdown:
        text = linked(document.repository, "\n\n".join(_paragraphs(found)))
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    said = [f"{label:<9}{plain(text)}".rstrip() for label, text, _ in facts(found, Look())]
    return types.MarkupContent(types.MarkupKind.PlainText, "\n".join(said))


def hints(
    document: Document, explainer: Explainer, numbers: Sequence[int], codec: PositionCodec, now: datetime
) -> list[types.InlayHint]:
    """Return a hint behind each of these lines of which something is known; none of them moves any text."""
    lines, known = document.lines, explainer.answer.attributions
    return [
        types.InlayHint(
            types.Position(number - 1, codec.client_num_units(lines[number - 1])),
            _label(known[number - 1], now),
            padding_left=True,
            data={"uri": document.uri, "line": number},
        )
        for number in numbers
        if number <= len(lines) and known[number - 1].evidence != "none"
    ]


def lenses(explainer: Explainer) -> list[types.CodeLens]:
    """Return what agents had to do with each definition in which they wrote a line."""
    return [
        types.CodeLens(_line(one.start_line), types.Command(title, ""))
        for one in explainer.definitions
        if (title := _went_through(explainer, one)) is not None
    ]


def _went_through(explainer: Explainer, definition: Definition) -> str | None:
    rows = explainer.answer.attributions[definition.start_line - 1 : definition.end_line]
    written = [by for by in rows if by.contributor_type == "ai"]
    if not written:
        return None
    sessions = {by.session_id for by in written if by.session_id}
    intents = sorted({by.intent_id for by in written if by.intent_id})
    share = f"{len(written)} of {counted(len(rows), 'line')} by agents"
    return " · ".join([share, counted(len(sessions), "session"), *intents])


def _label(by: Attribution, now: datetime) -> str:
    """Say who wrote a line, for what, when, and how that is known.

    A `?` marks what is doubtful, parentheses what is presumed from git alone.
    """
    name = by.agent_name if by.contributor_type == "ai" else by.author
    unnamed = {"ai": "agent", "human": "a person" if by.evidence == CORRECTION else "?"}.get(by.contributor_type, "?")
    who = f"{plain(name) if name else unnamed}{'?' if by.doubtful else ''}"
    presumed = by.evidence == "git"
    age = _age(by.written_at, now)
    parts = [by.intent_id, f"({who})" if presumed else who, age, by.evidence]
    return " · ".join(part for part in parts if part)


def _age(written_at: str | None, now: datetime) -> str | None:
    """Return how long ago something was, in the largest unit of which it is one at least.

    >>> _age("2026-01-05T10:00:00Z", datetime(2026, 1, 19, tzinfo=UTC))
    '1 w'
    """
    if written_at is None:
        return None
    days = (now - datetime.fromisoformat(written_at).astimezone(UTC)).days
    return next((f"{days // size} {unit}" for size, unit in _UNITS if days >= size), "today")


def _paragraphs(found: Found) -> Iterator[str]:
    """Yield a paragraph for each fact; those without a label go on with the one above."""
    paragraph = ""
    for label, said, _ in facts(found, Look()):
        text = _SIGNS.sub(r"\\\1", plain(said))
        if label and paragraph:
            yield paragraph
        paragraph = f"**{label}** {text}" if label else f"{paragraph}  \n{text}"
    yield paragraph


def _line(number: int) -> types.Range:
    return types.Range(types.Position(number - 1, 0), types.Position(number - 1, 0))
