"""What a change of one file is called, and what the evidence says."""

import sys
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.projections.classify.classify import classify
from linetrail.projections.classify.judgement import Change
from tests.projections.proof.judging import judged

pytestmark = pytest.mark.in_turn

PROVED = [
    pytest.param("x = f( 1,2 )\n", "x = f(1, 2)\n", "formatting", "laid out otherwise", id="blanks"),
    pytest.param("x = 'a' 'b'\n", 'x = "ab"\n', "formatting", "the same tree", id="quotes and joined strings"),
    pytest.param("x = [1, 2]\n", "x = [\n    1,\n    2,\n]\n", "formatting", "the same tree", id="a trailing comma"),
    pytest.param("x = 1  # one\n", "x = 1  # the first\n", "comment", "comments alone", id="a comment"),
    pytest.param('def f():\n    """Old."""\n', 'def f():\n    """New."""\n', "comment", "docstrings", id="a docstring"),
    pytest.param(
        "def f(a):\n    total = a + 1\n    return g(total, total)\n",
        "def f(a):\n    sum_ = a + 1\n    return g(sum_, sum_)\n",
        "refactor",
        "renamed local `total` to `sum_` (3 uses)",
        id="a local variable gets another name",
    ),
    pytest.param(
        "a = b = 0\n\n\ndef f():\n    global a\n    global b\n    a = b\n    b = 1\n",
        "a = b = 0\n\n\ndef f():\n    global a, b\n    a = b\n    b = 1\n",
        "refactor",
        "one global for several",
        id="two statements about globals become one",
    ),
    pytest.param(
        "def _a(x):\n    return x\n\n\ndef f():\n    return _a(1)\n",
        "def _b(x):\n    return x\n\n\ndef f():\n    return _b(1)\n",
        "refactor",
        "renamed `_a` to `_b`",
        id="a private function gets another name",
    ),
    pytest.param(
        "class A:\n    def set(self):\n        self._n = 1\n\n    def get(self):\n        return self._n\n",
        "class A:\n    def set(self):\n        self._count = 1\n\n    def get(self):\n        return self._count\n",
        "refactor",
        "renamed member `_n` to `_count`",
        id="a private attribute gets another name",
    ),
    pytest.param(
        "def f():\n    return 1\n\n\ndef g():\n    return 2\n",
        "def g():\n    return 2\n\n\ndef f():\n    return 1\n",
        "refactor",
        "stands elsewhere",
        id="functions change places",
    ),
    pytest.param(
        "import os\nimport re\n\nx = os.path, re\n",
        "import re\nimport os\n\nx = os.path, re\n",
        "refactor",
        "imports",
        id="imports change places",
    ),
    pytest.param(
        "import json\n\n\ndef f(x):\n    return json.dumps(x)\n",
        "from json import dumps as text\n\n\ndef f(x):\n    return text(x)\n",
        "refactor",
        "imports",
        id="a module's function is imported by name",
    ),
    pytest.param(
        "def f(a):\n    return g(a.b, h(a))\n",
        "def f(a):\n    second = h(a)\n    return g(a.b, second)\n",
        "evolution",
        "",
        id="a call moves ahead of a look-up that it may change",
    ),
    pytest.param(
        "def f(a):\n    return g(h(a), 1)\n",
        "def f(a):\n    first = h(a)\n    return g(first, 1)\n",
        "refactor",
        "passes a value on",
        id="a variable is introduced for the first thing that happens",
    ),
    pytest.param(
        "def f(x):\n    return x + 1\n\n\nTABLE = f\n",
        "def f(x):\n    return _g(x)\n\n\nTABLE = f\n\n\ndef _g(x):\n    return x + 1\n",
        "refactor",
        "extracted function `_g`",
        id="a function is extracted below where another is only named",
    ),
    pytest.param(
        "def f(rows):\n    n = 0\n    for row in rows:\n        n += row.size\n    return n * 2\n",
        "def f(rows):\n    n = _sum(rows)\n    return n * 2\n\n\n"
        "def _sum(rows):\n    n = 0\n    for row in rows:\n        n += row.size\n    return n\n",
        "refactor",
        "extracted function `_sum`",
        id="a function is extracted",
    ),
    pytest.param(
        "_LIMIT = 10\n\n\ndef f(x):\n    return x < _LIMIT\n",
        "def f(x):\n    return x < 10\n",
        "refactor",
        "inlined",
        id="a constant is inlined",
    ),
    pytest.param(
        "def f(x: int) -> int:\n    return x\n",
        "def f(x):\n    return x\n",
        "refactor",
        "annotations differ",
        id="annotations go",
    ),
    pytest.param(
        "def f():\n    a = 1\n    b = []\n    return g(a, b, a, b)\n",
        "def f():\n    b = []\n    a = 1\n    return g(a, b, a, b)\n",
        "refactor",
        "",
        id="two assignments that do not need each other change places",
    ),
]
CHANGED = [
    pytest.param("x = 1\n", "x = 2\n", id="a constant"),
    pytest.param("x = 'a b'\n", "x = 'a  b'\n", id="white space in a string"),
    pytest.param("def f(a):\n    return a\n", "def g(a):\n    return a\n", id="a public function gets another name"),
    pytest.param("def f(a):\n    return a\n", "def f(b):\n    return b\n", id="a parameter that can be given by name"),
    pytest.param(
        "def f(a):\n    if a:\n        g()\n        h()\n", "def f(a):\n    if a:\n        g()\n    h()\n", id="dedent"
    ),
    pytest.param(
        "def f(a):\n    b = a\n    return len(b)\n",
        "def f(a):\n    len = a\n    return len(len)\n",
        id="a new name takes a builtin's place",
    ),
    pytest.param(
        "def f(a):\n    b = a\n    for c in b:\n        g(c, b)\n",
        "def f(a):\n    c = a\n    for c in c:\n        g(c, c)\n",
        id="a new name meets another variable",
    ),
    pytest.param(
        "def f(self):\n    items = self.items\n    self.items = []\n    return items\n",
        "def f(self):\n    self.items = []\n    return self.items\n",
        id="a value is looked up after it was changed",
    ),
    pytest.param(
        "def f(x):\n    y = x.n\n    g(x)\n    return y\n",
        "def f(x):\n    g(x)\n    return x.n\n",
        id="a value is looked up after a call",
    ),
    pytest.param(
        "def f(a):\n    b = h(a)\n    return a and g(b)\n",
        "def f(a):\n    return a and g(h(a))\n",
        id="a call becomes conditional",
    ),
    pytest.param(
        "def f():\n    print(f.__doc__)\n\n\ndef g():\n    '''Old.'''\n",
        "def f():\n    print(f.__doc__)\n\n\ndef g():\n    '''New.'''\n",
        id="a docstring in a program that reads docstrings",
    ),
    pytest.param(
        "class A:\n    _x = 1\n\n    def get(self):\n        return getattr(self, '_x')\n",
        "class A:\n    _y = 1\n\n    def get(self):\n        return getattr(self, '_x')\n",
        id="a private attribute that is looked up by its name",
    ),
    pytest.param("def _f():\n    return 1\n", "", id="a private function goes"),
    pytest.param("match x:\n    case 1: f()\n", "match x,:\n    case 1: f()\n", id="a subject becomes a tuple"),
    pytest.param("match x:\n    case 1: f()\n", "match x:\n    case 1,: f()\n", id="a pattern becomes a sequence"),
    pytest.param('y = f"{(x:=1)}"\n', 'y = f"{x:=1}"\n', id="an assignment becomes a format"),
    pytest.param("y = await_(a) ** 2\n", "y = await_(a ** 2)\n", id="a power is taken earlier"),
    pytest.param("import os\n\nx = os\n", "x = os\n", id="an import that is used goes"),
    pytest.param("import os\n\nx = os.sep\n", "x = os.sep\n", id="an import that is looked into goes"),
    pytest.param("#!/bin/sh\n", "#!/bin/bash\n", id="no language at all"),
    pytest.param("def f(:\n", "def f( :\n", id="code that does not parse"),
]


