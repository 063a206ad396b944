"""Whose each file is, by the CODEOWNERS file that forges read: the last pattern that fits decides."""

import os
from collections.abc import Iterator, Sequence

from linetrail.ledger.paths.globs import Automaton, TooComplexError
from linetrail.ledger.paths.ignore_rules import Rule
from linetrail.ledger.paths.ignore_rules import rules as patterns
from linetrail.ledger.repository import file_path
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one owner of one file at HEAD, by CODEOWNERS"
COLUMNS = {"path": "VARCHAR", "owner": "VARCHAR", "pattern": "VARCHAR", "source": "VARCHAR"}
VERSION = 1

# In the order in which forges look: GitHub's three places, then GitLab's own.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")


def key(asked: Asked) -> object:
    """Name the owners: by the commit alone."""
    return asked.head


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the owners by path."""
    if asked.head is None:
        return
    from linetrail.ledger.repository import git
    from linetrail.projections.survival.stats import tree

    files = [file.path for file in tree(asked.repository, asked.head)]
    source = next((place for place in PLACES if place in files), None)
    content = git(asked.repository, "cat-file", "blob", f"{asked.head}:{source}") if source else None
    owners = Owners(content or b"")
    for path in files:
        found = owners.of(path)
        for owner in found[1] if found else ():
            yield path, owner, found and found[0], source


class Owners:
    """The patterns of one CODEOWNERS file."""

    def __init__(self, content: bytes) -> None:
        """Read the patterns; what no forge reads, such as a negation, owns nothing."""
        self._rules: list[Rule] = []
        self._owners: list[Sequence[str]] = []
        for line in content.decode(errors="replace").splitlines():
            self._read(line.partition(" #")[0].strip())
        try:
            self._automaton = Automaton(rule.tokens for rule in self._rules)
        except TooComplexError:
            self._rules, self._automaton = [], Automaton([])
        self._of_files = self._automaton.only(at for at, rule in enumerate(self._rules) if not rule.folder)
        # `docs/*` has the files of that folder, and nothing that lies deeper
        self._of_folders = self._automaton.only(
            at for at, rule in enumerate(self._rules) if not rule.pattern.endswith("/*")
        )

    def of(self, path: str) -> tuple[str, Sequence[str]] | None:
        """Return the pattern that decides about a stored path, and its owners, who may be none."""
        if not self._rules:
            return None
        text = os.fsencode(file_path(path)).decode("latin-1")
        found: list[int | None] = []
        states = 0
        for at, states in enumerate(self._automaton.walk(text)):
            if text[at : at + 1] == "/":
                found.append(self._automaton.ended(states, self._of_folders))
        found.append(self._automaton.ended(states, self._of_files))
        last = max((at for at in found if at is not None), default=None)
        return None if last is None else (self._rules[last].pattern, self._owners[last])

    def _read(self, line: str) -> None:
        words = line.replace("\\ ", "\0").split()
        # a section of GitLab is a heading and owns nothing by itself
        if not words or words[0].startswith(("#", "!", "[", "^[")):
            return
        try:
            found = list(patterns(words[0].replace("\0", "\\ ").encode()))
        except TooComplexError:
            return
        self._rules += found
        self._owners += [words[1:]] * len(found)
