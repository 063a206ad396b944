"""Tell a person why a line is there."""

from collections.abc import Iterator
from typing import NamedTuple

from linetrail.projections.history import Commit
from linetrail.projections.lines import Attribution
from linetrail.projections.transitions import Claim
from linetrail.queries.reasons import Reason, Record
from linetrail.queries.render import plain, timestamp

_EVIDENCE = {
    "observed": "a hook saw this write on the disk",
    "transcript": "the agent's own record of the session tells of this write",
    "carried": "recorded, then followed through changes that nobody recorded",
    "moved": "recorded, then followed to where one change had put it",
    "reflowed": "recorded, then followed through lines that were joined or split",
    "matched": "recorded in another state of the file, and found again in this one",
    "node": "recorded, then followed with its function, class or method to where that was moved and edited",
    "external": "a note that another tool attached to the commit says so; nobody here saw it",
    "trailer": "the commit credits an agent, without saying with which lines; nobody here saw it",
    "git": "presumed from git alone: nothing recorded tells of this line",
    "none": "nothing recorded tells of this line, and it is not committed",
}
_AGENT_SIGNS = "its commit bears the signs of an agent that nobody recorded"


class Found(NamedTuple):
    """A line, who wrote it, the commit that git names, and the reason."""

    path: str
    line_no: int
    text: str
    by: Attribution
    commit: Commit | None
    why: Reason

    @property
    def summary(self) -> str | None:
        """The subject of the commit."""
        headers = self.commit.headers if self.commit else ()
        return next((header[8:] for header in headers if header.startswith("summary ")), None)


def page(found: Found) -> str:
    """Lay the answer out, one fact a line; what is not known has none."""
    place = plain(f"{found.path}:{found.line_no}")
    lines = [f"{place}  {plain(found.text.strip())}".rstrip()]
    return "\n".join(lines + [f"  {name:<9}{plain(text)}".rstrip() for name, text in _facts(found)])


def _facts(found: Found) -> Iterator[tuple[str, str]]:
    by, why = found.by, found.why
    yield "author", _author(by)
    if why.intent:
        title = f' "{why.intent["title"]}"' if why.intent["title"] else ""
        yield "intent", f"{why.intent['intent_id']}{title}  {why.intent['status'] or ''}"
    if why.prompt:
        yield "asked", f'"{why.prompt["prompt_excerpt"]}"  turn {why.prompt["turn"]}, {_day(why.prompt)}'
    for decision in why.decisions:
        yield "decided", f"{decision['decision_id']} {decision['title']}  {decision['status'] or ''}"
    if why.claim:
        yield "written", _written(why.claim, why.tool)
    if by.vcs_revision:
        author = found.commit.author if found.commit else by.author
        yield "commit", f"{by.vcs_revision[:10]}  {author}: {found.summary}"
    if by.evidence in {"external", "trailer"}:
        yield "noted", f"event {by.event_id}"
    for claim in reversed(why.later):
        yield "later" if why.claim else "found", _changed(claim)
    for claim in why.earlier:
        yield "before", _changed(claim)
    yield "evidence", f"{by.evidence}, confidence {by.confidence:g}: {_explained(by)}"


def _author(by: Attribution) -> str:
    mixed = ", mixed: people and agents both had a hand in it" if by.mixed else ""
    if by.contributor_type == "ai":
        model = f" ({by.model_id})" if by.model_id else ""
        session = f", session {by.session_id}" if by.session_id else ""
        return f"{by.agent_name or 'an agent'}{model}{session}{mixed}"
    name = by.author or "not committed" if by.contributor_type == "human" else by.contributor_type
    return f"{name}{', presumed' if by.evidence == 'git' and by.contributor_type == 'human' else ''}{mixed}"


def _written(claim: Claim, tool: Record | None) -> str:
    command = f": {tool['command']}" if tool and tool["command"] else ""
    how = f"{claim.tool_name or claim.via}{command}"
    changed = "changed by a person before it was accepted" if claim.user_modified else None
    return "  ".join(filter(None, [how, claim.tool_call_id, claim.occurred_at, f"event {claim.event_id}", changed]))


def _changed(claim: Claim) -> str:
    if claim.event_id is None:
        return "changed after the last recorded state; nobody was seen doing it"
    if not claim.seen:
        return f"changed by nobody we saw  {claim.occurred_at}  event {claim.event_id}"
    session = f", session {claim.session_id}" if claim.session_id else ""
    return f"by {claim.agent_name or 'a person'}{session}  {claim.occurred_at}  event {claim.event_id}"


def _explained(by: Attribution) -> str:
    return _AGENT_SIGNS if by.evidence == "git" and by.contributor_type == "unknown" else _EVIDENCE[by.evidence]


def _day(record: Record) -> str:
    return timestamp(record["occurred_at"])[:10]
