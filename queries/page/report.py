"""Write the views of a repository into one HTML file, which opens from the disk in ten years and loads nothing."""

import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from linetrail.ledger.errors import DamageWarning, LinetrailError
from linetrail.ledger.repository import Repository
from linetrail.queries.page import html
from linetrail.queries.page.assets import assets
from linetrail.queries.page.catalogue import VIEWS, show
from linetrail.queries.page.view import Asked, Shown, damage

# What each report has; of the rest, as much as there is room for.
ALWAYS = (
    *("overview", "timeline", "sessions", "files", "intents", "approvals", "refusals", "findings", "decisions"),
    "provenance",
)
# No page is smaller: with less room than this, none is worked out any more.
_SMALLEST = 2_000


class Part(NamedTuple):
    """A view in the report, and its options."""

    view: str
    options: Mapping[str, str]
    shown: Shown


class LeftOut(NamedTuple):
    """A view that is not in the report, and why."""

    view: str
    name: str
    reason: str


class Report(NamedTuple):
    """The file, and what is not in it."""

    text: str
    left_out: list[LeftOut]


def report(repository: Repository, most_bytes: int) -> Report:
    """Return a report with as many intents, files and sessions as fit, those of most lines of agents first."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        parts, left_out = _gathered(repository, most_bytes)
    text = _text(repository, parts, left_out, damage(caught))
    for one in caught:
        warnings.warn(one.message, stacklevel=2)  # whoever asked is told as well
    return Report(text, left_out)


def _gathered(repository: Repository, most_bytes: int) -> tuple[list[Part], list[LeftOut]]:
    parts = [Part(name, {}, show(name, Asked(repository, {}, whole=True))) for name in ALWAYS]
    room = (
        most_bytes - sum(len(one.text.encode()) for one in (*assets(".css"), *assets(".js"))) - sum(map(_size, parts))
    )
    left_out = []
    for view, options in _others({part.view: part.shown for part in parts}):
        name = next(iter(options.values()))
        if room < _SMALLEST:
            left_out.append(LeftOut(view, name, "no room"))
            continue
        try:
            part = Part(view, options, show(view, Asked(repository, options, whole=True)))
        except LinetrailError as error:
            left_out.append(LeftOut(view, name, str(error)))
            continue
        if (size := _size(part)) > room:
            left_out.append(LeftOut(view, name, "no room"))
        else:
            parts.append(part)
            room -= size
    return parts, left_out


def _others(shown: Mapping[str, Shown]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what the views that are always there lead to, the most important first."""
    for intent in shown["intents"].rows:
        yield "intent", {"id": intent["id"]}
    for file in sorted(shown["files"].rows, key=lambda row: (-row["lines_ai"], row["dim"])):
        if file["lines_ai"]:
            yield "file", {"path": file["dim"]}
    for session in dict.fromkeys(row["session_id"] for row in shown["sessions"].rows):
        if session:
            yield "session", {"id": session}


def _size(part: Part) -> int:
    """Return how many bytes a part takes at most, with all of its links."""
    templates = html.environment(lambda *_: "#p00000-L000000")
    return len(html.view(templates, part.view, part.shown, prefix="p00000-", report=True).encode("utf-8", "replace"))


def _text(repository: Repository, parts: list[Part], left_out: list[LeftOut], told: list[str]) -> str:
    places = {(part.view, frozenset(part.options.items())): f"p{at}" for at, part in enumerate(parts)}

    def link(view: str, options: Mapping[str, str]) -> str | None:
        line = options.get("line")
        place = places.get((view, frozenset((name, value) for name, value in options.items() if name != "line")))
        return None if place is None else f"#{place}-L{line}" if line else f"#{place}"

    templates = html.environment(link)
    sections = [
        {
            "place": f"p{at}",
            "label": VIEWS[part.view].label if not part.options else part.shown.title,
            "key": VIEWS[part.view].key,
            "top": not part.options,
            "body": html.view(templates, part.view, part.shown, prefix=f"p{at}-", report=True),
        }
        for at, part in enumerate(parts)
    ]
    return templates.get_template("report.html").render(
        sections=sections,
        left_out=left_out,
        damage=told,
        root=repository.root.rpartition("/")[2],
        styles=assets(".css"),
        scripts=assets(".js"),
    )
