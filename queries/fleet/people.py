"""Tell the people apart who recorded segments, without saying who they are.

A person is a hash of an address under a key that the organisation has and the store does not. It stands in the name of
an object, in a prefix that the build alone has to read, and no table that can be asked has it: it is counted, and
nothing else. Without the key nothing is put there, and what nobody can be counted in is not published.
"""

import hmac
import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import segments
from linetrail.ledger.log.segments import SEGMENTS
from linetrail.ledger.repository import FOLDER, Repository, git
from linetrail.queries.fleet import objects

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PEOPLE = "people"
MIN_KEY_BYTES = 16
_PLACE = re.compile(r"repo=([0-9a-f]{7,64})/([0-9a-f]{64})\.([0-9a-f]{16})")
_SHORT = 16


def read_key(file: str) -> bytes:
    """Return the key that a file holds; one that can be guessed is refused."""
    try:
        with open(file, "rb") as opened:
            key = opened.read(1 << 16).strip()
    except OSError as error:
        raise UsageError(f"cannot read the key in {file}: {error.strerror}") from None
    if len(key) < MIN_KEY_BYTES:
        raise UsageError(
            f"the key in {file} has {len(key)} bytes, and needs {MIN_KEY_BYTES}", f"openssl rand -hex 32 > {file}"
        )
    return key


def pseudonym(key: bytes, address: str) -> str:
    """Return what a person is called who has this address: the same under one key, another under another.

    >>> pseudonym(b"a key of sixteen", "Ana@example.org") == pseudonym(b"a key of sixteen", " ana@example.org")
    True
    """
    return hmac.new(key, address.strip().lower().encode(errors="surrogateescape"), "sha256").hexdigest()[:_SHORT]


def put(store: "ObjectStore", repository: Repository, repo_id: str, names: Iterable[str], key: bytes) -> None:
    """Say of segments who recorded them: the author of the commit that brought each, else whoever works here."""
    known = of_segments(store).get(repo_id, {})
    missing = [name for name in names if name not in known]
    if not missing:
        return
    authors = _authors(repository)
    here = (git(repository, "config", "user.email") or b"").decode(errors="surrogateescape").strip()
    told = [(name, authors.get(name) or here) for name in missing]
    places = [f"{PEOPLE}/repo={repo_id}/{name}.{pseudonym(key, address)}" for name, address in told if address]
    for _ in objects.at_once(lambda place: objects.put(store, place, b""), places, "pushing", "pseudonyms"):
        pass


def of_segments(store: "ObjectStore") -> dict[str, dict[str, str]]:
    """Return who recorded each segment, by repository; the first name counts where there are two."""
    found: dict[str, dict[str, str]] = {}
    for name in sorted(objects.sizes(store, PEOPLE)):
        if place := _PLACE.fullmatch(name):
            found.setdefault(place[1], {}).setdefault(place[2], place[3])
    return found


def _authors(repository: Repository) -> Mapping[str, str]:
    """Return the address of whoever committed each tracked segment first."""
    folder = os.path.join(FOLDER, SEGMENTS)
    told = (
        git(repository, "log", "--diff-filter=A", "--format=%x00%aE", "--name-only", "--no-renames", "--", folder)
        or b""
    )
    found: dict[str, str] = {}
    for commit in told.decode(errors="surrogateescape").split("\0")[1:]:
        address, *files = commit.split("\n")
        found |= {name: address for name in map(segments.name_of, files) if name is not None}
    return found
