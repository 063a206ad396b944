"""Find a definition by its name, follow it through history, and return its versions as rows."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target, find_target, locate
from linetrail.projections.nodes.commits import Commit
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.lineage import Lineage, lineage
from linetrail.projections.nodes.lookup import anywhere, in_file
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.versions import Version
from linetrail.projections.tables.tables import Tables

# Whether a commit shows signs of an agent that nobody recorded.
ShowsAgent = Callable[[str], bool]
Row = dict[str, Any]


class Meant(NamedTuple):
    """The definition that a name means, and the content that it stands in."""

    place: Place
    target: Target


class Symbols:
    """The definitions of a repository, found by name and followed through history."""

    def __init__(self, repository: Repository) -> None:
        self._repository, self._store, self._indexed = repository, Objects(repository), DefinitionIndex(repository)

    def close(self) -> None:
        """Close the git process and the index of definitions."""
        self._store.close()
        self._indexed.close()

    def meant(self, symbol: str, *, directory: str, revision: str | None) -> Meant:
        """Return the one definition that is meant, in the work tree or at a revision."""
        path, _, name = symbol.rpartition(":")
        if not name:
            raise UsageError(f"{symbol!r} names no definition; write name, Outer.name or PATH:Outer.name")
        if not path:
            place = anywhere(self._repository, self._store, self._indexed, name, revision)
            return Meant(place, find_target(self._repository, place.path, revision))
        target = find_target(self._repository, locate(self._repository, directory, path), revision)
        return Meant(in_file(self._indexed.side(target.path, target.content), name), target)

    def history(self, tables: Tables, meant: Meant) -> tuple[Lineage, list[Row]]:
        """Return the versions of a definition, and the same as rows."""
        found = lineage(self._repository, tables, self._store, self._indexed, *meant)
        events = {version.claim.event_id for version in found.versions if version.claim and version.claim.event_id}
        shows_agent = partial(self._store.shows_agent, recorded_on=tables.records.agents_on())
        return found, _rows(found, shows_agent, tables.records.classes(events))


def _rows(found: Lineage, shows_agent: ShowsAgent, classes: Mapping[str, str]) -> list[Row]:
    """Return one row for each version, the latest first; unknown fields are None.

    `classes` are what recorded changes were judged to be, by event.
    """
    return [
        {"node_id": found.node_id}
        | _definition(version)
        | _change(version)
        | _author(version, shows_agent)
        | {"mutation_class": version.claim and classes.get(version.claim.event_id or "")}
        for version in found.versions
    ]


def _definition(version: Version) -> Row:
    return {
        "path": version.path,
        "qualified_name": version.qualified,
        "kind": version.kind,
        "start_line": version.start_line,
        "end_line": version.end_line,
        "raw_hash": version.raw,
        "tokens_hash": version.tokens,
        "state_hash": version.state,
    }


def _change(version: Version) -> Row:
    return {
        "change": list(version.kinds),
        "former": version.former,
        "lines_added": version.lines_added,
        "lines_deleted": version.lines_deleted,
        "evidence": list(version.evidence),
    }


def _author(version: Version, shows_agent: ShowsAgent) -> Row:
    claim, commit = version.claim, version.commit
    row: Row = {
        "contributor_type": claim.contributor_type if claim else _presumed(commit, shows_agent),
        "attributed_by": ("transcript" if claim.via == "import" else "observed")
        if claim
        else "git"
        if commit
        else "none",
    }
    for name in ("agent_name", "model_id", "session_id", "intent_id", "event_id", "tool_call_id"):
        row[name] = getattr(claim, name) if claim else None
    moment = claim.occurred_at if claim else rfc3339(commit.author_time * 1_000_000_000) if commit else None
    told = {
        "vcs_revision": commit and commit.revision,
        "author": commit and commit.author,
        "subject": commit and commit.subject,
    }
    return row | {"written_at": moment} | told


def _presumed(commit: Commit | None, shows_agent: ShowsAgent) -> str:
    return "unknown" if commit is None or shows_agent(commit.revision) else "human"
