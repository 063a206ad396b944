"""What Rust says, whatever it looks like."""

import pytest

from linetrail.projections.proof.dialects.rust.rust import Rust
from linetrail.projections.proof.terms.term import same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse
from tests.projections.proof.judging import judged
from tests.projections.proof.mutants import mutants

pytestmark = pytest.mark.in_turn


def lowered(source):
    content = source.encode()
    return Rust().lower(parse(named("rust"), content).root_node, content, {})


def module(source):
    read = lowered(source)
    assert not read.broken
    return read.module


def body(statements):
    return module(f"fn f() {{ {statements} }}")


def leaves(source, kind):
    return [one.value for one in module(source).walk() if one.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("f( 1 ) ;", "f(1);", id="blanks"),
        pytest.param("f(a, b,)", "f(a, b)", id="trailing commas"),
        pytest.param("x = (a + b) * (c);", "x = ((a + b)) * c;", id="redundant parentheses"),
        pytest.param("x = 1_000_u32;", "x = 1000u32;", id="spelling of numbers"),
        pytest.param("match x { A => { 1 } B => 2 }", "match x { A => 1, B => 2, }", id="braces of an arm"),
        pytest.param("match x { | A | B => 1 }", "match x { A | B => 1 }", id="a bar before the first pattern"),
        pytest.param("g(|x| { x })", "g(|x| x)", id="braces of a closure"),
        pytest.param("return 1", "return 1;", id="a semicolon after a jump"),
        pytest.param("if a { b }; c", "if a { b } c", id="empty statements"),
        pytest.param("vec!(1, 2)", "vec![1, 2]", id="brackets of a macro"),
        pytest.param("assert!(f(a,), [b,])", "assert!(f(a), [b])", id="trailing commas in a macro"),
        pytest.param('x = "a \\\n   b";', 'x = "a b";', id="strings that go on in the next line"),
        pytest.param("f();\r\ng();", "f();\ng();", id="line ends"),
    ],
)
def test_layout_is_lost(one, other):
    assert same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("fn f() -> () {}", "fn f() {}", id="nothing as a result"),
        pytest.param("extern fn f() {}", 'extern "C" fn f() {}', id="the usual ABI"),
        pytest.param("use a::{b, c};", "use a::b; use a::c;", id="bundled imports"),
        pytest.param("#[derive(A, B,)] struct C;", "#[derive(A, B)]\nstruct C;", id="attributes"),
        pytest.param("struct A { b: u8, }", "struct A { b: u8 }", id="trailing commas of fields"),
    ],
)
def test_layout_of_declarations_is_lost(one, other):
    assert same(module(one), module(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a - (b - c)", "a - b - c", id="parentheses that group"),
        pytest.param('g("a  b")', 'g("a b")', id="blanks in a string"),
        pytest.param('g("a")', 'g(r"a")', id="kinds of strings"),
        pytest.param('g("a")', 'g(b"a")', id="bytes"),
        pytest.param("g()", "g();", id="the value of a block"),
        pytest.param("match x { A => 1 };", "match x { A => 1 }", id="the value of a match"),
        pytest.param("x = (1,);", "x = (1);", id="tuples of one"),
        pytest.param("m!((1,))", "m!((1))", id="tuples of one in a macro"),
        pytest.param("m!(a = b)", "m!(a == b)", id="tokens of a macro"),
        pytest.param("let mut x = 1;", "let x = 1;", id="mutable variables"),
        pytest.param("let Some(x) = y else { return };", "let Some(x) = y;", id="let else"),
        pytest.param("g(&x)", "g(&mut x)", id="mutable references"),
        pytest.param("x?", "x", id="question marks"),
        pytest.param("1..2", "1..=2", id="ranges"),
        pytest.param("..2", "2..", id="open ranges"),
        pytest.param("[0; 3]", "[0, 3]", id="arrays that repeat"),
        pytest.param("S { a, ..b }", "S { a }", id="the rest of a struct"),
        pytest.param("S { a }", "S { a: a }", id="short and long fields"),
        pytest.param("'a: loop { break 'a 1 }", "'a: loop { break 'a 2 }", id="values of loops"),
        pytest.param("unsafe { g() }", "{ g() }", id="unsafe blocks"),
        pytest.param("move |x| x", "|x| x", id="what a closure takes"),
        pytest.param("match x { A if b => 1, _ => 2 }", "match x { A => 1, _ => 2 }", id="guards"),
        pytest.param("match x { ref a => 1 }", "match x { a => 1 }", id="references in patterns"),
        pytest.param("match x { a @ 1 => 1 }", "match x { a => 1 }", id="captured patterns"),
        pytest.param("match x { [a, ..] => 1 }", "match x { [a] => 1 }", id="the rest of a slice"),
        pytest.param("match x { (_, a) => 1 }", "match x { (a, _) => 1 }", id="places in patterns"),
        pytest.param("if let A = x {}", "while let A = x {}", id="branches and loops"),
        pytest.param("x as u8", "x as u16", id="casts"),
        pytest.param("f::<u8>()", "f()", id="type arguments"),
        pytest.param("<T as A>::f()", "<T as B>::f()", id="qualified paths"),
        pytest.param("#[cfg(a)] g();", "g();", id="attributes of statements"),
    ],
)
def test_what_is_said_is_kept(one, other):
    assert not same(body(one), body(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("pub fn f() {}", "fn f() {}", id="visibility"),
        pytest.param("pub(crate) fn f() {}", "pub(super) fn f() {}", id="how far it is visible"),
        pytest.param("async fn f() {}", "fn f() {}", id="async"),
        pytest.param("fn f(&self) {}", "fn f(&mut self) {}", id="how self is taken"),
        pytest.param("fn f<'a>(x: &'a u8) {}", "fn f<'a>(x: &u8) {}", id="lifetimes"),
        pytest.param("fn f<T>() where T: A {}", "fn f<T>() where T: B {}", id="where"),
        pytest.param("struct A;", "struct A {}", id="unit structs"),
        pytest.param("struct A(pub u8);", "struct A(u8);", id="visible places"),
        pytest.param("struct A { b: u8, c: u8 }", "struct A { c: u8, b: u8 }", id="order of fields"),
        pytest.param("enum A { B, C }", "enum A { C, B }", id="order of variants"),
        pytest.param("enum A { B = 1 }", "enum A { B }", id="values of variants"),
        pytest.param("impl A for B {}", "impl A {}", id="traits"),
        pytest.param("trait A { m!(); }", "trait A { n!(); }", id="macros of a trait"),
        pytest.param("impl !A for B {}", "impl A for B {}", id="negative implementations"),
        pytest.param("trait A: B {}", "trait A {}", id="supertraits"),
        pytest.param("#[cfg(a)] use b::c;", "use b::c;", id="imports under a condition"),
        pytest.param("#[a] struct B; struct C;", "struct B; #[a] struct C;", id="what an attribute is about"),
        pytest.param("use a::b as c;", "use a::b;", id="names of imports"),
        pytest.param("use a::b as _;", "use a::b;", id="imports without a name"),
        pytest.param("use a::*;", "use a::b;", id="imports of everything"),
        pytest.param("use a::{self};", "use a;", id="the module itself"),
        pytest.param("mod a;", "mod a {}", id="modules in files"),
        pytest.param("static A: u8 = 1;", "const A: u8 = 1;", id="statics and constants"),
        pytest.param("type A = B;", "type A = C;", id="aliases"),
        pytest.param('extern "C" { fn f(); }', 'extern "system" { fn f(); }', id="ABIs"),
        pytest.param("macro_rules! m { ($a:expr) => { $a } }", "macro_rules! m { ($a:ty) => { $a } }", id="fragments"),
        pytest.param("macro_rules! m { ($($a:tt),*) => {} }", "macro_rules! m { ($($a:tt);*) => {} }", id="separators"),
        pytest.param("m! { /// a\n b }", "m! { /// c\n b }", id="documentation that a macro sees"),
    ],
)
def test_what_is_declared_is_kept(one, other):
    assert not same(module(one), module(other))


