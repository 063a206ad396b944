"""Put what is exported where it was asked for: on standard output, or into a file that appears whole or not at all."""

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import aside_name
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.render.output import writable
from linetrail.queries.render.text import counted


class OutputError(LinetrailError):
    """What is to be written cannot be written there."""


def write_lines(asked: Asked, lines: Iterable[bytes], unit: str) -> None:
    """Write lines, each of which ends itself, and count them for whoever reads a file instead of them."""
    say(asked, put(asked, lines), unit)


def put(asked: Asked, lines: Iterable[bytes]) -> int:
    """Write lines and return how many there were; a dry run counts them."""
    if asked.dry_run:
        return sum(1 for _ in lines)
    with opened(asked) as file:
        return sum(1 for line in lines if file.write(line))


def say(asked: Asked, count: int, unit: str) -> None:
    """Print how much was exported, unless it went to standard output."""
    if asked.dry_run:
        print(f"{counted(count, unit)} would be written to {asked.out or 'standard output'}", file=sys.stderr)
    elif asked.out is not None:
        print(f"{counted(count, unit)} written to {asked.out}", file=sys.stderr)


def place(asked: Asked) -> str | None:
    """Return the path that `--out` means; None is standard output."""
    return None if asked.out is None else writable(os.path.join(asked.directory, asked.out))


@contextlib.contextmanager
def opened(asked: Asked) -> Iterator[BinaryIO]:
    """Open what is to be written to. A file that is there stays as it is until the new one is complete."""
    path = place(asked)
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif os.path.exists(path) and not os.path.isfile(path):
        with writing(path), open(path, "wb") as file:
            yield file
    else:
        with writing(path), replacing(path) as file:
            yield file


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file beside the one that is meant, and put it in its place at the end."""
    made = aside_name(path)
    try:
        with open(made, "xb") as file:
            yield file
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)
        raise


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Say of a path that it cannot be written, and why."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from None