@pytest.mark.parametrize(("before", "after", "label", "note"), PROVED)
def test_a_change_is_called_what_it_is(before, after, label, note):
    found = judged(before, after)

    assert found.label == label, found.evidence
    assert note in " | ".join(found.evidence)


@pytest.mark.parametrize(("before", "after"), CHANGED)
def test_what_is_not_proved_is_evolution(before, after):
    found = judged(before, after)

    assert (found.label, found.mutation_class) == ("evolution", "INTENT_EVOLUTION")
    assert found.evidence


@pytest.mark.parametrize(("before", "after", "label", "_note"), PROVED)
def test_a_proof_holds_in_both_directions(before, after, label, _note):
    assert judged(after, before).label == label


@pytest.mark.slow
@given(
    st.binary(max_size=200), st.binary(max_size=200), st.sampled_from(["a.py", "a.ts", "a.java", "a.go", "a.rs", "a"])
)
def test_no_bytes_make_it_fail(before, after, path):
    assert classify([Change(path, before, after)]).whole.label in ("formatting", "comment", "refactor", "evolution")


@pytest.mark.slow
def test_a_deeply_nested_program_is_not_followed_for_ever():
    depth = 30_000
    before = "x = " + "[" * depth + "]" * depth
    after = "x = " + "[" * depth + "1" + "]" * depth

    assert judged(before, after).label == "evolution"
    assert sys.getrecursionlimit() < depth


def test_nothing_but_the_same_bytes_is_no_change():
    found = judged("x = 1\n", "x = 1\n")

    assert (found.label, found.kind) == ("formatting", "unchanged")


def nested(inner, levels=30, beside=""):
    tests = [f"if a == {level}:\n    f({level})\nelse:\n{indent(beside, '    ')}" for level in range(levels)]
    whole = "".join(indent(test, "    " * level) for level, test in enumerate(tests))
    return f"def g(a):\n{indent(whole + indent(inner, '    ' * levels), '    ')}"


@pytest.mark.parametrize("beside", ["", "f(0)\nf(1)\n"], ids=["alone", "with others"])
def test_a_change_deep_inside_is_judged_without_trying_every_order_around_it(beside):
    before, after = nested("return f(2)\n", beside=beside), nested("return f(3)\n", beside=beside)

    assert judged(before, after).label == "evolution"
