"""The page of promises lists the tests that prove them: all of them, and no other."""

import ast
import re
from pathlib import Path

import pytest

from tests.promises import PROMISES

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "promises.md"
ROW = re.compile(r"^\| \*\*(\w+)\*\* .*\| `([^`]+)` \|", re.MULTILINE)


def proofs():
    """Yield each promise that a test in the tree says it proves, with the name of the test."""
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            for mark in getattr(node, "decorator_list", []):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
                    yield from ((name.value, f"{path.relative_to(ROOT)}::{node.name}") for name in mark.args)


def test_the_page_lists_the_tests_that_prove_promises_and_no_other():
    listed = set(ROW.findall(PAGE.read_text(encoding="utf-8")))

    assert listed == set(proofs()), "write it anew: just promises"


def test_only_promises_that_were_made_are_proved():
    assert {promise for promise, _ in proofs()} <= set(PROMISES)


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

    pytester.runpytest_inprocess("--promises", "page.md").assert_outcomes(passed=3, skipped=1)

    page = (pytester.path / "page.md").read_text()
    rows = ROW.findall(page)
    name = "test_a_page_is_written_from_what_ran.py"
    assert rows == [("D1", f"{name}::test_cut"), ("D1", f"{name}::test_kill"), ("A1", f"{name}::test_cut")]
    assert "| 1 of 1 whole; 2 of 2 whole |" in page
    assert "| could not be tried here: no ptrace |" in page


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

    result = pytester.runpytest_inprocess("--promises", "page.md")

    assert said in result.stdout.str() + result.stderr.str()
    assert not (pytester.path / "page.md").exists()
