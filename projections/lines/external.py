"""Ask the notes that other tools attached to commits, and their trailers, about lines that nothing recorded tells of.

A note numbers the lines of its commit's own files, so it is asked with the commit, the file and the line that git
names. Of several notes on a commit only the one imported last counts; where it gives a line to two, the later entry.
Trailers name no line: they speak of all that git says the commit added, where no note does.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import stored_path
from linetrail.projections.git.history import GitLine
from linetrail.projections.tables.tables import Tables

_STATED = """
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where vcs_revision in (select unnest($revisions)) and dialect is distinct from 'trailers'
    group by vcs_revision
)

select
    s.vcs_revision, s.path, s.start_line, s.end_line,
    s.contributor_type, s.agent_name, s.model_id, s.session_id, s.person, s.event_id
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
where s.path in (select unnest($paths)) and s.contributor_type in ('ai', 'human')
order by s.position, s.file_index, s.key_index
"""
_CREDITED = """
with
newest as (
    select vcs_revision, arg_max(note, position) as note
    from stated_lines
    where vcs_revision in (select unnest($revisions)) and dialect = 'trailers'
    group by vcs_revision
)

select
    s.vcs_revision,
    case when count(distinct s.agent_name) = 1 then min(s.agent_name) end as agent_name,
    case when count(distinct s.agent_name) = 1 and count(distinct s.model_id) = 1 then min(s.model_id) end as model_id,
    min(s.event_id) as event_id
from stated_lines s join newest on newest.vcs_revision = s.vcs_revision and newest.note = s.note
where s.dialect = 'trailers'
group by s.vcs_revision
"""
NOTE, TRAILER = "external", "trailer"


class Stated(NamedTuple):
    """Whom a note gives a line to, or a trailer the commit; `person` is the name and address of a human."""

    contributor_type: str
    agent_name: str | None
    model_id: str | None
    session_id: str | None
    person: str | None
    event_id: str
    evidence: str = NOTE


class Notes:
    """The notes in one ledger."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._some: bool | None = None

    def about(self, lines: Sequence[GitLine], asked: Iterable[int]) -> dict[int, Stated]:
        """Return who wrote these lines, as far as a note or a trailer says so; `asked` are places in `lines`."""
        if not self._has_some():
            return {}
        places: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at in asked:
            revision = lines[at].revision
            if revision is not None:
                places[revision, stored_path(lines[at].filename)][lines[at].original_line].append(at)
        if not places:
            return {}
        asked_for = {"revisions": sorted({one for one, _ in places}), "paths": sorted({path for _, path in places})}
        numbers = {place: sorted(at) for place, at in places.items()}
        found = self._credited(places)
        for revision, path, first, last, *said in self._tables.ask(_STATED, asked_for).rows:
            here = numbers.get((revision, path), ())
            for number in here[bisect_left(here, first) : bisect_right(here, last)]:
                found.update(dict.fromkeys(places[revision, path][number], Stated(*said)))
        return found

    def _credited(self, places: Mapping[tuple[str, str], Mapping[int, Iterable[int]]]) -> dict[int, Stated]:
        """Return whom trailers credit with all lines of their commits; nobody by name where they credit several."""
        asked_for = {"revisions": sorted({revision for revision, _ in places})}
        credited = {revision: said for revision, *said in self._tables.ask(_CREDITED, asked_for).rows}
        found = {}
        for (revision, _), numbers in places.items():
            if revision in credited:
                agent, model, event_id = credited[revision]
                said = Stated("ai", agent, model, None, None, event_id, TRAILER)
                found.update({at: said for all_at in numbers.values() for at in all_at})
        return found

    def _has_some(self) -> bool:
        """Look once: of most ledgers no line has to be asked for."""
        if self._some is None:
            self._some = bool(self._tables.ask("select 1 from stated_lines limit 1").rows)
        return self._some
