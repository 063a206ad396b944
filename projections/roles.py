"""What a file is for, by its name alone: the conventions that test runners and people go by."""

import re

from linetrail.projections.syntax.language import language_of

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
