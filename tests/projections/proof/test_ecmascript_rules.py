"""Which idioms of JavaScript say the same, and which only look like it."""

import pytest

from tests.projections.proof.judging import judged


def label(before: str, after: str, path: str = "app/core.js") -> str:
    return judged(before, after, path).label


def body(statements: str) -> str:
    """Return a file in which these statements are the body of a function."""
    return f"export function f(a, b, c) {{\n{statements}\n}}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("g((x) => x + a)", "g((x) => { return x + a })", id="result of an arrow function"),
        pytest.param("g(function (x) { return x })", "g((x) => x)", id="functions and arrows"),
        pytest.param("g(function () { return this.h }.bind(this))", "g(() => this.h)", id="bound to this"),
        pytest.param("return { g() { return 1 } }", "return { g: function () { return 1 } }", id="methods"),
        pytest.param("return { a: a }", "return { a }", id="short properties"),
        pytest.param(
            "let x = a, y = b; return g(x, y, x, y)", "let x = a; let y = b; return g(x, y, x, y)", id="one by one"
        ),
        pytest.param("var x = g(a); return x + x", "const x = g(a); return x + x", id="var and const"),
        pytest.param("for (var i = 0; i < a; i++) g(i)", "for (let i = 0; i < a; i++) g(i)", id="var in a loop"),
        pytest.param("if (a) { var x = g(a) } return x", "if (a) { var y = g(a) } return y", id="names seen outside"),
        pytest.param(
            "function h() {} if (a) { var x = g(h); g(x, x) }",
            "function h() {} if (a) { let x = g(h); g(x, x) }",
            id="var in a block behind a function",
        ),
        pytest.param("let x = undefined; g(() => x); x = a", "let x; g(() => x); x = a", id="undefined from the start"),
        pytest.param("const { x } = a; return x + x", "const x = a.x; return x + x", id="taken out of an object"),
        pytest.param("return a['b']", "return a.b", id="members"),
        pytest.param("return { ['b']: a }", "return { b: a }", id="keys"),
        pytest.param("return 'x' + a + 'y'", "return `x${a}y`", id="templates"),
        pytest.param("return 'x' + 'y'", "return 'xy'", id="text in two parts"),
        pytest.param("a.b += c", "a.b = a.b + c", id="operators and assignment"),
        pytest.param("a ||= b; return a", "if (!a) a = b; return a", id="assignment by condition"),
        pytest.param("a ??= b; return a", "if (a == null) { a = b } return a", id="assignment of what is missing"),
        pytest.param("return a === null || a === undefined", "return a == null", id="null and undefined"),
        pytest.param("return a == null ? b : a", "return a ?? b", id="??"),
        pytest.param("return void 0", "return", id="no result"),
        pytest.param("return typeof a === 'undefined'", "return a === undefined", id="typeof"),
        pytest.param("return typeof a == 'string'", "return typeof a === 'string'", id="comparisons of text"),
        pytest.param("return a ? true : false", "return !!a", id="true or false"),
        pytest.param("return Boolean(a)", "return !!a", id="truth of a value"),
        pytest.param("if (a.length > 0) g()", "if (a.length) g()", id="lengths"),
        pytest.param("return Math.pow(a, b)", "return a ** b", id="powers"),
        pytest.param("return Object.assign({}, a, b)", "return { ...a, ...b }", id="copies"),
        pytest.param("return {}.hasOwnProperty.call(a, b)", "return Object.hasOwn(a, b)", id="own members"),
        pytest.param("return a.indexOf(b) !== -1", "return a.includes(b)", id="contained or not"),
        pytest.param("a.g.apply(a, b)", "a.g(...b)", id="spread arguments"),
        pytest.param("throw Error(a)", "throw new Error(a)", id="errors"),
        pytest.param("return a[a.length - 1]", "return a.at(-1)", id="the last one"),
        pytest.param("try { g() } catch (e) { h() }", "try { g() } catch { h() }", id="what is caught"),
        pytest.param("for (let i = 0; i < a.length; i++) { const x = a[i]; g(x) }", "for (const x of a) g(x)", id="of"),
        pytest.param("a.forEach((x) => { g(x) })", "for (const x of a) { g(x) }", id="forEach"),
        pytest.param("a.forEach((x, i) => g(x, i))", "for (const [i, x] of a.entries()) g(x, i)", id="entries"),
        pytest.param("if (a) a.g()", "a?.g()", id="optional calls"),
        pytest.param("if (a && a.b) g()", "if (a?.b) g()", id="optional members"),
        pytest.param("return require('node:fs')", "return require('fs')", id="modules of Node"),
        pytest.param("return { ...{ a: b } }", "return { a: b }", id="copies of what is written out"),
        pytest.param("return <b c></b>", "return <b c={true} />", id="elements"),
    ],
)
def test_two_spellings_of_the_same_are_a_refactoring(one, other):
    assert label(body(one), body(other)) == "refactor"
    assert label(body(other), body(one)) == "refactor"


