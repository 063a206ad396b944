"""What Go says, whatever it looks like."""

import pytest

from linetrail.projections.proof.dialects.go.go import Go
from linetrail.projections.proof.terms.term import same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse
from tests.projections.proof.judging import judged
from tests.projections.proof.mutants import mutants

pytestmark = pytest.mark.in_turn


def lowered(source):
    content = source.encode()
    return Go().lower(parse(named("go"), content).root_node, content, {})


def module(source):
    read = lowered(f"package p\n{source}")
    assert not read.broken
    return read.module


def body(statements):
    return module(f"func f() {{ {statements} }}")


def leaves(source, kind):
    return [one.value for one in module(source).walk() if one.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("f( 1 )", "f(1)", id="blanks"),
        pytest.param("a(); b()", "a()\nb()", id="semicolons"),
        pytest.param("x = (a + b) * (c)", "x = ((a + b)) * c", id="redundant parentheses"),
        pytest.param("x = 0XFF + 1_000 + 1E3", "x = 0xff + 1000 + 1e3", id="spelling of numbers"),
        pytest.param("f(a, b,)", "f(a, b)", id="trailing commas"),
        pytest.param("x = []int{1,\n2,\n}", "x = []int{1, 2}", id="trailing commas of literals"),
        pytest.param("for ; a; { }", "for a { }", id="a loop with nothing but a condition"),
        pytest.param("x = `a\r\nb`", "x = `a\nb`", id="line ends in raw strings"),
        pytest.param("f();\r\ng()", "f();\ng()", id="line ends"),
    ],
)
def test_layout_is_lost(one, other):
    assert same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a - (b - c)", "a - b - c", id="parentheses that group"),
        pytest.param('f("a  b")', 'f("a b")', id="blanks in a string"),
        pytest.param('f("a")', "f(`a`)", id="kinds of quotes"),
        pytest.param("x := 1", "x = 1", id="declared and assigned"),
        pytest.param("var x = 1", "x := 1", id="ways to declare"),
        pytest.param("if x := f(); x { }", "x := f(); if x { }", id="where a variable ends"),
        pytest.param("for i := range a { }", "for i = range a { }", id="variables of a loop"),
        pytest.param("for i, v := range a { }", "for i := range a { }", id="how many of them"),
        pytest.param("switch { case a: }", "switch a { case a: }", id="what is switched on"),
        pytest.param("switch { case a: fallthrough; case b: }", "switch { case a: ; case b: }", id="falling through"),
        pytest.param("switch x := y.(type) { }", "switch y.(type) { }", id="names of a type switch"),
        pytest.param("select { case <-a: }", "select { case a <- b: }", id="what is waited for"),
        pytest.param("select { case x := <-a: }", "select { case x = <-a: }", id="what is received"),
        pytest.param("go f()", "defer f()", id="when a call runs"),
        pytest.param("f(a...)", "f(a)", id="spread"),
        pytest.param("x = a[1:2]", "x = a[1:2:3]", id="slices"),
        pytest.param("x = a[:2]", "x = a[2:]", id="ends of slices"),
        pytest.param("x = a.(int)", "x = int(a)", id="assertions and conversions"),
        pytest.param("x = T{a: 1}", "x = T{1}", id="keys"),
        pytest.param("x = T{a: 1, b: 2}", "x = T{b: 2, a: 1}", id="order of keys"),
        pytest.param("x = [...]int{1}", "x = []int{1}", id="arrays and slices"),
        pytest.param("a, b = b, a", "a, b = a, b", id="order of values"),
        pytest.param("L: for { break L }", "L: for { break }", id="labels"),
        pytest.param("x++", "x--", id="steps"),
        pytest.param("var x chan<- int", "var x <-chan int", id="directions of channels"),
        pytest.param("x = func(a int) int { return a }", "x = func(a int) { return a }", id="results"),
        pytest.param("f[int](a)", "f(a)", id="type arguments"),
    ],
)
def test_what_is_said_is_kept(one, other):
    assert not same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("func (t T) f() {}", "func f() {}", id="receivers"),
        pytest.param("func (t *T) f() {}", "func (t T) f() {}", id="pointers to receivers"),
        pytest.param("func f(a, b int) {}", "func f(a int, b int) {}", id="parameters that share a type"),
        pytest.param("func f() (err error) { return }", "func f() error { return }", id="named results"),
        pytest.param("func f(a ...int) {}", "func f(a int) {}", id="any number of arguments"),
        pytest.param("func f[T any](a T) {}", "func f[T int](a T) {}", id="constraints"),
        pytest.param("type A struct { b int }", "type A struct { b string }", id="types of fields"),
        pytest.param("type A struct { b int `c` }", "type A struct { b int }", id="tags"),
        pytest.param("type A struct { B }", "type A struct { *B }", id="embedded types"),
        pytest.param("type A interface { b(int) }", "type A interface { b(string) }", id="methods of interfaces"),
        pytest.param("type A interface { ~int | string }", "type A interface { int | string }", id="unions"),
        pytest.param("type A = B", "type A B", id="aliases"),
        pytest.param("const (\nA = iota\nB\n)", "const (\nB = iota\nA\n)", id="order of what counts"),
        pytest.param("const (\nA = 1\nB\n)", "const (\nA = 1\nB = 2\n)", id="what repeats"),
        pytest.param('import a "b"', 'import "b"', id="names of imports"),
        pytest.param('import . "b"', 'import _ "b"', id="imports without a name"),
        pytest.param(
            "//go:noinline\nfunc a() {}\nfunc b() {}", "func a() {}\n//go:noinline\nfunc b() {}", id="pragmas"
        ),
        pytest.param("//go:embed a\nvar a, b string", "var a, b string", id="embedded files"),
    ],
)
def test_what_is_declared_is_kept(one, other):
    assert not same(module(one), module(other))