_PROGRAM = """
#![allow(unused)]
use std::{collections::HashMap, fmt::{self, Display as Show}};

#[derive(Debug, Clone)]
pub struct Node<'a, T: Clone = u8, const N: usize = 3> where T: Show {
    pub name: &'a str,
    values: [T; N],
    next: Option<Box<Node<'a, T, N>>>,
}

enum Kind { One(u8, i32), Two { left: u8 }, Three = 3 }

pub trait Walk: Send { type Item; const MAX: usize = 4; fn walk(&self, depth: usize) -> Option<Self::Item>; }

impl<'a, T: Clone> Walk for Node<'a, T> {
    type Item = T;
    fn walk(&self, depth: usize) -> Option<T> {
        let mut count = 1;
        let (first, ref last) = self.pair(depth)?;
        if let Some(next) = &self.next && depth < Self::MAX {
            return next.walk(depth + count);
        } else if count == depth || !first {
            count += last.len() * -2;
        }
        for (index, value) in self.values.iter().enumerate() {
            match value {
                Kind::One(a, _) if a > index => continue,
                Kind::Two { left, .. } | Kind::Other { left } => { count -= left; }
                other @ 1..=5 => println!("{count:>5} {}", other),
                _ => break,
            }
        }
        while let Some(top) = stack.pop() { stack.push(top as u8); }
        let add = move |x: usize, (y, z)| -> usize { x + y - z };
        let made = Node { name: "a", values: [count; 3], ..Default::default() };
        unsafe { add(*count, &mut made) };
        'outer: loop { break 'outer; }
        made.values.first().map(|one| one.clone())
    }
}

macro_rules! twice { ($a:expr, $($b:tt),*) => { $a + $a } }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn walks() { assert_eq!(twice!(1, 2), 2, "no {}", name); }
}
"""


