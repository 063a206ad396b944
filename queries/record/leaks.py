"""Scan lines for secrets with betterleaks before git carries them away, where that is configured.

Our own rules have run long before, while a text could still be changed. A line that is in the ledger can not be, so
what is found here is a reason not to hand it on: `leaks: refuse` in `.orchestration/config.yaml`, or in
`config.local.yaml`, which wins. `warn` only says it; without either nothing is asked.
"""

import importlib
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate import policy
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, git

OFF, WARN, REFUSE = "off", "warn", "refuse"
# What is only likely because of the words around it would stop people for nothing.
_UNSURE = "low"


class LeaksMissingError(LinetrailError):
    """The scan is configured, and betterleaks is not installed."""

    hint = "pip install 'linetrail[leaks]'"


class Leak(NamedTuple):
    """The place of a suspected secret and the rule that found it; never the secret."""

    event_id: str
    seq: int
    field: str
    rule: str


def wanted(repository: Repository) -> str:
    """Return the configured reaction to leaks."""
    return policy.of(repository).settings.leaks


def leaving(repository: Repository) -> Iterator[bytes]:
    """Yield the contents that git does not have yet: untracked segments, and the tail."""
    folder = os.path.join(repository.folder, segments.SEGMENTS)
    listed = git(repository, "ls-files", "-z", "--", folder) or b""
    tracked = {os.path.basename(os.fsdecode(name)) for name in listed.split(b"\0")}
    paths = [segments.path(repository.folder, name) for name in segments.names(repository.folder)]
    for path in [*(path for path in paths if os.path.basename(path) not in tracked), Ledger(repository).path]:
        try:
            with open(path, "rb") as file:
                yield file.read()
        except FileNotFoundError:
            continue


def found(lines: bytes) -> list[Leak]:
    """Return the suspected secrets in lines of a ledger."""
    try:
        betterleaks = importlib.import_module("betterleaks")
    except ImportError:
        raise LeaksMissingError("`leaks` is switched on, and betterleaks is not installed") from None
    # The library stops at a NUL; a line has none, unless somebody put it there.
    text = lines.decode(errors="replace").replace("\0", " ")
    events = text.split("\n")
    findings = [one for one in betterleaks.scan_string(text) if one.confidence != _UNSURE]
    leaks = [_leak(events[one.location.start_line - 1], one.match.value, one.rule_id) for one in findings]
    return sorted({leak for leak in leaks if leak is not None})


def _leak(line: str, value: str, rule: str) -> Leak | None:
    try:
        event = json.loads(line)
        return Leak(event["id"], event["seq"], next(_fields(event, value), "?"), rule)
    except (ValueError, TypeError, KeyError):
        return Leak("?", 0, "?", rule)


def _fields(record: Any, value: str, name: str = "") -> Iterator[str]:
    """Yield the names of the fields that contain a value, as it is or JSON-escaped."""
    if isinstance(record, str) and (value in record or value in json.dumps(record, ensure_ascii=False)):
        yield name
    if isinstance(record, dict | list):
        items = record.items() if isinstance(record, dict) else enumerate(record)
        for key, item in items:
            yield from _fields(item, value, f"{name}.{key}".lstrip("."))
