"""Rules that are shapes: what letters, names and conditions in a table stand for."""

import pytest

from linetrail.projections.proof.rules import Place
from linetrail.projections.proof.rules.catalogue import rules
from linetrail.projections.proof.rules.patterns import CONDITIONS, patterns
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term
from tests.projections.proof.judging import judged


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x = len(range(0, n))", "x = len(range(n))", id="a letter is anything"),
        pytest.param("x = d.get(k, None)", "x = d.get(k)", id="the same letter twice"),
        pytest.param("x = list(sorted(n, key=k))", "x = sorted(n, key=k)", id="the arguments that are left"),
        pytest.param("x = {a: 0 for a in n}", "x = dict.fromkeys(n, 0)", id="a variable that is declared"),
        pytest.param("x = n if n > k else k", "x = max(k, n)", id="a choice"),
        pytest.param("if a > b.c:\n    b.c = a", "b.c = max(b.c, a)", id="what is assigned to"),
        pytest.param("if n and k in d and d[k]:\n    f()", "if n and d.get(k):\n    f()", id="neighbours in a chain"),
        pytest.param(
            "import os.path as p\nx = p.abspath(__file__)", "x = __file__", id="a name by what it means, under another"
        ),
    ],
)
def test_a_shape_is_known_again(before, after):
    assert judged(f"{before}\n", f"{after}\n").label == "refactor"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x = range(1, n)", "x = range(n)", id="another literal"),
        pytest.param("x = {a: a for a in n}", "x = dict.fromkeys(n, a)", id="a variable that the shape declares"),
        pytest.param("x = d[k] if k in e else None", "x = d.get(k)", id="two letters for one"),
        pytest.param("x = f() if f() > k else k", "x = max(k, f())", id="what does something is done once"),
        pytest.param("x = d.get(k, False)", "x = d.get(k)", id="a condition that does not hold"),
        pytest.param("x = p.abspath(__file__)", "x = __file__", id="a name that means nothing here"),
        pytest.param("x = range(*n)", "x = range(0, *n)", id="no letter for several arguments"),
    ],
)
def test_what_only_resembles_a_shape_is_none(before, after):
    assert judged(f"{before}\n", f"{after}\n").label == "evolution"


@pytest.mark.parametrize("dialect", ["python", "ecmascript", "go", "java", "rust"])
def test_every_shape_of_a_table_can_be_read(dialect):
    assert all(rule.kinds and rule.name for found in rules(dialect).values() for rule in found)


def test_a_condition_without_a_name_is_refused():
    with pytest.raises(KeyError):
        patterns("python", {"x": "f(x) -> x if nobody:x"}, str)


def test_a_shape_that_is_no_program_is_refused():
    with pytest.raises(ValueError, match="no python"):
        patterns("python", {"x": "f( -> x"}, str)


def test_a_false_value_is_one_by_its_kind():
    assert CONDITIONS["false"](Term(t.LIT, ("int", "0")), Place("python"))
    assert not CONDITIONS["false"](Term(t.LIT, ("str", "0")), Place("python"))
