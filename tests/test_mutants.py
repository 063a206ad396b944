"""What `just mutants` makes of a program: each change is one slip, and is looked for by the lines it stands on."""

import runpy
from pathlib import Path

import pytest

MUTANTS = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "mutations.py"))["mutants"]


@pytest.fixture
def mutants(tmp_path):
    """Return a function that gives the mutants of a program."""

    def made(program):
        (tmp_path / "a.py").write_text(program)
        return list(MUTANTS(tmp_path, "a.py"))

    return made


@pytest.mark.parametrize(
    ("program", "sources"),
    [
        pytest.param("a = b < c", ["a = (b <= c)"], id="a boundary"),
        pytest.param("a = b and c in d", ["a = (b or c in d)", "a = b and (c not in d)"], id="operators"),
        pytest.param("a = 'é' + b(3)", ["a = 'é' + b(4)", "a = 'é' + b((2))"], id="numbers behind other letters"),
        pytest.param("a = not b", ["a = (b)"], id="not"),
        pytest.param("a = [b for b in c if d]", ["a = [b for b in c if (not (d))]"], id="a condition"),
        pytest.param("a = b if c is d else e", ["a = b if (c is not d) else e"], id="a condition with an opposite"),
        pytest.param(
            "def a(b=True): return b", ["def a(b=False): return b", "def a(b=True): return None"], id="results"
        ),
        pytest.param("while a: break", ["while (not (a)): break", "while a: continue"], id="loops"),
        pytest.param("a()\nb = 'c'\nd += e", ["pass\nb = 'c'\nd += e", "a()\nb = 'c'\npass"], id="statements"),
        pytest.param("a: B[1] = f'{c == 2}'\nif TYPE_CHECKING:\n    a()", [], id="what only readers see"),
    ],
)
def test_a_mutant_is_one_slip(tmp_path, mutants, program, sources):
    assert [one.source(tmp_path) for one in mutants(program)] == sources


def test_a_mutant_knows_its_lines_and_what_runs_at_import(mutants):
    found = mutants("A = 1\ndef b(c=2):\n    if (\n        c > 3\n    ):\n        d()\n")

    assert [(one.new, list(one.lines), one.at_import) for one in found] == [
        ("2", [1], True),
        ("(0)", [1], True),
        ("3", [2], True),
        ("(1)", [2], True),
        ("(not (c > 3))", [3, 4], False),
        ("(c >= 3)", [3, 4], False),
        ("4", [3, 4], False),
        ("(2)", [3, 4], False),
        ("pass", [6], False),
    ]
