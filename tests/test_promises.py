"""The page of promises lists the tests that prove them: all of them, and no other."""

from pathlib import Path

import pytest

from tests import promises
from tests.promises import PROMISES, ROW

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "promises.md"
# Without the plugin of another library, which wants a setting that a run of its own has not.
WRITE = ("-p", "no:asyncio", "--promises")

# What can be tried with a hundred thousand events only.
NOT_EACH_DAY = {"T5"}


@pytest.fixture(scope="module")
def proved(pytestconfig):
    return list(promises.proved(pytestconfig))


def test_the_page_lists_the_tests_that_prove_promises_and_no_other(proved):
    listed = {(promise, test) for promise, test, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))}

    assert listed == {(promise, test) for promise, test, _ in proved}, "write it anew: just promises"


def test_only_promises_that_were_made_are_proved(proved):
    assert {promise for promise, _, _ in proved} <= set(PROMISES)


def test_each_promise_has_a_test_that_runs_each_day(proved):
    assert {promise for promise, _, _ in proved} - {promise for promise, _, daily in proved if daily} == NOT_EACH_DAY


def test_a_page_is_written_from_what_ran(pytester):
    pytester.makeconftest("pytest_plugins = ['tests.promises']")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.promise("A1", "D1")
        @pytest.mark.parametrize("size", [1, 2])
        def test_cut(figure, size):
            figure(f"{size} of {size} whole")

        @pytest.mark.promise("D1")
        def test_kill():
            pytest.skip("no ptrace")

        def test_other():
            pass
        """
    )

    pytester.runpytest_inprocess(*WRITE, "page.md").assert_outcomes(passed=3, skipped=1)

    page = (pytester.path / "page.md").read_text()
    rows = [row[:2] for row in ROW.findall(page)]
    name = "test_a_page_is_written_from_what_ran.py"
    assert rows == [("D1", f"{name}::test_cut"), ("D1", f"{name}::test_kill"), ("A1", f"{name}::test_cut")]
    assert "| 1 of 1 whole; 2 of 2 whole |" in page
    assert "| could not be tried here: no ptrace |" in page


def test_a_page_may_be_written_in_pieces(pytester):
    pytester.makeconftest("pytest_plugins = ['tests.promises']")
    tests = "import pytest\n" + "".join(
        f"@pytest.mark.promise('A1')\ndef test_{name}(figure):\n    figure('{name} reached')\n" for name in "abc"
    )
    pytester.makepyfile(test_pieces=tests)

    pytester.runpytest_inprocess(*WRITE, "page.md", "-k", "test_a or test_b")
    pytester.makepyfile(test_pieces=tests.replace("test_b", "test_d").replace("a reached", "nothing"))
    pytester.runpytest_inprocess(*WRITE, "page.md", "-k", "test_c")

    rows = {test.partition("::")[2]: text for _, test, text in ROW.findall((pytester.path / "page.md").read_text())}
    assert rows == {"test_a": "a reached", "test_c": "c reached"}


@pytest.mark.parametrize(
    ("promise", "body", "said"),
    [
        pytest.param("A1", "assert False", "page.md is as it was", id="broken"),
        pytest.param("Z9", "pass", "no promise is called Z9", id="never made"),
    ],
)
def test_no_page_is_written_from_a_run_that_failed(pytester, promise, body, said):
    pytester.makeconftest("pytest_plugins = ['tests.promises']")
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.promise('{promise}')\ndef test_it():\n    {body}\n")

    result = pytester.runpytest_inprocess(*WRITE, "page.md")

    assert said in result.stdout.str() + result.stderr.str()
    assert not (pytester.path / "page.md").exists()


@pytest.mark.parametrize("marks", ["pytest.mark.slow", "[pytest.mark.usefixtures('a'), pytest.mark.soak]"])
def test_a_file_that_is_slow_as_a_whole_proves_nothing_each_day(pytester, marks):
    test = "@pytest.mark.promise('A1')\ndef test_it():\n    pass\n"
    pytester.makepyfile(test_slow=f"import pytest\npytestmark = {marks}\n{test}", test_quick=f"import pytest\n{test}")

    assert [(test, daily) for _, test, daily in promises.proved(pytester.parseconfig("-p", "no:asyncio"))] == [
        ("test_quick.py::test_it", True),
        ("test_slow.py::test_it", False),
    ]
