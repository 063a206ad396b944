"""Which names of JavaScript and TypeScript nobody outside can reach."""

import pytest

from linetrail.projections.proof.dialects.ecmascript.ecmascript import Ecmascript
from linetrail.projections.proof.terms.program import Module, Program
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse


def read(source: str) -> Module:
    content = source.encode()
    dialect = Ecmascript()
    lowered = dialect.lower(parse(named("typescript"), content).root_node, content, {})
    return Program({"a.ts": Module("a.ts", lowered, dialect)}).modules["a.ts"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("const a = 1\nexport const b = a", id="beside something that is exported"),
        pytest.param("function a() {}\nmodule.exports = { b: a }", id="exported under a key"),
        pytest.param("function a() {}\nexports.b = a", id="exported as a member"),
        pytest.param("const b = require('b')\nlet a", id="in a file that requires"),
        pytest.param("const a = 1\nexport { a as b }", id="exported by another name"),
    ],
)
def test_names_that_are_not_exported_are_private(text):
    assert read(text).is_private("a")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("export const a = 1", id="exported where it is declared"),
        pytest.param("export default function a() {}", id="exported as the default"),
        pytest.param("function a() {}\nexport default a", id="exported as the default, later"),
        pytest.param("function a() {}\nmodule.exports = a", id="all that a module exports"),
        pytest.param("function a() {}\nexports = module.exports = a", id="the same, twice"),
        pytest.param("export interface a {}", id="an exported type"),
        pytest.param("var a = 1", id="in a script that is no module"),
    ],
)
def test_names_that_are_exported_are_public(text):
    assert not read(text).is_private("a")


@pytest.mark.parametrize(
    ("text", "members"),
    [
        pytest.param("class A { #b = 1; c = 2 }", {"#b"}, id="by the language"),
        pytest.param("class A { private b = 1; protected c = 2; private d() {} }", {"b", "d"}, id="by a word"),
        pytest.param("class A { constructor(private b, readonly c) {} }", {"b"}, id="as a parameter"),
        pytest.param("class A { private b = 1 } class B { b = 1 }", set(), id="but for public namesakes"),
        pytest.param("class A { private b = 1 } const c = { b: 1 }", set(), id="but for keys of objects"),
        pytest.param("class A { private b = 1; c() { const { b } = this } }", {"b"}, id="taken out of an object"),
    ],
)
def test_members_are_private(text, members):
    assert read(text).private_members == members


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("./b", "src/b.ts", id="without an ending"),
        pytest.param("./b.js", "src/b.ts", id="with the ending of what it becomes"),
        pytest.param("../c/d", "c/d/index.js", id="a folder"),
        pytest.param("./e.config", "src/e.config.mjs", id="with a dot in its name"),
        pytest.param(".", "src/index.tsx", id="the folder itself"),
    ],
)
def test_a_path_means_files(written, expected):
    assert expected in Ecmascript().modules("src/a.ts", written, ())


def test_a_package_is_no_file():
    assert Ecmascript().modules("src/a.ts", "react", ()) == []
