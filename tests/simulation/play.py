"""Play a history: plain data in, a world with its story out. The same data make the same story."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.simulation.agent import Deliver, in_process
from tests.simulation.choice import Choice
from tests.simulation.edits import ALIKE, EDITS
from tests.simulation.formats import FORMATS
from tests.simulation.moves import MOVES
from tests.simulation.rewrites import REWRITES
from tests.simulation.world import NotNow, World

OPERATIONS = {operation.__name__: operation for operation in (*EDITS, *ALIKE, *FORMATS, *MOVES, *REWRITES)}
# Where there is such a place, files that last seconds need no disk.
MEMORY = Path("/dev/shm")


class Step(NamedTuple):
    """One operation, with its choices."""

    operation: str
    choice: Choice


History = Sequence[Step]
# A step as data: the name, then the numbers.
Plain = list[str | int]


def play(
    history: History, folder: Path, deliver: Deliver = in_process, clock: Callable[[], float] = time.time
) -> World:
    """Play a history in a new folder below this one; what makes no sense where it stands is left out.

    A session is open from the beginning: where no agent ever was there is no ledger, and nothing to be right about.
    """
    world = World(folder / "project", deliver, clock)
    world.session(0)
    for step in history:
        said = len(world.story)
        with contextlib.suppress(NotNow):
            OPERATIONS[step.operation](world, step.choice)
        world.story[said:] = [f"[{step.operation}] {sentence}" for sentence in world.story[said:]]
    return world


@contextlib.contextmanager
def stage() -> Iterator[Path]:
    """Offer a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="linetrail-", dir=MEMORY if MEMORY.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def plain(history: History) -> list[Plain]:
    """Return a history as data."""
    return [[step.operation, *step.choice] for step in history]


def told(data: Sequence[Sequence[str | int]]) -> History:
    """Return the history that data tell of."""
    return [Step(str(name), Choice(*(int(number) for number in numbers))) for name, *numbers in data]
