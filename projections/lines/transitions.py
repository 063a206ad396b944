"""Read the recorded changes of a file back from rows of `mutation_files`.

A change is a transition between two states that are named by the hash of their content. A long one was spread
over several events; its parts are put together here.
"""

import json
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

# How a change came about that no hook saw: the agent's own record of the session tells of it.
IMPORT = "import"


class Claim(NamedTuple):
    """One recorded event's word on the lines that it changed."""

    position: int = 0
    event_id: str | None = None
    occurred_at: str | None = None
    session_id: str | None = None
    agent_name: str | None = None
    model_id: str | None = None
    intent_id: str | None = None
    contributor_type: str = "unknown"
    tool_call_id: str | None = None
    tool_name: str | None = None
    via: str = "unseen"
    user_modified: bool | None = None
    basis: str | None = None
    agent_id: str | None = None
    vcs_revision: str | None = None
    path: str | None = None

    @property
    def since(self) -> str:
        """When the change was made, where nothing but its record's clock tells; else empty: git's order tells it."""
        told = self.via == IMPORT or (not self.seen and self.vcs_revision is None)
        return (self.occurred_at or "") if told else ""

    @property
    def seen(self) -> bool:
        """Whether somebody was seen making this change; what merely was found changed names nobody."""
        return self.contributor_type != "unknown"


# What a claim takes from a row: the names are those of the table.
_FACTS = itemgetter(*Claim._fields)
COLUMNS = (
    *Claim._fields,
    "op",
    "from_path",
    "snapshot",
    "before_hash",
    "after_hash",
    "before_blob",
    "before_lines",
    "after_lines",
    "part",
    "parts",
    "hunks",
)


class Hunk(NamedTuple):
    """Old lines `start:stop`, counted from 0, became the lines with these hashes.

    `edited` maps a new line to the old one it was made out of, `reflowed` pairs new lines that were only broken anew
    with old ones.
    """

    start: int
    stop: int
    new_start: int
    hashes: tuple[str, ...]
    edited: dict[int, int]
    reflowed: tuple[tuple[int, int], ...] = ()


class Transition(NamedTuple):
    """How one file came from one content to another. `hunks` is None where the ledger has hashes only."""

    claim: Claim
    path: str
    op: str
    from_path: str | None
    snapshot: bool
    before_hash: str | None
    after_hash: str | None
    before_blob: str | None
    before_lines: int | None
    after_lines: int | None
    hunks: tuple[Hunk, ...] | None

    @property
    def unread(self) -> bool:
        """Whether it made a content of which the ledger does not tell what in it is new."""
        changed = self.after_hash is not None and self.after_hash != self.before_hash
        return changed and (self.snapshot or self.hunks is None)


def read(rows: Iterable[Mapping[str, Any]]) -> list[Transition]:
    """Return the transitions of these rows in the order of the ledger; a part that is missing leaves no hunks."""
    found: list[Transition] = []
    waiting: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["parts"] is None:
            found.append(_transition([row]))
            continue
        key = (row["session_id"], row["tool_call_id"], row["path"], row["before_hash"], row["after_hash"])
        parts = [] if row["part"] == 1 else waiting.pop(key, [])
        parts.append(row)
        if row["part"] < row["parts"]:
            waiting[key] = parts
        else:
            found.append(_transition(parts))
    return found


def claim(row: Mapping[str, Any]) -> Claim:
    """Return what a row says of the lines that it changed."""
    return Claim._make(_FACTS(row))


def _transition(parts: list[Mapping[str, Any]]) -> Transition:
    first = parts[0]
    whole = first["parts"] is None or [row["part"] for row in parts] == list(range(1, first["parts"] + 1))
    texts = [row["hunks"] for row in parts]
    hunks = tuple(_hunk(hunk) for text in texts for hunk in json.loads(text)) if whole and None not in texts else None
    return Transition(
        claim=claim(first),
        path=first["path"],
        op=first["op"],
        from_path=first["from_path"],
        snapshot=bool(first["snapshot"]),
        before_hash=first["before_hash"],
        after_hash=first["after_hash"],
        before_blob=first["before_blob"],
        before_lines=first["before_lines"],
        after_lines=first["after_lines"],
        hunks=hunks,
    )


def _hunk(record: Mapping[str, Any]) -> Hunk:
    start = record["old_start"] - 1 if record["old_lines"] else record["old_start"]
    new_start = record["new_start"] - 1 if record["new_lines"] else record["new_start"]
    return Hunk(
        start=start,
        stop=start + record["old_lines"],
        new_start=new_start,
        hashes=tuple(record.get("line_hashes") or ()),
        edited={new - 1: old - 1 for new, old in record.get("edited") or ()},
        reflowed=tuple((new - 1, old - 1) for new, old in record.get("reflowed") or ()),
    )
