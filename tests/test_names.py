"""One name for each thing: everything is imported as `linetrail.…`, and every exception to a rule says why."""

import ast
import re
from pathlib import Path

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
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in SOURCES}
TREES = {name: ast.parse(text) for name, text in TEXTS.items()}


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def test_rooms_are_imported_by_their_full_name():
    bare = [
        f"{name}: {imported}"
        for name, tree in TREES.items()
        for imported in imports(tree)
        if imported.startswith(".") or imported.partition(".")[0] in ROOMS
    ]

    assert not bare


def test_an_exception_to_a_rule_says_why():
    silent = [
        f"{name}:{number}: {line.strip()}"
        for name, text in TEXTS.items()
        if name != "tests/test_names.py"
        for number, line in enumerate(text.splitlines(), 1)
        for word, reasoned in REASONED.items()
        if f"# {word}" in line and not reasoned.search(line)
    ]

    assert not silent


def test_a_module_says_what_it_is_for():
    silent = [name for name, tree in TREES.items() if tree.body and not ast.get_docstring(tree)]

    assert not silent
