"""Every file that HEAD has or the ledger names, and what it is for by the conventions of test runners and people."""

import re
from collections.abc import Iterator

from linetrail.projections.syntax.language import language_of
from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one path that is tracked at HEAD or that a mutation names"
COLUMNS = {
    "path_id": "VARCHAR",
    "path": "VARCHAR",
    "language": "VARCHAR",
    "role": "VARCHAR",
    "tracked": "BOOLEAN",
    "bytes": "BIGINT",
    "renamed_from": "VARCHAR",
}
# 2: with what a file is for.
VERSION = 2

_NAMED = """
select path, arg_max(from_path, position) filter (where op = 'rename') as renamed_from
from mutation_files
group by path
"""

CODE, TEST, OTHER = "code", "test", "other"

# A folder of this name holds tests, and whatever they need.
_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "testdata"})
# What the name of a file of tests looks like, by language; where a language is not here, its folder alone tells.
_NAMES = {
    "python": r"test_.*\.pyw?|.*_test\.pyw?|tests?\.py|conftest\.py",
    "go": r".*_test\.go",
    "javascript": r".*[.-](?:test|spec|cy)\.[cm]?jsx?",
    "typescript": r".*[.-](?:test|spec|cy)\.[cm]?ts",
    "tsx": r".*[.-](?:test|spec|cy)\.tsx",
    "java": r"(?:Test[A-Z].*|.*(?:Tests?|TestCase|IT|Spec))\.java",
    "kotlin": r".*(?:Tests?|IT|Spec)\.kts?",
    "scala": r".*(?:Tests?|Spec|Suite)\.scala",
    "csharp": r".*(?:Tests?|Specs?)\.cs",
    "swift": r".*(?:Tests?|Spec)\.swift",
    "php": r".*(?:Test|Cest)\.php",
    "ruby": r".*_(?:spec|test)\.rb|test_.*\.rb",
    "rust": r".*_tests?\.rs|tests?\.rs",
    "c": r"test_.*\.c|.*_(?:unit)?tests?\.c",
    "cpp": r"test_.*|.*_(?:unit)?tests?\.(?:cc|cpp|cxx)",
    "lua": r".*_(?:spec|test)\.lua|test_.*\.lua",
    "bash": r"test_.*\.sh|.*[_.]test\.sh|.*\.bats",
}


def key(asked: Asked) -> list[object]:
    """Name the files: by the ledger and the commit."""
    return [ledger_key(asked), asked.head]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the files by path."""
    import hashlib

    from linetrail.projections.survival.stats import tree

    sizes = {file.path: file.size for file in tree(asked.repository, asked.head)} if asked.head else {}
    former = dict(asked.tables.ask(_NAMED).rows)
    for path in sorted({*sizes, *former}):
        language = language_of(path)
        name = hashlib.sha256(path.encode(errors="surrogateescape")).hexdigest()[:16]
        there = path in sizes, sizes.get(path)
        yield name, path, language and language.name, role(path), *there, former.get(path)


def role(path: str) -> str:
    """Return whether a file is a test, other code, or neither.

    >>> [role(path) for path in ("src/tax.py", "src/tax_test.go", "tests/data/a.json", "README.md")]
    ['code', 'test', 'test', 'other']
    """
    *folders, base = path.split("/")
    language = language_of(path)
    convention = _NAMES.get(language.name) if language is not None else r".*\.bats"
    if not _FOLDERS.isdisjoint(folders) or (convention and re.fullmatch(convention, base)):
        return TEST
    return CODE if language is not None and (language.locals or language.name == "sql") else OTHER
