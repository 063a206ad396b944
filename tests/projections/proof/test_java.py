"""What Java says, whatever it looks like."""

import pytest

from linetrail.projections.proof.dialects.java.java import Java
from linetrail.projections.proof.terms.term import same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse
from tests.projections.proof.judging import judged
from tests.projections.proof.mutants import mutants

pytestmark = pytest.mark.in_turn


def lowered(source, seen=None):
    content = source.encode()
    return Java().lower(parse(named("java"), content).root_node, content, {} if seen is None else seen)


def module(source):
    read = lowered(source)
    assert not read.broken
    return read.module


def body(statements):
    return module(f"class A {{ void f() {{ {statements} }} }}")


def leaves(source, kind):
    return [one.value for one in module(source).walk() if one.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("f( 1 ) ;", "f(1);", id="blanks"),
        pytest.param("x = (a + b) * (c);", "x = ((a + b)) * c;", id="redundant parentheses"),
        pytest.param("x = 0XFF + 1_000 + 1L;", "x = 0xff + 1000 + 1l;", id="spelling of numbers"),
        pytest.param("int[] x = {1, 2,};", "int[] x = {1, 2};", id="trailing commas"),
        pytest.param("f(x -> x);", "f((x) -> x);", id="parentheses of a lambda"),
        pytest.param("f();;", "f();", id="empty statements"),
        pytest.param("List<@A B> c;", "List< @A B > c;", id="blanks around a type with annotations"),
        pytest.param("final @B int x = 1;", "@B final int x = 1;", id="order of modifiers"),
        pytest.param("a = b && (c && d);", "a = b && c && d;", id="nesting of a conjunction"),
        pytest.param('x = """\n    a\n      b""";', 'x = """\n  a\n    b""";', id="margin of a text block"),
        pytest.param("f();\r\ng();", "f();\ng();", id="line ends"),
        pytest.param("if (a) { b(); } else if (c) { d(); }", "if (a) { b(); }\nelse\nif (c) { d(); }", id="else if"),
    ],
)
def test_layout_is_lost(one, other):
    assert same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a - (b - c);", "a - b - c;", id="parentheses that group"),
        pytest.param('f("a  b");', 'f("a b");', id="blanks in a string"),
        pytest.param('f("a" + "b");', 'f("ab");', id="strings put together"),
        pytest.param("if (a) b();", "if (a) { b(); }", id="braces"),
        pytest.param("int a, b;", "int a; int b;", id="names that share a type"),
        pytest.param("int a[];", "int[] a;", id="where brackets stand"),
        pytest.param("switch (x) { case 1: f(); }", "switch (x) { case 1 -> f(); }", id="cases that fall through"),
        pytest.param("switch (x) { case 1: case 2: f(); }", "switch (x) { case 1, 2: f(); }", id="several labels"),
        pytest.param("try (A a = f()) { } finally { }", "try { A a = f(); } finally { }", id="resources"),
        pytest.param("try { } catch (A | B e) { }", "try { } catch (A e) { }", id="what is caught"),
        pytest.param("x++;", "++x;", id="before and after"),
        pytest.param("f(A::b);", "f(A::new);", id="method references"),
        pytest.param("new A() { int b; };", "new A();", id="anonymous classes"),
        pytest.param("o.new B();", "new B();", id="inner objects"),
        pytest.param("A.super.f();", "super.f();", id="which super"),
        pytest.param("this.<A>f();", "this.f();", id="type arguments"),
        pytest.param("x = (A & B) c;", "x = (A) c;", id="casts to two types"),
        pytest.param("a: for (;;) break a;", "a: for (;;) break;", id="labels"),
        pytest.param("synchronized (a) { }", "{ }", id="locks"),
        pytest.param("assert a : b;", "assert a;", id="messages"),
        pytest.param("final int a = 1;", "int a = 1;", id="final"),
        pytest.param("f(1L);", "f(1);", id="suffixes of numbers"),
        pytest.param("List<? extends A> a;", "List<? super A> a;", id="wildcards"),
    ],
)
def test_what_is_said_is_kept(one, other):
    assert not same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("class A { @B int c; }", "class A { int c; }", id="annotations"),
        pytest.param("class A { A() {} }", "class A { void A() {} }", id="constructors"),
        pytest.param("class A { void f() throws B {} }", "class A { void f() {} }", id="what is thrown"),
        pytest.param("class A { { f(); } }", "class A { static { f(); } }", id="initialisers"),
        pytest.param("enum A { B, C }", "enum A { C, B }", id="order of constants"),
        pytest.param("enum A { B() }", "enum A { B }", id="arguments of constants"),
        pytest.param("record A(int b) { }", "class A { int b; }", id="records"),
        pytest.param("interface A { int b(); }", "interface A { default int b() { return 1; } }", id="default methods"),
        pytest.param("@interface A { int b() default 1; }", "@interface A { int b(); }", id="default values"),
        pytest.param("class A<T extends B> { }", "class A<T> { }", id="bounds of types"),
        pytest.param("class A extends B { }", "class A implements B { }", id="what is extended"),
        pytest.param("sealed class A permits B { }", "class A { }", id="what is permitted"),
        pytest.param("import a.B;", "import static a.B;", id="static imports"),
        pytest.param("import a.*;", "import a.B;", id="imports of everything"),
        pytest.param("package a;", "package b;", id="packages"),
        pytest.param("class A { void f(int... a) {} }", "class A { void f(int a) {} }", id="any number of arguments"),
        pytest.param("module a { requires b; }", "module a { requires transitive b; }", id="modules"),
    ],
)
def test_what_is_declared_is_kept(one, other):
    assert not same(module(one), module(other))


