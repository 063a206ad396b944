"""Which statements say the same, whatever the language, and which only look like it: the cases of flow.toml.

What is said to be the same in Python is run: `f` and `g` remember what they were asked.
"""

import itertools
import tomllib
from pathlib import Path
from textwrap import indent

import pytest

from tests.projections.proof.judging import judged

CASES = tomllib.loads((Path(__file__).parent / "flow.toml").read_text(encoding="utf-8"))
SAME, DIFFERENT = (
    {name: (case["before"], case["after"]) for name, case in CASES[kind].items()} for kind in ("same", "different")
)


def _function(body: str) -> str:
    return f"def run(a, b, f, g):\n{indent(body, '    ')}"


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_statements_that_say_the_same(before, after):
    there, back = judged(_function(before), _function(after)), judged(_function(after), _function(before))

    assert "evolution" not in (there.label, back.label), there


@pytest.mark.parametrize(("before", "after"), DIFFERENT.values(), ids=DIFFERENT)
def test_statements_that_only_look_like_it(before, after):
    assert judged(_function(before), _function(after)).label == "evolution"


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_what_says_the_same_does_the_same(before, after):
    one, other = _compiled(before), _compiled(after)

    for a, b in itertools.product((0, 1, 2, None), repeat=2):
        assert _trace(one, a, b) == _trace(other, a, b), (a, b)


def _compiled(body: str):
    names: dict[str, object] = {}
    exec(_function(body), names)
    return names["run"]


def _trace(function, a, b):
    asked: list[object] = []

    def f(value):
        asked.append(("f", value))
        if value == 2:
            raise ValueError(value)
        return value

    def g(value):
        asked.append(("g", value))
        return value

    try:
        found = function(a, b, f, g)
        found = list(found) if hasattr(found, "__next__") else found
    except Exception as error:  # noqa: BLE001  which error it is belongs to what a program does
        found = type(error)
    return found, asked
