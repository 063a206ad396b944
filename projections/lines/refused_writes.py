"""Find the lines that a refused call may have written all the same, where nobody was seen writing them.

A refusal is a word to an agent, and no wall. A call that runs in spite of it and reports its end is seen writing like
any other. One that says nothing leaves a file that is another one than before: in the work tree, or in the first commit
on top of the content that was refused a change. Lines of such a change are nobody's, as long as nobody was let through
to the file in between.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository, git, stored_path
from linetrail.projections.git.history import GitLine, Objects
from linetrail.projections.lines.external import Stated
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

if TYPE_CHECKING:
    from linetrail.projections.lines.attribution import Owner

REFUSED = "refused"

_SOME = "select 1 from verdicts where verdict = 'deny' and enforced limit 1"


class _Verdict(NamedTuple):
    position: int
    verdict_id: str
    session_id: str | None
    path: str
    revision: str | None
    refused: bool


class RefusedWrites:
    """The calls that were refused a change, in one ledger."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects) -> None:
        self._repository, self._tables, self._store = repository, tables, store
        self._some: bool | None = None
        self._contents: dict[str, str | None] = {}
        self._upon: dict[tuple[str, str | None], bool] = {}

    def about(self, owners: "Sequence[Owner]", lines: Sequence[GitLine], asked: Iterable[int]) -> dict[int, Stated]:
        """Return the refusal that each of these lines may have come about in spite of; `asked` are places."""
        asked = list(asked)
        if not asked or not self._has_some():
            return {}
        verdicts = self._tables.once(_verdicts, *sorted({stored_path(lines[at].filename) for at in asked}))
        if not verdicts:
            return {}
        found: dict[int, Stated] = {}
        # lines of one change in one commit have one answer
        made: dict[tuple[object, ...], _Verdict | None] = {}
        for at in asked:
            line, claim = lines[at], owners[at].claim
            same = (claim and claim.position, line.revision, line.filename, line.previous)
            if same not in made:
                made[same] = self._before(verdicts, claim) or self._beneath(verdicts, claim, line)
            one = made[same]
            if one is not None:
                found[at] = Stated("unknown", None, None, None, None, one.verdict_id, REFUSED)
        return found

    def _before(self, verdicts: Sequence[_Verdict], claim: Claim | None) -> _Verdict | None:
        """Return the refusal that a change nobody was seen making came after, in the same session."""
        if claim is None or claim.session_id is None:
            return None
        said = [one for one in verdicts if one.session_id == claim.session_id and one.path == claim.path]
        last = next((one for one in reversed(said) if one.position < claim.position), None)
        return last if last is not None and last.refused else None

    def _beneath(self, verdicts: Sequence[_Verdict], claim: Claim | None, line: GitLine) -> _Verdict | None:
        """Return the refusal of a change to the very content that the line's commit changed, or the work tree."""
        before = self._content(*line.previous) if line.previous else None
        path = stored_path(line.filename)
        standing: dict[str | None, _Verdict] = {}
        for one in verdicts:
            known = claim is None or one.position < claim.position
            if one.path == path and known and one.revision and self._content(one.revision, line.filename) == before:
                standing[one.session_id] = one
        refused = [one for one in standing.values() if one.refused and self._is_upon(line.revision, one.revision)]
        return max(refused, default=None)

    def _content(self, revision: str, filename: str) -> str | None:
        name = f"{revision}:{filename}"
        if name not in self._contents:
            content = self._store.read(name)
            self._contents[name] = None if content is None else digest(content)
        return self._contents[name]

    def _is_upon(self, commit: str | None, revision: str | None) -> bool:
        """Return whether a commit was made on top of another one; the work tree stands on all."""
        if commit is None:
            return True
        if (commit, revision) not in self._upon:
            found = git(self._repository, "merge-base", "--is-ancestor", revision or "", commit)
            self._upon[commit, revision] = commit != revision and found is not None
        return self._upon[commit, revision]

    def _has_some(self) -> bool:
        """Look once: in most ledgers nothing was refused."""
        if self._some is None:
            self._some = not self._tables.is_empty("verdicts") and bool(self._tables.ask(_SOME).rows)
        return self._some


def _verdicts(tables: Tables, *paths: str) -> Sequence[_Verdict]:
    """Return what was said of calls that name one of these files, in the order of the ledger."""
    return [_Verdict(*row) for row in tables.ask(statement("refused_changes"), {"paths": paths}).rows]
