"""Judge a path by how it is spelled: what is refused on sight, and what is protected however it is written.

Nothing here looks at the disk. A name that some system reads as another one is refused on all systems, since
a repository travels. Nothing is decoded: ``%2e%2e`` is a name.
"""

from collections.abc import Callable, Iterable, Sequence

from linetrail.ledger.agents import PROTECTED

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
