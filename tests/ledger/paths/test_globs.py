"""Which paths a scope owns, and whether two own the same: compared with definitions that are slow and plainly right."""

import itertools
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linetrail.ledger.intents.overlaps import overlap
from linetrail.ledger.paths.globs import ScopeError, compile_scope, has_braces, problem
from tests.examples import examples
from tests.ledger.plain import plainly_owns

COMPONENTS = [
    "a",
    "b",
    "ab",
    "*",
    "**",
    "?",
    "*a",
    "a*",
    "*b*",
    "[ab]",
    "[!a]",
    "***",
    "a?",
    "é",
    "[a-c]*",
    "[]a]",
    "a.b",
]
globs = st.builds(
    lambda parts, start, end: start + "/".join(parts) + end,
    st.lists(st.sampled_from(COMPONENTS), min_size=1, max_size=4),
    st.sampled_from(["", "", "", "!", "./", "!./"]),
    st.sampled_from(["", "", "/"]),
)
scopes = st.lists(globs, max_size=4)
names = st.text(alphabet="abcé.]", min_size=1, max_size=3)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@settings(max_examples=examples(300))
@given(scope=scopes, path=paths)
def test_a_scope_owns_what_the_plain_definition_owns(scope, path):
    assert (compile_scope(scope).owner(path) is not None) == plainly_owns(scope, path)


@pytest.mark.soak
@settings(max_examples=20_000)
@given(scope=scopes, path=paths)
def test_a_scope_owns_what_the_plain_definition_owns_twenty_thousand_times(scope, path):
    assert (compile_scope(scope).owner(path) is not None) == plainly_owns(scope, path)


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("", "INVALID_GLOB"),
        ("!", "INVALID_GLOB"),
        ("./", "INVALID_GLOB"),
        (".", "INVALID_GLOB"),
        ("..", "INVALID_GLOB"),
        ("src/../x", "INVALID_GLOB"),
        ("src//x", "INVALID_GLOB"),
        ("src/./x", "INVALID_GLOB"),
        ("!!src/x", "INVALID_GLOB"),
        (" src", "INVALID_GLOB"),
        ("src\t", "INVALID_GLOB"),
        ("! src", "INVALID_GLOB"),
        ("src\u200b/x", "INVALID_GLOB"),
        ("src\n", "INVALID_GLOB"),
        ("src\\x", "INVALID_GLOB"),
        ("src/[a", "INVALID_GLOB"),
        ("src/[]", "INVALID_GLOB"),
        ("src[/]a", "INVALID_GLOB"),
        ("src/[^a]", "INVALID_GLOB"),
        ("src/[z-a]", "INVALID_GLOB"),
        ("src/[[:alpha:]]", "INVALID_GLOB"),
        ("a" * 5_000, "INVALID_GLOB"),
        ("\ud800", "INVALID_GLOB"),
        (None, "INVALID_GLOB"),
        (1, "INVALID_GLOB"),
        ("/src/**", "ABSOLUTE_PATH"),
        ("!/src/**", "ABSOLUTE_PATH"),
        ("~/src", "ABSOLUTE_PATH"),
        ("C:/src", "ABSOLUTE_PATH"),
        ("file://src", "ABSOLUTE_PATH"),
    ],
)
def test_what_could_be_read_in_two_ways_is_a_problem(pattern, code):
    found = problem(pattern)

    assert found is not None
    assert found[0] == code
    with pytest.raises(ScopeError) as caught:
        compile_scope(["src/**", pattern])
    assert caught.value.pattern == pattern


@pytest.mark.parametrize(
    "pattern", ["src", "src/", "./src", "!src", "**", "*", "a b/c", "[]]", "[!]]", "[[]", "x{a,b}", "#x", "é"]
)
def test_what_has_one_reading_is_none(pattern):
    assert problem(pattern) is None


def test_braces_are_noticed_and_literal():
    assert has_braces("src/{a,b}.py")
    assert not has_braces("src/}{.py")
    assert compile_scope(["src/{a,b}.py"]).owner("src/{a,b}.py")
    assert not compile_scope(["src/{a,b}.py"]).owner("src/a.py")


def test_the_exclusion_that_decides_is_named():
    found = compile_scope(["!src/x/**", "src/**"]).ownership("src/x/y")

    assert (found.pattern, found.excluded_by) == (None, "!src/x/**")


@pytest.mark.parametrize(
    "path", ["src/Secret/k", "src/SECRET/k", "src/secret/k", "src/caf\u00e9/k", "src/CAFE\u0301/k"]
)
def test_an_exclusion_holds_however_a_path_is_spelled(path):
    scope = compile_scope(["src/**", "!src/Secret/**", "!src/cafe\u0301/"])

    assert scope.owner(path) is None
    assert scope.owner("src/secrets/k")


