"""An object store that many repositories share: each object is put once, and its name says what is in it.

Only the commands that name a store load this, and nothing else of linetrail uses the network. Who may read and write is
the store's own business: its library takes the credentials from where the tools of its provider keep them.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.files import publish
from linetrail.projections.tables.progress import working

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

T = TypeVar("T")
R = TypeVar("R")

SCHEMES = ("s3", "gs", "az", "file")
# Requests wait for the network, not for a core.
AT_ONCE = 16
_RETRIES, _RETRY_SECONDS = 8, 60


class StoreError(LinetrailError):
    """The object store cannot be reached, or refused."""

    hint = "look at the URL, the credentials in the environment and the network; what arrived is kept, so try again"


def open_store(url: str, *, make: bool = False) -> "ObjectStore":
    """Return the store at a URL; `make` the folder that `file://` names, where it is not there."""
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not (parts.netloc or parts.path):
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise UsageError(f"{url} names no object store: expected a URL that begins with one of {known}")
    from obstore.store import LocalStore, from_url

    with _explained(url):
        if parts.scheme != "file":
            retries: RetryConfig = {"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=_RETRY_SECONDS)}
            return from_url(url, retry_config=retries)
        folder = unquote(parts.path)
        if parts.netloc or not os.path.isabs(folder):
            raise UsageError(f"{url} names no folder of this machine: expected file:///and/its/path")
        if not make and not os.path.isdir(folder):
            raise StoreError(f"{url}: no such folder")
        return LocalStore(folder, mkdir=make)


def sizes(store: "ObjectStore", prefix: str) -> dict[str, int]:
    """Return the names of the objects below a prefix, without it, and how many bytes each has."""
    import obstore

    with _explained(prefix):
        found = (one for batch in obstore.list(store, prefix) for one in batch)
        return {one["path"].removeprefix(f"{prefix}/"): one["size"] for one in found}


def replace(store: "ObjectStore", name: str, content: bytes) -> None:
    """Put an object, whatever is there."""
    import obstore

    with _explained(name):
        obstore.put(store, name, content)


def put(store: "ObjectStore", name: str, content: bytes) -> bool:
    """Put an object where none of its name is; return False where one is there, which stays as it is."""
    import obstore
    from obstore.exceptions import AlreadyExistsError, PreconditionError

    with _explained(name):
        try:
            obstore.put(store, name, content, mode="create")
        except (AlreadyExistsError, PreconditionError):
            return False
    return True


def remove(store: "ObjectStore", names: Iterable[str]) -> None:
    """Remove objects; those that are gone already are no matter."""
    import obstore
    from obstore.exceptions import NotFoundError

    for name in names:
        # of a folder the system's own error comes through
        with _explained(name), contextlib.suppress(NotFoundError, FileNotFoundError):
            obstore.delete(store, name)


def get(store: "ObjectStore", name: str) -> bytes:
    import obstore

    with _explained(name):
        return bytes(obstore.get(store, name).bytes())


def on_disk(store: "ObjectStore", name: str, folder: Path) -> str:
    """Return where an object can be read as a file: where it is, or a copy of it in the folder."""
    from obstore.store import LocalStore

    if isinstance(store, LocalStore) and store.prefix is not None:
        return str(Path(store.prefix) / name)
    path = folder / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        publish(str(path), get(store, name), durable=False)
    return str(path)


def at_once(work: Callable[[T], R], items: Iterable[T], label: str, unit: str) -> Iterator[R]:
    """Yield what becomes of each item, in their order, several of them worked on at once."""
    waiting = list(items)
    with working(label, len(waiting), unit) as advance, ThreadPoolExecutor(AT_ONCE) as pool:
        for done in pool.map(work, waiting):
            yield done
            advance(1)


@contextlib.contextmanager
def _explained(what: str) -> Iterator[None]:
    """Raise what the library says of a store as an error with a next step."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as error:
        said = str(error).partition("\n")[0]
        raise StoreError(f"{what}: {said}") from None
