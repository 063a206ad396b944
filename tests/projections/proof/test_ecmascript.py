"""What JavaScript and TypeScript say, whatever they look like."""

import pytest

from linetrail.projections.proof.dialects.ecmascript.ecmascript import Ecmascript
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import Term, same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse

pytestmark = pytest.mark.in_turn


def lowered(source: str, language: str = "javascript") -> Lowered:
    content = source.encode()
    return Ecmascript().lower(parse(named(language), content).root_node, content, {})


def module(source: str, language: str = "javascript") -> Term:
    read = lowered(source, language)
    assert not read.broken
    return read.module


def inner(source: str) -> Term:
    """Return what the only statement of a source says, without the statement around it."""
    (statement,) = module(source).kids
    return statement.kids[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a(1)", "a (\n  1,\n);", id="blanks, semicolons and trailing commas"),
        pytest.param("a\nb", "a; b;", id="a semicolon that the language inserts"),
        pytest.param("return_ = (((a + b)))", "return_ = a + b", id="redundant parentheses"),
        pytest.param("x = (a, b)", "x = ((a), (b))", id="parentheses around parts"),
        pytest.param("x = 'it\\'s'", 'x = "it\'s"', id="kinds of quotes"),
        pytest.param(r'x = "\x41\u{42}\103\n"', r'x = "ABC\u000a"', id="spellings of escapes"),
        pytest.param('x = "\\uD83D\\uDE00"', 'x = "😀"', id="pairs of surrogates"),
        pytest.param("x = [0XFF, 1.0, .5, 1_000, 0o17, 1e3]", "x = [255, 1, 0.5, 1000, 15, 1000]", id="numbers"),
        pytest.param("x = 0x10n", "x = 16n", id="big numbers"),
        pytest.param("x = /a/gi", "x = /a/ig", id="order of the flags of a regular expression"),
        pytest.param("x = {'a': 1, 'b-c': 2, 3: 4}", 'x = {a: 1, "b-c": 2, "3": 4}', id="quoted keys"),
        pytest.param("x = [1, 2]", "x = [1, 2,]", id="a comma that makes no hole"),
        pytest.param("f = (a) => a", "f = a => (a)", id="parentheses of an arrow function"),
        pytest.param("x = new A", "x = new A()", id="new without arguments"),
        pytest.param("{;;a()}", "{a()}", id="empty statements"),
        pytest.param("x = `a\r\nb`", "x = `a\nb`", id="line ends in templates"),
        pytest.param("x = \\u0061b", "x = ab", id="escapes in names"),
        pytest.param("class A { a = 1; b() {}; }", "class A { a = 1\n b() {} }", id="semicolons in a class"),
        pytest.param("a && (b && c)", "(a && b) && c", id="nesting of a conjunction"),
        pytest.param("(a?.b)?.c", "a?.b?.c", id="parentheses before another optional link"),
        pytest.param("import { a, } from 'b'", 'import {a} from "b";', id="import lists"),
        pytest.param(
            "import a from './a.json' with { type: 'json' }",
            'import a from "./a.json" with {type: "json"}',
            id="import attributes",
        ),
        pytest.param("if (a) { b } else if (c) { d }", "if (a) {\n  b;\n}\nelse if (c) {\n  d;\n}", id="else if"),
    ],
)
def test_layout_is_lost(one, other):
    assert same(module(one), module(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("x = 'a'", "x = `a`", id="a template without holes is no quoted text"),
        pytest.param("x = '1'", "x = 1", id="text and number"),
        pytest.param("x = 1", "x = 1n", id="number and big number"),
        pytest.param("x = 'a  b'", "x = 'a b'", id="blanks in text"),
        pytest.param(r"f`\x41`", "f`A`", id="escapes in a tagged template"),
        pytest.param("x = [1, , 2]", "x = [1, 2]", id="holes"),
        pytest.param("(a?.b).c", "a?.b.c", id="parentheses that end an optional chain"),
        pytest.param("(a?.b)()", "a?.b()", id="parentheses that end an optional call"),
        pytest.param("a + (b + c)", "a + b + c", id="parentheses that group"),
        pytest.param("new (a())", "new a()", id="what is constructed"),
        pytest.param("if (a) b()", "if (a) { b() }", id="braces"),
        pytest.param("if (a) {} else if (b) {}", "if (a) {} else { if (b) {} }", id="braces after else"),
        pytest.param("let a = 1, b = 2", "let a = 1; let b = 2", id="names that share a keyword"),
        pytest.param("x = {a}", "x = {a: a}", id="short and long properties"),
        pytest.param("x = {a() {}}", "x = {a: function () {}}", id="methods and functions"),
        pytest.param("x = {a: 1, b: 2}", "x = {b: 2, a: 1}", id="order of keys"),
        pytest.param("x = {[a]: 1}", "x = {a: 1}", id="computed keys"),
        pytest.param("x.a", "x['a']", id="members and subscripts"),
        pytest.param("x.a", "x.#a", id="private members"),
        pytest.param("x++", "++x", id="before and after"),
        pytest.param("'use strict'; a()", "'use\\x20strict'; a()", id="spelling of a directive"),
        pytest.param("'use strict'; a()", "('use strict'); a()", id="parentheses around a directive"),
        pytest.param("async () => a", "() => a", id="async"),
        pytest.param("function* f() {}", "function f() {}", id="generators"),
        pytest.param("class A { static a() {} }", "class A { a() {} }", id="static members"),
        pytest.param("class A { get a() {} }", "class A { set a(b) {} }", id="accessors"),
        pytest.param("for (const a in b);", "for (const a of b);", id="in and of"),
        pytest.param("for await (const a of b);", "for (const a of b);", id="loops that await"),
        pytest.param("for (const a of b);", "for (let a of b);", id="keyword of a loop"),
        pytest.param("yield_ = function* () { yield a }", "yield_ = function* () { yield* a }", id="yield"),
        pytest.param("import a from 'b'", "import * as a from 'b'", id="default and whole module"),
        pytest.param("import 'b'", "import 'c'", id="imported for its effect"),
        pytest.param("export default a", "export { a }", id="default and named exports"),
        pytest.param("export * from 'a'", "export * as a from 'a'", id="exported modules"),
        pytest.param("export { a } from 'a'", "export { a }", id="exported again"),
        pytest.param("export default (function a() {})", "export default function a() {}", id="hoisted or not"),
        pytest.param("switch (a) { case 1: b() }", "switch (a) { default: b() }", id="cases"),
        pytest.param("a: for (;;) break a", "a: for (;;) break", id="labels"),
        pytest.param("try { a() } catch (b) {}", "try { a() } catch {}", id="what is caught"),
        pytest.param("delete a.b", "void a.b", id="words for operators"),
        pytest.param("x = new.target", "x = import.meta", id="what the language tells of itself"),
        pytest.param("a(...b)", "a(b)", id="spread"),
        pytest.param("function f(a = 1) {}", "function f(a) {}", id="defaults"),
        pytest.param("const {a = 1} = b", "const {a} = b", id="defaults in patterns"),
    ],
)
def test_what_is_said_is_kept(one, other):
    assert not same(module(one), module(other))


