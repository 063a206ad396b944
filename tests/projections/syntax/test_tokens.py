"""The hash of tokens stays with layout and comments, and changes with everything else."""

import pytest

from linetrail.projections.syntax.definitions import index
from linetrail.projections.syntax.language import named


def first(language, text):
    definitions = index(named(language), text.encode())
    assert definitions, text
    return definitions[0]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        pytest.param("python", "def f(a,b):\n  return a", "def f(\n    a, b\n):\n\n    return a  # it", id="python"),
        pytest.param("python", "def f():\n    # why\n    pass", "def f():\n    pass", id="python, a comment gone"),
        pytest.param("python", "def f(): return 1", "def f():\n    return 1", id="python, a body on its own line"),
        pytest.param("python", "def f():\n    'a\n b'", "def f():\r\n    'a\r\n b'", id="python, ends of lines"),
        pytest.param("javascript", "function f(a){return a;}", "function f(a) {\n  return a; // it\n}", id="js"),
        pytest.param("javascript", "let f = () =>\n  a.b().c();", "let f = () => a\n  .b()\n  .c();", id="js, a chain"),
        pytest.param("javascript", "function f() {\n  a // x\n  b\n}", "function f() {\n  a \t\n  b\n}", id="js, no ;"),
        pytest.param(
            "java", "class A{int f(){return -1;}}", "class A {\n  /** It. */\n  int f() { return - 1; }\n}", id="java"
        ),
        pytest.param(
            "java", "class A { List<List<B>> b; }", "class A { List<List<B> > b; }", id="java, type arguments"
        ),
        pytest.param("go", "func f(a int){return a}", "func f(a int) {\n\treturn a // it\n}", id="go"),
        pytest.param(
            "go", "func f() {\n\tg(a, b)\n}", "func f() {\n\tg(\n\t\ta,\n\t\tb)\n}", id="go, an argument a line"
        ),
        pytest.param("rust", "fn f(a:&u8)->u8{*a}", "fn f(a: &u8) -> u8 {\n    /* it */ *a\n}", id="rust"),
        pytest.param("c", "int f(int *a){return *a;}", "int\nf(int* a)\n{\n  return *a; /* it */\n}", id="c"),
        pytest.param("ruby", "def f(a)\n  g(a, 1)\nend", "def f( a )\n\n    g(a,\n      1) # it\nend", id="ruby"),
        pytest.param("bash", "f() {\n  g  a   # it\n}", "f() {\n\n    g a\n}", id="bash"),
        pytest.param("css", "a>b{c:d;e:f}", "a > b {\n  c: d; /* it */\n  e: f\n}", id="css"),
        pytest.param("html", '<p id="a"><b> c </b></p>', '<p   id="a"><b>\n  c <!-- it -->\n</b></p>', id="html"),
        pytest.param("json", '{"a":{"b":[1,2]}}', '{\n  "a": {\n    "b": [1, 2]\n  }\n}', id="json"),
        pytest.param("yaml", "a:\n  b: 1\n  c: [d, e]", "a:\n    b:   1 # it\n\n    c: [d,\n      e]", id="yaml"),
        pytest.param("toml", "[a]\nb=[1,2]", "[a]\n# it\nb = [\n  1,\n  2\n]", id="toml"),
        pytest.param("sql", "create table a(b int)", "create table a (\n  b int -- it\n)", id="sql"),
        pytest.param("scala", "def f(a: Int) = {\n  a\n}", "def f(a: Int) = {\n\n    a // it\n}", id="scala"),
        pytest.param("markdown", "# A\n\nb\n", "# A\r\n\r\nb\r\n\r\n", id="markdown, ends of lines"),
    ],
)
def test_layout_and_comments_are_no_tokens(language, one, other):
    assert first(language, one).tokens == first(language, other).tokens


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        pytest.param("python", "def f():\n    'a b'", "def f():\n    'a  b'", id="white space in a string"),
        pytest.param(
            "python",
            "def f():\n    if a:\n        b\n        c",
            "def f():\n    if a:\n        b\n    c",
            id="a statement that left a block",
        ),
        pytest.param(
            "python",
            "def f():\n    if a:\n        if b:\n            c\n        else: d",
            "def f():\n    if a:\n        if b:\n            c\n    else: d",
            id="an else that belongs to another if",
        ),
        pytest.param("python", "def f():\n    a\n    (b)", "def f():\n    a(b)", id="two statements and a call"),
        pytest.param("python", "def f():\n    return\n    a", "def f():\n    return a", id="nothing returned"),
        pytest.param("python", "def f(): a or b", "def f(): aor b", id="two words and one"),
        pytest.param(
            "javascript", "function f() {\n  return\n  a\n}", "function f() { return a }", id="js, nothing returned"
        ),
        pytest.param("javascript", "function f() { a + ++b }", "function f() { a++ + b }", id="js, whose ++"),
        pytest.param("javascript", "function f() { `a b` }", "function f() { `a  b` }", id="js, in a template"),
        pytest.param("javascript", "function f() { /a b/ }", "function f() { /a  b/ }", id="js, in a pattern"),
        pytest.param("tsx", "const f = () => <p>a b</p>", "const f = () => <p>a  b</p>", id="tsx, in an element"),
        pytest.param("java", 'class A { String a = "b c"; }', 'class A { String a = "b  c"; }', id="java, a string"),
        pytest.param("java", "class A { int a = b - -c; }", "class A { int a = b-- -c; }", id="java, whose --"),
        pytest.param("go", "func f() {\n\ta\n\t-b\n}", "func f() {\n\ta - b\n}", id="go, two statements and one"),
        pytest.param("go", "func f() { a < -b }", "func f() { a <- b }", id="go, less and sent"),
        pytest.param("rust", 'fn f() { r#"a b"# }', 'fn f() { r#"a  b"# }', id="rust, a raw string"),
        pytest.param("c", "#define A (b)\n", "#define A(b)\n", id="c, a value and a parameter"),
        pytest.param(
            "php", "<?php function f() { return 1 . 2; }", "<?php function f() { return 1.2; }", id="php, joined"
        ),
        pytest.param("ruby", "def f\n  g -1\nend", "def f\n  g - 1\nend", id="ruby, an argument and a difference"),
        pytest.param("ruby", "def f\n  g [1]\nend", "def f\n  g[1]\nend", id="ruby, an argument and an element"),
        pytest.param("ruby", "def f\n  g\n  -1\nend", "def f\n  g -1\nend", id="ruby, two statements and one"),
        pytest.param("bash", "f() {\n  a=b\n}", "f() {\n  a= b\n}", id="bash, set and set for a command"),
        pytest.param("bash", "f() {\n  a\n  b\n}", "f() {\n  a b\n}", id="bash, two commands and one"),
        pytest.param("css", "a .b {}", "a.b {}", id="css, inside and itself"),
        pytest.param("css", "a :b {}", "a:b {}", id="css, any inside and itself"),
        pytest.param("html", '<p id="a"><b>c</b> <i>d</i></p>', '<p id="a"><b>c</b><i>d</i></p>', id="html, a gap"),
        pytest.param("html", '<div id="a"><pre>b c</pre></div>', '<div id="a"><pre>b  c</pre></div>', id="html, <pre>"),
        pytest.param("json", '{"a": "b c"}', '{"a": "b  c"}', id="json, a string"),
        pytest.param("yaml", "a:\n  b:\n    c: 1\n    d: 2", "a:\n  b:\n    c: 1\n  d: 2", id="yaml, a key that left"),
        pytest.param("yaml", "a:\n  b: c", "a:\n  b:c", id="yaml, a key and a text"),
        pytest.param("yaml", "a:\n- b c", "a:\n- b  c", id="yaml, white space in a text"),
        pytest.param("yaml", "a: |\n  b\n  c", "a: |\n  b\n   c", id="yaml, white space in a block"),
        pytest.param("toml", '[a]\nb = "c d"', '[a]\nb = "c  d"', id="toml, a string"),
        pytest.param("sql", 'create table "a b" (c int)', 'create table "a  b" (c int)', id="sql, a name in quotes"),
        pytest.param("scala", "object A {\n  a - -b\n}", "object A {\n  a --b\n}", id="scala, another operator"),
        pytest.param(
            "scala",
            "def f =\n  if a then\n    b\n    c\n",
            "def f =\n  if a then\n    b\n  c\n",
            id="scala, a line that left a block",
        ),
        pytest.param(
            "kotlin", "fun f() {\n  a\n  (b)\n}", "fun f() {\n  a(b)\n}", id="kotlin, two statements and a call"
        ),
        pytest.param(
            "swift", "func f() {\n  a\n  (b)\n}", "func f() {\n  a(b)\n}", id="swift, two statements and a call"
        ),
        pytest.param("markdown", "# A\n\nb  \nc", "# A\n\nb\nc", id="markdown, a broken line"),
        pytest.param("markdown", "# A\n\n- b\n  - c", "# A\n\n- b\n- c", id="markdown, a list inside a list"),
    ],
)
def test_what_means_something_else_has_other_tokens(language, one, other):
    assert first(language, one).tokens != first(language, other).tokens


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", "def a(x):\n    return x", "def b(x):\n    return x"),
        ("javascript", "const a = (x) => x;", "const b = (x) => x;"),
        ("java", "class A { int x; }", "class B { int x; }"),
        ("go", "func (s *S) a() {}", "func (s *S) b() {}"),
        ("c", "typedef struct { int x; } a;", "typedef struct { int x; } b;"),
        ("json", '{"a": 1}', '{"b": 1}'),
        ("markdown", "# A\n\nx", "# B\n\nx"),
    ],
)
def test_a_name_is_no_part_of_the_body(language, one, other):
    one, other = first(language, one), first(language, other)

    assert one.body_tokens == other.body_tokens
    assert one.tokens != other.tokens