_PROGRAM = """
package a.b;

import static a.C.d;
import java.util.*;

@Deprecated
public abstract class A<T extends Comparable<T>> extends B implements C, D<T> {
    private static final int[] SIZES = {1, 2 + 3};
    protected Map<String, List<? extends T>> map = new HashMap<>(16), other;

    public <R> R find(final T first, String... rest) throws IOException {
        int count = 0, size = rest.length;
        for (int i = 0; i < size && !done; i++) {
            if (rest[i] == null || first.equals(rest[i])) {
                continue;
            } else if (i <= limit) {
                count += SIZES[i] * -1;
                break;
            }
        }
        for (Map.Entry<String, T> entry : map.entrySet()) {
            apply(entry.getKey(), (key, value) -> key + value, this::find);
        }
        do { size--; } while (size > 0);
        try (Reader reader = open(first)) {
            synchronized (lock) { reader.read(); }
        } catch (IllegalStateException | IOException error) {
            throw new RuntimeException("no " + error.getMessage(), error);
        } finally {
            super.close();
        }
        if (!(first instanceof String text && text.isEmpty())) {
            return switch (count) { case 1, 2 -> null; default -> { yield (R) first; } };
        }
        switch (count) { case 1: return null; case 2: default: size = count > 1 ? 2 : 3; }
        return null;
    }

    enum Kind { ONE(1) { int get() { return 1; } }, TWO; int get() { return 2; } }

    record Point(int x, int y) { Point { check(x); } }
}
"""


@pytest.mark.slow
def test_every_token_counts():
    whole = module(_PROGRAM)
    found = list(mutants("java", _PROGRAM))

    assert len(found) > 140
    assert [which for which, mutant in found if same(whole, lowered(mutant).module)] == []


def test_names_are_told_apart_by_what_they_do():
    text = "class A { int b; void c(int d) { int e = b + d; f(this.b, g.h()); } class I { } }"

    assert leaves(text, "bind") == ["A", "d", "e"]
    assert leaves(text, "member") == ["b", "c()", "I"]
    assert leaves(text, "name") == ["b", "d", "f()", "this", "g"]
    assert leaves(text, "field") == ["b", "h()"]


def test_comments_are_one_however_their_lines_break():
    one = lowered("class A { // some\n // words\n int b; /** told\n * twice */ }")
    other = lowered("class A {\n // some words\n int b;\n /**\n   * told twice\n   */\n }")

    assert same(one.module, other.module)
    assert one.comments == other.comments == ["// some words", "/** told twice"]


def test_a_method_that_was_seen_before_keeps_its_comments():
    seen = {}

    first = lowered("class A { void f() { /* one */ g(); } }", seen)
    second = lowered("class A { int b; void f() { /* one */ g(); } }", seen)

    assert first.comments == second.comments == ["/* one"]
    assert first.module.kids[0].kids[2].kids[0] is second.module.kids[0].kids[2].kids[1]


def test_private_members_are_those_that_nobody_else_declares():
    source = """
        class A {
            private int a, serialVersionUID;
            private void b() {}
            private native void c();
            @Inject private int d;
            @SuppressWarnings("x") private int e;
            private int f;
            private class G { int f; }
            int h;
        }
    """

    assert Java().private_members([module(source)]) == {"a", "b()", "e", "G"}


def test_imports_lead_to_files():
    found = Java().modules("src/a/b/C.java", "a.d.E", ())

    assert "src/a/d/E.java" in found
    assert "src/a/d.java" in found


def test_broken_code_is_said_to_be_broken():
    assert lowered("class A { void f( { } }").broken


def test_a_sum_without_end_is_lowered_and_given_up():
    assert lowered(f"class A {{ int b = {' + '.join(['1'] * 5000)}; }}").broken


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        pytest.param(
            "class A { void f(int size) { int n = size(); g(size); } }",
            "class A { void f(int count) { int n = size(); g(count); } }",
            "refactor",
            id="a variable that is called like a method",
        ),
        pytest.param(
            "class A { void f(int size) { int n = size(); g(size); } }",
            "class A { void f(int count) { int n = count(); g(count); } }",
            "evolution",
            id="another method is called",
        ),
        pytest.param(
            "class A { int f(Object o) { if (!(o instanceof B b)) return 1; return b.c; } }",
            "class A { int f(Object o) { if (!(o instanceof B d)) return 1; return d.c; } }",
            "refactor",
            id="a variable of a pattern, seen after its statement",
        ),
        pytest.param(
            "class A { private int a; int f(int b) { return a + b; } }",
            "class A { private int b; int f(int b) { return b + b; } }",
            "evolution",
            id="a parameter hides the member",
        ),
    ],
)
def test_renaming(before, after, label):
    assert judged(before, after, "A.java").label == label
