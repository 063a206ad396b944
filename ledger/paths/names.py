"""Judge a path by its spelling alone: what is refused on sight, protected however it is written, or needs no intent.

Nothing here looks at where it leads. A name that some system reads as another one is refused on all systems, since
a repository travels. Nothing is decoded: ``%2e%2e`` is a name.

`.orchestration/.intentignore` exempts, by git's rules for `.gitignore`. An exemption takes a path out of the scope
check and out of nothing else: what is protected stays protected. A file that cannot be read for certain exempts
nothing. There is one such file; at the root the name is protected, so that nobody takes one there for ours.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence

from linetrail.ledger.agents import PROTECTED
from linetrail.ledger.paths.globs import Automaton, Token, TooComplexError
from linetrail.ledger.paths.ignore_rules import Rule, rules
from linetrail.ledger.repository import file_path

# In bytes, as file systems count.
NAME_MAX, PATH_MAX = 255, 4096

# Protected wherever they lie: whoever writes there decides what git runs.
ANYWHERE = ".git"
# Protected at the root: the gate's own files, and those that make an agent run commands or leave the gate out.
AT_ROOT = (
    ".orchestration",
    ".intentignore",
    ".mcp.json",
    ".roo",
    *(path for path in PROTECTED if "/" not in path),
)
# The same, in a folder that is not protected itself.
BELOW_ROOT = tuple(tuple(path.split("/")) for path in PROTECTED if "/" in path)

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in "0123456789"}
)
_DIGITS = "0123456789"
# In many a font these are one stroke, or one ring.
_DRAWN = str.maketrans("l1|!0", "iiiio")
EXEMPTING = ".intentignore"
LARGEST = 256 * 1024


def refusal(path: str) -> str | None:
    r"""Return why a path is refused on sight, whatever it leads to; None when it is not.

    >>> refusal("src/a.py"), refusal("~/.bashrc")
    (None, 'it begins with ~, which some tools replace by a home directory')
    """
    if not path:
        return "it is empty"
    # First of all, for the rest takes the longer the longer a path is.
    if len(path) > PATH_MAX:
        return f"it is longer than {PATH_MAX} bytes"
    return _encoding(path) or _beginning(path) or _characters(path) or names_refusal(path.split("/"))


def names_refusal(names: Iterable[str]) -> str | None:
    """Return why one of these components of a path is refused; None when none is."""
    for name in names:
        reason = _name(name)
        if reason is not None:
            return reason
    return None


def protected(names: Sequence[str], *, deep: int = 0) -> str | None:
    """Return what is protected of a path below the root, by its components from depth `deep` on; None when nothing is.

    >>> protected(["vendor", "sub", ".GIT", "config"]), protected(["docs", "claude"])
    ('.git', None)
    """
    ascii_only = all(map(str.isascii, names))
    if ascii_only:
        folded = [name.lower() for name in names]
    else:
        from linetrail.ledger.paths.lookalikes import fold

        # What is drawn like a separator is taken for one.
        parts = (part for name in names for part in (name.lower() if name.isascii() else fold(name)).split("/"))
        folded = list(filter(None, parts))
    is_it: Callable[[str, str], bool] = _equal
    if not ascii_only:
        from linetrail.ledger.paths.lookalikes import resembles

        is_it = resembles
    if any(is_it(name, ANYWHERE) for name in folded):
        return ANYWHERE
    return None if deep else _at_root(folded, is_it)


def leads_to_protected(names: Sequence[str]) -> bool:
    """Return whether something protected lies in the folder of this path, so that a link in its place would move it."""
    folded = tuple(name.lower() for name in names)
    return any(folded == place[: len(folded)] for place in BELOW_ROOT)


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
        return {path: f"{EXEMPTING}:{match[0]}:{match[1]}" for path, match in found if match is not None}

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


def exemptions(folder: str) -> Exemptions:
    """Read the exemptions of a ledger's folder; none where the file is missing, or not to be trusted."""
    path = os.path.join(folder, EXEMPTING)
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
    return exemptions_of(content, path)


