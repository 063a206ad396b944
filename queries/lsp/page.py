"""The page of a repository, served to the person's browser for as long as the editor runs."""

import subprocess
import sys
from urllib.parse import urlencode, urlsplit, urlunsplit

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository


class PageError(LinetrailError):
    """The page cannot be served."""

    hint = "linetrail serve"


class Page:
    """A process of `linetrail serve`; its first address lets a browser in, and is spent by that."""

    def __init__(self, repository: Repository) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "linetrail", "-C", repository.root, "serve", "--until-eof"],
            stdin=subprocess.PIPE,  # closed by the system when the server is killed, and the page with it
            stdout=subprocess.PIPE,
            text=True,
        )
        self._address = self._process.stdout.readline().strip() if self._process.stdout else ""
        self._is_known = False
        if not self._address:
            self.close()
            raise PageError("linetrail serve ended at once; the editor's log of this server says why")

    def address(self, path: str, line: int) -> str:
        """Return the address of a line; the first time, that of the door."""
        if not self._is_known:
            self._is_known = True
            return self._address
        place = urlsplit(self._address)
        return urlunsplit((place.scheme, place.netloc, "/file", urlencode({"path": path, "line": line}), ""))

    def is_open(self) -> bool:
        """Return whether it is served still."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it."""
        self._process.communicate()
