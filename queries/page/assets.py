"""The style sheets and scripts of the pages: the files of `static/`, all of them on every page.

A script is an ES module that stands alone: it imports nothing, since a report has it inline, and what it adds to an
element it adds by a custom element or by a listener on the document, so that parts that come later have it too. No
element has a `style` attribute or a handler of its own: the policy of the pages forbids both.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

STATIC = Path(__file__).parent / "static"
VENDOR = STATIC / "vendor"
MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript"}


class Asset(NamedTuple):
    """A file of `static/`."""

    file: Path

    @property
    def path(self) -> str:
        """Return where the server has it."""
        return f"/static/{self.file.relative_to(STATIC).as_posix()}"

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.file.suffix]

    @property
    def text(self) -> Markup:
        """Return what it says, fit to stand in a page as it is."""
        return Markup(self.file.read_text(encoding="utf-8"))  # noqa: S704  our own file

    @property
    def digest(self) -> str:
        """Return what a policy calls it where it stands in a page."""
        return "sha256-" + base64.b64encode(hashlib.sha256(self.text.encode()).digest()).decode()


@cache
def assets(suffix: str) -> tuple[Asset, ...]:
    """Return the files with a suffix by name; the style sheet of all pages is the first."""
    found = sorted(STATIC.glob(f"*{suffix}"), key=lambda file: (file.stem != "page", file.name))
    return tuple(map(Asset, found))


@cache
def vendored() -> tuple[Asset, ...]:
    """Return the files of others that a script of ours loads."""
    return tuple(Asset(file) for file in sorted(VENDOR.iterdir()) if file.suffix in MEDIA_TYPES)
