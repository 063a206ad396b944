"""Write the views of a repository into one HTML file, which opens from the disk in ten years and loads nothing.

The views that are always there can be read without scripts. What they lead to is packed, and opened where it is looked
at: a browser has the whole file in memory, but lays out what is read. Where all does not fit, the stories of lines are
left out first, then all but the first rows of long lists, then whole pages, the least important first.
"""

import base64
import gzip
import os
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache
from typing import NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from linetrail.ledger.errors import DamageWarning, LinetrailError
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Opened
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.blame import Files, blame
from linetrail.queries.page import html
from linetrail.queries.page.assets import assets
from linetrail.queries.page.catalogue import VIEWS, show
from linetrail.queries.page.view import Asked, Shown, damage

# What each report has; of the rest, as much as there is room for.
ALWAYS = (
    *("overview", "timeline", "sessions", "files", "intents", "approvals", "refusals", "findings", "decisions"),
    "provenance",
)
MOST_BYTES = 10_000_000
# What the pages of sessions and of files are made of, each behind what it is made of itself.
HELD = (
    *("prompts", "tool_calls", "sessions", "formatted_files", "token_usage", "findable"),
    *("v_mutations", "v_commits"),
)
# No page is smaller: with less room than this, none is worked out any more.
_SMALLEST = 1_000
# What a packed page has around it, besides its title twice.
_AROUND = 400
_NO_ROOM = "no room"


class Depth(NamedTuple):
    """Which views a report has but the beginning of, and what it says of that."""

    shortened: frozenset[str] = frozenset()
    said: str | None = None


_FILES = frozenset({"file"})
DEPTHS = (
    Depth(),
    Depth(_FILES, "why lines are as they are"),
    Depth(_FILES | {"session", *ALWAYS}, "why lines are as they are, and all but the first rows of long lists"),
)


Key = tuple[str, frozenset[tuple[str, str]]]


class Part(NamedTuple):
    """A view in the report, and its options."""

    view: str
    options: Mapping[str, str]
    shown: Shown

    @property
    def key(self) -> Key:
        """Return what a link to it says."""
        return _key(self.view, self.options)

    @property
    def left_out(self) -> "LeftOut":
        """Return what is said where it does not fit."""
        return LeftOut(self.view, _name(self.options), _NO_ROOM)


class LeftOut(NamedTuple):
    """A view that is not in the report, and why."""

    view: str
    name: str
    reason: str


class Report(NamedTuple):
    """The file, and what is not in it."""

    text: str
    left_out: list[LeftOut]
    shed: str | None


