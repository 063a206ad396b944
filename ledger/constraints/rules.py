"""Constraints that are checked on the actual change: how long a file is, what its lines hold, which libraries it wants.

Deciding is pure, bounded, and never raises: a rule that cannot be read is a finding of its own, refusing where the rule
would have refused. Free text is for people and is passed over.
"""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.files import is_binary
from linetrail.ledger.paths.globs import ScopeError, compile_scope

# More of a file is not looked at line by line.
MAX_SEARCHED = 2 * 1024 * 1024
# One finding for each line of a generated file would say nothing more.
MAX_FINDINGS = 20
LONGEST_TEXT = 1000
_SHARED = ("type", "scope", "enforce", "validation", "description", "message", "id", "rationale")
_ENFORCE = ("warn", "deny")


class Finding(NamedTuple):
    """What a change does against a rule. `rule` is the rule as JSON; `deny` says that it asks for a refusal."""

    rule: str
    code: str
    path: str
    line: int | None
    message: str
    deny: bool


class _Told(NamedTuple):
    """What a check found out: where, what, and whether it may be refused for it."""

    line: int | None
    message: str
    certain: bool = True


class _Change(NamedTuple):
    path: str
    before: bytes | None
    after: bytes


def check(rules: Sequence[Any], path: str, before: bytes | None, after: bytes | None) -> list[Finding]:
    """Return what a change of one file does against these rules; a deletion does nothing against any."""
    if after is None:
        return []
    change = _Change(path, before, after)
    return [finding for rule in rules if isinstance(rule, Mapping) for finding in _judged(rule, change)]


def problems(rule: Any) -> list[str]:
    """Return what is wrong with a rule as somebody wrote it, each with the remedy."""
    if not isinstance(rule, Mapping):
        return ["a rule that is checked must be a mapping with a `type`; write other rules as text"]
    return [*_flaws(rule), *_strange(rule)]


def text(rule: Mapping[str, Any]) -> str:
    """Return a rule as the ledger and a message name it."""
    return json.dumps(dict(rule), ensure_ascii=False, separators=(",", ":"), default=str, skipkeys=True)[:LONGEST_TEXT]


def _judged(rule: Mapping[str, Any], change: _Change) -> Iterator[Finding]:
    deny, name = rule.get("enforce") == "deny", text(rule)
    flaws = _flaws(rule)
    if flaws:
        yield Finding(
            name, "INVALID_CONSTRAINT", change.path, None, f"a constraint cannot be checked: {flaws[0]}", deny
        )
        return
    kind = _KINDS[_kind(rule)]
    if not _covers(rule.get("scope"), change.path, without=True) or _covers(
        rule.get("except"), change.path, without=False
    ):
        return
    for at, told in enumerate(kind.check(rule, change)):
        if at == MAX_FINDINGS:
            return
        yield Finding(name, kind.code, change.path, told.line, told.message, deny and told.certain)


# How many lines and bytes


def _file_size(rule: Mapping[str, Any], change: _Change) -> Iterator[_Told]:
    for field, unit, measure in (("max_lines", "lines", _lines), ("max_bytes", "bytes", len)):
        limit = rule.get(field)
        if limit is None or (unit == "lines" and is_binary(_utf8(change.after))):
            continue
        size = measure(change.after)
        was = 0 if change.before is None else measure(change.before)
        if size > limit and not (was > limit and size < was):
            line = limit + 1 if unit == "lines" else None
            yield _Told(line, f"{change.path} then has {size:,} {unit}, {limit:,} are allowed: split it")


def _lines(content: bytes) -> int:
    content = _utf8(content)
    feeds = content.count(b"\n")
    if not feeds:
        return content.count(b"\r") + (bool(content) and not content.endswith(b"\r"))
    return feeds + (not content.endswith(b"\n"))


def _file_size_flaws(rule: Mapping[str, Any]) -> Iterator[str]:
    limits = [field for field in ("max_lines", "max_bytes") if rule.get(field) is not None]
    if not limits:
        yield "`file_size` says no size; add `max_lines: 500` or `max_bytes: 100000`"
    for field in limits:
        if type(rule[field]) is not int or rule[field] < 1:
            yield f"`{field}` must be a whole number above 0, such as `{field}: 500`"


# What lines hold


