"""Judge who wrote each line of a content: its recorded owner, else what git alone knows, else nobody.

Every answer names the evidence that decided it. docs/attribution.md gives the rules in prose, with what each
confidence means; nothing here is stored, so a fresh clone that has the ledger and git gives the same answers.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import Split
from linetrail.projections.git.history import Commit, GitLine
from linetrail.projections.lines.states import FOUND, KEPT, MOVED, NODE, REFLOWED, SAME, Line, text_of
from linetrail.projections.lines.transitions import IMPORT, Claim

if TYPE_CHECKING:
    # a remembered answer needs none of these
    from linetrail.projections.lines.external import Stated
    from linetrail.projections.lines.replay import Replay

# Whatever is remembered under another number is out of date.
# 1: first rules.
# 2: files too large to be read have owners or are in doubt; single lines are not found again elsewhere.
# 3: what an older ledger says of an agent puts in doubt who wrote what was committed after it.
# 4: blocks are followed where they were moved, lines where they were broken anew.
# 5: lines are followed with a definition that went elsewhere and was edited on the way.
# 6: trailers that were imported say which agent a commit credits.
# 7: what a refused call may have written all the same is nobody's.
# 8: the confidence of what was followed is what it was measured to be.
# 9: a block that stays where it was is the copier's, who put it into another file.
# 10: lines that were wrapped and moved in commits which are gone are found by what they were before.
# 11: a block that several files lost comes from the one that had it first.
RULES = 11

# What a recorded owner is worth, by how the event came about and by how its line was followed to this content.
_CONFIDENCE = {"tool": 1.0, "human": 1.0, "shell": 0.95, IMPORT: 0.9}
# How often these are right, `benchmarks/projections/calibration.py` measures.
_FOLLOWED = {SAME: 1.0, KEPT: 0.95, MOVED: 0.9, FOUND: 0.9, REFLOWED: 0.8, NODE: 0.7}
_EVIDENCE = {KEPT: "carried", MOVED: "moved", FOUND: "matched", REFLOWED: "reflowed", NODE: "node"}
_USER_MODIFIED = 0.8
# Where an imported history does not tell the text before a change, and git had one that the change can be done on.
_BASED = {"commit": 0.9, "history": 0.7}
# What a note of another tool says: nobody here saw it. A trailer does not even say which lines it is about.
# Where a refused call may have written in spite of the refusal, nobody is named.
_STATED = {"external": 0.6, "trailer": 0.4, "refused": 0.0}
_TRAILER = "trailer"
# What git alone knows: below anything recorded, and less where a shallow clone hides what came before.
_PRESUMED, _PRESUMED_AT_CUT = 0.5, 0.3
# What a person said of a line when they corrected the answer: nobody can look behind it.
CORRECTION = "correction"
_CORRECTED = 0.9
# A recorded owner that is less sure than this is marked as doubtful wherever people read it.
DOUBTFUL = 0.7
_NOT_RECORDED = {"external", "trailer", "refused", "git", "none"}
_WEAKER = {relation: at for at, relation in enumerate(_FOLLOWED)}


class Owner(NamedTuple):
    """Who the ledger says wrote a line. `history` are all claims on it and on what it was made of, newest first."""

    claim: Claim | None
    history: tuple[Claim, ...]
    mixed: bool
    relation: str


# Of a line that nothing recorded tells of, and of all that are like it.
NOBODY = Owner(None, (), mixed=False, relation=SAME)


class Attribution(NamedTuple):
    """Who wrote a line, and how that is known; the names are those of the command-line contract."""

    contributor_type: str
    mixed: bool
    agent_name: str | None = None
    model_id: str | None = None
    session_id: str | None = None
    intent_id: str | None = None
    event_id: str | None = None
    tool_call_id: str | None = None
    written_at: str | None = None
    vcs_revision: str | None = None
    author: str | None = None
    origin_event_id: str | None = None
    evidence: str = "git"
    confidence: float = 0.0
    # what the change that wrote it was judged to be; None where nobody judged it
    mutation_class: str | None = None
    # what was answered before a person corrected it, in one word: `ai`, the name of an agent, `human` or `unknown`
    overruled: str | None = None

    @property
    def doubtful(self) -> bool:
        """Whether something recorded names the author, and says so with little confidence."""
        return self.evidence not in _NOT_RECORDED and self.confidence < DOUBTFUL


def explain(
    replay: "Replay",
    content: bytes,
    earlier: Callable[[], Mapping[str, Split]] = dict,
    until: str | None = None,
) -> list[Owner]:
    """Return the recorded owner of each line of a content, from the states that were there `until` a moment.

    `earlier` returns recorded texts to see edits in, by digest.
    """
    return [owner(line) for line in replay.explain(digest(content), text_of(content), earlier, until).lines]


def owner(line: Line) -> Owner:
    """Follow a line back to all who had a hand in it."""
    if line.claim is None and line.origin is None and not line.also:
        return NOBODY
    if line.claim is not None and line.origin is None and not line.also:
        by_agent = line.claim.contributor_type == "ai"
        return Owner(line.claim, (line.claim,), by_agent and bool(line.claim.user_modified), SAME)
    claims: list[Claim] = []
    relation = SAME
    agents = others = False
    for link in line.chain():
        for other in map(owner, link.also):
            agents |= other.claim is not None and other.claim.contributor_type == "ai"
            others |= other.claim is None or other.claim.contributor_type != "ai" or other.mixed
        if link.claim is not None:
            claims.append(link.claim)
            agents |= link.claim.contributor_type == "ai"
            others |= link.claim.contributor_type != "ai" or bool(link.claim.user_modified)
        elif link.origin is None:
            others = True
        elif not claims:
            relation = max(relation, link.relation, key=_WEAKER.__getitem__)
    return Owner(claims[0] if claims else None, tuple(claims), agents and others, relation)


def judge(
    owners: Sequence[Owner],
    lines: Sequence[GitLine],
    commits: Mapping[str, Commit],
    agents: Mapping[str, bool],
    unread_since: str | None = None,
    noted: "Mapping[int, Stated] | None" = None,
) -> list[Attribution]:
    """Decide between ledger and git for each line; `agents` are the commits that show signs of an agent.

    A commit that is not older than an agent's unread change may have its lines. `noted`, by the place of a line, is
    what notes on commits say.
    """
    recorded = {
        line.revision
        for one, line in zip(owners, lines, strict=True)
        if one.claim is not None and one.claim.contributor_type == "ai"
    }
    in_doubt = {
        revision
        for revision, commit in commits.items()
        if not _is_older(commit, unread_since) or (agents.get(revision, False) and revision not in recorded)
    }
    # few lines of a content differ in what their answer follows from, so each such answer is made once
    made: dict[tuple[object, ...], Attribution] = {}
    judged = []
    for at, (one, line) in enumerate(zip(owners, lines, strict=True)):
        claim = one.claim if one.claim is not None and one.claim.seen else None
        stated = noted.get(at) if noted else None
        if stated is not None and stated.evidence == _TRAILER and not _credits(line, commits, agents, recorded):
            stated = None
        from_this = (id(claim), one.relation, one.mixed, _origin(one), line.revision, stated)
        attribution = made.get(from_this)
        if attribution is None:
            commit = commits.get(line.revision or "")
            doubtful = line.revision in in_doubt
            attribution = made[from_this] = _attribution(one, claim, line, commit, stated, doubtful=doubtful)
        judged.append(attribution)
    return judged


def classed(judged: Sequence[Attribution], classes: Mapping[str, str]) -> list[Attribution]:
    """Say of each line what the change that wrote it was judged to be; `classes` are by event."""
    # as few objects as before: lines with the same answer share one
    made = {id(by): by._replace(mutation_class=classes.get(by.event_id or "")) for by in judged if classes}
    return [made.get(id(by), by) for by in judged]


def corrected(by: Attribution, correction_id: str, contributor_type: str, agent_name: str | None) -> Attribution:
    """Return what a person said in place of an answer; what the line was written for, and when, nobody disputed."""
    return by._replace(
        contributor_type=contributor_type,
        agent_name=agent_name,
        model_id=None,
        session_id=None,
        tool_call_id=None,
        event_id=correction_id,
        evidence=CORRECTION,
        confidence=0.0 if contributor_type == "unknown" else _CORRECTED,
        overruled=by.agent_name or by.contributor_type,
    )


def presumable(owners: Iterable[Owner], lines: Sequence[GitLine]) -> set[str]:
    """Return the commits that only git can speak for, in some line."""
    return {
        line.revision
        for one, line in zip(owners, lines, strict=True)
        if line.revision is not None and (one.claim is None or not one.claim.seen)
    }


def _credits(
    line: GitLine, commits: Mapping[str, Commit], agents: Mapping[str, bool], recorded: Collection[str | None]
) -> bool:
    """Return whether a trailer may speak for a line: not where its agent was recorded, nor for what came before."""
    commit = commits.get(line.revision or "")
    return (
        commit is not None
        and not commit.cut
        and agents.get(line.revision or "", False)
        and (line.revision not in recorded)
    )


def _is_older(commit: Commit, moment: str | None) -> bool:
    """Return whether a commit was made in an earlier second; git knows no parts of one."""
    to_second = len("2026-01-05T09:01:00")
    return moment is None or _authored(commit)[:to_second] < moment[:to_second]


def _attribution(
    one: Owner, claim: Claim | None, line: GitLine, commit: Commit | None, stated: "Stated | None", *, doubtful: bool
) -> Attribution:
    """Decide for one line; `claim` is that of somebody who was seen."""
    if claim is not None:
        return _recorded(one, claim, line, commit)
    if stated is not None:
        return _external(one, line, commit, stated)
    if commit is None or doubtful:
        return _unknown(one, line, commit)
    return _git_alone(one, line, commit)._replace(
        contributor_type="human", written_at=_authored(commit), confidence=_PRESUMED_AT_CUT if commit.cut else _PRESUMED
    )


def _recorded(one: Owner, claim: Claim, line: GitLine, commit: Commit | None) -> Attribution:
    confidence = _CONFIDENCE.get(claim.via, 0.9) * _FOLLOWED[one.relation]
    confidence *= _BASED.get(claim.basis or "", 1.0)
    if claim.user_modified:
        confidence *= _USER_MODIFIED
    evidence = {SAME: "transcript" if claim.via == IMPORT else "observed"} | _EVIDENCE
    return Attribution(
        contributor_type=claim.contributor_type,
        mixed=one.mixed,
        agent_name=claim.agent_name,
        model_id=claim.model_id,
        session_id=claim.session_id,
        intent_id=claim.intent_id,
        event_id=claim.event_id,
        tool_call_id=claim.tool_call_id,
        written_at=claim.occurred_at,
        vcs_revision=line.revision,
        author=commit and commit.author,
        origin_event_id=_origin(one),
        evidence=evidence[one.relation],
        confidence=round(confidence, 2),
    )


def _external(one: Owner, line: GitLine, commit: Commit | None, stated: "Stated") -> Attribution:
    person = (stated.person or "").partition("<")[0].strip()
    return _git_alone(one, line, commit)._replace(
        contributor_type=stated.contributor_type,
        agent_name=stated.agent_name,
        model_id=stated.model_id,
        session_id=stated.session_id,
        event_id=stated.event_id,
        written_at=commit and _authored(commit),
        author=person or (commit and commit.author),
        evidence=stated.evidence,
        confidence=_STATED[stated.evidence],
    )


def _unknown(one: Owner, line: GitLine, commit: Commit | None) -> Attribution:
    if commit is None:
        return _git_alone(one, line, commit)._replace(evidence="none")
    return _git_alone(one, line, commit)._replace(written_at=_authored(commit))


def _authored(commit: Commit) -> str:
    return rfc3339(commit.author_time * 1_000_000_000)


def _git_alone(one: Owner, line: GitLine, commit: Commit | None) -> Attribution:
    told = Attribution("unknown", mixed=one.mixed, vcs_revision=line.revision, author=commit and commit.author)
    return told._replace(origin_event_id=_origin(one))


def _origin(one: Owner) -> str | None:
    """Return the event that first wrote the line, as far as anybody was seen writing it."""
    return next((claim.event_id for claim in reversed(one.history) if claim.seen), None) if one.history else None