def test_names_are_told_apart_by_what_they_do():
    text = "import {a as b} from 'c'; const {d, e: f = g, ...h} = b.i; class J extends f { k() { l: break l } }"

    leaves = [(leaf.kind, leaf.value) for leaf in module(text).walk() if not leaf.kids and isinstance(leaf.value, str)]

    assert [value for kind, value in leaves if kind == "bind"] == ["b", "d", "f", "h", "J"]
    assert [value for kind, value in leaves if kind == "name"] == ["g", "b", "f"]
    assert [value for kind, value in leaves if kind == "field"] == ["d", "e", "i", "l", "l"]
    assert [value for kind, value in leaves if kind == "member"] == ["k"]


def test_a_short_property_is_a_field_and_a_variable():
    pair = inner("x({a})").kids[1].kids[0]

    assert (pair.kind, pair.value) == ("pair", "short")
    assert [(kid.kind, kid.value) for kid in pair.kids] == [("field", "a"), ("name", "a")]


def test_assigning_to_a_pattern_declares_nothing():
    assert not [leaf for leaf in module("[a, {b, c: d}] = e").walk() if leaf.kind == "bind"]


def test_comments_and_directives_are_told_apart():
    text = """#!/usr/bin/env node
        // for people
        /// <reference types="node" />
        f(/* inside */ /* @__PURE__ */ g(), import(/* webpackChunkName: "h" */ './h')) // eslint-disable-line
        /*
         * told
         */
    """

    read = lowered(text)

    assert read.comments == ["// for people", "/* inside */", "// eslint-disable-line", "/*\n* told\n*/"]
    assert read.directives == [
        "#!/usr/bin/env node",
        '/// <reference types="node" />',
        "/* @__PURE__ */",
        '/* webpackChunkName: "h" */',
    ]


