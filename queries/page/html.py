"""Show values as HTML: templates that escape whatever they are given, and the links between views.

Foreign text is on one line and without signs that steer a reader's eye, as in a terminal; code keeps its tabs.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.page.catalogue import HOME, VIEWS
from linetrail.queries.page.charts import numbers
from linetrail.queries.page.view import Shown
from linetrail.queries.render.text import counted, duration, json_value, plain, short, with_short_hashes

TEMPLATES = Path(__file__).parent / "templates"
_IDS = ("event_id", "tool_call_id", "vcs_revision", "decision_id", "approval_id", "mutation_id")
# column -> the view that has more about its value, and the option that it is given as
_LINKED = {
    "session_id": ("session", "id"),
    "parent": ("session", "id"),
    "child": ("session", "id"),
    "intent_id": ("intent", "id"),
    "path": ("file", "path"),
    "file": ("file", "path"),
    "session": ("session", "id"),
    "intent": ("intent", "id"),
    **dict.fromkeys(_IDS, ("record", "id")),
}

_AGES = ((365, "y"), (30, "mo"), (7, "w"), (1, "d"))

# a view and its options -> where it is; None where it is not to be had
Link = Callable[[str, Mapping[str, str]], str | None]


def served(view: str, options: Mapping[str, str]) -> str:
    """Return the address of a view on the server.

    >>> served("file", {"path": "a b.py", "line": "3"})
    '/file?path=a+b.py&line=3'
    """
    path = "/" if view == HOME else f"/{view}"
    return f"{path}?{urlencode(options)}" if options else path


def environment(link: Link) -> Environment:
    """Return the templates, whose links lead to where `link` says."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def address(view: str, **options: object) -> str | None:
        return link(view, {name: str(value) for name, value in options.items() if value is not None})

    def anchor(text: object, view: str, **options: object) -> Markup:
        href, label = address(view, **options), _shown(text)
        return Markup('<a href="{}">{}</a>').format(href, label) if href else escape(label)

    def cell(name: str, value: object) -> Markup:
        if not isinstance(value, str) or not value or name not in _LINKED:
            return moment(value) if isinstance(value, datetime) else escape(_shown(value))
        view, option = _LINKED[name]
        if view == "file":
            return anchor(value, "files" if value.endswith("/") else view, **{option: value})
        label = short(value) if view == "session" else value
        return Markup('<span class="nowrap">{}</span>').format(anchor(label, view, **{option: value}))

    found.globals.update(address=address, a=anchor, cell=cell, counted=counted, views=VIEWS)
    found.filters.update(moment=moment, day=day, short=short, age=age, code=code, number=number, dollars=dollars)
    found.filters.update(with_short_hashes=with_short_hashes, duration=duration, numbers=numbers)
    return found


@cache
def on_the_server() -> Environment:
    return environment(served)


def view(templates: Environment, name: str, shown: Shown, *, prefix: str = "", report: bool = False) -> Markup:
    """Return the part of a page that a view fills; `prefix` is that of its anchors, where it is one of several."""
    told = {"title": shown.title, "rows": shown.rows, "prefix": prefix, "report": report, **shown.about}
    return Markup(templates.get_template(f"{VIEWS[name].module}.html").render(told))  # noqa: S704  rendered, so escaped


def problem(templates: Environment, error: LinetrailError) -> Markup:
    """Return the part of a page that says why there is nothing to show."""
    return Markup(templates.get_template("error.html").render(error=error, hint=error.hint))  # noqa: S704  rendered, so escaped


def moment(value: object) -> Markup:
    """Return a moment to the minute, in UTC, with the whole of it behind."""
    text = str(json_value(value)) if isinstance(value, datetime) else value
    if not isinstance(text, str) or not text:
        return escape(_shown(None))
    return Markup('<time datetime="{}">{}</time>').format(plain(text), plain(text[:16].replace("T", " ")))


def day(value: object) -> str:
    return value.isoformat()[:10] if isinstance(value, date) else str(value or "")[:10]


def age(value: str | None) -> str:
    """Return how long ago a moment is, in its largest unit.

    >>> age("2020-01-01T00:00:00Z").endswith(" y"), age(None)
    (True, '')
    """
    if not value:
        return ""
    days = (datetime.now(UTC) - datetime.fromisoformat(value).astimezone(UTC)).days
    size, unit = next((size, unit) for size, unit in _AGES if days >= size or size == 1)
    return f"{max(days, 0) // size} {unit}"


def code(value: str) -> Markup:
    r"""Return a line of code, in which only tabs are left of all control characters.

    >>> code("\tif a < b:\u202e")
    Markup('\tif a &lt; b:�')
    """
    return escape("\t".join(map(plain, value.split("\t"))))


def number(value: int | None) -> str:
    return plain(None) if value is None else f"{value:,}"


def dollars(value: int | None) -> str:
    """Return millionths of a dollar as dollars."""
    return plain(None) if value is None else f"${value / 1_000_000:,.2f}"


def _shown(value: Any) -> Any:
    return value if isinstance(value, Markup) else plain(value)
