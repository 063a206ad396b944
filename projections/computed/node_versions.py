"""Every version of every definition that history has, with the recorded change that made it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from linetrail.projections.computed.nodes import key
from linetrail.projections.tables.tables import Asked

if TYPE_CHECKING:
    from linetrail.projections.graph.fold import Stated

__all__ = ["ABOUT", "COLUMNS", "VERSION", "key", "rows"]

ABOUT = "one row is one version of a definition, in a commit or in a recorded change that is part of one"
COLUMNS = {
    "node_id": "VARCHAR",
    "place": "BIGINT",
    "path": "VARCHAR",
    "qualified_name": "VARCHAR",
    "kind": "VARCHAR",
    "language": "VARCHAR",
    "start_line": "BIGINT",
    "end_line": "BIGINT",
    "node_hash": "VARCHAR",
    "shape_hash": "VARCHAR",
    "raw_hash": "VARCHAR",
    "state_hash": "VARCHAR",
    "change": "VARCHAR",
    "former": "VARCHAR",
    "lines_added": "BIGINT",
    "lines_deleted": "BIGINT",
    "evidence": "VARCHAR",
    "vcs_revision": "VARCHAR",
    "author": "VARCHAR",
    "valid_from": "TIMESTAMP",
    "valid_to": "TIMESTAMP",
    "mutation_id": "VARCHAR",
    "tool_call_id": "VARCHAR",
    "session_id": "VARCHAR",
    "intent_id": "VARCHAR",
    "agent_name": "VARCHAR",
    "model_id": "VARCHAR",
    "contributor_type": "VARCHAR",
    "match_method": "VARCHAR",
    "confidence": "DOUBLE",
}
# 2: with who took away what is no more.
VERSION = 2


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the versions of each definition, the first one first."""
    if asked.head is None:
        return
    from linetrail.projections.graph.history import whole

    fold = whole(asked, asked.head).fold
    versions: dict[int, list[Stated]] = {}
    for stated in (fold.versions[at] for at in fold.standing(asked.head)):
        versions.setdefault(stated.node, []).append(stated)
    for node, found in versions.items():
        moments = [_moment(stated) for stated in found]
        for at, stated in enumerate(found):
            yield fold.ids[node], at + 1, *_row(stated, moments[at], _end(moments, at))


def _row(stated: "Stated", begun: datetime | None, ended: datetime | None) -> tuple[object, ...]:
    told, commit, by = stated.told, stated.commit, stated.by
    lines = (None, None) if stated.is_gone else (told.start_line, told.end_line)
    hashes = (None,) * 4 if stated.is_gone else (told.tokens, told.shape, told.raw, told.state)
    who = (by.event_id, by.tool_call_id, by.session_id, by.intent_id, by.agent_name, by.model_id) if by else (None,) * 6
    found = (by.contributor_type, by.found_by, by.confidence) if by else (None,) * 3
    return (
        *(told.path, told.qualified, told.kind, stated.language, *lines, *hashes),
        *(stated.change, *_difference(stated), commit.revision, commit.author, begun, ended),
        *(*who, *found),
    )


def _difference(stated: "Stated") -> tuple[object, ...]:
    told = stated.told
    if stated.is_gone:
        return None, 0, told.end_line - told.start_line + 1, None
    return told.former, told.lines_added, told.lines_deleted, told.evidence or None


def _end(moments: list[datetime | None], at: int) -> datetime | None:
    """Return when the next version began; clocks differ, so it may seem to have begun earlier."""
    begun, ended = moments[at], moments[at + 1] if at + 1 < len(moments) else None
    return max(begun, ended) if begun is not None and ended is not None else ended


def _moment(stated: "Stated") -> datetime | None:
    """Return when a version came to be, as `linetrail lineage` says it."""
    try:
        if stated.by is not None and stated.by.occurred_at is not None:
            return datetime.fromisoformat(stated.by.occurred_at).astimezone(UTC).replace(tzinfo=None)
        return datetime.fromtimestamp(stated.commit.author_time, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
