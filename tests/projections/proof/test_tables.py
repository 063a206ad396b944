"""The tables of languages: what a line says, and that it speaks of nodes that the grammar has."""

import pytest

from linetrail.projections.proof.dialects.lowering import at
from linetrail.projections.proof.dialects.tables import CONVERSIONS, construct, is_no_token, table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term, same
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse

NODE = parse(named("python"), b"x").root_node
A, B, C = (Term(t.NAME, name) for name in "abc")
DOT = Term(t.TOKEN, ".")
PARTS = [("left", A), (".", DOT), ("right", B), ("kind", C)]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("pair *", at(NODE, "pair", "", (A, B, C))),
        ("pair **", at(NODE, "pair", "", (A, DOT, B, C))),
        ("pair=word right *", at(NODE, "pair", "word", (B, A, C))),
        ("pair=one,two, left? gone? -", at(NODE, "pair", ("one", "two"), (A, ABSENT, ABSENT))),
        ("pair=@ #1 *", at(NODE, "pair", ".", (B, A, C))),
        ("pair bind:left ( list right )", at(NODE, "pair", "", (A.but(kind=t.BIND), at(NODE, "list", "", (B,))))),
        ("#2", C),
        ("return kind*", at(NODE, "return", "", (C,))),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_line_says_what_a_node_becomes(line, made):
    assert same(construct(line, CONVERSIONS, is_no_token)(NODE, PARTS), made)


def test_a_part_that_has_to_be_there_is_missed():
    with pytest.raises(KeyError):
        construct("pair gone", CONVERSIONS, is_no_token)(NODE, PARTS)


@pytest.mark.parametrize(
    ("language", "grammars"),
    [("go", ["go"]), ("java", ["java"]), ("rust", ["rust"]), ("ecmascript", ["javascript", "typescript", "tsx"])],
)
def test_a_table_speaks_of_nodes_that_the_grammar_has(language, grammars):
    kinds = set()
    for grammar in grammars:
        tree = parse(named(grammar), b"").language
        kinds |= {tree.node_kind_for_id(number) for number in range(tree.node_kind_count)}
    found = table(language, dict.fromkeys(("body", "key", "property"), lambda term: term))

    assert found.rules.keys() | found.leaves.keys() <= kinds