def _code_pattern(rule: Mapping[str, Any], change: _Change) -> Iterator[_Told]:
    from linetrail.ledger.constraints import literals  # only where such a rule is

    forbidden, exempt, whole = _forbidden(rule)
    if is_binary(_utf8(change.after)) or (exempt and _covers(literals.TESTS, change.path, without=False)):
        return
    if max(len(change.after), len(change.before or b"")) > MAX_SEARCHED:
        yield _Told(None, f"{change.path} is too large to be searched", certain=False)
        return
    before, after = _split(change.before or b""), _split(change.after)
    patterns = [literals.compiled(one, whole_words=whole) for one in forbidden]
    for at, line in literals.added(before, after) if patterns else ():
        for pattern in patterns:
            if literals.found(pattern, line):
                yield _Told(at, f"line {at} of {change.path} holds `{pattern.text}`, which is forbidden there")
    for asked in _texts(rule.get("require")):
        pattern = literals.compiled(asked, whole_words=whole)
        if not any(literals.found(pattern, literals.folded(line)) for line in after):
            # A file that never had it is told to people; nobody has to repair it in passing.
            had = change.before is None or any(literals.found(pattern, literals.folded(line)) for line in before)
            yield _Told(None, f"{change.path} does not hold `{asked}`, which is required there", certain=had)


def _split(content: bytes) -> list[str]:
    """Return the lines as an editor counts them."""
    return _text(content).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _forbidden(rule: Mapping[str, Any]) -> tuple[list[str], bool, bool]:
    """Return the texts that are forbidden, whether tests are exempt, and whether the texts are whole words."""
    from linetrail.ledger.constraints import literals

    whole = rule.get("whole_words") is True
    pattern = rule.get("pattern")
    said = literals.sentence(pattern, str(rule.get("validation", ""))) if isinstance(pattern, str) else None
    if said is None:
        return [*_texts(pattern), *_texts(rule.get("forbid"))], False, whole
    return [*said.forbids, *_texts(rule.get("forbid"))], said.outside_tests, whole or not rule.get("forbid")


def _code_pattern_flaws(rule: Mapping[str, Any]) -> Iterator[str]:
    from linetrail.ledger.constraints import literals

    for field in ("pattern", "forbid", "require"):
        value = rule.get(field)
        if value is None:
            continue
        texts = value if isinstance(value, list | tuple) else [value]
        if not texts or not all(isinstance(one, str) and one.strip(" *\t\n") for one in texts):
            yield f"`{field}` must be a text to look for, or a list of them, such as `{field}: console.log`"
        elif any(len(one) > literals.MAX_PATTERN or "\n" in one.strip() for one in texts):
            yield f"`{field}` must be on one line, of at most {literals.MAX_PATTERN} characters"
    pattern = rule.get("pattern")
    said = literals.sentence(pattern) if isinstance(pattern, str) else None
    if all(rule.get(field) is None for field in ("pattern", "forbid", "require")):
        yield "`code_pattern` says no text; add `forbid: console.log`, with `*` for anything on the line"
    elif said is not None and not said.forbids and rule.get("forbid") is None and rule.get("require") is None:
        yield (
            "`pattern` is a sentence that names no text to look for; write `forbid: console.log` or `require: …`, "
            "or make the rule plain text, which is not checked"
        )
    if rule.get("whole_words") not in (None, True, False):
        yield "`whole_words` must be true or false"


# Which libraries are wanted


def _library_version(rule: Mapping[str, Any], change: _Change) -> Iterator[_Told]:
    from linetrail.ledger.constraints import manifests  # only where such a rule is
    from linetrail.ledger.constraints.versions import admitted

    if not manifests.is_manifest(change.path) or not _covers(rule.get("file"), change.path, without=True):
        return
    library = str(rule.get("library") or rule.get("name"))
    try:
        mentions = manifests.mentions(change.path, _text(change.after), library)
    except manifests.TooLargeError:
        yield _Told(None, f"{change.path} is too large to be searched for {library}", certain=False)
        return
    for mention in mentions:
        what = f"{library} {mention.spec[:100] or 'of any version'}"
        wanted = admitted(mention.spec, mention.bare)
        if wanted is None:
            yield _Told(mention.line, f"{change.path} asks for {what}: its version cannot be told", certain=False)
            continue
        for wish in _unmet(rule, wanted.lowest, above=wanted.above, pinned=wanted.pinned):
            yield _Told(mention.line, f"{change.path} asks for {what}; {wish}")


def _unmet(rule: Mapping[str, Any], lowest: Any, *, above: bool, pinned: bool) -> Iterator[str]:
    """Yield what the lowest version that is let in does not keep to."""
    least, most, exact = (_version(rule.get(field)) for field in ("min_version", "max_version", "exact"))
    if least is not None and (lowest is None or lowest < least):
        yield f"nothing below {rule['min_version']} may be let in"
    if most is not None and lowest is not None and (lowest > most or (above and lowest == most)):
        yield f"nothing above {rule['max_version']} may be used"
    if exact is not None and not (pinned and lowest == exact):
        yield f"exactly {rule['exact']} is asked for"


