"""Every small change of what a program says is an evolution, whatever language it is in."""

import re
from pathlib import Path

import pytest

from tests.projections.proof.judging import judged

pytestmark = pytest.mark.in_turn

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("[Ll]edger.*"))
# What a mutation makes of a token; a word becomes another word of the same program.
OTHER = {
    "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "/", "+=": "-=", "-=": "+=", "===": "!==", "==": "!=",
    "&&": "||", "and": "or", "or": "and", "True": "False", "true": "false", "false": "true", "False": "True",
    "break": "continue", "0": "1", "1": "2", "2": "3", "10": "11", "100": "101",
}  # fmt: skip
TOKEN = re.compile(r"(?<![\w'\"])(?:&&|===|==|\+=|-=|[<>+*-](?![>=<+-])|\d+|\w+)(?![\w'\"])")
STRING = re.compile(r"\"[^\"\n]+\"|`[^`\n]+`")


def mutants(text):
    """Yield programs that differ in one token or one letter of a string, with the place."""
    for found in TOKEN.finditer(text):
        other = OTHER.get(found[0])
        if other is not None and not text[: found.start()].endswith(("-", "+", "<")):
            yield found.start(), text[: found.start()] + other + text[found.end() :]
    for found in STRING.finditer(text):
        yield found.start(), text[: found.start() + 1] + "z" + text[found.start() + 1 :]


def without_one_statement(text):
    """Yield programs that lack one line that is a statement of its own."""
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        if re.match(r"\s+(self|this|l|source|history|merged|total|step)\b.*[\w)\]];?$", line):
            yield at, "".join(lines[:at] + lines[at + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_another_token_is_another_program(path):
    text = path.read_text(encoding="utf-8")
    made = list(mutants(text)) + list(without_one_statement(text))

    called = {at: judged(text, mutant, path.name) for at, mutant in made}

    assert len(made) > 15
    assert {at: (one.label, one.evidence) for at, one in called.items() if one.label != "evolution"} == {}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_a_local_variable_may_be_called_otherwise_everywhere_and_nowhere_else(path):
    text = path.read_text(encoding="utf-8")
    name = "after" if path.suffix != ".ts" else "known"

    places = [found.start() for found in re.finditer(rf"\b{name}\b(?!\"|:)", text)]
    everywhere = re.sub(rf"\b{name}\b(?!\"|:)", "later", text)
    but_once = text[: places[-1]] + "later" + text[places[-1] + len(name) :]

    assert judged(text, everywhere, path.name).label == "refactor"
    assert judged(text, but_once, path.name).label == "evolution"
