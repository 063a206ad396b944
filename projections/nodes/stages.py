"""Lay out the contents between two contents of a file, with the recorded changes that led from one to the next."""

from collections.abc import Sequence
from typing import NamedTuple

from linetrail.projections.lines.transitions import Transition
from linetrail.projections.nodes.chains import Chain, Interval


class Stage(NamedTuple):
    """A content that is known, and the changes that made the next one out of it: none where nobody was seen."""

    path: str
    content: bytes
    changes: Sequence[Transition]


def stages(interval: Interval, chains: Sequence[Chain]) -> list[Stage]:
    """Return the stages of an interval, the last one first; the last of these is its earlier content."""
    found: list[Stage] = []
    path, waiting = interval.path, list[Transition]()
    for number, chain in enumerate(chains):
        end = chain.contents[-1]
        if number and end is not None:
            path = chain.changes[-1].path if chain.changes else interval.old_path
            found.append(Stage(path, end, waiting))
            waiting = []
        for change, content in zip(reversed(chain.changes), reversed(chain.contents[:-1]), strict=True):
            waiting = [change, *waiting]
            path = change.from_path or path
            if content is not None:
                found.append(Stage(path, content, waiting))
                waiting = []
    before = interval.before or b""
    if waiting or not found or found[-1].content != before:
        found.append(Stage(interval.old_path, before, waiting))
    return found
