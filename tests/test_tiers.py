"""A test with many cases says how many are enough each day, and for continuous integration."""

import re

import pytest

CONFTEST = "pytest_plugins = ['tests.tiers']"
MARKERS = "[pytest]\nmarkers =\n    daily\n    in_turn\n    independent\n    slow\n    soak\n"


@pytest.fixture
def names(pytester):
    """Return a function that tells the cases of a test that `-m` chooses, where the test has these decorators."""
    pytester.makeini(MARKERS)
    pytester.makeconftest(CONFTEST)

    def choose(expression, *decorators, arguments="a, b", options=()):
        marks = "\n".join(f"@pytest.mark.{one}" for one in decorators)
        pytester.makepyfile(f"import pytest\n{marks}\ndef test_it({arguments}):\n    pass\n")
        found = pytester.runpytest_inprocess("--collect-only", "-q", "-p", "no:asyncio", "-m", expression, *options)
        return re.findall(r"\[(.*)\]", found.stdout.str())

    return choose


CROSSED = ("parametrize('a', '12')", "parametrize('b', 'xyz')")
TABLE = ("parametrize('a, b', ['1x', '2x', '3x', '4x'])",)


def test_independent_parameters_show_each_value_and_the_other_pairs_are_left_to_soak(names):
    chosen = names("not soak", "independent", *CROSSED)

    assert len(chosen) == 3
    assert set("".join(chosen)) == set("12xyz-")
    assert len(names("soak", "independent", *CROSSED)) == 3


def test_rows_of_one_table_are_each_a_value(names):
    assert names("not soak", "independent", *TABLE) == ["1-x", "2-x", "3-x", "4-x"]


def test_the_first_cases_are_daily_and_the_others_slow(names):
    assert names("not slow", "daily(1)", *TABLE) == ["1-x"]
    assert names("not slow", "daily(1)", "independent", *CROSSED)[0] in ("1-x", "x-1")


def test_continuous_integration_may_have_enough_of_some_of_them(names):
    assert names("slow and not soak", "daily(1, 2)", *TABLE) == ["2-x", "3-x"]
    assert names("soak", "daily(1, 2)", *TABLE) == ["4-x"]


def test_what_is_in_turn_runs_at_one_of_two_commits_and_always_where_none_is_named(names):
    rows = [str(number) for number in range(40)]
    decorators = ("in_turn", "slow", f"parametrize('a', {rows})")
    turns = [names("slow and not soak", *decorators, arguments="a", options=[f"--turn=c0ffe{end}"]) for end in "01"]

    assert sorted(case for turn in turns for case in turn) == sorted(rows)
    assert all(turns)
    assert names("slow and not soak", *decorators, arguments="a", options=["--turn=c0ffe2"]) == turns[0]
    assert names("slow and not soak", *decorators, arguments="a") == rows
