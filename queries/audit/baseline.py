"""Keep the findings that are known already: one line of JSON for each, sorted, so that a diff can be read.

A line holds what names the finding and what a person needs to recognise it. Only the fingerprint counts.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import publish
from linetrail.queries.audit.finding import Finding
from linetrail.queries.render.text import escaped

# 1: first format.
VERSION = 1
DEFAULT = ".orchestration/audit_baseline.json"
MAX_BYTES = 64 * 1024 * 1024
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")


class BaselineError(LinetrailError):
    """A baseline that cannot be read or written."""

    hint = "linetrail audit --write-baseline"


class Compared(NamedTuple):
    """Findings beside a baseline: those that are not in it, how many are, and what of it is not found any more."""

    new: list[Finding]
    known: int
    gone: Collection[str]


def read(path: str) -> Mapping[str, str]:
    """Return the rule of each known finding, by its fingerprint."""
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BaselineError(f"cannot read the baseline {path}: {error.strerror}") from None
    return parse(content, path)


def parse(content: bytes, path: str) -> Mapping[str, str]:
    """Read the text of a baseline; `path` stands in every message."""
    if len(content) > MAX_BYTES:
        raise BaselineError(f"the baseline {path} is larger than {MAX_BYTES // 1024 // 1024} MB")
    try:
        document = json.loads(content)
        version, entries = document["version"], document["findings"]
        known = {entry["fingerprint"]: entry["rule"] for entry in entries}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BaselineError(f"{path} is no baseline") from None
    if version != VERSION:
        raise BaselineError(f"{path} is a baseline of version {version!r:.20}; this linetrail reads {VERSION}")
    for name in known:
        if not (isinstance(name, str) and _FINGERPRINT.fullmatch(name)):
            raise BaselineError(f"{path} holds {name!r:.60}, which names no finding")
    return known


def compare(findings: Iterable[Finding], known: Mapping[str, str], asked: Collection[str]) -> Compared:
    """Divide findings into new, known and gone ones; only rules that were asked can have gone ones."""
    found = list(findings)
    new = [one for one in found if one.fingerprint not in known]
    here = {one.fingerprint for one in found}
    gone = [name for name, rule in known.items() if rule in asked and name not in here]
    return Compared(new, len(found) - len(new), gone)


def text(findings: Iterable[Finding]) -> str:
    """Return what stands in the file."""
    entries = sorted(
        (
            {
                "rule": one.rule.id,
                "path": one.path,
                "fingerprint": one.fingerprint,
                "message": one.message,
                "intent": one.intent_id,
            }
            for one in findings
        ),
        key=lambda entry: (entry["rule"], entry["path"] or "", entry["fingerprint"]),
    )
    lines = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    about = json.dumps({"version": VERSION, "made_by": "linetrail audit --write-baseline"})[1:-1]
    return escaped(f'{{{about}, "findings": [\n{lines}\n]}}\n' if lines else f'{{{about}, "findings": []}}\n')


def write(path: str, findings: Iterable[Finding]) -> None:
    """Put the file in place, whole or not at all."""
    if not os.path.isdir(os.path.dirname(path)):
        raise _unwritable(path, "no such folder")
    try:
        publish(path, text(findings).encode(), durable=True, mode=0o644)
    except OSError as error:
        raise _unwritable(path, error.strerror or "") from None


def _unwritable(path: str, why: str) -> BaselineError:
    return BaselineError(f"cannot write the baseline {path}: {why}", "linetrail audit --write-baseline --baseline FILE")
