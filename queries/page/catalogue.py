"""The views by name: where each is, and how the navigation calls it."""

import importlib
from functools import partial
from typing import NamedTuple, cast

from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, View

HOME = "overview"


class Entry(NamedTuple):
    """A view; `key`, pressed after g, goes to it. One that needs an id, a path or a store to show anything has none."""

    module: str
    label: str
    key: str | None = None

    @property
    def in_navigation(self) -> bool:
        """Return whether every page leads to it."""
        return self.key is not None


VIEWS = {
    HOME: Entry("overview", "Overview", "o"),
    "timeline": Entry("timeline", "Timeline", "t"),
    "sessions": Entry("sessions", "Sessions", "s"),
    "session": Entry("session", "Session"),
    "files": Entry("files", "Files", "f"),
    "file": Entry("file", "File"),
    "story": Entry("story", "Story"),
    "intents": Entry("intents", "Intents", "i"),
    "intent": Entry("intent", "Intent"),
    "approvals": Entry("approvals", "Approvals", "a"),
    "refusals": Entry("refusals", "Refusals", "r"),
    "findings": Entry("findings", "Findings", "n"),
    "decisions": Entry("decisions", "Decisions", "d"),
    "ask": Entry("ask", "Ask", "q"),
    "provenance": Entry("provenance", "Provenance", "p"),
    "record": Entry("record", "Record"),
    "fleet": Entry("fleet", "Fleet"),
}


def show(name: str, asked: Asked) -> Shown:
    if name not in VIEWS:
        raise NoSuchPageError(f"there is no page {name}")
    module = importlib.import_module(f"linetrail.queries.page.views.{VIEWS[name].module}")
    view = partial(cast("View", module).show, asked)
    return asked.held.show(view) if asked.held else view()
