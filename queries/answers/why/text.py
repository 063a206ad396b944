"""Show a person why a line is there, or why the lines that one change left are there."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.lines.attribution import CORRECTION, Attribution
from linetrail.projections.lines.corrections import CLASS
from linetrail.projections.lines.states import ranges
from linetrail.projections.lines.transitions import Claim
from linetrail.queries.answers.blame_text import tone_of
from linetrail.queries.answers.why.line import Found, Reason, Record
from linetrail.queries.render.terminal import DOUBT, PROBLEM, linked, painted
from linetrail.queries.render.text import counted, plain, timestamp

# Without `--full`: so many changes before and after, so many patterns of a scope, so many characters of a reason.
CHANGES, PATTERNS, CHARACTERS = 3, 3, 160
# A label, what is said, and the colour that it has.
Fact = tuple[str, str, str | None]

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
    "refused": "a call that was refused a change to this may have made it all the same; nobody was seen doing it",
    "correction": "a person overruled what was answered before; that stands below",
    "git": "presumed from git alone: nothing recorded tells of this line",
    "none": "nothing recorded tells of this line, and it is not committed",
}
_WRITERS = {"human": "a person", "ai": "an agent", "unknown": "nobody known"}
_AGENT_SIGNS = "its commit bears the signs of an agent that nobody recorded"


class Look(NamedTuple):
    """How to print an answer: in full or shortened, in colour, with a link behind the place."""

    full: bool = False
    colour: bool = False
    address: str | None = None


def pages(found: Sequence[Found], look: Look) -> str:
    """Return the reasons for some lines as text, one page for each change that left them."""
    return "\n\n".join(page(one, look) for one in found)


def page(found: Found, look: Look) -> str:
    """Return the answer as text, one fact a line; what is not known is left out."""
    place = plain(f"{found.path}:{ranges(found.numbers).replace(', ', ',')}")
    first = found.texts[0].strip()
    more = f"  (and {counted(len(found.texts) - 1, 'more line')})" if len(found.texts) > 1 else ""
    heading = f"{linked(place, look.address)}  {plain(first)}{more}".rstrip()
    return "\n".join([heading, *(line(fact, look) for fact in facts(found, look))])


def line(fact: Fact, look: Look) -> str:
    """Return one fact as a line; a fact without a label continues the one above."""
    label, said, tone = fact
    return f"  {label:<9}{painted(plain(said).rstrip(), tone if look.colour else None)}".rstrip()


def facts(found: Found, look: Look) -> Iterator[Fact]:
    """Yield what is known of lines and of the reason for them, in the order in which people ask."""
    by, why = found.by, found.why
    yield "author", _author(by), tone_of(by)
    for correction in why.corrections:
        yield "amended", corrected(correction), None
    if found.within is not None:
        node = found.within
        yield "part of", f"{node.qualified}  ({node.kind}, lines {node.start_line}-{node.end_line})", None
    yield from _asked(why, look)
    for thought in why.thoughts if look.full else ():
        yield "thought", f'"{thought["thought_excerpt"]}"', None
    for decision in why.decisions:
        yield from decided(decision, look)
    yield from _written(why, look)
    if why.refused is not None:
        yield "refused", _refused(why.refused, look), PROBLEM
    if by.vcs_revision:
        author = found.commit.author if found.commit else by.author
        yield "commit", f"{by.vcs_revision[:10]}  {author}: {found.summary}", None
    if found.reviewed_by:
        yield "reviewed", f"by {', '.join(found.reviewed_by)}", None
    if by.evidence == "external":
        yield "noted", f"event {by.event_id}", None
    yield from _changes("later" if why.claim else "found", list(reversed(why.later)), why, look)
    yield from _changes("before", why.earlier, why, look)
    sure = f"confidence {by.confidence:g}{', doubtful' if by.doubtful else ''}"
    yield "evidence", f"{by.evidence}, {sure}: {_explained(by)}", DOUBT if by.doubtful else None


def overruled(field: str, before: str | None, after: str | None, agent_name: str | None) -> str:
    """Return in words what a person said in place of an answer."""
    if after is None:
        return "the earlier correction is taken back"
    if field == CLASS:
        return f"{after}, not {before or 'unknown'}"
    writer = agent_name or _WRITERS.get(after, after)
    former = "" if before == after else f", not by {_WRITERS.get(before or '', before)}"
    return f"written by {writer}{former}"


def corrected(correction: Record) -> str:
    """Return what a person said in place of who wrote a line, or of what a change was."""
    said = overruled(*(correction[name] for name in ("field", "answer_before", "answer_after", "agent_name")))
    words = f'  "{correction["reason"]}"' if correction["reason"] else ""
    return f"{said}{words}  {correction['human_id'] or 'a person'}, {_day(correction)}"


def _asked(why: Reason, look: Look) -> Iterator[Fact]:
    if why.intent:
        title = f' "{why.intent["title"]}"' if why.intent["title"] else ""
        scope = _scope(json.loads(why.intent["scope"] or "[]"), look)
        yield "intent", f"{why.intent['intent_id']}{title}  {why.intent['status'] or ''}{scope}", None
    if why.prompt:
        person = f", {why.session['human_id']}" if why.session and why.session["human_id"] else ""
        words = f'"{why.prompt["prompt_excerpt"]}"  turn {why.prompt["turn"]}, {_day(why.prompt)}{person}'
        yield "asked", words, None
    if look.full and why.session and why.session["conversation_url"]:
        yield "", f"the conversation: {why.session['conversation_url']}", None


def _scope(patterns: Sequence[str], look: Look) -> str:
    shown = patterns if look.full else patterns[:PATTERNS]
    more = [f"{len(patterns) - len(shown)} more"] if len(patterns) > len(shown) else []
    return f"  scope {', '.join([*shown, *more])}" if patterns else ""


def decided(decision: Record, look: Look) -> Iterator[Fact]:
    """Yield a decision, its reason, and the alternatives that were rejected."""
    replaced = f" by {decision['superseded_by_id']}" if decision["superseded_by_id"] else ""
    state = f"{decision['status'] or ''}{replaced}"
    tone = DOUBT if decision["status"] in {"superseded", "rejected"} else None
    yield "decided", f"{decision['decision_id']} {decision['title']}  {state}", tone
    if decision["rationale"]:
        yield "", f"because {_cut(decision['rationale'], look)}", None
    for way in decision["alternatives"]:
        why_not = f" ({_cut(way['why_rejected'], look)})" if way.get("why_rejected") else ""
        yield "", f"rejected: {way.get('option')}{why_not}", None


def _written(why: Reason, look: Look) -> Iterator[Fact]:
    """Yield the call that wrote the lines, and who allowed or refused it."""
    claim = why.claim
    if claim is None:
        return
    yield "written", _call(claim, why.tool, look), None
    for verdict in why.verdicts:
        said = ": ".join(filter(None, [verdict["reason_code"] or verdict["rule_id"], verdict["reason"]]))
        if verdict["verdict"] == "deny":
            seen = "refused, and it happened all the same" if verdict["enforced"] else "a rule refused it, to no effect"
            yield "refused", f"{_cut(said, look)}  ({seen})", PROBLEM
        elif verdict["verdict"] == "ask":
            yield "held", f"{_cut(said, look)}  (a person had to answer)", DOUBT
        else:
            yield "allowed", f"{_cut(said, look)}  by {verdict['source'] or 'a rule'}", None
    for answer in why.approvals:
        said = f' "{answer["reason"]}"' if answer["reason"] else ""
        name = answer["human_id"] or "a person"
        yield answer["answer"], f"by {name}{said}  {_day(answer)}", None
    judged = why.classes.get(claim.event_id or "")
    if judged is not None:
        yield from _judged("judged", judged, look)
    for form in why.formatted:
        told = f"formatted by {_cut(form['command'], look)}  {_day(form)}  event {form['mutation_id']}"
        yield "layout", told, None


def _refused(verdict: Record, look: Look) -> str:
    """Return which call was refused, why, and whether it ran nevertheless."""
    call = ": ".join(filter(None, (verdict["tool_name"], verdict["command"] and _cut(verdict["command"], look))))
    ran = "it ran all the same" if verdict["executed"] else "the file changed all the same"
    where = f", session {verdict['session_id']}" if verdict["session_id"] else ""
    said = ": ".join(filter(None, (verdict["reason_code"], verdict["reason"])))
    return f"{_cut(said, look)}  ({call or 'a call'}{where}; {ran})"


def _judged(label: str, judged: Record, look: Look) -> Iterator[Fact]:
    kind = f" ({judged['change_kind']})" if judged["change_kind"] else ""
    overruled_by = f", corrected to {judged['mutation_class']}" if judged["basis"] == "correction" else ""
    yield label, f"{judged['label'] or judged['mutation_class']}{kind}{overruled_by}", None
    if look.full:
        for note in judged["evidence"]:
            yield "", f"  {note}", None


def _changes(label: str, claims: Sequence[Claim], why: Reason, look: Look) -> Iterator[Fact]:
    shown = claims if look.full else claims[:CHANGES]
    for claim in shown:
        judged = why.classes.get(claim.event_id or "")
        kind = f"  {judged['label'] or judged['mutation_class']}" if judged else ""
        yield label, f"{_changed(claim)}{kind}", None if claim.seen else DOUBT
    if len(claims) > len(shown):
        yield label, f"and {len(claims) - len(shown)} more (--full)", None


def _cut(text: str, look: Look) -> str:
    whole = " ".join(text.split())
    return whole if look.full or len(whole) <= CHARACTERS else f"{whole[: CHARACTERS - 1]}…"


def _author(by: Attribution) -> str:
    mixed = ", mixed: people and agents both had a hand in it" if by.mixed else ""
    doubt = "?" if by.doubtful else ""
    if by.contributor_type == "ai":
        model = f" ({by.model_id})" if by.model_id else ""
        session = f", session {by.session_id}" if by.session_id else ""
        return f"{by.agent_name or 'an agent'}{doubt}{model}{session}{mixed}"
    if by.evidence == CORRECTION and by.contributor_type == "human":
        return f"a person{mixed}"
    name = by.author or "not committed" if by.contributor_type == "human" else by.contributor_type
    return f"{name}{doubt}{', presumed' if by.evidence == 'git' and by.contributor_type == 'human' else ''}{mixed}"


def _call(claim: Claim, tool: Record | None, look: Look) -> str:
    command = f": {_cut(tool['command'], look)}" if tool and tool["command"] else ""
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
