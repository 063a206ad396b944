"""Reconstruct the text of a recorded state from the texts around it.

The ledger has the hashes of lines. What a change left alone stands in the content beside it; what it took or brought
is looked for in the contents that are known, as a whole stretch before line by line. The result counts only when it
has the recorded hash, so it is right or it is none.
"""

from collections.abc import Sequence

from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import split
from linetrail.projections.git.history import checked_out
from linetrail.projections.lines.align import Hashes
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.lines.transitions import Transition


def names_of(content: bytes | None) -> frozenset[str | None]:
    """Return the hashes under which a content may be recorded; no file has none."""
    return frozenset({None}) if content is None else frozenset(map(digest, checked_out(content)))


def plain(content: bytes) -> bytes:
    """Return a content with the line ends that git stores."""
    return content.replace(b"\r\n", b"\n")


class Texts:
    """Known contents, and the texts of their lines by hash; line ends are those that git stores."""

    def __init__(self) -> None:
        self._contents: list[tuple[list[str], list[bytes]]] = []
        self._lines: dict[str, bytes] = {}

    def learn(self, content: bytes) -> None:
        """Add a content; of two texts with one hash the earlier is kept."""
        text = split(content)
        hashes = hashes_of(text)
        self._contents.append((hashes, text.lines))
        self._lines = dict(zip(hashes, text.lines, strict=True)) | self._lines

    def fill(self, changes: Sequence[Transition], contents: list[bytes | None], replay: Replay) -> None:
        """Work out unknown contents, those before each change and after the last, from the known ones beside them."""
        for at in reversed(range(len(changes))):
            after = contents[at + 1]
            if contents[at] is None and after is not None:
                contents[at] = self._kept(self._before(changes[at], after, replay))
        for at, change in enumerate(changes):
            before = contents[at]
            if contents[at + 1] is None and before is not None:
                contents[at + 1] = self._kept(self._after(change, before))

    def _kept(self, content: bytes | None) -> bytes | None:
        if content is not None:
            self.learn(content)
        return content

    def _before(self, change: Transition, after: bytes, replay: Replay) -> bytes | None:
        if change.before_hash is None:
            return b""
        state = replay.state(change.before_hash)
        if state is None or change.hunks is None:
            return None
        swaps = [
            (hunk.new_start, hunk.new_start + len(hunk.hashes), state.hashes[hunk.start : hunk.stop])
            for hunk in change.hunks
        ]
        return self._swapped(after, swaps, change.before_hash)

    def _after(self, change: Transition, before: bytes) -> bytes | None:
        if change.after_hash is None:
            return b""
        swaps = [(hunk.start, hunk.stop, hunk.hashes) for hunk in change.hunks or ()]
        return self._swapped(before, swaps, change.after_hash) if change.hunks is not None else None

    def _swapped(self, content: bytes, swaps: Sequence[tuple[int, int, Hashes]], name: str) -> bytes | None:
        """Put other lines into a content, if that gives what has this hash."""
        lines = split(content).lines
        for start, stop, hashes in reversed(swaps):
            found = self._found(hashes)
            if found is None:
                return None
            lines[start:stop] = found
        made = b"\n".join(lines)
        return next((one for one in (made + b"\n", made) if name in names_of(one)), None)

    def _found(self, wanted: Hashes) -> Sequence[bytes] | None:
        """Return the texts of these lines."""
        for hashes, lines in self._contents if wanted else ():
            for at in (at for at, line in enumerate(hashes) if line == wanted[0]):
                if hashes[at : at + len(wanted)] == list(wanted):
                    return lines[at : at + len(wanted)]
        known = [self._lines.get(line) for line in wanted if line is not None]
        texts = [text for text in known if text is not None]
        return texts if len(texts) == len(wanted) else None
