"""How definitions hang together: who uses whom, what holds what, and what was made of what."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linetrail.projections.computed import nodes
from linetrail.projections.tables.tables import Asked

if TYPE_CHECKING:
    from linetrail.projections.graph.head_definitions import Standing
    from linetrail.projections.graph.history import Whole

ABOUT = "one row is one relation between two definitions"
COLUMNS = {
    "src_id": "VARCHAR",
    "dst_id": "VARCHAR",
    "edge_type": "VARCHAR",
    "path": "VARCHAR",
    "line_no": "BIGINT",
    "times": "BIGINT",
    "vcs_revision": "VARCHAR",
    "evidence": "VARCHAR",
    "confidence": "DOUBLE",
}
VERSION = 1


def key(asked: Asked) -> list[object]:
    """Name the relations: by all that definitions follow from, and the code that finds names."""
    from linetrail.projections.graph import cache

    return [nodes.key(asked), cache.version(cache.USES)]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield what holds what, who uses whom, then what history tells, in its order."""
    if asked.head is None:
        return
    from linetrail.projections.graph.head_definitions import standing
    from linetrail.projections.graph.history import whole

    told = whole(asked, asked.head)
    files = [file for file in standing(asked.repository, told.state) if file.is_followed]
    yield from _held(told, files)
    yield from _used(asked, told, files)
    yield from _became(told)


def _held(told: "Whole", files: "list[Standing]") -> Iterator[tuple[object, ...]]:
    for file in files:
        for place, version in zip(file.places, file.versions, strict=True):
            parent = place.definition.parent
            if parent is not None:
                ids = told.fold.id_of(file.versions[parent]), told.fold.id_of(version)
                yield *ids, "contains", file.path, place.definition.start_line, 1, None, "stands in it", 1.0


def _used(asked: Asked, told: "Whole", files: "list[Standing]") -> Iterator[tuple[object, ...]]:
    from linetrail.projections.graph.head_definitions import mentions

    versions = {file.path: file.versions for file in files}
    for one in mentions(asked.repository, files):
        here, there = (told.fold.id_of(versions[place.path][place.at]) for place in (one.source, one.target))
        if here != there:
            yield here, there, "mentions", one.source.path, one.line, one.times, None, one.evidence, one.confidence


def _became(told: "Whole") -> Iterator[tuple[object, ...]]:
    fold, counted = told.fold, set(told.fold.standing(told.head))
    for one in fold.related:
        if one.version in counted:
            version = fold.versions[one.version]
            ids, where = (fold.id_of(one.version), fold.id_of(one.other)), (version.told.path, None, 1)
            yield *ids, one.edge, *where, version.commit.revision, one.evidence or None, one.confidence
