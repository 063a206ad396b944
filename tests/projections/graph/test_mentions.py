"""Who uses whom: names are told from words, the surest reading is taken, and a guess is told as one."""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables

pytestmark = pytest.mark.in_turn

MENTIONS = """
select src.path || ':' || src.qualified_name, dst.path || ':' || dst.qualified_name, edge.evidence, edge.confidence
from v_lineage as edge
inner join v_nodes as src on src.node_id = edge.src_id
inner join v_nodes as dst on dst.node_id = edge.dst_id
where edge.edge_type = 'mentions'
order by src.path, src.start_line, dst.path, dst.start_line
"""


@pytest.fixture
def mentions(repo):
    """Return a function that commits files and tells who uses whom in them."""
    repo.start_ledger()

    def tell(files):
        repo.commit("files", files)
        with open_tables(find(str(repo.path))) as tables:
            return tables.ask(MENTIONS).rows

    return tell


TAX = "def rate(country):\n    return RATES[country]\n\n\nRATES = {}\n"


def test_a_name_of_the_same_file_is_that_of_the_file(mentions):
    assert mentions({"tax.py": TAX, "other.py": "RATES = {}\n"}) == [("tax.py:rate", "tax.py:RATES", "same file", 0.95)]


@pytest.mark.slow
def test_an_import_says_which_of_several_is_meant(mentions):
    files = {
        "billing/tax.py": "def rate(country):\n    pass\n",
        "shop/tax.py": "def rate(country):\n    pass\n",
        "app.py": "from billing.tax import rate\n\n\ndef gross(net):\n    return net * rate('AT')\n",
    }

    assert mentions(files) == [("app.py:gross", "billing/tax.py:rate", "imported by name", 0.95)]


def test_what_is_imported_from_elsewhere_is_nobody_here(mentions):
    files = {
        "paths.py": "class Path:\n    pass\n",
        "app.py": "from pathlib import Path\n\n\ndef home():\n    return Path('~')\n",
    }

    assert mentions(files) == []


@pytest.mark.slow
def test_a_member_of_the_object_itself_is_that_of_its_own_class(mentions):
    files = {
        "app.py": "class Tax:\n    def rate(self):\n        pass\n\n    def gross(self):\n        return self.rate()\n",
        "other.py": "class Other:\n    def rate(self):\n        pass\n",
    }

    assert mentions(files) == [("app.py:Tax.gross", "app.py:Tax.rate", "member of the same class", 0.95)]


@pytest.mark.slow
def test_a_member_of_the_object_itself_may_stand_in_another_block_of_its_type(mentions):
    one = "struct Tax;\n\nimpl Tax {\n    fn rate(&self) -> i32 { 1 }\n}\n"
    files = {"a.rs": one, "b.rs": "use a::Tax;\n\nimpl Tax {\n    fn gross(&self) -> i32 { self.rate() }\n}\n"}

    found = [row for row in mentions(files) if row[0] == "b.rs:Tax.gross"]

    assert found == [("b.rs:Tax.gross", "a.rs:Tax.rate", "member of the same class", 0.95)]


@pytest.mark.slow
def test_what_is_no_member_is_none_of_an_object_that_only_has_its_name(mentions):
    files = {"app.py": "def rate():\n    pass\n\n\ndef gross(self):\n    return self.rate()\n"}

    assert mentions(files) == []


@pytest.mark.slow
def test_a_module_says_whose_function_it_is(mentions):
    files = {
        "billing/tax.py": "def rate(country):\n    pass\n",
        "other.py": "class Other:\n    def rate(self):\n        pass\n",
        "app.py": "from billing import tax\n\n\ndef gross(net):\n    return net * tax.rate('AT')\n",
    }

    assert mentions(files) == [("app.py:gross", "billing/tax.py:rate", "imported with `tax`", 0.9)]


@pytest.mark.slow
def test_of_several_with_one_name_each_is_as_likely(mentions):
    method = "    def settle(self):\n        pass\n"
    files = {
        "a.py": f"class A:\n{method}",
        "b.py": f"class B:\n{method}",
        "app.py": "def run(one):\n    one.settle()\n",
    }

    assert mentions(files) == [
        ("app.py:run", "a.py:A.settle", "by its name alone", 0.25),
        ("app.py:run", "b.py:B.settle", "by its name alone", 0.25),
    ]


