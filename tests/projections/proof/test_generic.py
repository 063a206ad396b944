"""What is lost and what is kept of languages that have no dialect of their own."""

import pytest

from linetrail.projections.proof.dialects.generic import Generic
from linetrail.projections.proof.terms.term import same
from linetrail.projections.syntax.language import languages, named
from linetrail.projections.syntax.parsing import parse
from tests.projections.proof.judging import judged
from tests.projections.proof.mutants import mutants


def lowered(language, source):
    content = source.encode()
    return Generic(named(language)).lower(parse(named(language), content).root_node, content, {})


def module(language, source):
    read = lowered(language, source)
    assert not read.broken
    return read.module


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        pytest.param("c", "int f(int a){return a;}", "int\nf( int a )\n{\n  return a;\n}", id="C"),
        pytest.param("c", "int a[] = {1, 2,};", "int a[] = {1, 2};", id="trailing commas in C"),
        pytest.param("c", "#define A(b) \\\n  f(b)\n", "#define A(b)   \\\n f(b)\n", id="macros"),
        pytest.param("cpp", "auto f = [&](int a) { return a; };", "auto f=[&]( int a ){return a;};", id="C++"),
        pytest.param("csharp", "class A { int B() => 1; }", "class A\n{\n    int B() => 1;\n}", id="C#"),
        pytest.param("kotlin", "fun f(a: Int): Int { return a }", "fun f( a:Int ) : Int {\n  return a\n}", id="Kotlin"),
        pytest.param("swift", "func f() -> Int { return 1 }", "func f() -> Int {\n    return 1\n}", id="Swift"),
        pytest.param("scala", "def f(a: Int): Int = { a }", "def f(a:Int): Int = {\n  a\n}", id="Scala"),
        pytest.param(
            "php", "<?php\nfunction f($a) { return [$a,]; }", "<?php\nfunction f( $a )\n{ return [$a]; }", id="PHP"
        ),
        pytest.param("ruby", "def f(a)\n  a\nend\n", "def f( a )\n      a\n\nend\n", id="Ruby"),
        pytest.param("lua", "local a = {1, 2,}", "local a={ 1,2 }", id="Lua"),
        pytest.param("bash", "if a; then\nb  c\nfi\n", "if a; then\n    b c\nfi\n", id="Bash"),
        pytest.param("bash", "a b c\n", "a b \\\n  c\n", id="commands that go on in the next line"),
        pytest.param("sql", "select a from b", "SELECT a\nFROM b", id="SQL"),
        pytest.param("html", "<p>a b</p>", "<p>a\n   b</p>", id="HTML"),
        pytest.param("css", "a .b{c:d}", "a  .b {\n  c: d;\n}", id="CSS"),
        pytest.param("json", '{"a":[1,2]}', '{\n  "a": [1, 2]\n}', id="JSON"),
        pytest.param("yaml", "a: {b: 1}\nc:\n- d", "a: { b: 1 }\nc:\n  - d\n", id="YAML"),
        pytest.param("yaml", "a: |\n  b\n   c\n", "a: |\n      b\n       c\n", id="block scalars"),
        pytest.param("toml", "a = [1, 2]\n[b]\nc=1", "a = [\n  1,\n  2,\n]\n\n[b]\nc = 1\n", id="TOML"),
        pytest.param("markdown", "# a\n\nb\n", "# a\r\n\r\nb\r\n", id="line ends in Markdown"),
    ],
)
def test_layout_is_lost(language, one, other):
    assert same(module(language, one), module(language, other))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        pytest.param("c", 'f("a  b");', 'f("a b");', id="strings in C"),
        pytest.param("c", "#define A 1\n#define B 2\n", "#define A 1 #define B 2\n", id="lines of directives"),
        pytest.param("c", "#define A(b) b\n", "#define A (b) b\n", id="macros with parameters"),
        pytest.param("c", "x = a - (b - c);", "x = a - b - c;", id="parentheses in C"),
        pytest.param("csharp", 'var a = @"b  c";', 'var a = @"b c";', id="strings in C#"),
        pytest.param("csharp", 'var a = $"b  {c}";', 'var a = $"b {c}";', id="text around a hole"),
        pytest.param("kotlin", "val a = b\n-c", "val a = b -c", id="lines in Kotlin"),
        pytest.param("swift", "a = b\n-c", "a = b -c", id="lines in Swift"),
        pytest.param("php", "<b> <?php f() ?> </b>", "<b> <?php f() ?></b>", id="text around PHP"),
        pytest.param("ruby", "a [1]", "a[1]", id="blanks in Ruby"),
        pytest.param("ruby", 'a = "b  #{c}"', 'a = "b #{c}"', id="strings in Ruby"),
        pytest.param("ruby", "a = <<~B\n  c\nB\n", "a = <<~B\n    c\n  d\nB\n", id="here-documents in Ruby"),
        pytest.param("lua", "a = [[b  c]]", "a = [[b c]]", id="long strings"),
        pytest.param("lua", "a = {b(), c}", "a = {b, c()}", id="order"),
        pytest.param("bash", "a b", "ab", id="words"),
        pytest.param("bash", "echo {a,b}", "echo {a, b}", id="braces"),
        pytest.param("bash", 'echo "a  $b"', 'echo "a $b"', id="strings in Bash"),
        pytest.param("bash", "cat <<A\n  $b\nA\n", "cat <<A\n $b\nA\n", id="here-documents"),
        pytest.param("sql", "select 'a  b'", "select 'a b'", id="strings in SQL"),
        pytest.param("sql", "select a, b from c", "select b, a from c", id="order of columns"),
        pytest.param("html", "<b>a</b> <i>b</i>", "<b>a</b><i>b</i>", id="blanks between elements"),
        pytest.param("html", "<pre>a  b</pre>", "<pre>a b</pre>", id="text as it is"),
        pytest.param("html", '<a b="c  d"></a>', '<a b="c d"></a>', id="attributes"),
        pytest.param("css", "a .b{}", "a.b{}", id="blanks in selectors"),
        pytest.param("json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', id="order of keys"),
        pytest.param("json", "[1]", "[1, 1]", id="elements"),
        pytest.param("yaml", "a:\n  b: 1\nc: 2\n", "a:\n  b: 1\n  c: 2\n", id="indentation"),
        pytest.param("yaml", "a: |\n  b\n   c\n", "a: |\n  b\n  c\n", id="lines of a block scalar"),
        pytest.param("yaml", "a: |\n  b\n", "a: >\n  b\n", id="kinds of block scalars"),
        pytest.param("yaml", "a: '1'", "a: 1", id="quotes in YAML"),
        pytest.param("toml", "a = 1\nb = 2\n", "b = 2\na = 1\n", id="order of settings"),
        pytest.param("toml", "a = 1\n[b]\n", "[b]\na = 1\n", id="tables"),
        pytest.param("markdown", "a  \nb\n", "a\nb\n", id="blanks in Markdown"),
    ],
)
def test_what_is_said_is_kept(language, one, other):
    assert not same(lowered(language, one).module, lowered(language, other).module)