_PROGRAM = """
package p

import (
	"fmt"
	y "gopkg.in/yaml.v3"
)

const (
	A = iota + 1
	B
)

var size, limit int = 2, 3

type Node[T comparable] struct {
	Left, right *Node[T] `json:"left"`
	values      map[string][]T
	fmt.Stringer
}

type walker interface {
	walk(n *Node[int], depth int) (found bool, err error)
}

func (n *Node[T]) Add(value T, rest ...T) (count int, err error) {
	if found, ok := n.values["x"]; ok && len(found) > size {
		return len(found[1:size]), fmt.Errorf("no %v", value)
	} else if n.right == nil {
		n.right = &Node[T]{Left: n, values: map[string][]T{"a": {value}}}
	}
	for i, one := range rest {
		if one == value { continue }
		count += i * -1
	}
	for j := 0; j <= limit; j++ { count++ }
	switch x := any(value).(type) {
	case int, string: y.Marshal(x)
	default: panic(x.(error))
	}
	ch := make(chan int)
	go func(done chan<- int) { defer close(done); done <- count }(ch)
	select {
	case got, ok := <-ch: _ = got; _ = ok
	}
outer:
	for { break outer }
	return
}
"""


@pytest.mark.slow
def test_every_token_counts():
    whole = lowered(_PROGRAM).module
    found = list(mutants("go", _PROGRAM))

    assert len(found) > 130
    assert [which for which, mutant in found if same(whole, lowered(mutant).module)] == []


def test_names_are_told_apart_by_what_they_do():
    text = """
        import "a/b-go"
        type T struct { c int; d D }
        func (t *T) e(f int) { g, h := t.i(f); _ = T{c: g}; _ = map[int]int{h: 1}; _ = b.J }
    """

    assert leaves(text, "bind") == ["b", "T", "t", "f", "g", "h"]
    assert leaves(text, "member") == ["c", "d", "e"]
    assert leaves(text, "field") == ["i", "c", "J"]
    assert [name for name in leaves(text, "name") if name in "gh"] == ["g", "h"]


def test_comments_and_directives_are_told_apart():
    read = lowered(
        "//go:build linux\n\n// Package p is told.\npackage p\n\n// f is told, too.\n//\n//go:noinline\nfunc f() {}\n"
    )

    assert read.directives == ["//go:build linux", "//go:noinline"]
    assert read.comments == ["// Package p is told.", "// f is told, too."]


def test_code_in_the_language_of_others_is_a_directive():
    read = lowered('package p\n\n// #include <stdio.h>\nimport "C"\n\n// told\nvar a int\n')

    assert read.directives == ["// #include <stdio.h>"]
    assert read.comments == ["// told"]


def test_what_an_example_prints_is_a_directive():
    read = lowered("package p\nfunc ExampleA() {\n\t// told\n\tf()\n\t// Output: 1\n\t// 2\n}\n")

    assert read.directives == ["// Output: 1 2"]
    assert read.comments == ["// told"]


@pytest.mark.parametrize(
    ("name", "source", "private"),
    [
        pytest.param("f", "func f() {}", True, id="small letters"),
        pytest.param("F", "func F() {}", False, id="a capital"),
        pytest.param("init", "func init() {}", False, id="what the run time calls"),
        pytest.param("f", "func f()", False, id="what is written in another language"),
        pytest.param("f", "//go:linkname f g\nfunc f() {}", False, id="what has another name elsewhere"),
    ],
)
def test_small_letters_are_private(name, source, private):
    whole = module(source)

    assert Go().is_private(name, whole.kids[-1], whole) is private


def test_small_members_are_private():
    assert Go().private_members([module("type T struct { a, B int }\nfunc (t T) c() {}")]) == {"a", "c"}


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        pytest.param(
            "package p\nfunc f() int { x := 1; if x := 2; x > 1 { return x }; return x }",
            "package p\nfunc f() int { x := 1; if y := 2; y > 1 { return y }; return x }",
            "refactor",
            id="a variable that ends with its statement",
        ),
        pytest.param(
            "package p\nfunc f() int { x := 1; if x := 2; x > 1 { return x }; return x }",
            "package p\nfunc f() int { x := 1; if y := 2; y > 1 { return x }; return x }",
            "evolution",
            id="the other variable is returned",
        ),
        pytest.param(
            "package p\nfunc f() (err error) { x, err := g(); _ = x; return err }",
            "package p\nfunc f() (e error) { x, e := g(); _ = x; return e }",
            "refactor",
            id="a variable that is used again",
        ),
        pytest.param(
            "package p\nfunc f(m M) { k := 1; m = map[int]int{k: 2} }",
            "package p\nfunc f(m M) { j := 1; m = map[int]int{k: 2} }",
            "evolution",
            id="a key is forgotten",
        ),
    ],
)
def test_renaming(before, after, label):
    assert judged(before, after, "p/a.go").label == label
