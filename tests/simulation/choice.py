"""Small numbers that stand for a choice: whatever they are, they mean something in any world."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import line_hash
from linetrail.projections.lines.align import trivial
from tests.simulation.agent import Session
from tests.simulation.model import File, Line
from tests.simulation.world import PEOPLE, NotNow, World

# Lines of substance that a block needs to be known again.
TELLING = 3


class Choice(NamedTuple):
    """Who, in which file, where (a percentage of its lines), how much, and one more for whatever is left open."""

    who: int = 0
    file: int = 0
    at: int = 0
    size: int = 0
    other: int = 0

    @property
    def person(self) -> str:
        """Return who is meant among people."""
        return PEOPLE[self.who % len(PEOPLE)]

    def path(self, world: World) -> str:
        """Return the file that is meant."""
        return sorted(world.files)[self.file % len(world.files)]

    def place(self, file: File) -> int:
        """Return a place between two lines."""
        return self.at * (len(file.lines) + 1) // 100 % (len(file.lines) + 1)

    def span(self, file: File, fewest: int = 1, most: int = 6, *, telling: int = 0) -> range:
        """Return a range of lines, with so many of substance in it."""
        size = fewest + self.size % (most - fewest + 1)
        places = range(len(file.lines) - size + 1)
        for step in range(len(places)):
            start = (self.place(file) + step) % len(places)
            lines = file.lines[start : start + size]
            if sum(map(tells, lines)) >= telling and lines[0].text.strip() and lines[-1].text.strip():
                return range(start, start + size)
        raise NotNow

    def owned(self, world: World, kind: str) -> tuple[str, int]:
        """Return a file and the place of a line of substance in it that is an agent's or a person's."""
        for step in range(len(world.files)):
            path = self._replace(file=self.file + step).path(world)
            lines = world.files[path].lines
            places = [at for at, line in enumerate(lines) if line.kinds == {kind} and tells(line)]
            if places:
                return path, places[self.at * len(places) // 100 % len(places)]
        raise NotNow


Operation = Callable[[World, Choice], None]


def tells(line: Line) -> bool:
    """Tell whether a line is of substance."""
    return not trivial(line_hash(line.text.encode()))


def author(world: World, session: Session | None) -> str:
    """Return what to write beside new lines."""
    return "nobody" if session is None else session.author


def name(session: Session | None, choice: Choice) -> str:
    """Return who it is in the story."""
    return choice.person if session is None else session.name


def quoted(lines: Sequence[Line]) -> str:
    """Return the first of the lines for the story."""
    return next((repr(line.text.strip()[:40]) for line in lines if line.text.strip()), "nothing")
