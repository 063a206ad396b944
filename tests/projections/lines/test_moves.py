"""Lines that a change only put elsewhere or broke anew keep their owners, and equal lines alone prove nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.observe.substance import line_hash
from linetrail.projections.lines.align import trivial
from linetrail.projections.lines.moves import moved
from tests.projections.lines.test_attribution import Story, of


def hashed(text, start=0):
    return {at: line_hash(word.encode()) for at, word in enumerate(text.split(), start)}


@pytest.mark.parametrize(
    ("gone", "came", "pairs"),
    [
        pytest.param("alpha beta", "alpha beta", [(0, 9), (1, 10)], id="a block"),
        pytest.param("alpha ) beta", "alpha ) beta", [(0, 9), (1, 10), (2, 11)], id="with a trivial line inside"),
        pytest.param("alpha )", "x alpha )", [(0, 10), (1, 11)], id="with a trivial line at its end"),
        pytest.param(") alpha", "alpha )", [(1, 9), (0, 10)], id="with one that is at its other end now"),
        pytest.param("alpha beta", "beta alpha", [(1, 9), (0, 10)], id="two lines, each on its own"),
        pytest.param("alpha alpha", "alpha", [], id="nobody knows which of two"),
        pytest.param(
            "a b a c", "a c a b", [(2, 9), (3, 10), (0, 11), (1, 12)], id="lines that repeat, by their neighbours"
        ),
        pytest.param(
            "a a a a b", "a a a a b", [(at, at + 9) for at in range(5)], id="up from a line that does not repeat"
        ),
        pytest.param("a a a a", "a a a a", [], id="lines that repeat with all their neighbours"),
        pytest.param(") pass", ") pass", [], id="trivial lines alone"),
    ],
)
def test_what_went_is_found_where_it_came(gone, came, pairs):
    assert moved(hashed(gone), hashed(came, 9)) == pairs


def test_a_block_may_have_to_be_of_so_many_lines():
    assert moved(hashed("alpha"), hashed("alpha", 9), least=2) == []


LINES = st.dictionaries(st.integers(0, 40), st.sampled_from([*hashed("a b c d e f g ) pass").values(), None]))


@given(LINES, LINES, st.integers(1, 3))
def test_each_line_is_paired_once_with_an_equal_one(gone, came, least):
    pairs = moved(gone, came, least=least)

    assert all(gone[old] == came[new] is not None for old, new in pairs)
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    telling = [pair for pair in pairs if not trivial(came[pair[1]])]
    assert bool(pairs) == bool(telling)


def test_an_agent_that_moves_a_persons_lines_did_not_write_them():
    story = Story(of("one two three four")).write("a", of("three four new one two"))

    assert story.who() == ["-", "-", "a", "-", "-"]


def test_an_agent_that_moves_another_agents_lines_did_not_write_them():
    story = Story().write("a", of("one two three four")).write("b", of("three four new one two"))

    assert story.who() == ["a", "a", "b", "a", "a"]


@pytest.mark.parametrize("between", ["three four", "one two three four one two"], ids=["deleted first", "added first"])
def test_a_move_in_two_changes_is_one(between):
    story = Story(of("one two three four")).write("a", of(between)).write("a", of("three four one two"))

    assert story.who() == ["-"] * 4


def test_a_second_block_is_its_writers_while_the_first_is_there():
    story = Story(of("one two three")).write("a", of("one two three one two"))

    assert story.who() == ["-", "-", "-", "a", "a"]


def test_a_block_that_another_session_took_away_leaves_the_second_one_to_its_writer():
    story = Story(of("one two three")).write("a", of("one two three one two")).write("b", of("three one two"))

    assert story.who() == ["-", "a", "a"]


def test_a_copy_that_is_taken_away_leaves_the_first_block_to_its_writer():
    story = Story().write("a", of("zero one two"))
    story.write("b", of("zero one two three one two")).write("a", of("zero one two three"))

    assert story.who() == ["a", "a", "a", "b"]


def test_of_two_blocks_that_came_at_once_the_one_that_stays_was_not_moved():
    story = Story().write("a", of("one two three one two")).write("a", of("three one two"))

    assert [one.relation for one in story.owners()] == ["same"] * 3


def test_lines_that_an_agent_puts_back_are_whose_they_were():
    story = (
        Story().write("a", of("one two three four")).write("b", of("one four")).write("b", of("one x two three four"))
    )

    assert story.who() == ["a", "b", "a", "a", "a"]


def test_a_person_moves_an_agents_lines_unseen():
    story = Story().write("a", of("one two three four"))

    assert story.who(of("three four new one two")) == ["a", "a", "-", "a", "a"]
    assert {one.relation for one in story.owners(of("three four one two"))} == {"kept", "moved"}


@pytest.mark.parametrize("teller", ["b", "nobody"], ids=["another agent", "nobody we saw"])
def test_lines_broken_anew_keep_their_owner(teller):
    story = Story().write("a", "first = 1\ncall(one, two)\n").write(teller, "first = 1\ncall(\n    one,\n    two,\n)\n")

    assert story.who() == ["a"] * 5
    assert [one.relation for one in story.owners()] == ["same", *["reflowed"] * 4]


def test_lines_joined_unseen_are_known_by_their_hashes():
    story = Story().write("a", "first = 1\ncall(one,\n     two)\nlast = 2\n")

    assert story.who("first = 1\ncall(one, two)\nlast = 2\n") == ["a"] * 3


@pytest.mark.parametrize(("second", "mixed"), [("a", True), ("human", False)], ids=["of both kinds", "of one kind"])
def test_a_line_joined_out_of_two_changes_is_the_later_ones(second, mixed):
    story = (
        Story().write("human", "x = f(one,\n  two)\n").write(second, "x = f(one,\n  2)\n").write("b", "x = f(one, 2)\n")
    )

    (line,) = story.owners()
    assert (line.claim.session_id, line.mixed) == (second, mixed)


def test_a_changed_word_in_a_line_broken_anew_is_its_changers():
    story = Story().write("a", "call(one, two)\n").write("b", "call(\n    one,\n    three,\n)\n")

    assert story.who()[:3] == ["a", "a", "b"]