@pytest.mark.daily(45)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("g(function () { return this })", "g(() => this)", id="functions that use this"),
        pytest.param("g(function () { return arguments })", "g(() => arguments)", id="functions that use arguments"),
        pytest.param(
            "return { g() { return super.g() } }", "return { g: function () { return super.g() } }", id="super"
        ),
        pytest.param("for (var i = 0; i < a; i++) g(() => i)", "for (let i = 0; i < a; i++) g(() => i)", id="captured"),
        pytest.param("if (a) { var x = 1 } return x", "if (a) { let x = 1 } return x", id="var seen outside"),
        pytest.param("g(x); var x = a", "g(x); let x = a", id="var seen before"),
        pytest.param("var x = g(x); return x + x", "let x = g(x); return x + x", id="var seen by its own value"),
        pytest.param("return a + b + 'x'", "return `${a}${b}x`", id="sums before text"),
        pytest.param("return a || b", "return a ?? b", id="false and missing"),
        pytest.param("return a === null ? b : a", "return a ?? b", id="null alone"),
        pytest.param("return a && a.b", "return a?.b", id="the value of a chain"),
        pytest.param("return a.b.c", "return a?.b.c", id="a chain that skips"),
        pytest.param("return a == 1", "return a === 1", id="loose comparisons"),
        pytest.param("return { a: 1, ...b }", "return { ...b, a: 1 }", id="order of copies"),
        pytest.param("return { ['__proto__']: a }", "return { __proto__: a }", id="the prototype"),
        pytest.param(
            "a.forEach((x) => { if (x) return; g() })", "for (const x of a) { if (x) return; g() }", id="return"
        ),
        pytest.param(
            "for (let i = 0; i < a.length; i++) { const x = a[i]; i += x }", "for (const x of a) g(x)", id="counting on"
        ),
        pytest.param("return a.indexOf(b) === 0", "return a.includes(b)", id="at the beginning"),
        pytest.param("a.g.apply(c, b)", "a.g(...b)", id="another this"),
        pytest.param("a()[b] += c", "a()[b] = a()[b] + c", id="targets that are looked up twice"),
        pytest.param("return <b c={d} />", "return <e c={d} />", id="names of elements"),
        pytest.param("return <b>x y</b>", "return <b>xy</b>", id="blanks in elements"),
    ],
)
def test_what_only_looks_alike_is_evolution(one, other):
    assert label(body(one), body(other)) == "evolution"
    assert label(body(other), body(one)) == "evolution"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "var a = require('a')\nexports.f = () => a",
            "const a = require('a')\nexports.f = () => a",
            id="declared by var",
        ),
        pytest.param(
            "function g(x) { return x }\nexport { g }",
            "const g = (x) => x\nexport { g }",
            id="functions that are values",
        ),
        pytest.param(
            "'use strict'\nexport const a = g()", "export const a = g()", id="what a module is without saying so"
        ),
        pytest.param("import fs from 'fs'\nfs.a()", "import fs from 'node:fs'\nfs.a()", id="names of Node's modules"),
    ],
)
def test_spellings_of_a_whole_file(one, other):
    assert label(one, other) == "refactor"
    assert label(other, one) == "refactor"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "g()\nvar a = require('a')\nfunction g() { return a }\nexports.g = g",
            "g()\nlet a = require('a')\nfunction g() { return a }\nexports.g = g",
            id="a variable that is seen before",
        ),
        pytest.param(
            "g()\nfunction g() {}\nexports.g = g",
            "g()\nconst g = () => {}\nexports.g = g",
            id="a function called before",
        ),
        pytest.param("'use strict'\ng()", "g()", id="a script that becomes sloppy"),
        pytest.param("import a from './a.css'\na()", "import a from './a.scss'\na()", id="another file"),
    ],
)
def test_a_whole_file_that_only_looks_alike(one, other):
    assert label(one, other) == "evolution"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("export let a: Array<B>", "export let a: B[]", id="lists"),
        pytest.param("export interface A { b: C }", "export type A = { b: C }", id="interfaces"),
        pytest.param("export type A = B | C", "export type A = C | B", id="unions"),
    ],
)
def test_spellings_of_types(one, other):
    assert label(one, other, "app/core.ts") == "refactor"