@pytest.mark.parametrize(
    ("language", "source"),
    [
        pytest.param("bash", "#!/bin/sh\na\n", id="programs"),
        pytest.param("ruby", "# frozen_string_literal: true\na\n", id="magic comments"),
        pytest.param("php", '<?php\n/** @Route("/a") */\nfunction f() {}\n', id="annotations in PHP"),
        pytest.param("sql", "select /*+ INDEX(a) */ b from a", id="hints"),
        pytest.param("html", "<!--[if IE]><![endif]--><p></p>", id="conditional comments"),
        pytest.param("swift", "// swift-tools-version:5.9\nimport A\n", id="versions"),
        pytest.param("yaml", "#cloud-config\na: 1\n", id="kinds of files"),
    ],
)
def test_what_tools_obey_is_a_directive(language, source):
    read = lowered(language, source)

    assert len(read.directives) == 1
    assert read.comments == []


def test_comments_are_for_people():
    read = lowered("c", "/* a\n * b */ int c; // d\n// e\nint f; // g\n")

    assert read.comments == ["/* a b", "// d e", "// g"]


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_nothing_is_too_short_to_be_lowered(language):
    read = lowered(language.name, "")

    assert read.module.kind == "module"
    assert (read.comments, read.directives) == ([], [])


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_nothing_is_too_wild_to_be_lowered(language):
    text = "(]}{ \"' <a> $b #{ /* é\n\t`\\ ```" + "([{" * 300

    assert lowered(language.name, text).module.kids


_PROGRAMS = {
    "c": """
        #include <stdio.h>
        static int total(const char *name, int sizes[]) {
            struct pair p = { .first = 1, .second = 2 };
            for (int i = 0; i < 10; i++) {
                if (sizes[i] == p.first && name->length != 3) { continue; }
                p.second += (long) sizes[i] * -1;
            }
            return p.second;
        }
    """,
    "csharp": """
        class A {
            public static int Sum(int[] sizes, string name = "a") {
                var total = 1;
                foreach (var size in sizes) { total += Use(size, other: name) * 2; }
                return sizes.Select(one => one + total).Sum();
            }
        }
    """,
    "kotlin": """
        fun sum(sizes: List<Int>, name: String = "a"): Int {
            var total = 1
            for (size in sizes) { total += use(size, other = name) * 2 }
            return sizes.map { one -> one + total }.sum()
        }
    """,
    "lua": """
        local function sum(sizes, name)
            local total, count = 1, #sizes
            for i, size in ipairs(sizes) do total = total + use(size, { other = name }) * 2 end
            repeat local last = total + 1 until last == count
            return total
        end
    """,
    "scala": """
        class A {
            def sum(sizes: List[Int], name: String = "a"): Int = {
                val total = 1
                sizes.map(one => one + total).foldLeft(0)(add)
            }
        }
    """,
    "swift": """
        func sum(of sizes: [Int], name: String) -> Int {
            var total = 1
            for size in sizes { total += use(size, other: name) * 2 }
            return sizes.map { one in one + total }.reduce(0, add)
        }
    """,
}


