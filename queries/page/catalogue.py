"""The views by name: where each is, and how the navigation calls it."""

import importlib
from typing import NamedTuple, cast

from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, View

HOME = "overview"


class Entry(NamedTuple):
    """A view; one that needs an id or a path to show anything is not in the navigation."""

    module: str
    label: str
    in_navigation: bool = True


VIEWS = {
    HOME: Entry("overview", "Overview"),
    "sessions": Entry("sessions", "Sessions"),
    "session": Entry("session", "Session", in_navigation=False),
    "files": Entry("files", "Files"),
    "file": Entry("file", "File", in_navigation=False),
    "intents": Entry("intents", "Intents"),
    "refusals": Entry("refusals", "Refusals"),
    "findings": Entry("findings", "Findings"),
    "decisions": Entry("decisions", "Decisions"),
    "ask": Entry("ask", "Ask"),
    "provenance": Entry("provenance", "Provenance"),
    "record": Entry("record", "Record", in_navigation=False),
}


def show(name: str, asked: Asked) -> Shown:
    """Return what a view shows."""
    if name not in VIEWS:
        raise NoSuchPageError(f"there is no page {name}")
    module = importlib.import_module(f"linetrail.queries.page.views.{VIEWS[name].module}")
    return cast("View", module).show(asked)