@pytest.mark.slow
def test_every_token_counts():
    whole = module(_PROGRAM)
    found = list(mutants("rust", _PROGRAM))

    assert len(found) > 180
    assert [which for which, mutant in found if same(whole, lowered(mutant).module)] == []


def test_names_are_told_apart_by_what_they_do():
    text = "struct A { b: u8 } impl A { fn c(self, d: u8) { let e = D { b: d, f }; if let G(h) = e.i { h } } }"

    assert leaves(text, "bind") == ["A", "self", "d", "e", "h"]
    assert leaves(text, "member") == ["b", "c"]
    assert leaves(text, "field") == ["b", "f", "i"]
    assert [name for name in leaves(text, "name") if name in "defGh"] == ["d", "f", "e", "G", "h"]


def test_macros_show_the_names_in_them():
    text = 'fn f(a: u8) { m!("{a} {b:>c$} {{d}} {e}", e = g.h, i::j, n!(o)); }'

    names = [name for name in leaves(text, "name") if name != "u8"]

    assert names == ["m!", "a", "b", "c", "g", "i", "n!", "o"]
    assert leaves(text, "field") == ["e", "e", "h", "j"]


def test_documentation_is_a_comment():
    read = lowered("/// told\nfn f() {} // too\n")

    assert read.comments == ["/// told", "// too"]
    assert read.directives == []


@pytest.mark.parametrize(
    ("source", "private"),
    [
        pytest.param("fn a() {}", True, id="not pub"),
        pytest.param("pub fn a() {}", False, id="pub"),
        pytest.param("pub(crate) fn a() {}", False, id="pub in the crate"),
        pytest.param("#[inline] fn a() {}", True, id="with a harmless attribute"),
        pytest.param("#[no_mangle] fn a() {}", False, id="called by its name from elsewhere"),
    ],
)
def test_what_is_not_pub_is_private(source, private):
    whole = module(source)

    assert Rust().is_private("a", whole.kids[0], whole) is private


def test_private_members_are_those_that_nobody_else_declares():
    source = """
        struct A { a: u8, pub b: u8, c: u8 }
        #[derive(Serialize)] struct D { d: u8 }
        impl A { fn e(&self) {} pub fn f(&self) {} fn g(&self) {} }
        impl H for A { fn g(&self) {} }
        enum I { J { c: u8 } }
    """

    assert Rust().private_members([module(source)]) == {"a", "e"}


@pytest.mark.parametrize(
    ("written", "flags", "file"),
    [
        pytest.param("crate::c::d", (), "k/src/c/d.rs", id="from the crate"),
        pytest.param("self::c", (), "k/src/a/b/c.rs", id="from here"),
        pytest.param("super::c", (), "k/src/a/c/mod.rs", id="from the module around"),
        pytest.param("c", ("mod",), "k/src/a/b/c.rs", id="a module of this one"),
        pytest.param("crate", (), "k/src/lib.rs", id="the crate"),
    ],
)
def test_imports_lead_to_files(written, flags, file):
    assert file in Rust().modules("k/src/a/b.rs", written, flags)


def test_a_crate_without_a_folder_of_sources_is_the_first_folder():
    assert "k/c.rs" in Rust().modules("k/tests/a.rs", "crate::c", ())


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        pytest.param(
            "fn f(x: u8) -> u8 { if let Some(x) = g(x) { h(x) } else { k(x) } }",
            "fn f(x: u8) -> u8 { if let Some(y) = g(x) { h(y) } else { k(x) } }",
            "refactor",
            id="a variable of a pattern",
        ),
        pytest.param(
            "fn f(x: u8) -> u8 { if let Some(x) = g(x) { h(x) } else { k(x) } }",
            "fn f(x: u8) -> u8 { if let Some(y) = g(x) { h(y) } else { k(y) } }",
            "evolution",
            id="a variable where it is not seen",
        ),
        pytest.param(
            "fn f() { let x = 1; let x = x + 1; g(x); }",
            "fn f() { let x = 1; let y = x + 1; g(x); }",
            "evolution",
            id="the variable that was hidden",
        ),
        pytest.param(
            'fn f(x: u8) { println!("{x}"); }',
            'fn f(y: u8) { println!("{x}"); }',
            "evolution",
            id="a string is forgotten",
        ),
        pytest.param(
            'fn f(x: u8) { println!("{x}"); }', 'fn f(y: u8) { println!("{y}"); }', "refactor", id="a string follows"
        ),
        pytest.param("mod a;\n", "mod b;\n", "evolution", id="another file"),
        pytest.param("pub use a::b;\n", "pub use c::b;\n", "evolution", id="what others import from here"),
    ],
)
def test_renaming(before, after, label):
    assert judged(before, after, "src/a.rs").label == label
