"""What the manifests and lock files of package managers say about one library: the forms that occur, read tolerantly.

A file that is none of them, or cannot be read, mentions nothing. TOML is read with the library, which is loaded for
nothing else: read by lines, a quoted key or a nested table would hide what it says.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

MAX_LENGTH = 4 * 1024 * 1024
# Its reader is written in Python.
MAX_TOML = 256 * 1024
MAX_DOTS = 4_000_000
MANY = 20
# Of one line, or of several that are continued.
LONGEST = 10_000
# How far a lock file is followed into itself.
MAX_ENTRIES = 200_000

_NPM = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions")
_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)")
_REQUIREMENTS_NAME = re.compile(r"(?:.*[._-])?(?:requirements|constraints)(?:[._-].*)?\.(?:txt|in)")
_GEM = re.compile(r"""gem\s*\(?\s*(?:"([^"]+)"|'([^']+)')\s*(.*)""")
_GEMSPEC = re.compile(r"""[\w.]+\.add(?:_runtime|_development)?_dependency\s*\(?\s*(?:"([^"]+)"|'([^']+)')\s*(.*)""")
_QUOTED = re.compile(r"""\s*,?\s*\[?\s*(?:"([^"]*)"|'([^']*)')\s*\]?""")
_GEM_LOCK = re.compile(r"([A-Za-z0-9._-]+) \(([^)\s]+)\)")
_SETUP_KEYS = frozenset({"install_requires", "setup_requires", "tests_require"})


class Mention(NamedTuple):
    """One place that says which version is wanted. `bare` is what a version without a sign means there."""

    spec: str
    line: int | None
    bare: str = "exact"


class TooLargeError(ValueError):
    """A manifest that is too large to be read in the time an agent waits."""


def is_manifest(path: str) -> bool:
    """Return whether a file of this name may mention libraries."""
    return _reader(path) is not None


def mentions(path: str, text: str, library: str) -> list[Mention]:
    """Return what a file says about a library, in the order in which it is found; more than many are not looked at."""
    reader = _reader(path)
    if reader is None:
        return []
    if len(text) > (MAX_TOML if path.endswith((".toml", "Pipfile")) else MAX_LENGTH):
        raise TooLargeError(path)
    try:
        return list(islice(reader(text, library), MANY))
    except TooLargeError:
        raise
    except (ValueError, RecursionError):
        # Half-written, perhaps: another tool will complain.
        return []


def _reader(path: str) -> "Callable[[str, str], Iterator[Mention]] | None":
    name = os.path.basename(path)
    if name in _READERS:
        return _READERS[name]
    folder = os.path.basename(os.path.dirname(path))
    if _REQUIREMENTS_NAME.fullmatch(name) or (folder == "requirements" and name.endswith((".txt", ".in"))):
        return _requirements
    return _gemfile if name.endswith(".gemspec") else None


# JavaScript and PHP


def _package_json(text: str, library: str) -> Iterator[Mention]:
    document = _mapping(json.loads(text))
    for section in _NPM:
        for name, spec in _mapping(document.get(section)).items():
            package, wanted = _aliased(spec) if str(spec).startswith("npm:") else (name, spec)
            if package == library and isinstance(wanted, str):
                yield Mention(wanted, _line(text, f'"{name}"', spec), "partial")


def _aliased(spec: str) -> tuple[str, str]:
    """Return the package and the range that `npm:@scope/name@^1` stands for."""
    package, _, wanted = spec.removeprefix("npm:").rpartition("@")
    return (package, wanted) if package else (spec.removeprefix("npm:"), "*")


def _package_lock(text: str, library: str) -> Iterator[Mention]:
    document = _mapping(json.loads(text))
    for place, entry in _mapping(document.get("packages")).items():
        held = _mapping(entry)
        name = held.get("name") or place.rpartition("node_modules/")[2]
        if place and name == library and isinstance(held.get("version"), str):
            yield Mention(held["version"], _line(text, f'"{place}"'))
    if "packages" not in document:
        yield from _nested_lock(text, document, library)


def _nested_lock(text: str, document: Mapping[str, Any], library: str) -> Iterator[Mention]:
    """Read the lock file of npm 6, in which what a library needs stands within it."""
    open_, seen = [document], 0
    while open_ and seen < MAX_ENTRIES:
        for name, entry in _mapping(open_.pop().get("dependencies")).items():
            held = _mapping(entry)
            if name == library and isinstance(held.get("version"), str):
                yield Mention(held["version"], _line(text, f'"{name}"', f'"{held["version"]}"'))
            open_.append(held)
            seen += 1


