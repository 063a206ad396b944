"""Where a rule ends: what it is for is a refactoring, and what only looks like that is none."""

import pytest

from tests.projections.proof.judging import judged

IMPORTS = "import collections\nimport os\n"


def python(body: str) -> str:
    return f"{IMPORTS}def f(a, b, c):\n    {body}\n"


def script(body: str) -> str:
    return f"export function f(a, b, c) {{\n{body}\n}}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("return '%(x)s, %(y)s' % a", "return f\"{a['x']}, {a['y']}\"", id="keys of a dict that is named"),
        pytest.param("return os.stat(a).st_size", "return os.path.getsize(a)", id="the size of a file"),
        pytest.param(
            "x = [a] if b else [c]; return x[:], x", "x = [a] if b else [c]; return x.copy(), x", id="a list either way"
        ),
        pytest.param(
            "return collections.defaultdict(lambda: set())", "return collections.defaultdict(set)", id="an empty set"
        ),
    ],
)
def test_what_says_the_same_in_python(one, other):
    assert judged(python(one), python(other)).label == "refactor"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("return list(zip(a.keys(), a.values(), b))", "return list(a.items())", id="zip of three"),
        pytest.param(
            "return os.stat(a, follow_symlinks=False).st_size", "return os.path.getsize(a)", id="the size of a link"
        ),
        pytest.param(
            "x = [a] if b else c; return x[:], x", "x = [a] if b else c; return x.copy(), x", id="perhaps a list"
        ),
        pytest.param(
            "return collections.defaultdict(lambda: set(a))", "return collections.defaultdict(set)", id="a filled set"
        ),
        pytest.param(
            "return collections.defaultdict(lambda: g())", "return collections.defaultdict(g)", id="another function"
        ),
        pytest.param("x = a; return dir(), x, x", "y = a; return dir(), y, y", id="names that are asked for"),
        pytest.param("*x, y = a; return x", "*z, y = a; return x", id="the rest of a list under another name"),
    ],
)
def test_what_says_something_else_in_python(one, other):
    assert judged(python(one), python(other)).label == "evolution"


def test_names_that_are_listed_have_no_order_where_all_are_known():
    assert judged("__all__ = ['b', 'a']\n", "__all__ = ['a', 'b']\n").label == "refactor"
    assert judged("__all__ = ['b', 'a', *c]\n", "__all__ = ['a', 'b', *c]\n").label == "evolution"


def test_a_local_function_that_went_into_its_call_is_told():
    found = judged(python("def g(x): return x + c\n    return g(a) * 2"), python("return (a + c) * 2"))

    assert (found.label, found.evidence) == ("refactor", ("f: a local function that is called once",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("return a == null ? undefined : a.b", "return a?.b", id="a chain by a condition"),
        pytest.param("return <b>x{'y'}</b>", "return <b>xy</b>", id="text of an element in two parts"),
    ],
)
def test_what_says_the_same_in_javascript(one, other):
    assert judged(script(one), script(other), "a.jsx").label == "refactor"


def test_an_object_that_has_members_may_say_itself_what_it_owns():
    one = script("return { hasOwnProperty: c }.hasOwnProperty.call(a, b)")

    assert judged(one, script("return Object.hasOwn(a, b)"), "a.js").label == "evolution"


def test_a_field_may_be_called_otherwise_where_all_that_is_derived_shows_no_names():
    every = "Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd"
    one, other = (
        f"#[derive({every})]\nstruct P {{ {name}: i32 }}\nfn f(p: P) -> i32 {{ p.{name} }}\n" for name in ("a", "b")
    )

    assert judged(one, other, "a.rs").label == "refactor"


def test_the_value_of_a_block_of_rust_may_be_returned():
    one = "fn f(a: i32) -> i32 { g(); if a > 1 { 2 } else { 3 } }"
    other = "fn f(a: i32) -> i32 { g(); if a > 1 { return 2; } else { return 3; } }"

    assert judged(one, other, "a.rs").label == "refactor"


@pytest.mark.parametrize("values", ["a", "a, "], ids=["one value", "one value and a comma"])
def test_what_a_format_of_rust_is_given_may_stand_in_it(values):
    one, other = (f"fn f(a: i32) {{ println!({text}); }}" for text in (f'"{{}}", {values}', '"{a}"'))

    assert judged(one, other, "a.rs").label == "refactor"
