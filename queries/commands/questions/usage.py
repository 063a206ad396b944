"""`linetrail usage`: sum the tokens that models used, and their cost at list prices."""

import argparse
from collections.abc import Iterator, Sequence

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.usage import BY, Spent, Usage, told, usage, zone
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.arguments.moments import moment
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.text import UNKNOWN, columns, plain, short, text_table, timestamp

_AGENTS = "select distinct agent_name from v_sessions where agent_name is not null order by all"
_FIRST_OUT = ("cache read", "cache write", "input", "output", "models")
_HEADINGS = ("answers", "input", "output", "cache write", "cache read", "total", "cost")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Each answer of a model counts once, by its message and request. Costs are what the public list prices say: a "
        "plan, a discount or a batch costs less. Days begin at midnight of the time zone, weeks on Monday."
    )
    parser.add_argument("by", nargs="?", choices=BY, default="daily", help="what to sum up by (default: daily)")
    parser.add_argument("--since", metavar="TIME", help="from then on: 2026-01-05, 7d, last week, monday")
    parser.add_argument("--until", metavar="TIME", help="before then")
    parser.add_argument("--breakdown", action="store_true", help="a row for each model")
    parser.add_argument("--timezone", metavar="ZONE", help="whose days: UTC, Europe/Berlin (default: this machine's)")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    where = zone(args.timezone)
    since, before = (None if text is None else moment(text) for text in (args.since, args.until))
    until = asked(repository, args)
    with open_tables(repository, until=until) as tables:
        found = usage(tables, args.by, since=since, until=before, where=where)
        agents = [] if found.groups else [str(name) for (name,) in tables.ask(_AGENTS).rows]
    about = {
        "root": repository.root,
        "by": args.by,
        "timezone": args.timezone,
        "since": since and timestamp(since),
        "until": before and timestamp(before),
        "totals": dict(
            zip(("answers", "total_tokens", "cost_microusd", "unpriced"), _totals(found.total), strict=True)
        ),
    }
    page = _page(found, breakdown=args.breakdown) if found.groups else _nothing(agents)
    give(args, found.table(breakdown=args.breakdown), {**about, **meta(until)}, lambda: page)
    return 0


def _totals(total: Spent) -> tuple[int | None, ...]:
    return total.answers, total.total_tokens, total.cost_microusd, total.unpriced


def _nothing(agents: Sequence[str]) -> str:
    """Return a note that names the imports which bring usage: hooks do not report it, histories do, except Cursor's."""
    from linetrail.ledger.adapters.claude_code import NAME as CLAUDE  # most have something recorded
    from linetrail.queries.importers.histories import cursor
    from linetrail.queries.importers.histories.sources import SOURCES

    imports = [f"linetrail import {name}" for name in agents if name in (CLAUDE, *SOURCES) and name != cursor.NAME]
    return f"no answer of a model is recorded here ({' and '.join(imports) or 'linetrail try'})"


def _page(found: Usage, *, breakdown: bool) -> str:
    """Return the sums as a table with a last line for the total."""
    several = len(found.groups) > 1 or breakdown
    lines = [*_lines(found, breakdown=breakdown), *([("total", "", found.total)] if several else [])]
    numbers = _padded([_HEADINGS, *(_numbers(spent) for _, _, spent in lines)])
    models = [] if found.name == "model_id" else ["models"]
    heading = (found.name, *models, *numbers[0])
    rows = [
        (key, *([named] if models else []), *cells) for (key, named, _), cells in zip(lines, numbers[1:], strict=True)
    ]
    first_out = [name for end in _FIRST_OUT for name in heading if name.strip() == end]
    page = text_table(Table(heading, rows), width=terminal_width(), dispensable=first_out)
    return "\n\n".join(filter(None, [page, told(found.total.unpriced)]))


def _lines(found: Usage, *, breakdown: bool) -> Iterator[tuple[str, str, Spent]]:
    for key, spent in found.groups.items():
        yield _key(found.name, key), ", ".join(map(_model, spent.models)), spent
        if breakdown and len(found.models[key]) > 1:
            for model, part in found.models[key].items():
                yield "", f"  {_model(model) or UNKNOWN}", part


def _key(name: str, key: str | None) -> str:
    """Return a key for people: the id of a session is abbreviated."""
    return plain(short(key) if key and name == "session_id" else key)


def _model(model: str) -> str:
    """Return the name of a model without its provider."""
    return model.rpartition("/")[2]


def _numbers(spent: Spent) -> tuple[str, ...]:
    counts = (spent.answers, *spent.tokens, spent.total_tokens)
    return (*(UNKNOWN if count is None else f"{count:,}" for count in counts), _dollars(spent))


def _dollars(spent: Spent) -> str:
    if spent.cost_microusd is None:
        return UNKNOWN
    cents = spent.cost_microusd / 1e6
    return f"${cents:,.2f}{'+' if spent.unpriced else ''}"


def _padded(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Align columns of numbers, given as text, to the right."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    return [tuple(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