def report(repository: Repository, most_bytes: int, until: Cut | None = None) -> Report:
    """Return a report with as many intents, files and sessions as fit, those of most lines of agents first."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        ledger = Ledger(repository).digest()  # before the tables are opened: what is recorded meanwhile is in none
        with open_tables(repository, until=until) as tables:
            for name in HELD:
                tables.hold(name)
            views = _Views(repository, until, Opened(ledger, tables))
            for depth in DEPTHS:
                parts, left_out = _gathered(views, most_bytes, depth)
                if not any(map(_has_no_room, left_out)):
                    break
    for one in caught:
        warnings.warn(one.message, stacklevel=2)  # whoever asked is told as well
    around: dict[str, object] = {"damage": damage(caught), "shed": depth.said, "as_of": until and until.meaning}
    around["stands"] = next(part.shown.about for part in parts if part.view == "provenance")
    around["root"] = repository.root.rpartition("/")[2]
    text = _text(parts, around | {"left_out": left_out})
    while len(text.encode("utf-8", "replace")) > most_bytes and len(parts) > len(ALWAYS):
        left_out.append(parts.pop().left_out)
        text = _text(parts, around | {"left_out": left_out})
    return Report(text, left_out, depth.said)


class _Views:
    """The views of a repository over one state of its ledger; each is worked out once."""

    def __init__(self, repository: Repository, until: Cut | None, opened: Opened) -> None:
        self._asked = Asked(repository, {}, until=until, opened=opened)
        self._shown: dict[tuple[Key, bool], Shown] = {}

    def part(self, view: str, options: Mapping[str, str], depth: Depth) -> Part:
        """Return a view with these options as a part of the report."""
        whole = view not in depth.shortened
        key = (_key(view, options), whole)
        if key not in self._shown:
            self._shown[key] = show(view, self._asked._replace(options=options, whole=whole))
        return Part(view, options, self._shown[key])

    def blame(self, paths: Iterable[str]) -> None:
        """Have the lines of files answered together: of what explains those of several, the past is replayed once."""
        repository = self._asked.repository
        present = [path for path in paths if os.path.isfile(repository.absolute(path))]
        with closing(Objects(repository)) as store, suppress(LinetrailError), self._asked.lent() as opened:
            files = Files(repository, repository.root, present, None, store)
            for _ in blame(repository, files, until=self._asked.until, opened=opened):
                pass  # the answers are remembered, and a page that has none says why


def _gathered(views: _Views, most_bytes: int, depth: Depth) -> tuple[list[Part], list[LeftOut]]:
    """Return the parts that fit, the always-there ones first, and what is left out.

    A depth that is not the last one is given up at the first part that does not fit.
    """
    # the overview, which comes first, has of lines and findings what others have worked out
    parts = [views.part(name, {}, depth) for name in reversed(ALWAYS)][::-1]
    files = sum(len(one.text.encode()) for one in (*assets(".css"), *assets(".js")))
    room = most_bytes - files - sum(len(_rendered(part)) for part in parts)
    left_out: list[LeftOut] = []
    others = list(_others({part.view: part.shown for part in parts}))
    views.blame([options["path"] for view, options in others if view == "file"])
    for view, options in others:
        if left_out and _has_no_room(left_out[-1]) and depth is not DEPTHS[-1]:
            break
        if room < _SMALLEST:
            left_out.append(LeftOut(view, _name(options), _NO_ROOM))
            continue
        try:
            part = views.part(view, options, depth)
        except LinetrailError as error:
            left_out.append(LeftOut(view, _name(options), str(error)))
            continue
        size = len(_packed(_rendered(part))) + 2 * len(part.shown.title.encode("utf-8", "replace")) + _AROUND
        if size > room:
            left_out.append(part.left_out)
        else:
            parts.append(part)
            room -= size
    return parts, left_out


def _has_no_room(left_out: LeftOut) -> bool:
    return left_out.reason == _NO_ROOM


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


def _rendered(part: Part) -> bytes:
    """Return a part with links that are as long as those it will have, and as hard to pack."""
    return _body(_for_size(), part, "p00000-")


@cache
def _for_size() -> Environment:
    def link(view: str, options: Mapping[str, str]) -> str:
        name = zlib.crc32(repr((view, sorted(options.items()))).encode()) % 100_000
        return f"#p{name:05}-L{options.get('line', '')}"

    return html.environment(link)


def _body(templates: Environment, part: Part, prefix: str) -> bytes:
    found = html.view(templates, part.view, part.shown, prefix=prefix, report=True)
    return found.encode("utf-8", "replace")


def _packed(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def _text(parts: Sequence[Part], around: Mapping[str, object]) -> str:
    places = {part.key: f"p{at}" for at, part in enumerate(parts)}

    def link(view: str, options: Mapping[str, str]) -> str | None:
        line = options.get("line")
        place = places.get(_key(view, {name: value for name, value in options.items() if name != "line"}))
        return None if place is None else f"#{place}-L{line}" if line else f"#{place}"

    templates = html.environment(link)
    sections = [
        {
            "place": f"p{at}",
            "label": part.shown.title if part.options else VIEWS[part.view].label,
            "key": VIEWS[part.view].key,
            "top": not part.options,
            "body": Markup(_body(templates, part, f"p{at}-").decode()) if not part.options else None,  # noqa: S704  rendered, escaped
            "packed": _packed(_body(templates, part, f"p{at}-")) if part.options else None,
        }
        for at, part in enumerate(parts)
    ]
    told = {"sections": sections, "styles": assets(".css"), "scripts": assets(".js"), **around}
    return templates.get_template("report.html").render(told)


def _key(view: str, options: Mapping[str, str]) -> Key:
    return view, frozenset(options.items())


def _name(options: Mapping[str, str]) -> str:
    return next(iter(options.values()))