def _library_version_flaws(rule: Mapping[str, Any]) -> Iterator[str]:
    library = rule.get("library") if rule.get("library") is not None else rule.get("name")
    if not isinstance(library, str) or not library.strip():
        yield "`library` must be the name of a library, such as `library: bcrypt`"
    bounds = [field for field in ("min_version", "max_version", "exact") if rule.get(field) is not None]
    if not bounds:
        yield '`library_version` says no version; add `min_version: "5.0.0"`, `max_version` or `exact`'
    for field in bounds:
        if isinstance(rule[field], float):
            yield f'`{field}` must be in quotation marks, such as `{field}: "5.10"`: YAML reads 5.10 as the number 5.1'
        elif _version(rule[field]) is None:
            yield f'`{field}` is no version; write it with its numbers, such as `{field}: "5.0.0"`'
    yield from _glob_flaws("file", rule.get("file"))


def _version(value: Any) -> Any:
    from linetrail.ledger.constraints.versions import version

    return version(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None


# What all rules share


class _Kind(NamedTuple):
    code: str
    fields: tuple[str, ...]
    check: Callable[[Mapping[str, Any], _Change], Iterable[_Told]]
    flaws: Callable[[Mapping[str, Any]], Iterable[str]]


_KINDS = {
    "file_size": _Kind("FILE_SIZE", ("max_lines", "max_bytes", "except"), _file_size, _file_size_flaws),
    "code_pattern": _Kind(
        "CODE_PATTERN",
        ("pattern", "forbid", "require", "except", "whole_words"),
        _code_pattern,
        _code_pattern_flaws,
    ),
    "library_version": _Kind(
        "LIBRARY_VERSION",
        ("library", "name", "min_version", "max_version", "exact", "file", "except"),
        _library_version,
        _library_version_flaws,
    ),
}


def _kind(rule: Mapping[str, Any]) -> str:
    """Return the type of a rule; `library` is how it was once written."""
    kind = rule.get("type")
    return "library_version" if kind == "library" else kind if isinstance(kind, str) else ""


def _flaws(rule: Mapping[str, Any]) -> list[str]:
    """Return what keeps a rule from being checked."""
    kind = _KINDS.get(_kind(rule))
    if kind is None:
        known = ", ".join(_KINDS)
        said = f"`type` {rule['type']!r:.60} is not known" if "type" in rule else "`type` is missing"
        return [f"{said}; write one of {known}, or make the rule plain text, which is not checked"]
    flaws = [*kind.flaws(rule), *_glob_flaws("scope", rule.get("scope")), *_glob_flaws("except", rule.get("except"))]
    if rule.get("enforce") not in (None, *_ENFORCE):
        flaws.append("`enforce` must be `deny` (the change is refused) or `warn` (it is found by an audit)")
    return flaws


def _strange(rule: Mapping[str, Any]) -> list[str]:
    kind = _KINDS.get(_kind(rule))
    known = (*_SHARED, *(kind.fields if kind else ()))
    return [
        f"`{field!s:.60}` means nothing in a rule of type {_kind(rule)}; it knows {', '.join(known)}"
        for field in rule
        if kind is not None and field not in known
    ]


def _glob_flaws(field: str, value: Any) -> Iterator[str]:
    if value is None:
        return
    globs = value if isinstance(value, list | tuple) else [value]
    if not globs or not all(isinstance(glob, str) for glob in globs):
        yield f"`{field}` must be a pattern or a list of patterns, such as `{field}: src/**/*.ts`"
        return
    try:
        compile_scope(globs)
    except ScopeError as error:
        yield f"`{field}`: {error}"


def _covers(globs: Any, path: str, *, without: bool) -> bool:
    """Return whether a file is among these patterns; `without` is the answer where there are none."""
    if globs is None:
        return without
    return compile_scope(_texts(globs)).owner(path) is not None


def _texts(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _utf8(content: bytes) -> bytes:
    """Return a content without the NUL bytes of an encoding that says what it is."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content[: MAX_SEARCHED * 2].decode("utf-16", "replace").encode("utf-8", "replace")
    return content.removeprefix(BOM_UTF8)


def _text(content: bytes) -> str:
    return _utf8(content).decode("utf-8", "replace")