def _composer(text: str, library: str) -> Iterator[Mention]:
    document, wanted = _mapping(json.loads(text)), library.lower()
    for section in ("require", "require-dev"):
        for name, spec in _mapping(document.get(section)).items():
            if name.lower() == wanted and isinstance(spec, str):
                yield Mention(spec, _line(text, f'"{name}"'))
    for section in ("packages", "packages-dev"):
        for entry in map(_mapping, _items(document.get(section))):
            if str(entry.get("name")).lower() == wanted and isinstance(entry.get("version"), str):
                yield Mention(entry["version"], _line(text, f'"{entry["name"]}"'))


# Python


def _pyproject(text: str, library: str) -> Iterator[Mention]:
    document = _toml(text)
    tool = _mapping(document.get("tool"))
    project, poetry, uv = (_mapping(value) for value in (document.get("project"), tool.get("poetry"), tool.get("uv")))
    lists = [
        project.get("dependencies"),
        *_mapping(project.get("optional-dependencies")).values(),
        *_mapping(document.get("dependency-groups")).values(),
        _mapping(document.get("build-system")).get("requires"),
        *(uv.get(name) for name in ("dev-dependencies", "constraint-dependencies", "override-dependencies")),
        *_mapping(_mapping(tool.get("pdm")).get("dev-dependencies")).values(),
    ]
    for requirement in (item for items in lists for item in _items(items)):
        yield from _requirement(text, requirement, library)
    groups = [_mapping(group).get("dependencies") for group in _mapping(poetry.get("group")).values()]
    for table in (poetry.get("dependencies"), poetry.get("dev-dependencies"), *groups):
        yield from _table(text, table, library, _python_name)


def _pipfile(text: str, library: str) -> Iterator[Mention]:
    document = _toml(text)
    for section in ("packages", "dev-packages"):
        yield from _table(text, document.get(section), library, _python_name)


def _requirements(text: str, library: str) -> Iterator[Mention]:
    number, held = 0, ""
    for at, line in enumerate(text.splitlines(), 1):
        number = number or at
        if len(held) < LONGEST:
            held += line[:LONGEST].partition(" #")[0] if not line.lstrip().startswith("#") else ""
        if held.endswith("\\"):
            held = held[:-1]
            continue
        yield from _requirement(text, held.partition(" --")[0], library, number)
        number, held = 0, ""


def _setup_cfg(text: str, library: str) -> Iterator[Mention]:
    section = key = ""
    for at, line in enumerate(text.splitlines(), 1):
        if line.startswith("["):
            section, key = line.strip().strip("[]"), ""
        elif line.strip() and not line.lstrip().startswith(("#", ";")):
            value = line
            if not line[0].isspace():
                key, _, value = line.partition("=")
            if section == "options.extras_require" or (section == "options" and key.strip() in _SETUP_KEYS):
                yield from _requirement(text, value, library, at)


def _requirement(text: str, requirement: object, library: str, line: int | None = None) -> Iterator[Mention]:
    """Read `name[extra] >=1,<2 ; marker`, and `name @ url`."""
    found = _REQUIREMENT.match(requirement.strip()) if isinstance(requirement, str) else None
    if found is None or not isinstance(requirement, str) or _python_name(found[1]) != _python_name(library):
        return
    spec = found[2].partition(";")[0].partition("#")[0].strip()
    if spec.startswith("(") and spec.endswith(")"):
        spec = spec[1:-1]
    yield Mention(spec, line or _line(text, requirement) or _line(text, found[1]))


def _python_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# Rust, Go, Ruby, Java


def _cargo(text: str, library: str) -> Iterator[Mention]:
    document = _toml(text)
    workspace = _mapping(document.get("workspace"))
    tables = [*(document.get(name) for name in _CARGO), workspace.get("dependencies")]
    for target in _mapping(document.get("target")).values():
        tables += [_mapping(target).get(name) for name in _CARGO]
    for table in tables:
        yield from _table(text, table, library, _rust_name, "caret")


def _rust_name(name: str) -> str:
    return name.replace("_", "-").lower()


