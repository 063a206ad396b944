"""Whether a changed file was in the scope that its intent had at that moment."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from linetrail.ledger.paths.globs import Scope, ScopeError, compile_scope
from linetrail.projections.tables.tables import Asked, ledger_key

if TYPE_CHECKING:
    import duckdb

ABOUT = "one row is one file of a mutation whose intent had a scope at that moment"
COLUMNS = {"position": "BIGINT", "file_index": "BIGINT", "in_scope": "BOOLEAN", "path_pattern": "VARCHAR"}
VERSION = 1

# What an agent's own dialects call a scope may be a list of other things: such a scope says nothing.
_SCOPED = """
select files.position, files.file_index, files.path, states.scope
from mutation_files as files
asof join intent_history as states
    on states.intent_id = files.intent_id and files.position >= states.position
where states.scope is not null
"""
_PAIRS = f"select distinct scope, path from ({_SCOPED}) order by scope, path"  # noqa: S608  a constant of this module
_JUDGED = f"""
with
judged as (
    select
        unnest($scopes::varchar[]) as scope,
        unnest($paths::varchar[]) as path,
        unnest($held::boolean[]) as in_scope,
        unnest($patterns::varchar[]) as pattern
)

select scoped.position, scoped.file_index, judged.in_scope, judged.pattern as path_pattern
from ({_SCOPED}) as scoped
inner join judged on judged.scope = scoped.scope and judged.path = scoped.path
order by scoped.position, scoped.file_index
"""  # noqa: S608  constants of this module


def key(asked: Asked) -> list[object]:
    """Name the answers: any event may be a mutation or tell a scope."""
    return ledger_key(asked)


def rows(asked: Asked) -> "duckdb.DuckDBPyRelation":
    """Return the query that joins mutations with what is found out once for each scope and path."""
    pairs = asked.tables.ask(_PAIRS).rows
    scopes = {text: _compiled(text) for text in dict.fromkeys(text for text, _ in pairs)}
    judged = [(text, path, *found) for text, path in pairs if (found := _judged(scopes, text, path)) is not None]
    columns: Sequence[Sequence[object]] = list(zip(*judged, strict=True)) or [[]] * 4
    given = dict(zip(("scopes", "paths", "held", "patterns"), map(list, columns), strict=True))
    return asked.tables.connection.sql(_JUDGED, params=given)


def _judged(scopes: Mapping[str, Scope | None], text: str, path: str) -> tuple[bool, str | None] | None:
    """Return whether a scope has a path, and the pattern that says so; None where the scope says nothing."""
    scope = scopes[text]
    if scope is None:
        return None
    found = scope.ownership(path)
    return found.pattern is not None, found.pattern or found.excluded_by


def _compiled(text: str) -> Scope | None:
    try:
        return compile_scope(json.loads(text))
    except (ValueError, TypeError, ScopeError):
        return None
