"""The last known content of each file, and the changes that nobody saw between two known contents.

A session's write is a transition from the text before to the text after. Where the text before is not what was last
known, somebody else was at the file: that difference comes first, and nobody is said to have made it.
"""

from linetrail.ledger.files import digest, git_blob
from linetrail.ledger.observe.mutation import Entry, snapshot, transition, unread
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.recent import Recent
from linetrail.queries.importers.register import Register

_HELD_BYTES = 32 * 1024 * 1024
_ABSENT = ""


class Files:
    """The files of all checkouts; `place` names a file of one checkout, `path` the same file in the repository."""

    def __init__(self, objects: Objects, register: Register) -> None:
        self._objects = objects
        self._register = register
        # place -> hash of the content last known
        self._last: dict[str, str] = {}
        self._contents: Recent[bytes] = Recent(_HELD_BYTES)
        self._crlf: set[str] = set()

    def text(self, place: str) -> str | None:
        """Return the text last known, as a transcript would spell it; None when there is none or it is forgotten."""
        content = self._contents.get(self._last.get(place, _ABSENT))
        if content is None:
            return None
        text = content.decode(errors="replace")
        return text.replace("\r\n", "\n") if place in self._crlf else text

    def content(self, place: str, text: str | None) -> bytes | None:
        """Return a text as it was on disk: line ends are told as newlines even where they are others."""
        if text is None:
            return None
        content = text.encode(errors="replace")
        if b"\r" in content:
            return content
        if place not in self._last and b"\n" in content and not self._in_git(content):
            crlf = content.replace(b"\n", b"\r\n")
            if self._in_git(crlf):
                self._crlf.add(place)
        return content.replace(b"\n", b"\r\n") if place in self._crlf else content

    def unseen(self, place: str, path: str, before: bytes | None) -> list[Entry]:
        """Describe how a file came to be as a write found it; nothing when that is known."""
        last = self._last.get(place)
        if last == _name(before):
            return []
        if last is None:
            known = before is None or self._in_git(before) or self._register.has_state(path, _name(before))
            return [] if known or before is None else snapshot(path, before)
        old = self._contents.get(last)
        if old is not None or last == _ABSENT:
            return transition(path, old, before)
        return [unread(path, last, None, "content lost")] if before is None else snapshot(path, before)

    def note(self, place: str, content: bytes | None) -> None:
        """Remember what a file holds now."""
        self._last[place] = name = _name(content)
        if content is not None:
            self._contents.put(name, content, len(content))

    def _in_git(self, content: bytes) -> bool:
        return self._objects.read(git_blob(content)) is not None


def _name(content: bytes | None) -> str:
    return _ABSENT if content is None else digest(content)
