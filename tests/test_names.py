"""One name for each thing: everything is imported as `linetrail.…`, and every exception to a rule says why."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ledger", "projections", "queries")
# Programs that are looked at and never run.
LOOKED_AT = ("tests/projections/syntax/cases", "tests/projections/proof/programs")
SOURCES = [ROOT / "__init__.py"]
SOURCES += sorted(
    path
    for folder in (*ROOMS, "tests", "benchmarks", "notebooks", "tools")
    for path in (ROOT / folder).rglob("*.py")
    if not path.relative_to(ROOT).as_posix().startswith(LOOKED_AT)
)
# A code in brackets or after a colon, then words.
REASONED = {
    "noqa": re.compile(r"# noqa: [A-Z]+[0-9]+(, ?[A-Z]+[0-9]+)*  \S+ \S+"),
    "type: ignore": re.compile(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]  # \S+ \S+"),
    "pragma": re.compile(r"# pragma: no cover  \S+ \S+"),
}

each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))


def imports(source):
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@each_source
def test_rooms_are_imported_by_their_full_name(source):
    bare = [name for name in imports(source) if name.startswith(".") or name.partition(".")[0] in ROOMS]

    assert not bare


@each_source
def test_an_exception_to_a_rule_says_why(source):
    silent = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
        for word, reasoned in REASONED.items()
        if f"# {word}" in line and not reasoned.search(line)
    ]

    assert source == Path(__file__) or not silent


@each_source
def test_a_module_says_what_it_is_for(source):
    tree = ast.parse(source.read_text(encoding="utf-8"))

    assert ast.get_docstring(tree) or not tree.body
