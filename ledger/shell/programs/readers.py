"""The programs that only read: what they may be given so that this stays true.

A program stands in known/readers.txt only with options that were looked up; a row that is missing costs a question, a
row that is wrong costs a file. `reveals` means that it prints what is in its files.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from linetrail.ledger.shell.programs import tables
from linetrail.ledger.shell.reading.options import Known, Taken, take
from linetrail.ledger.shell.reading.ruling import READS, Ruling, changes, harms
from linetrail.ledger.shell.reading.scene import Scene, shown
from linetrail.ledger.shell.reading.values import Arg

_UNLIMITED = 1_000_000


class Reader(NamedTuple):
    """One program. `operands` is what its operands are: `files`, `text`, or `first` where only the first is text."""

    options: Known
    operands: str = "files"
    free: bool = False
    reveals: bool = True
    most: int = _UNLIMITED


def known(row: str) -> Known:
    """Return the options of a row with which a program only reads."""
    found = tables.fields(row)
    flags, valued, operands = "".join(found["flags:"]), "".join(found["valued:"]), found["operands:"]
    verbatim = "e" if "verbatim" in operands else ""
    return Known(flags, valued, " ".join(found["options:"]), numeric="numeric" in operands, verbatim=verbatim)


# name -> row; a hook reads the rows of one or two programs
READERS = tables.rows("readers")


def reader_of(name: str) -> Reader | None:
    """Return what a program only reads with; None of one that may do more."""
    row = READERS.get(name)
    return None if row is None else _reader(row)


@lru_cache(256)
def _reader(row: str) -> Reader:
    words = tables.fields(row)["operands:"]
    operands = next((word for word in words if word in ("text", "first")), "files")
    most = next((int(word) for word in words if word.isdigit()), _UNLIMITED)
    return Reader(known(row), operands, free="free" in words, reveals="unseen" not in words, most=most)


# options that only print a version, where they are not called --version
VERSION_OPTIONS = {
    "python": {"-V", "-VV"}, "node": {"-v"}, "ruby": {"-v"}, "perl": {"-v"}, "php": {"-v"}, "lua": {"-v"}, "java": {"-version"},
    "javac": {"-version"}, "bash": {"--version"}, "ssh": {"-V"}, "gcc": {"-dumpversion"}, "make": {"-v"},
}  # fmt: skip
# These print something about themselves and do nothing else when they are asked for their version alone.
VERSIONED = {
    "python", "git", "bash", "node", "ruby", "perl", "php", "lua", "gcc", "g++", "cc", "c++", "clang", "make",
    "cmake", "ninja", "docker", "jq", "rg", "grep", "sed", "awk", "gawk", "tar", "curl", "wget", "java", "javac", "ruff",
    "uv", "fd", "find", "xargs", "sqlite3", "psql", "zsh", "ls", "cat", "sort", "diff", "rsync",
    "pandoc", "shellcheck", "file", "less", "vim", "nano", "tree", "bat", "head", "tail",
    "wc", "env", "timeout", "xz", "gzip", "zstd", "unzip", "nproc", "stat", "tee", "cut", "tr", "uniq", "date", "bc",
}  # fmt: skip
_DECOMPRESSORS = {"gzip": "cdtl", "bzip2": "cdt", "xz": "cdtl", "zstd": "cdtl", "gunzip": "ctl"}  # fmt: skip
# the words with which a program that replaces files by default is told to print instead
_TO_STDOUT = {"c", "t", "l", "stdout", "to-stdout", "test", "list"}
_SEARCHING = {"grep", "egrep", "fgrep", "zgrep", "rg", "ag"}
_SOUGHT = r"PRIVATE KEY|BEGIN (?:RSA|OPENSSH|EC|DSA)|AKIA|ASIA\[|\bghp_|\bgho_|xox[bp]-|(?i:aws_secret_access_key)|sk_live|AIza"
_RECURSIVE = {"grep", "egrep", "fgrep"}


def rule(name: str, args: list[Arg], scene: Scene) -> Ruling:
    """Say whether this call of a listed program is one that only reads."""
    reader = _reader(READERS[name])
    taken = take(args, reader.options)
    if taken.unknown is not None:
        return changes(f"{name} {taken.unknown} is not known to only read")
    if name in _RECURSIVE and any(not arg.known and arg.text[:1] == "\0" for arg in args):
        taken.flags.add("r")  # what the shell puts there may be an option, or leave one
    problem = _refused(name, reader, taken, scene)
    if problem:
        return problem
    if not reader.free:
        loose = next((arg for arg in args if not arg.known or arg.splits or (arg.glob and arg.text[:1] in "*?[")), None)
        if loose and loose.text:
            return changes(f"{name} may be given options by what {shown(loose)} becomes")
    return READS


def _refused(name: str, reader: Reader, taken: Taken, scene: Scene) -> Ruling | None:  # noqa: C901, PLR0912  one question after the other
    files = taken.operands
    if name == "lsof" and any(arg.text.startswith("+") for arg in files):
        return changes("lsof + is not known to only read")
    if reader.operands == "text":
        return None if len(files) <= reader.most else changes(f"{name} with an operand is not known to only read")
    if reader.operands == "first" and not taken.flags & {"e", "f", "regexp", "file", "files", "type-list"}:
        files = files[1:]
    if taken.late and (reader.most < _UNLIMITED or name in _DECOMPRESSORS):
        return changes(f"{name} may take an option behind a file for a file that it writes")
    if len(files) > reader.most:
        return changes(f"the last operand of {name} is a file it writes")
    if name in _DECOMPRESSORS and not taken.flags & _TO_STDOUT:
        return changes(f"{name} replaces its files")
    if name in _SEARCHING and any(
        re.search(_SOUGHT, arg.text) for arg in [*taken.operands[:1], *(value for _, value in taken.values)]
    ):
        return changes(f"{name} looks for credentials")
    if name == "tac" and (not files or any(arg.text == "-" for arg in files)):
        return changes("tac keeps what comes through a pipe in a temporary file")
    for arg in [*files, *(value for _, value in taken.values)]:
        if reader.reveals and not arg.known:
            return changes(f"{name} prints a file that only the running shell knows")
        ruling = scene.reads(arg, name)
        if ruling:
            return ruling
    if scene.lost and not files and (name in ("rg", "ag") or taken.flags & {"r", "R", "recursive"}):
        return changes(f"{name} searches everything outside of the workspace")
    if (
        name in ("rg", "ag") or (name in _RECURSIVE and taken.flags & {"r", "R", "recursive", "dereference-recursive"})
    ) and any(scene.outside(a.text) for a in files):
        if any(re.fullmatch(r"~[\w.-]*/?\.?|/|/(?:home|root|Users)(?:/[\w.-]+)?/?", arg.text) for arg in files):
            return harms(f"{name} searches a whole home directory, credentials included")
        return changes(f"{name} searches everything outside of the workspace")
    return None
