"""Real source text for the simulator: modules of the running Python, and a few texts of other kinds beside them."""

import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

LIBRARY = Path(sysconfig.get_path("stdlib"))
BEGUN = ("textwrap", "heapq", "csv", "bisect", "shlex", "fnmatch", "glob", "colorsys")
WRITTEN = (
    *("configparser", "calendar", "queue", "sched", "copy", "reprlib", "graphlib", "cmd", "pprint", "string", "netrc"),
    *("mailbox", "zipapp", "quopri", "timeit", "trace", "tabnanny", "optparse", "getopt", "difflib"),
)
HEADERS = Path(sysconfig.get_path("include"))
OTHERS = {
    ".h": [
        HEADERS / name for name in ("datetime.h", "pyport.h", "pymacro.h", "pymath.h", "Python.h", "structmember.h")
    ],
    ".html": [LIBRARY / "idlelib/help.html"],
    ".md": [LIBRARY / "lib2to3/Grammar.txt", LIBRARY / "idlelib/NEWS.txt", LIBRARY / "idlelib/README.txt"],
}
KINDS = (".py", ".h", ".html", ".md")
MOST = 36
BLOCK = range(3, 15)


@cache
def beginnings(suffix: str) -> tuple[tuple[str, ...], ...]:
    """Return the texts that a file of this kind may begin with."""
    if suffix != ".py":
        return tuple(tuple(text[:MOST]) for text in _read(OTHERS.get(suffix, ()))) or beginnings(".py")
    return tuple(tuple(text[_start(text) :][:MOST]) for text in _read(LIBRARY / f"{name}.py" for name in BEGUN))


@cache
def blocks(suffix: str) -> tuple[tuple[str, ...], ...]:
    """Return blocks that nobody has written yet, none of them in a beginning."""
    if suffix != ".py":
        texts: Iterator[Sequence[str]] = (text[MOST:] for text in _read(OTHERS.get(suffix, ())))
        found = tuple(block for text in texts for block in _blocks(text))
        return found if len(found) > 20 else blocks(".py")
    return tuple(
        block for text in _read(LIBRARY / f"{name}.py" for name in WRITTEN) for block in _blocks(text[_start(text) :])
    )


def _read(files: Iterable[Path]) -> Iterator[list[str]]:
    for file in files:
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            yield [line for line in text.split("\n")[:1500] if not line.strip(" ") or line.isprintable()]


def _start(text: Sequence[str]) -> int:
    """Find the first class or function: what is above are comments and imports that many modules have."""
    return next((at for at, line in enumerate(text) if line.startswith(("class ", "def "))), 0)


def _blocks(text: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Cut a text before its headings and after blank lines, into pieces of a handful of lines."""
    piece: list[str] = []
    for line in [*text, ""]:
        piece.append(line)
        if len(piece) >= BLOCK.stop - 1 or (len(piece) >= BLOCK.start and not line.strip()):
            while piece and not piece[0].strip():
                piece.pop(0)
            if len(piece) >= BLOCK.start and sum(len(line.strip()) > 3 for line in piece) >= BLOCK.start:
                yield tuple(piece)
            piece = []
