"""One name for each thing: everything is imported as `linetrail.…`, and every exception to a rule says why."""

import re
from pathlib import Path
from typing import NamedTuple

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


# What begins a line of a program: such lines in a text are held to the same rule.
BARE = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:\.|(?:{'|'.join(ROOMS)})\b)[^\n]*", re.MULTILINE)
# Comments, then a text, or nothing at all.
TOLD = re.compile(r'(?:#[^\n]*\n|\s)*(?:r?"""|\Z)')


class Source(NamedTuple):
    """What is asked of one file."""

    name: str
    text: str


@pytest.fixture(scope="module")
def sources():
    return [Source(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in SOURCES]


def test_rooms_are_imported_by_their_full_name(sources):
    assert [f"{source.name}: {line}" for source in sources for line in BARE.findall(source.text)] == []


def test_an_exception_to_a_rule_says_why(sources):
    silent = [
        f"{source.name}:{number}: {line.strip()}"
        for source in sources
        if source.name != "tests/test_names.py"
        for number, line in enumerate(source.text.splitlines(), 1)
        for word, reasoned in REASONED.items()
        if f"# {word}" in line and not reasoned.search(line)
    ]

    assert not silent


def test_a_module_says_what_it_is_for(sources):
    assert [source.name for source in sources if not TOLD.match(source.text)] == []
