"""Every file that HEAD has or the ledger names."""

from collections.abc import Iterator

from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one path that is tracked at HEAD or that a mutation names"
COLUMNS = {
    "path_id": "VARCHAR",
    "path": "VARCHAR",
    "language": "VARCHAR",
    "role": "VARCHAR",
    "tracked": "BOOLEAN",
    "bytes": "BIGINT",
    "renamed_from": "VARCHAR",
}
# 2: with what a file is for.
VERSION = 2

_NAMED = """
select path, arg_max(from_path, position) filter (where op = 'rename') as renamed_from
from mutation_files
group by path
"""


def key(asked: Asked) -> list[object]:
    """Name the files: by the ledger and the commit."""
    return [ledger_key(asked), asked.head]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the files by path."""
    import hashlib

    from linetrail.projections.roles import role
    from linetrail.projections.survival.stats import tree
    from linetrail.projections.syntax.language import language_of

    sizes = {file.path: file.size for file in tree(asked.repository, asked.head)} if asked.head else {}
    former = dict(asked.tables.ask(_NAMED).rows)
    for path in sorted({*sizes, *former}):
        language = language_of(path)
        name = hashlib.sha256(path.encode(errors="surrogateescape")).hexdigest()[:16]
        there = path in sizes, sizes.get(path)
        yield name, path, language and language.name, role(path), *there, former.get(path)