def _go_mod(text: str, library: str) -> Iterator[Mention]:
    block = ""
    for at, line in enumerate(text.splitlines(), 1):
        words = line.partition("//")[0].split()
        if words[1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        else:
            verb, *rest = [block, *words] if block else (words or [""])
            # `replace old => new v1` brings the new one in
            wanted = rest[rest.index("=>") + 1 :] if verb == "replace" and "=>" in rest else rest
            if verb in ("require", "replace") and len(wanted) == 2 and wanted[0] == library:
                yield Mention(wanted[1], at)


def _gemfile(text: str, library: str) -> Iterator[Mention]:
    for at, line in enumerate(text.splitlines(), 1):
        told = line[:LONGEST].strip()
        found = _GEM.match(told) or _GEMSPEC.match(told)
        if found is None or library not in (found[1], found[2]):
            continue
        specs, rest = [], found[3]
        while rest.startswith((",", "[")) and (quoted := _QUOTED.match(rest)):
            specs.append(quoted[1] or quoted[2] or "")
            rest = rest[quoted.end() :].lstrip()
        elsewhere = not specs and any(word in rest for word in ("git", "path:", ":path"))
        yield Mention("git" if elsewhere else ", ".join(specs), at)


def _gem_lock(text: str, library: str) -> Iterator[Mention]:
    for at, line in enumerate(text.splitlines(), 1):
        found = _GEM_LOCK.fullmatch(line[4:]) if line.startswith("    ") else None
        if found is not None and found[1] == library:
            yield Mention(found[2], at)


def _pom(text: str, library: str) -> Iterator[Mention]:
    before, *blocks = text.split("<dependency>")
    at = before.count("\n") + 1
    for block in blocks:
        body = block.partition("</dependency>")[0]
        group, name, spec = (_element(body, tag) for tag in ("groupId", "artifactId", "version"))
        # Without a version it comes from a parent that is not here.
        if spec and library in (name, f"{group}:{name}"):
            named = spec.startswith("${") and spec.endswith("}")
            yield Mention(_element(text, spec[2:-1]) or spec if named else spec, at)
        at += block.count("\n")


def _element(text: str, tag: str) -> str:
    opening, closing = f"<{tag}>", f"</{tag}>"
    return text.partition(opening)[2].partition(closing)[0].strip() if opening in text else ""


# What they share


def _table(
    text: str, table: object, library: str, normal: Callable[[str], str], bare: str = "exact"
) -> Iterator[Mention]:
    """Read `name = "1.2"`, `name = {version = "1.2"}` and, in Cargo, `other = {package = "name", version = "1.2"}`."""
    for name, told in _mapping(table).items():
        for one in told if isinstance(told, list) else [told]:
            entry: Mapping[str, Any] = {"version": one} if isinstance(one, str) else _mapping(one)
            if normal(str(entry.get("package", name))) != normal(library) or entry.get("workspace") is True:
                continue
            spec = entry.get("version")
            elsewhere = next((f"{key} {entry[key]}" for key in ("git", "path", "url") if key in entry), "*")
            spec = spec if isinstance(spec, str) else elsewhere
            yield Mention(spec, _line(text, name, spec) or _line(text, name), bare)


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib  # only where such a manifest is written: it costs a third of a hook

    # For a dotted key it keeps every beginning of it: one of a hundred thousand parts would take all memory.
    if sum(line.count(".") ** 2 for line in text.splitlines()) > MAX_DOTS:
        raise TooLargeError(text[:40])
    return tomllib.loads(text)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _line(text: str, *words: str) -> int | None:
    """Return the first line that has all these words, else the first that has the first one."""
    begin = text.find(words[0])
    first = None if begin < 0 else text.count("\n", 0, begin) + 1
    while begin >= 0:
        end = text.find("\n", begin)
        line = text[text.rfind("\n", 0, begin) + 1 : end if end >= 0 else len(text)]
        if all(word in line for word in words):
            return text.count("\n", 0, begin) + 1
        begin = text.find(words[0], end) if end >= 0 else -1
    return first


_READERS: dict[str, Callable[[str, str], Iterator[Mention]]] = {
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "npm-shrinkwrap.json": _package_lock,
    "composer.json": _composer,
    "composer.lock": _composer,
    "pyproject.toml": _pyproject,
    "Pipfile": _pipfile,
    "setup.cfg": _setup_cfg,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "Gemfile": _gemfile,
    "gems.rb": _gemfile,
    "Gemfile.lock": _gem_lock,
    "pom.xml": _pom,
}
