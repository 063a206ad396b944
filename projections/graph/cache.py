"""Keep what was worked out in the cache: a line for each, in files that are named for all that makes them."""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository
from linetrail.projections import nodes
from linetrail.projections.nodes.index import rules
from linetrail.projections.syntax.language import languages

# 1: first layout of what is kept.
LAYOUT = 1
RECORDS, USES = "commits", "uses"
# What says how a line of each is made, besides all that finds definitions.
_HERE = Path(__file__).parent
_CODE = {
    RECORDS: (
        *sorted(Path(nodes.__path__[0]).glob("*.py")),
        *(_HERE / f"{name}.py" for name in ("commits", "record")),
    ),
    USES: (_HERE / "uses.py",),
}

_Kept = TypeVar("_Kept", bound=msgspec.Struct)


def load(repository: Repository, name: str, kind: type[_Kept]) -> Iterator[_Kept]:
    """Yield what is kept; a line that cannot be read is not there."""
    decode = msgspec.json.Decoder(kind).decode
    with contextlib.suppress(OSError), open(_file(repository, name), "rb") as file:
        for line in file:
            with contextlib.suppress(msgspec.DecodeError):
                yield decode(line)


def save(repository: Repository, name: str, kept: Iterable[msgspec.Struct]) -> None:
    """Keep these and nothing else, where the cache can be written."""
    if not os.path.isdir(repository.folder):
        return
    file = Path(_file(repository, name))
    with contextlib.suppress(OSError, StorageError):
        publish(str(file), b"".join(_lines(kept)), durable=False)
        for path in file.parent.glob(f"{name}-*.jsonl"):
            if path != file:
                path.unlink()


@cache
def version(name: str) -> str:
    """Name all that a line follows from besides commits and ledger: the code, the languages, their grammars."""
    told = [f"{LAYOUT}".encode(), *(rules(language).encode() for language in languages())]
    told += [file.read_bytes() for file in _CODE[name]]
    return hashlib.sha256(b"\0".join(told)).hexdigest()[:16]


def _file(repository: Repository, name: str) -> str:
    return os.path.join(repository.folder, "cache", "nodes", f"{name}-{version(name)}.jsonl")


def _lines(kept: Iterable[msgspec.Struct]) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for one in kept:
        # what names a path that is no Unicode is worked out each time
        with contextlib.suppress(UnicodeEncodeError):
            yield encode(one) + b"\n"
