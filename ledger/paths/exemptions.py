"""Paths that need no intent: `.orchestration/.intentignore`, by git's rules for `.gitignore`.

An exemption takes a path out of the scope check and out of nothing else: what is protected stays protected. A file that
cannot be read for certain exempts nothing. There is one such file; at the root the name is protected, so that nobody
takes one there for ours.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence

from linetrail.ledger.paths.globs import Automaton, Token, TooComplexError
from linetrail.ledger.paths.ignore_rules import Rule, rules
from linetrail.ledger.repository import file_path

NAME = ".intentignore"
LARGEST = 256 * 1024


class Exemptions:
    """The rules of one file. `problem` says why there is none although there is a file."""

    def __init__(self, found: Iterable[Rule] = (), problem: str | None = None) -> None:
        """Compile the rules, which may be many more than what is kept of them."""
        self.rules: list[Rule] = []
        self.problem = problem
        try:
            self._automaton = Automaton(self._kept(found))
        except TooComplexError as error:
            self.rules, self.problem = [], str(error)
            return
        self._of_files = self._automaton.only(at for at, rule in enumerate(self.rules) if not rule.folder)

    def _kept(self, found: Iterable[Rule]) -> Iterator[Sequence[Token]]:
        for rule in found:
            self.rules.append(rule)
            yield rule.tokens

    def match(self, path: str, *, is_dir: bool = False) -> tuple[int, str] | None:
        """Return the line and the pattern that exempt a stored path, or a folder above it."""
        rule = self.last(path, is_dir=is_dir)
        return None if rule is None or rule.negated else (rule.line_no, rule.pattern)

    def matches(self, paths: Iterable[str]) -> dict[str, str]:
        """Return which of these stored paths are exempt, each with the file, the line and the pattern that say so."""
        found = ((path, self.match(path)) for path in paths)
        return {path: f"{NAME}:{match[0]}:{match[1]}" for path, match in found if match is not None}

    def last(self, path: str, *, is_dir: bool = False) -> Rule | None:
        """Return the rule that decides about a stored path, also one that takes an exemption back."""
        if not self.rules:
            return None
        text = os.fsencode(file_path(path)).decode("latin-1")
        states = 0
        for at, states in enumerate(self._automaton.walk(text)):
            if text[at : at + 1] == "/":
                # Nothing in a folder that is exempt can be taken back.
                above = self._automaton.ended(states)
                if above is not None and not self.rules[above].negated:
                    return self.rules[above]
        number = self._automaton.ended(states, -1 if is_dir else self._of_files)
        return None if number is None else self.rules[number]


def read(folder: str) -> Exemptions:
    """Read the exemptions of a ledger's folder; none where the file is missing, or not to be trusted."""
    path = os.path.join(folder, NAME)
    try:
        content = _content(path)
    except FileNotFoundError:
        return Exemptions()
    except OSError as error:
        return Exemptions(problem=f"{path}: {error.strerror or error}")
    if len(content) > LARGEST:
        return Exemptions(problem=f"{path} is larger than {LARGEST} bytes")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Exemptions(problem=f"{path}:{line}: not UTF-8")
    return parse(content, path)


def parse(content: bytes, path: str = NAME) -> Exemptions:
    """Return the exemptions that a file with this content makes."""
    found = Exemptions(rules(content))
    return found if found.problem is None else Exemptions(problem=f"{path}: {found.problem}")


def _content(path: str) -> bytes:
    # Through a link, somebody would say what is exempt by writing a file that is in a scope.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read(LARGEST + 1)
