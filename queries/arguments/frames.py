"""Read stack traces as Python, Node, Java, Go, Rust and others print them, and find their files in the repository.

A program runs elsewhere: in a container, from a build folder, out of a package. So a frame's file is the one whose path
ends as the frame's does, the longest such end first. Where several end alike, all are named.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, head

# Of a longer trace the rest is left out: what recurs without end says nothing new. The question counts to a thousand.
MAX_FRAMES, MAX_FILES = 200, 5
MAX_TEXT, MAX_LINE = 1 << 20, 2_000
# A line that a question reads, with the length of the path and what begins with it.
_TOLD = re.compile(r"#\d{3} \d{4} \d{10} \d{12} \d\d (\d{5}) (.*)")
# Where what a program was made with lies, and not what it is made of.
_FOREIGN = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|lib/python[\d.]+|\.cargo/registry|rustc/[0-9a-f]+"
    r"|usr/(?:local/)?go/src|pkg/mod)/|^(?:node:|<|java\.base/|jdk\.)"
)
_SCHEME = re.compile(r"^(?:file|webpack|webpack-internal|app|https?):/{2,}(?:[^/]*/)??(?=\.{0,2}/|[^/])")
_LINE = r"(?P<line>\d+)"
_JVM = r"[^():/]+\.(?:java|kt|scala|groovy|clj)"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # Python: `File "/app/shop/tax.py", line 41, in rate`
        rf'^File "(?P<path>[^"]+)", line {_LINE}',
        # .NET: `at Shop.Tax.Rate() in /app/shop/Tax.cs:line 41`
        rf"^at .+ in (?P<path>.+):line {_LINE}$",
        # Java and its kin: `at com.shop.Tax$Rates.of(Tax.java:41)`
        rf"^at (?:[\w.@-]*/{{1,2}})*(?P<member>[\w.$<>-]+)\((?P<base>{_JVM}):{_LINE}\)",
        # Node: `at rate (/app/shop/tax.js:41:7)`, `at async file:///app/shop/tax.mjs:41:7`
        rf"^at (?:.*\((?P<path>[^()]+?):{_LINE}:\d+\)|(?:async )?(?P<bare>[^()\s]+?):(?P<bare_line>\d+):\d+)$",
        # Rust: `at ./src/tax.rs:41:7`, `thread 'main' panicked at src/tax.rs:41:7:`
        rf"^(?:at |.*panicked at (?:'.*', )?)(?P<path>[^\s:]+\.rs):{_LINE}",
        # PHP: `#0 /app/shop/tax.php(41): rate()`
        rf"^#\d+ (?P<path>[^()]+\.php)\({_LINE}\)",
        # Go: `/app/shop/tax.go:41 +0x1d`; Ruby: `from /app/shop/tax.rb:41:in ...`; and what people type
        rf"^(?:from )?(?P<path>(?:[A-Za-z]:[\\/])?[^\s:()]+\.\w+):{_LINE}(?::.*| \+0x[0-9a-f]+)?$",
    )
)


class Frame(NamedTuple):
    """One frame as it was printed, with the path and the line that it names."""

    text: str
    path: str
    line: int


class Located(NamedTuple):
    """A frame and the files of the repository that may be meant by it."""

    frame: Frame
    paths: Sequence[str]


def located(text: str, files: Iterable[str]) -> list[Located]:
    """Return the frames of a trace with their files."""
    frames = list(read(text))
    if not frames:
        raise UsageError("no frame in it names a file and a line; give a stack trace as it was printed")
    named: dict[str, list[str]] = defaultdict(list)
    for path in files:
        named[os.path.basename(path)].append(path)
    return [Located(frame, _meant(frame.path, named)) for frame in frames]


def understood(repository: Repository, text: str, moment: datetime | None) -> str:
    """Return a trace as the SQL of a question reads it: with files of HEAD, and the moment up to which ages count."""
    from linetrail.projections.survival.stats import tree  # brings all of blame, and the book of questions is read here

    now = head(repository)
    files = tree(repository, now.revision) if now is not None and now.revision is not None else []
    until = datetime.now(UTC) if moment is None else moment.replace(tzinfo=moment.tzinfo or UTC)
    return document(located(text, (file.path for file in files)), until)


def paths(told: str) -> tuple[str, ...]:
    """Return the files that a trace names, given the result of `understood`."""
    found = (re.match(_TOLD, line) for line in told.split("\n"))
    return tuple(sorted({line[2][: int(line[1])] for line in found if line is not None} - {""}))


def document(found: Iterable[Located], moment: datetime) -> str:
    r"""Return frames as the SQL of a question reads them: one line for each possible file, fields of fixed width.

    Every engine can cut a text at places; what some have for JSON, or for splitting, others lack.

    >>> document([Located(Frame("at a.py:41", "a.py", 41), ["a.py"])], datetime(1970, 1, 2, tzinfo=UTC))
    '\n#000 0001 0000000041 000000086400 01 00004 a.pyat a.py:41\n'
    """
    lines = [""]
    for number, (frame, meant) in enumerate(found, 1):
        for path in meant[:MAX_FILES] or [""]:
            about = f"{number:04d} {frame.line:010d} {int(moment.timestamp()):012d} {len(meant[:MAX_FILES]):02d}"
            lines.append(f"#{len(lines) - 1:03d} {about} {len(path):05d} {path}{_printable(frame.text)}")
    return "\n".join([*lines, ""])


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def read(text: str) -> Iterator[Frame]:
    r"""Yield the frames of a trace in their order; skip all other lines.

    >>> [frame[1:] for frame in read('  File "/app/tax.py", line 41, in rate\n    return 1\nKeyError: 41')]
    [('/app/tax.py', 41)]
    """
    found = 0
    for line in text[:MAX_TEXT].splitlines():
        frame = _frame(line[:MAX_LINE].strip())
        if frame is not None:
            yield frame
            found += 1
        if found == MAX_FRAMES:
            return


def _frame(line: str) -> Frame | None:
    for pattern in _PATTERNS:
        match = pattern.match(line)
        if match is not None:
            told = match.groupdict()
            number = told["line"] or told["bare_line"] or ""
            path = told.get("path") or told.get("bare") or _of_class(told)
            return Frame(line, _plain(path), int(number[:9]))
    return None


def _of_class(told: Mapping[str, str | None]) -> str:
    """Return the path of a class by its package: `com.shop.Tax$Rates.of` is in `com/shop`."""
    *packages, _, _ = ("." * 2 + (told.get("member") or "")).split(".")
    return "/".join([*filter(None, packages), told.get("base") or ""])


def _plain(path: str) -> str:
    """Return a path without URL scheme, query and leading `./`, with slashes."""
    path = _SCHEME.sub("", path.replace("\\", "/")).partition("?")[0]
    return re.sub(r"^(?:\./)+", "", path)


def _meant(path: str, named: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the files whose paths share the longest end with a frame's: the whole of one, or more than the name."""
    if _FOREIGN.search(path):
        return []
    parts = [part for part in path.split("/") if part]
    candidates: dict[int, list[str]] = defaultdict(list)
    for file in named.get(parts[-1] if parts else "", ()):
        own = file.split("/")
        pairs = zip(own[::-1], parts[::-1], strict=False)
        length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if length > 1 or length == min(len(own), len(parts)):
            candidates[length].append(file)
    return sorted(candidates[max(candidates)]) if candidates else []
