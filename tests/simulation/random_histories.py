"""Random histories: chosen freely, and with stretches that make something of branches, stashes and reverts."""

import random
from collections.abc import Sequence

from tests.simulation.choice import Choice
from tests.simulation.edits import EDITS
from tests.simulation.formats import FORMATS
from tests.simulation.moves import MOVES
from tests.simulation.play import History, Step

CHANGES = [operation.__name__ for operation in EDITS]
AGENTS = [name for name in CHANGES if "agent" in name and "delete" not in name]
LAYOUT = [operation.__name__ for operation in FORMATS]
PLACES = [operation.__name__ for operation in MOVES]
ANY = "*"
STRETCHES: Sequence[Sequence[str]] = (
    ("branch", ANY, ANY, "commit", ANY, "switch", ANY, "merge"),
    ("branch", ANY, "commit", ANY, "switch", ANY, "squash_merge"),
    ("branch", ANY, ANY, "switch", ANY, "switch", "rebase", "switch", "merge"),
    ("branch", ANY, "switch", ANY, "commit", "cherry_pick"),
    ("commit", ANY, "commit", "revert", ANY, "revert_a_revert"),
    ("commit", ANY, "commit", ANY, "revert"),
    (ANY, "stash", ANY, "commit", "stash_pop", "commit"),
    (ANY, "commit", ANY, "amend"),
    ("commit", ANY, "commit", ANY, "commit", ANY, "fixup"),
    (ANY, ANY, ANY, "commit_a_part", ANY, "commit"),
    (ANY, "commit", ANY, "commit", "reset_soft"),
    (ANY, "commit", ANY, "reset_mixed", "commit"),
    (ANY, "commit", ANY, "commit", "reset_hard", ANY),
    ("worktree",),
    ("merge_with_a_conflict",),
    ("split_lines", ANY, "join_lines"),
    (ANY, "agent_commits"),
    ("commit",),
    ("commit",),
)
LONGEST = 14


def random_history(seed: int | str, operation: str | None = None) -> History:
    """Return the history of a seed; one operation may be asked to be in it."""
    chance = random.Random(f"history {seed}")
    names = [chance.choice(AGENTS), chance.choice(AGENTS)]
    while len(names) < LONGEST - 4:
        names += stretch(chance)
    if operation is not None and operation not in names:
        names[chance.randrange(len(names) // 2, len(names))] = operation
    return [Step(name, _choice(chance)) for name in names]


def stretch(chance: random.Random) -> list[str]:
    """Return a few operations that belong together."""
    if chance.random() < 0.5:
        return [_change(chance), _change(chance)]
    return [_change(chance) if name == ANY else name for name in chance.choice(STRETCHES)]


def _change(chance: random.Random) -> str:
    return chance.choice(chance.choices((AGENTS, CHANGES, LAYOUT, PLACES), (2, 4, 2, 2))[0])


def _choice(chance: random.Random) -> Choice:
    return Choice(
        chance.randrange(3), chance.randrange(4), chance.randrange(100), chance.randrange(10), chance.randrange(100)
    )
