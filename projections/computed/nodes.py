"""Every definition of every file at HEAD that a grammar reads."""

from collections.abc import Iterator, Sequence

from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one definition in a file at HEAD"
COLUMNS = {
    "node_id": "VARCHAR",
    "path": "VARCHAR",
    "qualified_name": "VARCHAR",
    "name": "VARCHAR",
    "kind": "VARCHAR",
    "language": "VARCHAR",
    "start_line": "BIGINT",
    "end_line": "BIGINT",
    "node_hash": "VARCHAR",
    "shape_hash": "VARCHAR",
    "raw_hash": "VARCHAR",
    "parent_id": "VARCHAR",
}
VERSION = 1


def key(asked: Asked) -> list[object]:
    """Name the definitions: by the history of a commit and, since a version may be a recorded one, by the ledger."""
    from linetrail.projections.git.history import cut_commits
    from linetrail.projections.graph import cache

    return [ledger_key(asked), asked.head, sorted(cut_commits(asked.repository)), cache.version(cache.RECORDS)]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the definitions by path and place; what is part of another one comes after it."""
    if asked.head is None:
        return
    from linetrail.projections.graph.head_definitions import standing
    from linetrail.projections.graph.history import whole

    told = whole(asked, asked.head)
    for file in standing(asked.repository, told.state):
        followed = file.versions if file.is_followed else ()
        nothing = [None] * len(file.places)
        ids: Sequence[str | None] = [told.fold.id_of(version) for version in followed] or nothing
        shapes = [told.fold.versions[version].told.shape for version in followed] or nothing
        for place, node_id, shape in zip(file.places, ids, shapes, strict=True):
            one = place.definition
            parent = None if one.parent is None else ids[one.parent]
            lines = one.start_line, one.end_line
            yield (
                *(node_id, file.path, one.qualified, one.name, one.kind, file.language),
                *(*lines, one.tokens, shape, one.raw, parent),
            )
