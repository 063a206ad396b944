"""The everyday ways in which people, agents and git change a file, one short history for each.

A step is an operation of the simulator with its choices: who, which file, where in percent, how much, and one more.
Files are counted in the order of their names: notes in prose, then two Python modules.
"""

from collections.abc import Sequence

from tests.simulation.choice import Choice
from tests.simulation.play import History, Step

HEAP, TEXT = 1, 2
Short = tuple[str, Choice] | str

INSERT = ("agent_inserts", Choice(0, HEAP, 50, 0, 3))
BELOW = ("agent_inserts", Choice(0, HEAP, 80, 0, 3))
ABOVE = ("person_inserts", Choice(1, HEAP, 10))
EDIT_AGENTS = ("person_edits_an_agents_line", Choice(1, HEAP, 40))
SPACES = ("space_inside_lines", Choice(1, HEAP))
SWITCH = "switch"
# An even number in the last place leaves an agent out of it.
BY_PERSON = Choice(1, HEAP, 0, 0, 1)

KINDS: dict[str, Sequence[Short]] = {
    "insert by Edit": [INSERT, "commit"],
    "new file by Write": [("agent_writes_a_new_file", Choice(0, HEAP)), "commit"],
    "person edits an agent's line, same commit": [INSERT, EDIT_AGENTS, "commit"],
    "person edits an agent's line, later commit": [INSERT, "commit", EDIT_AGENTS, "commit"],
    "person inserts above, same commit": [INSERT, ABOVE, "commit"],
    "rename in a later commit": [INSERT, "commit", ("person_renames", BY_PERSON), "commit"],
    "rename before the commit": [INSERT, ("person_renames", Choice(1, HEAP)), "commit"],
    "formatter, same commit": [INSERT, SPACES, "commit"],
    "formatter, later commit": [INSERT, "commit", SPACES, "commit"],
    "amend": [INSERT, "commit", ABOVE, "amend"],
    "rebase": ["branch", BELOW, "commit", SWITCH, ABOVE, "commit", SWITCH, "rebase"],
    "cherry-pick": ["branch", BELOW, "commit", SWITCH, ABOVE, "commit", "cherry_pick"],
    "squash merge": [
        "branch",
        BELOW,
        "commit",
        INSERT,
        "commit",
        ABOVE,
        "commit",
        SWITCH,
        ("person_inserts", Choice(1, TEXT, 10)),
        "commit",
        "squash_merge",
    ],
    "merge commit": ["branch", BELOW, "commit", SWITCH, ABOVE, "commit", "merge"],
    "file written by a command": [("agent_writes_a_file_by_command", Choice()), "commit"],
    "person types the same line elsewhere": [
        INSERT,
        "commit",
        ("person_types_the_same_line", Choice(1, HEAP)),
        "commit",
    ],
    "agent's edit reverted, person writes something else": [INSERT, "commit", "revert", ABOVE, "commit"],
    "Write over a file that keeps a person's lines": [
        ("agent_rewrites_the_file", Choice(0, HEAP, 20, 2, 60)),
        "commit",
    ],
    "Edit among a person's uncommitted lines": [
        ("person_inserts", Choice(1, HEAP, 50)),
        ("agent_inserts", Choice(0, HEAP, 53)),
        "commit",
    ],
    "not committed yet": [INSERT],
    "stash, other commit, pop": [INSERT, "stash", ABOVE, "commit", "stash_pop", "commit"],
    "two models on one block": [INSERT, ("agent_edits", Choice(1, HEAP, 53)), "commit"],
    "block moved to another file": [
        INSERT,
        "commit",
        ("person_moves_to_another_file", Choice(1, HEAP, 0, 1)),
        "commit",
    ],
    "CRLF file": [("switch_line_ends", Choice(1, HEAP)), "commit", INSERT, "commit"],
    "path with other letters and a space": [("person_renames", Choice(1, HEAP, 0, 2)), "commit", INSERT, "commit"],
    "agent commits by itself": [("agent_writes_a_new_file", Choice(0, HEAP)), "agent_commits"],
    "person indents the block": [INSERT, "commit", ("reindent_a_block", Choice(1, HEAP, 45, 9)), "commit"],
}


def history(steps: Sequence[Short]) -> History:
    """Return a history with everything that was left to be understood."""
    return [Step(step, BY_PERSON) if isinstance(step, str) else Step(*step) for step in steps]
