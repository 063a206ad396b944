"""Lines that were only broken anew are told from lines that were changed, with the old text and without it."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.observe.reflow import MAX_LINES, MAX_TOKENS, by_hash, by_text
from linetrail.ledger.observe.substance import line_hash


def lines(text):
    return [line.encode() for line in text.split("\n")]


def hashes(text):
    return [line_hash(line) for line in lines(text)]


BROKEN = [
    pytest.param("let p = base()\n    .join(name);", "let p = base().join(name);", [(0, 0), (1, 0)], id="joined"),
    pytest.param("f(a, b)", "f(\n    a, b\n)", [(0, 0), (0, 1), (0, 2)], id="split"),
    pytest.param(
        "f(a, b)",
        "f(\n    a,\n    b,\n)",
        [(0, 0), (0, 1), (0, 2), (0, 3)],
        id="split, with a last comma",
    ),
    pytest.param("f(\n    a,\n    b,\n)", "f(a,\n  b,\n)", [(0, 0), (1, 0), (2, 1), (3, 2)], id="joined in part"),
    pytest.param(
        "The quick brown\nfox jumps over\nit.",
        "The quick\nbrown fox jumps\nover it.",
        [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)],
        id="a paragraph",
    ),
    pytest.param(
        "# the quick brown\n# fox jumps",
        "# the quick\n# brown fox\n# jumps",
        [(0, 0), (0, 1), (1, 1), (1, 2)],
        id="a comment",
    ),
    pytest.param("x = 'a'", 'x = "a"', [(0, 0)], id="other quotes"),
    pytest.param("x => { y }", "x => {\n  y;\n}", [(0, 0), (0, 1), (0, 2)], id="a semicolon"),
]
CHANGED = [
    pytest.param("f(a, b)", "f(a)", id="a token gone"),
    pytest.param("f(a)", "f(a, b)", id="a token more"),
    pytest.param("return f(a)", "f(a)", id="the first token gone"),
    pytest.param("# f(a)", "f(a)", id="no comment any more"),
    pytest.param("f(a)", "f(a,)", id="a comma where nothing was broken"),
    pytest.param("a = 1\nb = 2", "c = 3\nd = 4", id="other lines"),
    pytest.param("f(a, b)", "f(\n    c,\n    d,\n)", id="other words between the same signs"),
    pytest.param("x = 1\n}", "y = 2\n}", id="an equal line beside a changed one"),
]


@pytest.mark.parametrize(("old", "new", "pairs"), BROKEN)
def test_lines_broken_anew_name_the_lines_they_were_broken_from(old, new, pairs):
    assert by_text(lines(old), lines(new)) == pairs


@pytest.mark.parametrize(("old", "new", "pairs"), [case for case in BROKEN if case.id != "joined in part"])
def test_the_hashes_of_the_old_lines_tell_it_as_well(old, new, pairs):
    assert by_hash(hashes(old), lines(new)) == pairs


def test_lines_are_found_behind_a_new_one():
    old, new = "f(a, b)\ng(c, d)", "f(a,\n  b)\nh()\ng(c,\n  d)"

    assert by_hash(hashes(old), lines(new)) == [(0, 0), (0, 1), (1, 3), (1, 4)]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_changed_lines_were_not_broken_anew(old, new):
    assert [pair for pair in by_text(lines(old), lines(new)) if lines(old)[pair[0]] != lines(new)[pair[1]]] == []
    assert by_hash(hashes(old), lines(new)) == []


def test_a_line_with_another_word_is_not_among_those_broken_anew():
    pairs = by_text(lines("f(first, second)"), lines("f(\n    first,\n    other,\n)"))

    assert {new for _, new in pairs} == {0, 1}


WORDS = st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=4, max_size=60, unique=True)


@given(WORDS, st.integers(10, 40), st.integers(10, 40))
def test_a_paragraph_filled_to_another_width_keeps_all_its_words(words, width, other):
    old, new = (textwrap.wrap(" ".join(words), columns) for columns in (width, other))
    expected = [
        (x, y) for y, line in enumerate(new) for x, source in enumerate(old) if set(line.split()) & set(source.split())
    ]

    assert by_text([line.encode() for line in old], [line.encode() for line in new]) == expected
    if old != new:
        found = by_hash([line_hash(line.encode()) for line in old], [line.encode() for line in new])
        assert set(found) <= set(expected)


def test_very_long_texts_are_left_alone():
    long = [b"word " * (MAX_TOKENS + 1)]

    assert by_text(long, [b"word", b"word"]) == []
    assert by_hash([line_hash(b"x")] * (MAX_LINES + 1), [b"x y", b"z"]) == []
