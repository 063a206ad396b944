"""A variable that serves several purposes becomes several, and the program does what it did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.projections.proof.dialects.python.python import Python
from linetrail.projections.proof.rules.lifetimes import separated
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.scopes import Resolver
from linetrail.projections.syntax.language import language_of
from linetrail.projections.syntax.parsing import parse
from tests.projections.proof.judging import judged

VARIABLES = st.sampled_from(("p", "x", "y", "z"))
LEAVES = st.one_of(
    st.builds("{} = f({})".format, VARIABLES, VARIABLES),
    st.builds("{} = f(1)".format, VARIABLES),
    st.builds("{} += f({})".format, VARIABLES, VARIABLES),
    st.builds("{}, {} = f({}), f(2)".format, VARIABLES, VARIABLES, VARIABLES),
    st.builds("f({})".format, VARIABLES),
    st.builds("f([{0} for {0} in (1, {1})])".format, VARIABLES, VARIABLES),
    st.builds("f(({} := f(3)) and {})".format, VARIABLES, VARIABLES),
    st.builds("g = lambda: f({})".format, st.sampled_from(("y", "z"))),
    st.sampled_from(("break", "continue", "return", "g()")),
)


def _indented(block: str) -> str:
    return "\n".join(f"    {line}" for line in block.split("\n"))


def _compound(inner):
    block = st.lists(inner, min_size=1, max_size=4).map(lambda parts: _indented("\n".join(parts)))
    return st.one_of(
        st.builds("if f({}):\n{}\nelse:\n{}".format, VARIABLES, block, block),
        st.builds("if f({}):\n{}".format, VARIABLES, block),
        st.builds("for {} in h():\n{}".format, VARIABLES, block),
        st.builds("for {} in h():\n{}\nelse:\n{}".format, VARIABLES, block, block),
        st.builds("while f({}) and more():\n{}".format, VARIABLES, block),
        st.builds("try:\n{}\nexcept ValueError as {}:\n{}".format, block, VARIABLES, block),
        st.builds("try:\n{}\nexcept ValueError:\n{}\nelse:\n{}\nfinally:\n{}".format, block, block, block, block),
        st.builds("try:\n{}\nfinally:\n{}".format, block, block),
        st.builds("with suppress(ValueError) as {}:\n{}".format, VARIABLES, block),
    )


PROGRAMS = st.lists(st.recursive(LEAVES, _compound, max_leaves=25), min_size=1, max_size=6).map("\n".join)


@pytest.mark.in_turn
@pytest.mark.slow
@given(PROGRAMS, st.integers(0, 30))
def test_a_program_with_more_variables_does_the_same(body, seed):
    source = f"def run(p, f, h, more):\n{_indented(body)}\n    return x, y, z, p\n"
    try:
        compile(source, "run", "exec")
    except SyntaxError:
        return

    assert _trace(_separate(source), seed) == _trace(source, seed), source


def test_disjoint_purposes_get_names_of_their_own():
    before = """
        def run(a, f):
            m = f(a)
            f(m, m)
            m = f(1)
            return m, m
    """
    after = """
        def run(a, f):
            m = f(a)
            f(m, m)
            n = f(1)
            return n, n
    """

    assert judged(before, after).label == "refactor"


def test_purposes_that_meet_do_not():
    before = """
        def run(a, f):
            m = f(a)
            if a:
                m = f(1)
            return m, m
    """
    after = """
        def run(a, f):
            m = f(a)
            if a:
                n = f(1)
            return m, m
    """

    assert judged(before, after).label == "evolution"


def _separate(source: str) -> str:
    """Return a program with the names of its variables numbered by their purposes."""
    language = language_of("run.py", source.encode())
    assert language is not None
    module = Python().lower(parse(language, source.encode()).root_node, source.encode(), {}).module
    function = separated(Resolver("run.py", module, Python()).resolve(module.kids[0]))
    numbers: dict[tuple[str, object], int] = {}
    text = source
    leaves = [leaf for leaf in function.walk() if leaf.kind in (t.NAME, t.BIND) and leaf.end > leaf.start]
    for leaf in sorted(leaves, key=lambda leaf: -leaf.start):
        named = getattr(leaf.value, "name", None)
        if named in ("x", "y", "z", "p"):
            number = numbers.setdefault((named, leaf.value), len(numbers))
            text = f"{text[: leaf.start]}{named}_{number}{text[leaf.end :]}"
    return text


def _trace(source: str, seed: int) -> object:
    asked: list[object] = []

    def f(*values: object) -> int:
        asked.append(values)
        if (len(asked) * 7 + seed) % 6 == 0:
            raise ValueError(len(asked))
        return (len(asked) + seed) % 3

    def h() -> range:
        return range((len(asked) + seed) % 4)

    def more() -> bool:
        return (len(asked) * 5 + seed) % 4 > 0

    from contextlib import suppress

    names: dict[str, object] = {"suppress": suppress}
    exec(source, names)
    run = names["run"]
    assert callable(run)
    try:
        return run(9, f, h, more), _shown(asked)
    except NameError:
        # one that no purpose assigns to is a free name now
        return NameError, _shown(asked)
    except Exception as error:  # noqa: BLE001  which error it is belongs to what a program does
        return type(error), _shown(asked)


def _shown(asked: list[object]) -> list[str]:
    return [str(values) for values in asked]
