"""The versions of a definition: what each commit and each recorded change made of it, and who wrote that."""

from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.observe.diff import changes
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.nodes.commits import Commit
from linetrail.projections.nodes.matches import EDITED, Match
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.spans import Span, Touch

# How a history begins: it was made there; or it was there already where a shallow clone ends.
CREATED, FOUND = "created", "found"
# How a recorded change is known to have made a version: it led from one known content to the next; it touched the
# lines; most of what is new has its lines.
CONTENT, HUNKS, LINES = "content", "hunks", "lines"


class Finding(NamedTuple):
    """How a recorded change was found to have made a version, and how sure that is, 0 to 1."""

    method: str
    confidence: float


class Version(NamedTuple):
    """A definition as one change left it.

    `claim` is the recorded change, None where nobody was seen making it; `commit` is the one that has it, None while
    there is none. Hashes are None where only the lines of this version are known, and not their text. `former` is what
    it was made from, as `path:qualified`; `kinds` and `evidence` say how. `state` is the hash of the file's content.
    `place` is the definition in its text, where that is known. `found_by` says how the claim was found.
    """

    path: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    raw: str | None
    tokens: str | None
    kinds: Sequence[str]
    evidence: Sequence[str]
    former: str | None
    lines_added: int
    lines_deleted: int
    claim: Claim | None
    commit: Commit | None
    state: str | None
    place: Place | None
    found_by: Finding | None = None


def version(
    place: Place, match: Match | None, merged: Sequence[Match], claim: Claim | None, commit: Commit | None
) -> Version:
    """Return what a change made of a definition; without a match it is new."""
    definition = place.definition
    added, deleted = _counted(match, place)
    return Version(
        path=place.path,
        qualified=definition.qualified,
        kind=definition.kind,
        start_line=definition.start_line,
        end_line=definition.end_line,
        raw=definition.raw,
        tokens=definition.tokens,
        kinds=[*(match.kinds if match else [CREATED]), *(kind for one in merged for kind in one.kinds)],
        evidence=[text for one in [*([match] if match else []), *merged] for text in one.evidence],
        former=named(match.before) if match else None,
        lines_added=added,
        lines_deleted=deleted,
        claim=claim,
        commit=commit,
        state=digest(place.side.content),
        place=place,
    )


def touched(place: Place, span: Span, touch: Touch, claim: Claim, commit: Commit | None) -> Version:
    """Return what a change made of a definition of which only lines are known; it had the later name, presumably."""
    return version(place, None, (), claim, commit)._replace(
        start_line=span.start + 1,
        end_line=span.stop,
        raw=None,
        tokens=None,
        place=None,
        kinds=[EDITED if touch.before else CREATED],
        evidence=["told by its lines: their text is not known"],
        lines_added=touch.added,
        lines_deleted=touch.deleted if touch.before else 0,
    )


def named(place: Place) -> str:
    """Name a definition with its file."""
    return f"{place.path}:{place.definition.qualified}"


def _counted(match: Match | None, place: Place) -> tuple[int, int]:
    """Count the lines that came and those that went."""
    before = match.before.hashes if match else ()
    found = changes(before, place.hashes)
    return sum(b1 - b0 for _, _, b0, b1 in found), sum(a1 - a0 for a0, a1, _, _ in found)
