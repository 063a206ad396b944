"""Keep the records of commits in the cache: one line for each, in a file that is named for the code that made them."""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository
from linetrail.projections import nodes
from linetrail.projections.graph.record import Record
from linetrail.projections.nodes.indexed import rules
from linetrail.projections.syntax.language import languages

# 1: first layout of a record.
LAYOUT = 1
# So many records of commits that are no part of this history are kept besides, for whoever goes back to a branch.
MAX_OTHERS = 5_000
# What is done with records, and what says nothing of how they are made.
_LATER = frozenset({"fold.py", "kept.py", "whole.py"})
_FOLDERS = (Path(__file__).parent, Path(nodes.__path__[0]))


def load(repository: Repository) -> dict[str, Record]:
    """Return what is kept, by commit; a line that cannot be read is not there."""
    decode = msgspec.json.Decoder(Record).decode
    found: dict[str, Record] = {}
    with contextlib.suppress(OSError), open(_file(repository), "rb") as file:
        for line in file:
            with contextlib.suppress(msgspec.DecodeError):
                record = decode(line)
                found[record.revision] = record
    return found


def save(repository: Repository, records: Iterable[Record], others: Iterable[Record]) -> None:
    """Keep these, where the cache can be written."""
    if not os.path.isdir(repository.folder):
        return
    lines = [*_lines(records), *list(_lines(others))[:MAX_OTHERS]]
    file = _file(repository)
    with contextlib.suppress(OSError, StorageError):
        publish(file, b"".join(lines), durable=False)
        for path in Path(file).parent.glob("*.jsonl"):
            if path.name != os.path.basename(file):
                path.unlink()


@cache
def version() -> str:
    """Name all that a record follows from besides commits and ledger: the code, the languages, their grammars."""
    code = [file.read_bytes() for folder in _FOLDERS for file in sorted(folder.glob("*.py")) if file.name not in _LATER]
    told = [str(LAYOUT).encode(), *(rules(language).encode() for language in languages()), *code]
    return hashlib.sha256(b"\0".join(told)).hexdigest()[:16]


def _file(repository: Repository) -> str:
    return os.path.join(repository.folder, "cache", "nodes", f"{version()}.jsonl")


def _lines(records: Iterable[Record]) -> Iterable[bytes]:
    encode = msgspec.json.Encoder().encode
    for record in records:
        # a path that is no Unicode is worked out each time
        with contextlib.suppress(UnicodeEncodeError):
            yield encode(record) + b"\n"
