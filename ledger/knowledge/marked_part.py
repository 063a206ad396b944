"""Keep our part of a person's Markdown file, between two lines of comment.

Whatever is outside of the two lines is the person's and stays byte for byte: byte order mark, line ends, a missing
newline at the end. A file whose markers are torn, doubled, nested, or quoted in a code fence is left alone. What was
put in can be taken out without a trace and without a note of how the file was before: at the end of a file that has
no newline there, our part has none, either.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, StorageError
from linetrail.ledger.files import locked_path, publish, sha256
from linetrail.ledger.repository import Repository

# Git tracks these files, and everybody reads them.
NEW_FILE_MODE = 0o644
MAX_BYTES = 1 << 18
LOCK_SECONDS = 0.3
# So often a change is worked out anew because somebody saved the file meanwhile.
ATTEMPTS = 5

_BOM = b"\xef\xbb\xbf"
_MARKER = re.compile(rb"<!--[ \t]*linetrail:(begin|end)\b[ \t]*([\w.-]*)[ \t]*(-->)?")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_COMMENT = re.compile(rb" {0,3}<!--")
_NEWLINE = re.compile(rb"\r\n|\n|\r")


class MarkedTextError(LinetrailError):
    """A file into which, or out of which, nothing can be put without a risk to what a person wrote."""

    hint = "put it right by hand; the file was left as it is"


class _Part(NamedTuple):
    """Where a part of ours lies: from `begin` to `end` with its markers, from `first` to `last` without."""

    begin: int
    first: int
    last: int
    end: int


class _Scan(NamedTuple):
    """The parts by name, and what is still open where the file ends."""

    parts: dict[str, _Part]
    dangling: str | None


def begin(name: str) -> str:
    """Return the line that our part begins with."""
    return f"<!-- linetrail:begin {name} -->"


def end(name: str) -> str:
    """Return the line that our part ends with."""
    return f"<!-- linetrail:end {name} -->"


def take(content: bytes, name: str) -> str | None:
    r"""Return what stands between the markers, its lines ended by ``\n``; None where there are none.

    >>> take(b"mine\r\n<!-- linetrail:begin x -->\r\nours\r\n<!-- linetrail:end x -->\r\n", "x")
    'ours\n'
    """
    part = _scan(content).parts.get(name)
    if part is None:
        return None
    return _NEWLINE.sub(b"\n", content[part.first : part.last]).decode("utf-8", "replace")


def put(content: bytes, name: str, inner: str) -> bytes:
    r"""Return the content with these lines as our part, which is added at the end where there is none yet.

    >>> put(b"mine", "x", "ours\n")
    b'mine\n<!-- linetrail:begin x -->\nours\n<!-- linetrail:end x -->'
    """
    if inner and not inner.endswith("\n"):
        raise ValueError(f"the part {name} must be whole lines")
    found = _scan(content)
    part = found.parts.get(name)
    if part is not None:
        newline = _newline(content[part.begin :])
        result = content[: part.first] + inner.encode().replace(b"\n", newline) + content[part.last :]
    else:
        if found.dangling:
            raise MarkedTextError(f"{found.dangling} is still open at the end of the file")
        newline = _newline(content)
        block = f"{begin(name)}\n{inner}{end(name)}".encode().replace(b"\n", newline)
        whole = content.endswith((b"\n", b"\r"))
        glue = b"" if whole or content in (b"", _BOM) else newline
        result = content + glue + block + (newline if whole else b"")
    if take(result, name) != inner:
        raise ValueError(f"the text for the part {name} would not stay in it")
    return result


def drop(content: bytes, name: str) -> bytes:
    """Return the content without our part: what it was before `put` added it."""
    part = _scan(content).parts.get(name)
    if part is None:
        return content
    before, after = content[: part.begin], content[part.end :]
    if not after and not content.endswith((b"\n", b"\r")):
        glue = next((sign for sign in (b"\r\n", b"\n", b"\r") if before.endswith(sign)), b"")
        before = before[: len(before) - len(glue)]
    return before + after


def created(name: str, inner: str) -> bytes:
    """Return a new file that holds our part alone."""
    return put(b"", name, inner) + b"\n"


def is_all_ours(content: bytes, name: str) -> bool:
    """Return whether a file is one that we created and to which nobody added anything."""
    return content.endswith(b"\n") and drop(content, name) == b""


def with_part(content: bytes | None, name: str, inner: str) -> bytes:
    """Return a file with our part, whether there was a file or not."""
    return created(name, inner) if content is None else put(content, name, inner)


def without_part(content: bytes | None, name: str) -> bytes | None:
    """Return a file without our part; None where it then is no file any more."""
    return None if content is None or is_all_ours(content, name) else drop(content, name)


def read(path: str) -> bytes | None:
    """Return the bytes of a file that may be edited; None where there is no file."""
    try:
        if os.path.islink(path):  # not every system can refuse it on opening
            raise MarkedTextError(f"{path} is a symbolic link to {os.readlink(path)}; name that file instead")
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise MarkedTextError(f"{path} is a symbolic link; name the file it leads to instead") from None
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise MarkedTextError(f"{path} is not a file")
    with open(fd, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise MarkedTextError(f"{path} is larger than {MAX_BYTES >> 10} KB")
    return content


def edit(
    repository: Repository,
    path: str,
    change: Callable[[bytes | None], bytes | None],
    *,
    seconds: float = LOCK_SECONDS,
    durable: bool = False,
) -> bool:
    """Change a whole file at once and return whether it had to be written; None stands for no file.

    Processes of ours wait for each other. When an editor saves in between, the change is worked out anew.
    """
    try:
        with _lock(repository, path, seconds):
            for _ in range(ATTEMPTS):
                before = read(path)
                after = change(before)
                if after == before:
                    return False
                if read(path) == before:
                    _replace(repository, path, after, durable=durable)
                    return True
    except MarkedTextError as error:
        raise error if path in str(error) else MarkedTextError(f"{path}: {error}") from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    raise StorageError(f"{path} is being changed by somebody else all the time; nothing was written")


def _replace(repository: Repository, path: str, content: bytes | None, *, durable: bool) -> None:
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise MarkedTextError(f"{path} is not writable")
    if content is None:
        os.unlink(path)
        return
    mode = NEW_FILE_MODE
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(path).st_mode)
    publish(path, content, durable=durable, mode=mode, aside=os.path.join(repository.folder, "state"))


@contextlib.contextmanager
def _lock(repository: Repository, path: str, seconds: float) -> Iterator[None]:
    digest = sha256(path.encode(errors="surrogateescape")).hexdigest()[:32]
    name = os.path.join(repository.folder, "state", "locks", f"marked-{digest}")
    with locked_path(name, seconds, path):
        yield


def _newline(content: bytes) -> bytes:
    found = _NEWLINE.search(content)
    return found[0] if found else b"\n"


def _scan(content: bytes) -> _Scan:
    """Find all parts of ours, or say in which line something is wrong with them."""
    if b"\0" in content or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise MarkedTextError("this is no UTF-8 text")
    parts: dict[str, _Part] = {}
    opened: tuple[str, int, int] | None = None
    context = _Context()
    offset = len(_BOM) if content.startswith(_BOM) else 0
    for number, line in enumerate(content[offset:].splitlines(keepends=True), 1):
        behind = offset + len(line)
        marker = _MARKER.search(line)
        if marker is None:
            context.read(line)
        elif context.inside:
            raise MarkedTextError(f"line {number}: a marker of linetrail stands in {context.inside}")
        else:
            kind, name = _whole_marker(line, number)
            if kind == "begin":
                if opened or name in parts:
                    raise MarkedTextError(f"line {number}: {begin(name)} stands there twice, or within another part")
                opened = name, offset, behind
            else:
                if opened is None or opened[0] != name:
                    raise MarkedTextError(f"line {number}: {end(name)} ends nothing that was begun")
                parts[name] = _Part(opened[1], opened[2], offset, behind)
                opened = None
        offset = behind
    if opened:
        raise MarkedTextError(f"{begin(opened[0])} has no {end(opened[0])}")
    return _Scan(parts, context.inside)


def _whole_marker(line: bytes, number: int) -> tuple[str, str]:
    """Return the kind and the name of the marker that is a line of its own."""
    text = line.rstrip(b"\r\n \t")
    for found in _MARKER.finditer(line):
        kind, name = found[1].decode(), found[2].decode("utf-8", "replace")
        if text == (begin(name) if kind == "begin" else end(name)).encode() and name:
            return kind, name
    raise MarkedTextError(f"line {number}: a marker of linetrail is torn, or not on a line of its own")


class _Context:
    """What the lines read so far have opened in which a marker would mean nothing."""

    def __init__(self) -> None:
        self._fence = b""
        self._in_comment = False

    @property
    def inside(self) -> str | None:
        if self._fence:
            return "a code fence"
        return "a comment" if self._in_comment else None

    def read(self, line: bytes) -> None:
        """Follow one line, as CommonMark does."""
        if self._in_comment:
            self._in_comment = b"-->" not in line
            return
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not fence[2].strip():
                self._fence = b""
        elif fence and not (fence[1].startswith(b"`") and b"`" in fence[2]):
            self._fence = fence[1]
        elif comment := _COMMENT.match(line):
            self._in_comment = b"-->" not in line[comment.end() :]
