"""The transition of one file, as the ledger keeps it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.event.event import MAX_LINE_BYTES, Event, to_line
from linetrail.ledger.observe.mutation import MAX_LINES, copy, snapshot, transition
from linetrail.ledger.observe.substance import edited_pairs, line_hash, similarity, split

WORDS = ["", "    ", "a = 1", "    a = 1", "b = a + 1", "}", "\treturn a", "# é"]
contents = st.lists(st.sampled_from(WORDS), max_size=20).flatmap(
    lambda rows: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join([*rows, ""]).encode())
)


def replay(entries, hashes):
    """Apply the hunks of a transition to line hashes, the way a projection does."""
    built, at = [], 0
    for entry in entries:
        for hunk in entry["hunks"]:
            start = hunk["old_start"] - 1 if hunk["old_lines"] else hunk["old_start"]
            built += hashes[at:start] + hunk.get("line_hashes", [])
            at = start + hunk["old_lines"]
    return built + hashes[at:]


def hashes_of(content):
    return [line_hash(line) for line in split(content).lines]


@given(contents, contents)
def test_the_hunks_alone_turn_the_hashes_of_one_state_into_those_of_the_next(before, after):
    assert replay(transition("f", before, after), hashes_of(before)) == hashes_of(after)


@given(contents, contents)
def test_hunks_count_lines_as_git_does(before, after):
    (entry,) = transition("f", before, after)

    assert entry["after_lines"] - entry["before_lines"] == sum(h["new_lines"] - h["old_lines"] for h in entry["hunks"])
    for hunk in entry["hunks"]:
        assert len(hunk.get("line_hashes", [])) == hunk["new_lines"]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(b"def f():\n\treturn  1\n", id="re-indented"),
        pytest.param(b"def f():\r\n    return 1\r\n", id="other line ends"),
        pytest.param(b"def f():\n    return 1", id="final newline gone"),
        pytest.param(b"def f():   \n    return 1\n", id="trailing blanks"),
    ],
)
def test_white_space_alone_makes_a_new_state_without_a_hunk(after):
    (entry,) = transition("f", b"def f():\n    return 1\n", after)

    assert entry["hunks"] == []
    assert entry["before_hash"] != entry["after_hash"]


def test_a_long_file_is_spread_over_parts_that_each_fit_a_line():
    rows = [b"x = %d" % n for n in range(9000)]
    after = b"\n".join([*rows, b""])

    entries = transition("p" * 200, b"a\nb\n", after)

    assert [entry["part"] for entry in entries] == [1, 2, 3, 4]
    assert replay(entries, hashes_of(b"a\nb\n")) == hashes_of(after)
    for entry in entries:
        event = Event("0" * 36, "t", "mutation.observed", "s", None, "ai", None, None, {"files": [entry]})
        assert len(to_line(event, 1, "0" * 64)) <= MAX_LINE_BYTES


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"\x89PNG\0\0", "binary", id="a picture"),
        pytest.param(b"x\n" * (MAX_LINES + 1), "too large", id="too many lines"),
    ],
)
def test_what_has_no_lines_to_own_is_recorded_by_hash(content, reason):
    (entry,) = transition("f", None, content)

    assert (entry["hunks"], entry["omitted"]) == (None, reason)


def test_a_state_without_a_past_is_a_snapshot():
    (entry,) = snapshot("f", b"a\nb\n")

    assert entry["snapshot"] is True
    assert entry["hunks"][0]["line_hashes"] == hashes_of(b"a\nb\n")


def test_an_inserted_function_begins_at_its_own_first_line():
    before = b"def a():\n    return 1\n\n\ndef c():\n    return 1\n"
    after = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return 1\n"

    (entry,) = transition("f", before, after)

    assert [(hunk["new_start"], hunk["new_lines"]) for hunk in entry["hunks"]] == [(5, 4)]


def test_a_changed_line_names_the_line_it_was_made_from():
    (entry,) = transition("f", b"a\nprice = net * rate\nz\n", b"a\nimport decimal\nprice = net * rate * count\nz\n")

    assert entry["hunks"][0]["edited"] == [[3, 2]]


def test_lines_are_compared_by_their_words_where_these_are_few_enough():
    old, new = ([f"price_{at} = {call}(order, {at})".encode() for at in range(50)] for call in ("cost", "total"))

    assert edited_pairs(old, new) == [(at, at) for at in range(50)]
    assert edited_pairs(old, [*new, b"one line more"]) == []


def test_a_line_that_was_only_broken_anew_names_the_lines_it_was_broken_from():
    (entry,) = transition("f", b"a\ncall(one, two)\nz\n", b"a\ncall(\n    one,\n    two,\n)\nz\n")

    assert entry["hunks"][0]["reflowed"] == [[2, 2], [3, 2], [4, 2], [5, 2]]
    assert "edited" not in entry["hunks"][0]


def test_a_copy_has_no_lines_of_its_own():
    (entry,) = copy("g", b"a\nb\n", "f")

    assert (entry["op"], entry["from_path"], entry["hunks"]) == ("copy", "f", [])
    assert entry["before_hash"] == entry["after_hash"]


def test_a_deleted_file_leaves_nothing():
    (entry,) = transition("f", b"a\n", None)

    assert (entry["op"], entry["after_hash"], entry["after_lines"]) == ("delete", None, 0)


def test_similarity_is_the_share_of_common_lines():
    assert similarity(b"a\nb\nc\nd\n", b"b\na\nx\nd\n") == 0.75