@pytest.mark.parametrize("language", _PROGRAMS)
def test_every_token_counts(language):
    source = _PROGRAMS[language]
    whole = module(language, source)
    found = list(mutants(language, source))

    assert len(found) > 15
    assert [which for which, mutant in found if same(whole, lowered(language, mutant).module)] == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("a.c", "int f(int a) { int b = a; return b; }", "int f(int c) { int d = c; return d; }", id="C"),
        pytest.param(
            "a.cpp",
            "int f(V v) { int n = 0; for (auto &e : v) n += g([&](int z) { return z + e; }); return n; }",
            "int f(V w) { int m = 0; for (auto &o : w) m += g([&](int y) { return y + o; }); return m; }",
            id="C++",
        ),
        pytest.param(
            "a.cs",
            "class A { int F(int a) { var b = a; foreach (var e in b) G(e.b, b: 1); return b; } }",
            "class A { int F(int c) { var d = c; foreach (var o in d) G(o.b, b: 1); return d; } }",
            id="C#",
        ),
        pytest.param(
            "a.kt",
            'fun f(a: Int): Int { val b = a; for (e in b) { g(e.b, "$b ${e}") }; return b.map { q -> q + b } }',
            'fun f(c: Int): Int { val d = c; for (o in d) { g(o.b, "$d ${o}") }; return d.map { r -> r + d } }',
            id="Kotlin",
        ),
        pytest.param(
            "a.lua",
            "function f(a) local b = a for i = 1, b do g(i.b) end repeat local w = b until w return b end",
            "function f(c) local d = c for j = 1, d do g(j.b) end repeat local v = d until v return d end",
            id="Lua",
        ),
        pytest.param(
            "a.scala",
            'class A { def f(a: Int): Int = { val b = a; g(q => q + b); s"$b" } }',
            'class A { def f(c: Int): Int = { val d = c; g(r => r + d); s"$d" } }',
            id="Scala",
        ),
        pytest.param(
            "a.swift",
            "func f(of a: Int) -> Int { let b = a; for e in b { g(e.b, b: b) }; return b.map { q in q + b } }",
            "func f(of c: Int) -> Int { let d = c; for o in d { g(o.b, b: d) }; return d.map { r in r + d } }",
            id="Swift",
        ),
    ],
)
def test_local_names_may_change(path, before, after):
    assert judged(before, after, path).label == "refactor"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("a.c", "int f(int a) { return a; }", "int f(int b) { return a; }", id="a use is forgotten"),
        pytest.param(
            "a.c", "int f(int a) { return a + b; }", "int f(int b) { return b + b; }", id="a global is hidden"
        ),
        pytest.param(
            "a.c",
            "int f(int a);\nint g(int b) { return a; }",
            "int f(int c);\nint g(int b) { return c; }",
            id="a prototype",
        ),
        pytest.param(
            "a.c",
            "#define M a + 1\nint f(int a) { return M; }",
            "#define M a + 1\nint f(int b) { return M; }",
            id="a macro uses it",
        ),
        pytest.param("a.c", "int f(void) { return 1; }", "int g(void) { return 1; }", id="a function"),
        pytest.param(
            "a.cs", "class A { int a; int F() { return a; } }", "class A { int b; int F() { return b; } }", id="a field"
        ),
        pytest.param("a.kt", 'fun f(a: Int) = "$a"', 'fun f(b: Int) = "$a"', id="a string is forgotten"),
        pytest.param(
            "a.swift", "func f(a: Int) -> Int { return a }", "func f(b: Int) -> Int { return b }", id="a label"
        ),
        pytest.param(
            "a.lua",
            "function f(b) repeat local w = b until w return b end",
            "function f(b) repeat local v = b until w return b end",
            id="the end of a loop",
        ),
        pytest.param(
            "a.lua",
            "function f(x) local x = x return x end",
            "function f(x) local y = y return y end",
            id="what it is set to",
        ),
        pytest.param(
            "a.cpp",
            "void f() { for (auto &e : e) g(e); }",
            "void f() { for (auto &o : o) g(o); }",
            id="what a loop goes over",
        ),
        pytest.param(
            "a.lua",
            "function f() for i = i, 9 do g(i) end end",
            "function f() for j = j, 9 do g(j) end end",
            id="where a loop starts",
        ),
        pytest.param(
            "a.kt", "fun f() { for (e in e) { g(e) } }", "fun f() { for (o in o) { g(o) } }", id="what a for goes over"
        ),
        pytest.param("a.rb", "def f(a)\n  a\nend\n", "def f(b)\n  b\nend\n", id="a language without a table"),
    ],
)
def test_other_names_may_not(path, before, after):
    assert judged(before, after, path).label == "evolution"
