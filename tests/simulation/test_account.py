"""The simulator's account of who wrote a line, where it is worked out and not just written down."""

import pytest

from tests.simulation.merging import merged, regions
from tests.simulation.model import File, edited, elsewhere, joined, written

BASE = written(["one", "two", "three", "four", "five", "six"], "human:person-1", "begin")


def tree(*lines, path="a.txt"):
    return {path: File(tuple(lines))}


def texts(found, path="a.txt"):
    return [line.text for line in found[path].lines]


def test_both_sides_of_a_merge_keep_their_authors():
    ours = tree(edited(BASE[0], "ai:session-1", "x", 0), *BASE[1:])
    theirs = tree(*BASE, *written(["seven"], "ai:session-2", "x"))

    found = merged(tree(*BASE), ours, theirs, "merge")

    assert [set(line.authors) for line in found["a.txt"].lines] == [
        {"ai:session-1"},
        *[{"human:person-1"}] * 5,
        {"ai:session-2"},
    ]
    assert [line.operation for line in found["a.txt"].lines] == ["x", *["begin"] * 5, "merge"]


def test_a_place_that_both_sides_changed_is_not_merged():
    ours = tree(edited(BASE[0], "ai:session-1", "x", 0), *BASE[1:])
    theirs = tree(edited(BASE[0], "ai:session-2", "x", 1), *BASE[1:])

    assert merged(tree(*BASE), ours, theirs, "merge") is None


def test_a_change_goes_to_the_new_name_of_its_file():
    theirs = tree(*BASE, *written(["seven"], "ai:session-2", "x"))

    found = merged(tree(*BASE), tree(*BASE, path="b.txt"), theirs, "merge")

    assert set(found) == {"b.txt"}
    assert texts(found, "b.txt")[-1] == "seven"


def test_a_revert_brings_deleted_lines_back():
    before, after = tree(*BASE), tree(*BASE[:2], *BASE[4:])

    assert texts(merged(after, after, before, "revert")) == [line.text for line in BASE]


def test_moved_lines_are_a_change_in_both_places():
    moved = elsewhere(BASE[:2], "move")

    found = [(len(old), len(new)) for old, new in regions(BASE, [*BASE[2:], *moved])]

    assert found == [(2, 0), (1, 1), (1, 1), (1, 1), (1, 1), (0, 2)]


def test_a_joined_line_may_be_said_to_be_either_authors():
    line = joined([BASE[0], *written(["two"], "ai:session-1", "x")], "one two", "join")

    assert line.kinds == {"ai", "human"}
    assert line.hands == {"ai", "human"}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_file_without_a_final_newline_ends_with_its_last_line(eol):
    assert File(tuple(BASE[:2]), eol, ended=False).content == f"one{eol}two".encode()
