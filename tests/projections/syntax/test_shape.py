"""The shape of a definition survives what its tokens do not."""

import pytest

from linetrail.projections.syntax.definitions import index, shape
from linetrail.projections.syntax.language import languages, named
from linetrail.projections.syntax.parsing import parse


def shape_of(language, text, number=0):
    language, content = named(language), text.encode()
    return shape(language, content, parse(language, content), index(language, content)[number])


def test_layout_and_comments_are_no_structure():
    one = shape_of("javascript", "function f(a) { return a; }")
    other = shape_of("javascript", "// it\nfunction f( a )\n{\n  return a; // a\n}")

    assert one == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("def f(): return 1", "def f(): return 2", id="a literal"),
        pytest.param("def f(): return a", "def f(): return b", id="a name from outside"),
        pytest.param("def f(a): return a.b", "def f(a): return a.c", id="an attribute"),
        pytest.param("def f(a, b): return a - b", "def f(a, b): return b - a", id="other places"),
        pytest.param("def f(): 'a b'", "def f(): 'ab'", id="a string"),
    ],
)
def test_what_means_something_else_is_another_structure(one, other):
    assert shape_of("python", one) != shape_of("python", other)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", "def f(a):\n    for b in a: c = b\n    return c", "def g(x):\n    for y in x: z = y\n    return z"),
        ("javascript", "const f = (a) => { const b = a; return b; };", "const g = (x) => { const y = x; return y; };"),
        ("typescript", "function f(a: A) { let b = a; }", "function g(x: A) { let y = x; }"),
        ("java", "class A { int f(int a) { int b = a; } }", "class A { int g(int x) { int y = x; } }"),
        ("go", "func f(a int) { b := a; c(b) }", "func g(x int) { y := x; c(y) }"),
        ("rust", "fn f(a: u8) { let b = a; }", "fn g(x: u8) { let y = x; }"),
        ("c", "int f(int a) { int b = a; return b; }", "int g(int x) { int y = x; return y; }"),
        ("cpp", "int f(int& a) { int b = a; }", "int g(int& x) { int y = x; }"),
        ("csharp", "class A { int f(int a) { int b = a; } }", "class A { int g(int x) { int y = x; } }"),
        ("ruby", "def f(a)\n  b = a\nend", "def g(x)\n  y = x\nend"),
        ("php", "<?php function f($a) { $b = $a; }", "<?php function g($x) { $y = $x; }"),
        ("bash", "f() { a=1; echo $a; }", "g() { x=1; echo $x; }"),
        ("kotlin", "fun f(a: Int) { val b = a }", "fun g(x: Int) { val y = x }"),
        ("scala", "def f(a: Int) = { val b = a }", "def g(x: Int) = { val y = x }"),
        ("swift", "func f(a: Int) { let b = a }", "func g(x: Int) { let y = x }"),
        ("lua", "function f(a) local b = a end", "function g(x) local y = x end"),
    ],
)
def test_names_that_nobody_outside_knows_are_replaced_by_their_places(language, one, other):
    number = 1 if language in {"java", "csharp"} else 0

    one, other = shape_of(language, one, number), shape_of(language, other, number)

    assert one == other


def test_depth_is_no_danger():
    content = "def f():\n    return " + "(" * 2_000 + ")" * 2_000 + "\n"

    assert shape_of("python", content)


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_what_binds_a_name_fits_the_grammar(language):
    assert language.bindings