@pytest.mark.slow
def test_of_too_many_with_one_name_none_is_named(mentions):
    files = {f"{name}.py": f"class {name}:\n    def settle(self):\n        pass\n" for name in "abcde"}

    assert mentions(files | {"app.py": "def run(one):\n    one.settle()\n"}) == []


@pytest.mark.slow
def test_a_method_that_is_called_on_itself_is_of_the_class(mentions):
    files = {
        "a.py": "class A:\n    def run(self):\n        self.stop()\n\n    def stop(self):\n        pass\n",
        "b.py": "class B:\n    def stop(self):\n        pass\n",
    }

    assert mentions(files) == [("a.py:A.run", "a.py:A.stop", "member of the same class", 0.95)]


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def run():\n    # rate\n    return 'rate'\n", id="in a comment and a text"),
        pytest.param("def run(rate):\n    return rate\n", id="a parameter"),
        pytest.param("def run():\n    rate = 1\n    return rate\n", id="a variable of its own"),
        pytest.param("def run():\n    return call(rate=1)\n", id="the name of an argument"),
    ],
)
def test_a_word_that_only_looks_like_the_name_is_none(mentions, text):
    assert mentions({"a.py": f"{text}\n\ndef rate():\n    pass\n"}) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param(
            {
                "tax/rate.go": "package tax\n\nfunc Rate() int {\n\treturn 1\n}\n",
                "tax/use.go": "package tax\n\nfunc Gross() int {\n\treturn Rate()\n}\n",
                "app/app.go": 'package app\n\nimport "example.com/tax"\n\nfunc Run() int {\n\treturn tax.Rate()\n}\n',
            },
            [
                ("app/app.go:Run", "tax/rate.go:Rate", "imported with `tax`", 0.9),
                ("tax/use.go:Gross", "tax/rate.go:Rate", "same package", 0.8),
            ],
            id="go",
        ),
        pytest.param(
            {
                "src/tax.ts": "export function rate() {\n  return 1;\n}\n",
                "src/app.tsx": "import { rate } from './tax';\n\nexport function App() {\n  return rate();\n}\n",
            },
            [("src/app.tsx:App", "src/tax.ts:rate", "imported by name", 0.95)],
            id="typescript",
        ),
        pytest.param(
            {
                "tax.h": "int rate(void) {\n  return 1;\n}\n",
                "app.c": '#include "tax.h"\n\nint gross(void) {\n  return rate();\n}\n',
            },
            [("app.c:gross", "tax.h:rate", "from an imported file", 0.8)],
            id="c",
        ),
        pytest.param(
            {
                "src/tax.rs": "pub fn rate() -> i32 {\n    1\n}\n",
                "src/main.rs": "use crate::tax::rate;\n\nfn gross() -> i32 {\n    rate()\n}\n",
            },
            [("src/main.rs:gross", "src/tax.rs:rate", "imported by name", 0.95)],
            id="rust",
        ),
        pytest.param(
            {
                "shop/Tax.java": "package shop;\n\nclass Tax {\n    static int rate() {\n        return 1;\n    }\n}\n",
                "shop/App.java": "package shop;\n\nclass App {\n  int gross() {\n    return Tax.rate();\n  }\n}\n",
            },
            [
                ("shop/App.java:App.gross", "shop/Tax.java:Tax", "same package", 0.8),
                ("shop/App.java:App.gross", "shop/Tax.java:Tax.rate", "member of `Tax`", 0.9),
            ],
            id="java",
        ),
    ],
)
def test_each_language_says_in_its_own_way_whose_a_name_is(mentions, files, found):
    assert mentions(files) == found


def test_what_holds_what_and_what_became_of_what_are_relations_too(repo):
    repo.start_ledger()
    text = "class A:\n    def run(self):\n        check(self)\n        return self.found\n"
    repo.commit("start", {"a.py": text})
    repo.commit("rename", {"a.py": text.replace("run", "walk")})

    with open_tables(find(str(repo.path))) as tables:
        rows = tables.ask(
            "select edge_type, src_id = dst_id, line_no, evidence, confidence from v_lineage order by edge_type"
        ).rows

    assert rows == [
        ("contains", False, 2, "stands in it", 1.0),
        ("renamed_from", True, None, "renamed `run` → `walk`; body identical", 1.0),
    ]