def exemptions_of(content: bytes, path: str = EXEMPTING) -> Exemptions:
    found = Exemptions(rules(content))
    return found if found.problem is None else Exemptions(problem=f"{path}: {found.problem}")


def _at_root(names: Sequence[str], is_it: Callable[[str, str], bool]) -> str | None:
    for place in (*((name,) for name in AT_ROOT), *BELOW_ROOT):
        if len(names) >= len(place) and all(map(is_it, names, place)):
            return "/".join(place)
    return None


def _equal(folded: str, name: str) -> bool:
    return len(folded) == len(name) and (folded == name or folded.translate(_DRAWN) == name.translate(_DRAWN))


def _encoding(path: str) -> str | None:
    try:
        raw = path.encode()
    except UnicodeEncodeError:
        return "its name is not valid UTF-8"
    return f"it is longer than {PATH_MAX} bytes" if len(raw) > PATH_MAX else None


def _beginning(path: str) -> str | None:
    if path != path.strip(" "):
        return "it has a space before or behind it"
    if path.startswith("~"):
        return "it begins with ~, which some tools replace by a home directory"
    if path.startswith("$"):
        return "it begins with a variable, which some tools replace"
    if path.startswith("%") and _is_windows_variable(path):
        return "it begins with a variable, which Windows replaces"
    if path.startswith("//"):
        return "it begins with //, which names another machine on some systems"
    return None


def _is_windows_variable(path: str) -> bool:
    name = path[1:].partition("%")[0]
    return "%" in path[1:] and "/" not in name and (name[:1].isalpha() or name.startswith("_"))


def _characters(path: str) -> str | None:
    if "\\" in path:
        return "it has a backslash in it, which separates names on Windows; write /"
    if "`" in path or "$(" in path:
        return "it has a command substitution in it"
    if ":" in path:
        return "it has a colon in it: a URL, a drive, or a stream of another file on Windows"
    if path.isascii():
        return None if path.isprintable() else "it has a control character in it"
    if "\ufffd" in path:
        return "it has a character in it that stands for one that was lost"
    from linetrail.ledger.paths.lookalikes import is_invisible

    found = next(filter(is_invisible, path), None)
    return None if found is None else f"it has an invisible character in it (U+{ord(found):04X})"


def _name(name: str) -> str | None:  # noqa: PLR0911  one return for each thing that can be wrong
    if name in {"", ".", ".."}:
        return None
    if len(name) > NAME_MAX or len(name.encode("utf-8", "surrogatepass")) > NAME_MAX:
        return f"a name in it is longer than {NAME_MAX} bytes"
    if name[-1] in ". ":
        return f"{_quoted(name)} ends with a dot or a space, which Windows drops"
    if name.isascii():
        read = name.lower()
    else:
        from linetrail.ledger.paths.lookalikes import fold

        read = fold(name)
        if not read.strip("."):
            return f"{_quoted(name)} can be taken for {'dots' if read else 'nothing'}"
    stem, _, extension = read.partition(".")
    if stem.rstrip(" ") in _DEVICES:
        return f"{_quoted(name)} is a device on Windows"
    if _is_short(stem, extension):
        return f"{_quoted(name)} can be the short name of another file on Windows"
    return None


def _is_short(stem: str, extension: str) -> bool:
    """Return whether a name has the form of an 8.3 alias: up to eight characters that end with ~ and digits."""
    head, tilde, number = stem.rpartition("~")
    fits = len(stem) <= 8 and len(extension) <= 3 and "." not in extension
    return bool(tilde and head and number and not number.strip(_DIGITS) and fits)


def _quoted(name: str) -> str:
    return name if len(name) <= 60 else name[:60] + "…"


def _content(path: str) -> bytes:
    # Through a link, somebody would say what is exempt by writing a file that is in a scope.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read(LARGEST + 1)