def test_a_definition_changes_with_what_it_contains():
    one, method, _ = index(named("python"), b"class A:\n    def f(self): pass\n    def g(self): pass\n")
    other, renamed, _ = index(named("python"), b"class A:\n    def h(self): pass\n    def g(self): pass\n")

    assert method.body_tokens == renamed.body_tokens
    assert one.body_tokens != other.body_tokens


def test_a_comment_above_is_in_the_bytes_and_not_in_the_tokens():
    with_comment = first("python", "# why\n# so\n@cache\ndef f():\n    pass\n")
    without = first("python", "@cache\ndef f():\n    pass\n")

    assert (with_comment.start_line, with_comment.end_line) == (1, 5)
    assert with_comment.raw != without.raw
    assert with_comment.tokens == without.tokens


@pytest.mark.parametrize(
    ("above", "start_line"),
    [
        pytest.param("# why\n\n", 3, id="a blank line between"),
        pytest.param("a = 1  # why\n", 2, id="behind other code"),
        pytest.param("# far\n\n# near\n", 3, id="a far one and a near one"),
    ],
)
def test_only_a_comment_directly_above_belongs_to_a_definition(above, start_line):
    found = {each.name: each for each in index(named("python"), f"{above}def f(): pass\n".encode())}

    assert found["f"].start_line == start_line