def test_a_statement_that_was_seen_before_keeps_its_comments():
    content = b"f(/* one */)\ng()\n"
    root = parse(named("javascript"), content).root_node
    seen: dict = {}

    first, second = (Ecmascript().lower(root, content, seen) for _ in range(2))

    assert first.comments == second.comments == ["/* one */"]
    assert first.module.kids[0] is second.module.kids[0]


def test_broken_code_is_lowered_and_said_to_be_broken():
    read = lowered("f(1)\nlet = = (\nclass { a( }\nexport { }}")

    assert read.broken
    assert read.module.kids


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "(" * 5000 + "a" + ")" * 5000, id="parentheses"),
        pytest.param("x = " + "[" * 5000 + "]" * 5000, id="arrays"),
        pytest.param("let " + "[" * 5000 + "a" + "]" * 5000 + " = b", id="patterns"),
        pytest.param("x = a" + " + a" * 5000, id="sums"),
        pytest.param("a" + ".b()" * 5000, id="chains of calls"),
        pytest.param("if (a) {}" + " else if (a) {}" * 5000, id="else if"),
    ],
)
def test_nesting_has_no_bound(text):
    assert sum(1 for _ in module(text).walk()) > 2


_PROGRAM = """
import d, { a as b } from "c";
/** told */
export async function f(x, { y = 2, z: [w] }, ...rest) {
  if (x < 1 && !y) { return `a${w}b`; } else if (x >= 3) throw new E("no" + x);
  for (let i = 0; i < rest.length; i++) { rest[i] += x ? i : -i; continue; }
  try { await b?.c(...rest); } catch (error) { d.e = typeof error; } finally { delete w.x; }
  return { x, y: 1, "q-r": null, get g() { return this.h; }, k: (v) => v ** 2 };
}
class A extends d.B { static #p = true; m() { super.m(/re/g); } }
export { A as B };
"""
_OTHERS = {"<": ">", "&&": "||", ">=": ">", "+": "-", "+=": "-=", "++": "--", "true": "false", "null": "true"}
_KEPT = frozenset(("import", "from", "as", "=>", "${", *"()[]{};,\"'`=.:?/"))


def _leaves(node):
    return [leaf for kid in node.children for leaf in _leaves(kid)] if node.child_count else [node]


@pytest.mark.slow
def test_no_token_changes_unseen():
    content = _PROGRAM.encode()
    root = parse(named("javascript"), content).root_node
    seen: dict = {}
    whole = Ecmascript().lower(root, content, seen).module
    unseen = []
    for leaf in _leaves(root):
        token = content[leaf.start_byte : leaf.end_byte].decode()
        if token in _KEPT or leaf.type == "comment":
            continue
        other = _OTHERS.get(token, "7" if leaf.type == "number" else f"{token}z" if leaf.is_named else "")
        changed = content[: leaf.start_byte] + other.encode() + content[leaf.end_byte :]
        read = Ecmascript().lower(parse(named("javascript"), changed).root_node, changed, seen)
        if not read.broken and same(read.module, whole):
            unseen.append((leaf.start_point[0] + 1, token))

    assert unseen == []
