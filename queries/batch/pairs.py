"""Judge a file of JSON lines, one answer a line: what `--pairs FILE` means for every batch command.

A line that cannot be judged gets an error row, and the batch goes on: whoever reads the answers counts on one for
each line, in the same order.
"""

import argparse
import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, NamedTuple, NoReturn

from linetrail.ledger.errors import UsageError

OK, FINDINGS = 0, 1
# Larger than any command, path or source file that somebody would want judged.
LINE_LIMIT = 64 * 1024 * 1024

Row = dict[str, Any]
# the object of a line -> what is said besides its `id`; raises PairError where nothing can be
Judge = Callable[[Row], Mapping[str, Any]]


class Answer(NamedTuple):
    """One line of JSON, and whether it says that there is no answer."""

    text: str
    is_error: bool


class PairError(Exception):
    """One line cannot be judged; `code` is stable, the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def add_pairs(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument("--pairs", metavar="FILE", required=required, help="JSON lines to judge, - for stdin")


def answers(source: str, judge: Judge, *, directory: str = ".", apart: bool = False) -> int:
    """Print the answer to each line of a file, and return the exit status: 1 where a line could not be judged.

    With `apart` that happens in processes of their own: for a judge that takes long, or may die of a line.
    """
    status = OK
    with _opened(source, directory) as file:
        for answer in _apart(file, judge) if apart else (_answer(line, judge) for line in _lines(file)):
            if answer.is_error:
                status = FINDINGS
            # Somebody may hold both ends of the pipe, and wait for this answer before asking the next.
            print(answer.text, flush=source == "-")
    return status


def text(row: Row, name: str) -> str:
    """Return a field that must be there and must be text."""
    value = row.get(name)
    if not isinstance(value, str):
        raise PairError("INVALID_FIELD", f"`{name}` must be text")
    return value


def optional_text(row: Row, name: str) -> str | None:
    """Return a field that may be missing or null, else must be text."""
    return None if row.get(name) is None else text(row, name)


def _apart(file: BinaryIO, judge: Judge) -> Iterator[Answer]:
    from linetrail.queries.batch import workers  # a command is judged before the first of them is at work

    def excused(line: bytes | None, code: str, message: str) -> Answer:
        def refuse(_: Row) -> NoReturn:
            raise PairError(code, message)

        return _answer(line, refuse)

    processes = workers.available()
    if not processes:
        return (_answer(line, judge) for line in _lines(file))
    return workers.answers(file, partial(_answer, judge=judge), excused, limit=LINE_LIMIT, processes=processes)


def _answer(line: bytes | None, judge: Judge) -> Answer:
    said_id = None
    try:
        row = _parse(line)
        said_id = _echoed(row.get("id"))
        return Answer(json.dumps({"id": said_id, **judge(row)}), is_error=False)
    except PairError as error:
        return _error(said_id, error.code, str(error))
    except Exception as error:  # noqa: BLE001  a bug costs the line that showed it, never the answers to the others
        return _error(said_id, "INTERNAL", f"{type(error).__name__}: {error}")


def _error(said_id: Any, code: str, message: str) -> Answer:
    return Answer(json.dumps({"id": said_id, "error": {"code": code, "message": message}}), is_error=True)


def _echoed(said_id: Any) -> Any:
    """Return an id that can be written back."""
    try:
        json.dumps(said_id)
    except RecursionError:
        raise PairError("INVALID_FIELD", "`id` is nested too deeply") from None
    return said_id


def _parse(line: bytes | None) -> Row:
    if line is None:
        raise PairError("LINE_TOO_LONG", f"the line is longer than {LINE_LIMIT} bytes")
    try:
        row = json.loads(line.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise PairError("INVALID_JSON", f"not a line of JSON: {error}") from None
    if not isinstance(row, dict):
        raise PairError("INVALID_JSON", "the line is no JSON object")
    return row


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        _refuse(digits)  # it could not be written back
    return number


@contextlib.contextmanager
def _opened(source: str, directory: str) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer
        return
    path = os.path.join(directory, source)
    try:
        file = open(path, "rb")  # noqa: SIM115  closed below; what is read from it may fail otherwise
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    with file:
        yield file


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line without its end; None for one that is too long to be held."""
    while line := file.readline(LINE_LIMIT):
        if line.endswith(b"\n") or len(line) < LINE_LIMIT:
            yield line
            continue
        while (rest := file.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
            pass
        yield None
