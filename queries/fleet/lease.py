"""Let one compactor work on a store at a time, by an object that only one can put.

It saves work and decides nothing: whoever loses its lease meets a manifest that another has put, and gives way.
"""

import contextlib
import json
import os
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.layout import LAKE

if TYPE_CHECKING:
    from obstore.store import ObjectStore

LEASE = f"{LAKE}/lease.json"


class BusyError(LinetrailError):
    """Another compactor has the lease of a store."""

    hint = "wait for it; if nobody is at work there any more: linetrail fleet build URL --take-over"


@contextlib.contextmanager
def lease(store: "ObjectStore", *, take_over: bool) -> Iterator[None]:
    """Hold the lease of a store; `take_over` one whose holder is gone."""
    if take_over:
        objects.remove(store, [LEASE])
    told = {"host": platform.node(), "pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
    if not objects.put(store, LEASE, json.dumps(told).encode()):
        raise BusyError(f"another build is at work on this store: {_holder(store)}")
    try:
        yield
    finally:
        objects.remove(store, [LEASE])


def _holder(store: "ObjectStore") -> str:
    try:
        told = json.loads(objects.get(store, LEASE))
        return f"process {told['pid']} on {told['host']}, since {told['since']}"
    except (objects.StoreError, ValueError, KeyError, TypeError):
        return "nobody can say whose"