def test_nothing_comes_into_a_scope_by_another_spelling():
    scope = compile_scope(["src/**", "caf\u00e9"])

    assert [scope.owner(path) for path in ("SRC/a", "\uff53rc/a", "cafe\u0301", "CAF\u00c9")] == [None] * 4


def test_a_path_that_is_stored_in_quotes_is_compared_without_them():
    assert compile_scope(['"a".md']).owner('"\\042a\\042.md"')


def test_more_than_what_can_be_matched_in_time_is_an_error():
    with pytest.raises(ScopeError) as caught:
        compile_scope(["x" * 4_000] * 20)

    assert caught.value.pattern is None


HOSTILE = {
    "stars": ("*a" * 30 + "b", "a" * 250),
    "stars with one": ("*a?" * 30 + "b", "a" * 250),
    "folders": ("**/" + "a/**/" * 30 + "b", "a/" * 60 + "c"),
    "folders and stars": ("**/*a*/" * 30 + "b", "aa/" * 60 + "c"),
    "sets": ("[!b]*[a-z]" * 30 + "b", "a" * 250),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_pattern_takes_more_steps_than_a_path_has_characters(kind):
    pattern, path = HOSTILE[kind]
    scope = compile_scope([pattern] * 100)

    first, again = (lines_of(lambda: scope.owner(path)) for _ in range(2))

    # Looking a character up costs what the patterns are long, once; each further one costs the same few lines.
    assert first <= 5 * 100 * len(pattern) + 20 * len(path)
    assert again <= 20 * len(path) + 50


def lines_of(act) -> int:
    """Count the lines of Python that are executed."""
    count = 0

    def watch(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


SMALL = [
    "/".join(parts)
    for depth in (1, 2, 3)
    for parts in itertools.product(["a", "b", "ab", "ba", "aa", "bb", "c", "aab"], repeat=depth)
]
small_globs = st.builds(
    lambda parts, start: start + "/".join(parts),
    st.lists(
        st.sampled_from(["a", "b", "*", "**", "?", "*a", "a*", "*b", "[ab]", "[!a]", "a*b", "??"]),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["", "", "!"]),
)
small_scopes = st.lists(small_globs, min_size=1, max_size=3)


def check_overlap(one: list[str], other: list[str]) -> None:
    """Compare with all short paths: what is found is owned by both, and nothing is missed."""
    found = overlap(one, other)
    ours, theirs = compile_scope(one), compile_scope(other)
    if found is None:
        assert not any(ours.owner(path) and theirs.owner(path) for path in SMALL)
        return
    assert found.path
    assert ours.owner(found.path)
    assert theirs.owner(found.path)
    assert found.first in one
    assert found.second in other
    assert compile_scope([found.first]).owner(found.path)
    assert compile_scope([found.second]).owner(found.path)
    assert all(name[-1:] not in {"", ".", " "} for name in found.path.split("/"))


@settings(max_examples=examples(150))
@given(one=small_scopes, other=small_scopes)
def test_an_overlap_is_found_where_there_is_one_and_nowhere_else(one, other):
    check_overlap(one, other)


@pytest.mark.soak
@settings(max_examples=5_000)
@given(one=small_scopes, other=small_scopes)
def test_an_overlap_is_found_where_there_is_one_five_thousand_times(one, other):
    check_overlap(one, other)


@settings(max_examples=examples(200))
@given(scope=scopes, other=scopes, path=paths)
def test_scopes_that_own_the_same_path_overlap(scope, other, path):
    one, two = [*scope, path], [*other, path]
    assume(all(name[-1] != "." for name in path.split("/")))
    assume(compile_scope(one).owner(path) and compile_scope(two).owner(path))

    assert overlap(one, two) is not None


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        (["src/**"], ["src/a.py"], "src/a.py"),
        (["src/*.py"], ["src/*.md"], None),
        (["src/*a"], ["src/b*"], "src/ba"),
        (["src/[a-m]*"], ["src/[n-z]*"], None),
        (["src/[!a]"], ["src/[!b-z]"], "src/0"),
        (["src"], ["src/**"], None),
        (["src/"], ["src/**/b"], "src/b"),
        (["src/**", "!src/x/**"], ["src/x/**"], None),
        (["src/**"], ["src/x/**", "!src/**"], None),
        (["src/?"], ["src/.*"], None),
        (["/src"], ["src"], None),
        ([], ["**"], None),
        (["src/é*"], ["src/*é"], "src/é"),
    ],
)
def test_overlaps_by_example(one, other, path):
    found = overlap(one, other)

    assert (found and found.path) == path


def test_where_it_takes_too_long_an_overlap_is_assumed():
    one, other = ["*" + "?" * 300 + "b"], ["*a" + "?" * 300 + "cb"]

    assert overlap(one, other) == (one[0], other[0], "")
