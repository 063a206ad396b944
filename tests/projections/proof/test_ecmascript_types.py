"""What TypeScript's types say."""

import pytest

from linetrail.projections.proof.dialects.ecmascript.ecmascript import Ecmascript
from linetrail.projections.proof.terms.term import MODULE, Term, same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse


def module(source: str, language: str = "typescript") -> Term:
    content = source.encode()
    read = Ecmascript().lower(parse(named(language), content).root_node, content, {})
    assert not read.broken
    return read.module


def untyped(source: str) -> Term:
    return Term(MODULE, "", [kept for one in module(source).kids for kept in Ecmascript().untyped(one)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("type A = | B | C", "type A = B | C", id="a sign before the first of several types"),
        pytest.param("type A = (B)", "type A = B", id="parentheses"),
        pytest.param("interface A { b: C, d(): E }", "interface A { b: C; d(): E; }", id="separators of members"),
        pytest.param("let a: [b, c,]", "let a: [b, c]", id="trailing commas"),
        pytest.param("let a: {'b': 'c'}", 'let a: {b: "c"}', id="quotes"),
        pytest.param("class A { readonly abstract b }", "class A { abstract readonly b }", id="order of modifiers"),
        pytest.param("class A { @b() c() {} }", "class A { @b()\n c() {} }", id="decorators"),
    ],
)
def test_layout_of_types_is_lost(one, other):
    assert same(module(one), module(other))


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        pytest.param("const a: B<C> = 1", "const a = 1", id="annotations"),
        pytest.param("function f<T>(a?: T, b: C = 1): a is D {}", "function f(a, b = 1) {}", id="functions"),
        pytest.param("x = a as B", "x = a", id="as"),
        pytest.param("x = <B>a", "x = a", id="assertions"),
        pytest.param("x = a satisfies B", "x = a", id="satisfies"),
        pytest.param("x = a!.b!", "x = a.b", id="what is not null"),
        pytest.param("x = f<A>(1)", "x = f(1)", id="types given to a call"),
        pytest.param("x = new Map<A, B>()", "x = new Map()", id="types given to a class"),
        pytest.param("interface A { b: C }\na()", "a()", id="interfaces"),
        pytest.param("type A = B\na()", "a()", id="aliases"),
        pytest.param("declare const a: B\na()", "a()", id="declarations of what is elsewhere"),
        pytest.param("import type { A } from 'b'\na()", "a()", id="imported types"),
        pytest.param("function f(a: A): B\nfunction f(a) {}", "function f(a) {}", id="overloads"),
        pytest.param("class A<T> extends B<T> implements C {}", "class A extends B {}", id="types of a class"),
        pytest.param("class A { private readonly b?: C; d(): E; d() {} }", "class A { b; d() {} }", id="members"),
        pytest.param("abstract class A { abstract b(): C; d() {} }", "class A { d() {} }", id="abstract members"),
        pytest.param("function f(this: A, b) {}", "function f(b) {}", id="the type of this"),
        pytest.param("try { a() } catch (b: unknown) {}", "try { a() } catch (b) {}", id="what is caught"),
    ],
)
def test_types_can_be_taken_away(typed, plain):
    def without_proofs(term: Term) -> Term:
        kids = [without_proofs(kid) if kid.kind != "tuple" else Term("none") for kid in term.kids]
        return term.but(kids=kids)

    assert same(without_proofs(untyped(typed)), untyped(plain))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("enum A { B = 1 }", "enum A { B = 2 }", id="enums"),
        pytest.param("class A { constructor(private a) {} }", "class A { constructor(a) {} }", id="fields"),
        pytest.param("class A { @b c() {} }", "class A { c() {} }", id="decorators"),
        pytest.param("class A { constructor(@b c) {} }", "class A { constructor(c) {} }", id="decorated parameters"),
        pytest.param("namespace A { export const b = 1 }", "namespace A { export const b = 2 }", id="namespaces"),
        pytest.param("import a = b.c", "import a = b.d", id="aliases of values"),
        pytest.param("export = a", "export = b", id="what a module is"),
        pytest.param("class A { accessor b = 1 }", "class A { b = 1 }", id="accessors"),
    ],
)
def test_what_runs_is_no_type(one, other):
    assert not same(untyped(one), untyped(other))


def test_names_of_types_are_names():
    found = [leaf.value for leaf in module("let a: B.C<D> | typeof e").walk() if leaf.kind == "name"]

    assert found == ["B", "D", "e"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("<a b='c' />", '<a\n  b="c"\n/>', id="quotes of attributes"),
        pytest.param("<a>\n  b c\n  d\n</a>", "<a>b c d</a>", id="lines of text"),
        pytest.param("<a>b{' '}\n<c /></a>", "<a>b <c /></a>", id="a blank in braces"),
        pytest.param("<a>{/* b */}</a>", "<a></a>", id="comments"),
        pytest.param("<a b='&amp;' />", "<a b='&#38;' />", id="references"),
    ],
)
def test_text_of_elements_is_read_like_react_does(one, other):
    assert same(module(f"x = {one}", "tsx"), module(f"x = {other}", "tsx"))
    assert same(module(f"x = {one}", "javascript"), module(f"x = {other}", "javascript"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("<a>b c</a>", "<a>bc</a>", id="blanks in text"),
        pytest.param("<a>b <c /></a>", "<a>b<c /></a>", id="blanks before an element"),
        pytest.param("<a b />", "<a b={false} />", id="attributes"),
        pytest.param("<a {...b} />", "<a b />", id="spread attributes"),
        pytest.param("<a b='1' c='2' />", "<a c='2' b='1' />", id="order of attributes"),
        pytest.param("<a></a>", "<></a>", id="fragments that do not end"),
        pytest.param("<a.b />", "<a.c />", id="members"),
        pytest.param("<a>{b}</a>", "<a>{c}</a>", id="expressions"),
    ],
)
def test_elements_are_kept(one, other):
    assert not same(module(f"x = {one}", "tsx"), module(f"x = {other}", "tsx"))


def test_only_elements_with_a_capital_or_a_dot_name_a_variable():
    found = [leaf.value for leaf in module("x = <a><B/><c.d/><e-f/></a>", "tsx").walk() if leaf.kind == "name"]

    assert found == ["x", "B", "c"]
