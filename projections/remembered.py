"""Keep facts that never change as lines of JSON in the cache, and folders of files small.

A line that was not written whole is nothing.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from linetrail.ledger.files import PRIVATE_FILE, make_folder

T = TypeVar("T")


def load(file: Path, kind: type[T]) -> Iterator[T]:
    """Yield what was remembered."""
    import msgspec  # who only keeps a folder small waits for none of it

    decode = msgspec.json.Decoder(kind).decode
    with contextlib.suppress(OSError), file.open("rb") as lines:
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError):
                yield decode(line)


def append(file: Path, facts: Iterable[object]) -> None:
    """Remember some more; where nothing can be written, they are found out again the next time."""
    import msgspec

    encode = msgspec.json.Encoder().encode
    lines = b"".join(encode(fact) + b"\n" for fact in facts)
    if not lines:
        return
    with contextlib.suppress(OSError):
        make_folder(str(file.parent))
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        try:
            os.write(fd, b"\n" + lines)  # what somebody left unfinished ends here
        finally:
            os.close(fd)


def keep_newest(folder: Path, *, files: int | None = None, total: int | None = None) -> None:
    """Remove the oldest files of a folder, until there are so many files and bytes at the most."""
    try:
        with os.scandir(folder) as entries:
            found = [(status.st_mtime_ns, entry.path, status.st_size) for entry in entries for status in [entry.stat()]]
    except OSError:
        return
    room = total
    for at, (_, path, size) in enumerate(sorted(found, reverse=True)):
        room = None if room is None else room - size
        if (files is not None and at >= files) or (room is not None and room < 0):
            with contextlib.suppress(OSError):
                os.unlink(path)
