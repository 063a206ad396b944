"""Stand between an agent's call and its tool: gather what the call is held against, let the gate decide, say so.

Nothing here decides. What was decided is remembered for the hook that sees what the call then did.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.adapters.adapter import own_tool
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.drafts import Draft, call_key, fitting, input_digest, text_digest
from linetrail.ledger.event.event import Event
from linetrail.ledger.event.signal import GENERATIVE, META, OPERATIONAL, READING, UNKNOWN, Answer, Signal, Tool
from linetrail.ledger.gate import breaker, gate, inputs, strangers
from linetrail.ledger.gate.gate import Call, Held, Judgement, Stale
from linetrail.ledger.gate.guarded_files import fingerprints, gate_settings
from linetrail.ledger.gate.policy import Policy, scope_of
from linetrail.ledger.gate.roles import ARCHITECT, FOR_PEOPLE
from linetrail.ledger.gate.settings import ASK, BLOCK, FINAL
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.changes import caller
from linetrail.ledger.hook.situation import Effect, Later, Situation
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.observe.states import Sight, Slot, expected, proposed, request_bytes
from linetrail.ledger.paths.globs import compile_scope
from linetrail.ledger.paths.names import exemptions
from linetrail.ledger.paths.paths import NOT_A_FILE, Place, resolve

if TYPE_CHECKING:  # most calls are not refused, and most intents have no constraints that are checked
    from linetrail.ledger.constraints.rules import Finding
    from linetrail.ledger.gate.leases import Lease
    from linetrail.ledger.hook.handshake import Wish
    from linetrail.ledger.shell.commands import Judged

JUDGED = "judged"
# How many paths are looked up when somebody is told who owns them.
MAX_OWNED = 20
# How many files one call may name: to look each of more up would take longer than an agent waits.
MAX_PLACES = 500
# Refusals that are over by themselves, or when a person answers: asking again is no mistake.
_WAITING = frozenset({"CIRCUIT_OPEN", "APPROVAL_PENDING", "APPROVAL_DEFERRED", "FILE_BUSY", "LEASE_HELD"})
# Commands of ours that write no file of the work; an architect may run them, and those that change intents.
_RECORDING = (["select"], ["record-decision"], ["lesson"], ["give-back"])
SEEN = "seen"


class Outcome(NamedTuple):
    """What follows from a judgement, and whether the call was stopped; `shown` are the files that it reads."""

    effects: list[Effect]
    stopped: bool
    shown: Mapping[str, str] = {}

    @property
    def answers(self) -> list[Answer]:
        return [effect for effect in self.effects if isinstance(effect, Answer)]


def judge(
    situation: Situation, signal: Signal, tool: Tool, slots: Mapping[str, Slot], *, dialog: bool
) -> Outcome | None:
    """Judge one call, with an answer to the agent where it is refused; None where nobody asked for judgements.

    `slots` are the files it would write, held; `dialog`: the agent can ask a person.
    """
    if not situation.policy.in_use:
        return None
    tool = _as_command(tool)
    wish = _wish(tool)
    if wish is None:
        call = _call(situation, signal, tool)
    else:
        from linetrail.ledger.hook.checkout import steering

        call = steering(situation, signal, tool, wish)
    held = _held(situation, signal, tool, call, slots)
    judgement = _decided_of(situation, call, held)
    if judgement.enforced:
        judgement, held = _asked(situation, signal, tool, call, held, judgement, dialog=dialog)
    if not (judgement.enforced and judgement.verdict == "deny"):
        taken = _taken(situation, _leases(situation, signal, call, held.selected, held.exempt, tool.call_id))
        if taken.keys() - held.leased.keys():  # of two at once the other was first
            held = held._replace(leased=taken)
            judgement = _decided_of(situation, call, held)
    owners = _owners(situation.policy, call, judgement) if judgement.refused else ()
    act = gate.act(call, tool.operation, steers=wish is not None)
    data = gate.record(judgement, call, held, owners, act)
    # Of many files an event has room for some: first for those that were refused.
    data["paths"] = fitting(sorted(data["paths"], key=lambda place: place["code"] is None))
    told = {"tool_call_id": tool.call_id, "tool_name": tool.name, **data}
    effects: list[Effect] = [Draft("gate.decided", "unknown", told)]
    if judgement.refused:
        from linetrail.ledger.hook.denials import answers  # most calls are not refused

        effects += answers(situation, tool, held, judgement, owners, (wish and wish.intent_id) or "")
    effects.append(_memory(situation, signal, tool, call, held, judgement))
    stopped = judgement.enforced and judgement.verdict == "deny"
    if stopped:
        from linetrail.ledger.hook.lessons import from_refusal

        path = next(iter(judgement.paths), None)
        effects += from_refusal(situation, signal, tool, judgement.code, path, judgement.reason)
    return Outcome(effects, stopped, _shown(situation, signal, tool, call))


def _decided_of(situation: Situation, call: Call, held: Held) -> Judgement:
    judgement = gate.decide(call, held)
    return judgement._replace(reason=situation.tellable(judgement.reason))


# What the call is


def _as_command(tool: Tool) -> Tool:
    """Return the call of a tool of ours that stands for a command as that command, which it is judged like."""
    words = inputs.command_line(tool.name, tool.input)
    if words is None:
        return tool
    import shlex  # for such a call alone

    return tool._replace(operation="shell", kind=OPERATIONAL, command=shlex.join(words))


def _wish(tool: Tool) -> "Wish | None":
    """Return what a call asks of the handshake: most calls name nothing of ours."""
    if own_tool(tool.name) is None and "linetrail" not in (tool.command or ""):
        return None
    from linetrail.ledger.hook.handshake import wish_of

    return wish_of(tool)


def _call(situation: Situation, signal: Signal, tool: Tool) -> Call:
    kind = _kind(situation.policy, tool)
    if kind in (READING, META):
        return Call(tool.name, kind)
    problem = inputs.problem(tool.name, tool.input)
    if tool.operation == "shell":
        return _command_call(situation, signal, tool, kind, problem)
    if tool.operation == "mcp":
        # What it does to a file nobody can say, so a person is asked; what is protected is not even asked about.
        named = _places(situation, signal, list(islice(strangers.lines(tool.input), MAX_PLACES)))
        return Call(tool.name, kind, [place for place in named if place.code == "PROTECTED_PATH"], None, problem)
    places = _places(situation, signal, [path for path, _ in tool.targets[:MAX_PLACES]])
    hidden = None
    if kind == UNKNOWN and places:
        beside = _places(situation, signal, strangers.other_places(tool.input)[:MAX_PLACES])
        places += [_whole(situation, signal, place) for place in beside]
        hidden = strangers.command_key(tool.input)
    if len(tool.targets) > MAX_PLACES:
        problem = problem or f"{tool.name} names {len(tool.targets):,} files, {MAX_PLACES:,} are allowed in one call"
    if kind == GENERATIVE and not places:
        problem = problem or f"{tool.name} names no file"
    deletes = any(role in ("delete", "rename_from") for _, role in tool.targets)
    return Call(tool.name, kind, places, None, problem, hidden=hidden, deletes=deletes, written=_stored(places))


def _command_call(situation: Situation, signal: Signal, tool: Tool, kind: str, problem: str | None) -> Call:
    """Say what a command is, and which files it reaches."""
    from linetrail.ledger.gate import reach
    from linetrail.ledger.shell.commands import judge as judge_command  # the grammar of the shell, for commands alone

    text, root = tool.command or "", situation.repository.root
    shell = "powershell" if tool.name.lower() == "powershell" else "bash"
    problem = problem or (None if tool.command is not None else f"{tool.name} names no command")
    here = os.path.relpath(os.path.realpath(signal.cwd), root) if signal.cwd and "\0" not in signal.cwd else "."
    command = judge_command(
        text,
        shell,
        root=root,
        here="" if here == "." else here,
        free=reach.temporary_folders(),
        reading=situation.policy.settings.reading_commands,
        own=situation.policy.settings.own_programs,
        read=partial(reach.content, signal.cwd or root),
        fresh=cache(partial(reach.fresh, situation.repository, signal.cwd or root)),
    )
    if situation.policy.role == ARCHITECT and _records(text, command):
        return Call(tool.name, kind, (), command, problem, records=True)
    where = partial(_places, situation, signal), signal.cwd or root, root
    written = _surely(situation, reach.written(command, *where)) if command.writes else []
    places = reach.places(command, *where)
    patched, elsewhere = reach.patched(text, command)
    places += (patches := _places(situation, signal, patched))
    written += _stored(patches)
    return Call(tool.name, kind, places, command, problem or elsewhere, written=written)


def _stored(places: Sequence[Place]) -> list[str]:
    return [place.path for place in places if place.path]


def _surely(situation: Situation, places: Sequence[Place]) -> list[str]:
    """Return the stored paths of places, patterns of a shell left out: what they match is beside them."""
    root = situation.repository
    return [path for path in _stored(places) if not set("*?[") & set(path) or os.path.lexists(root.absolute(path))]


def _records(command: str, judged: "Judged") -> bool:
    """Return whether a command is one of ours that records, among them those that change intents."""
    from linetrail.ledger.shell.commands import words  # for commands of an architect alone

    spelled = words(command) or []
    if spelled[:1] != ["linetrail"]:
        return False
    if spelled[1:2] == ["intents"]:
        return spelled[2:3] != ["update"] or FOR_PEOPLE not in spelled
    return spelled[1:2] in _RECORDING and judged.cls != "dangerous"


def _whole(situation: Situation, signal: Signal, place: Place) -> Place:
    """Take a folder, which a command may change where a tool may not, for all that is in it."""
    if place.code != NOT_A_FILE:
        return place
    (inside,) = _places(situation, signal, [os.path.join(place.spelled, "*")])
    return inside._replace(spelled=place.spelled)


def _kind(policy: Policy, tool: Tool) -> str:
    if tool.kind == UNKNOWN and any(gate.matches(tool.name, name) for name in policy.settings.safe_tools):
        return READING
    return tool.kind


def _places(situation: Situation, signal: Signal, paths: Sequence[str]) -> list[Place]:
    root = situation.repository.root
    places = []
    for path in paths:
        there = situation.repository.from_windows(signal.cwd, path)
        places.append(resolve(root, there, cwd=root) if there else resolve(root, path, cwd=signal.cwd))
    return places


def _shown(situation: Situation, signal: Signal, tool: Tool, call: Call) -> dict[str, str]:
    """Return what the files are that the agent knows and a command shows again: whoever has no other tool reads so."""
    if call.command is None or call.command.cls != "safe":
        return {}
    from linetrail.ledger.gate.reach import shown

    paths = [place.path for place in _places(situation, signal, shown(tool.command or "")) if place.path]
    seen = [path for path in paths if known(situation, signal, path) is not None]
    return {path: sight.hash for path in seen if (sight := situation.states.look(path)) is not None}


# What it is held against


def _held(situation: Situation, signal: Signal, tool: Tool, call: Call, slots: Mapping[str, Slot]) -> Held:
    policy = situation.policy
    selected = selection.read(situation.repository, signal.session_id)
    intent = policy.bounded(selected)
    if call.kind in (READING, META):
        return Held(policy, selected, intent)
    paths = [place.path for place in call.places if place.path]
    sights = {path: sight for path in slots if (sight := situation.states.look(path)) is not None}
    # Of those who have to wait one may try again: that is not for a command that only reads.
    working = call.command is None or call.command.cls != "safe"
    exempt = exemptions(situation.repository.folder).matches(paths) if paths else {}
    kind = _marked_command(policy, tool.command)
    return Held(
        policy,
        selected,
        intent,
        scope_of(intent) if intent and paths else None,
        exempt,
        list(stale(situation, signal, slots, sights)),
        situation.leases.others(_leases(situation, signal, call, selected, exempt)),
        list(_findings(intent, tool, call.places, sights)),
        _standing(situation, signal, selected) if working else None,
        marked=_marked(policy, paths),
        marked_command=kind and f"approvals: commands: {kind}",
        marked_alone=kind is not None and gate.is_alone(tool.command or "", kind),
    )


def _leases(
    situation: Situation,
    signal: Signal,
    call: Call,
    intent_id: str | None,
    exempt: Mapping[str, str],
    call_id: str | None = None,
) -> "list[Lease]":
    """Return the leases that a call needs; what needs no intent needs none."""
    paths = [path for path in call.written if path not in exempt]
    return situation.leases.wanted(paths, signal.session_id, intent_id, call_id)


def _taken(situation: Situation, wanted: "list[Lease]") -> Mapping[str, "Lease"]:
    """Take leases, and return those of others; where nothing is blocked, a lease that cannot be noted stops nobody."""
    try:
        return situation.leases.take(wanted)
    except (LinetrailError, OSError):
        if situation.policy.mode == BLOCK:
            raise
        return {}


def _marked(policy: Policy, paths: Sequence[str]) -> dict[str, str]:
    """Return the paths for which the settings ask a person, each with the pattern that says so."""
    patterns = policy.settings.approve_paths
    if not patterns:
        return {}
    scope = compile_scope(patterns)
    found = ((path, scope.owner(path)) for path in paths)
    return {path: f"approvals: paths: {pattern}" for path, pattern in found if pattern is not None}


def _marked_command(policy: Policy, command: str | None) -> str | None:
    kinds = policy.settings.approve_commands if command else ()
    return next((kind for kind in kinds if gate.is_kind_of(command or "", kind)), None)


def _standing(situation: Situation, signal: Signal, selected: str | None) -> breaker.Standing:
    keys = breaker.keys_of(signal.session_id, selected)
    return breaker.standing(situation.repository, keys, situation.now_ns, breaker.settings_of(situation.policy))


def _owners(policy: Policy, call: Call, judgement: Judgement) -> list[str]:
    """Return the open intents that own what was refused."""
    paths = [*judgement.paths, *(place.path for place in call.places if place.path and not judgement.paths)]
    return policy.owners(paths[:MAX_OWNED])


def _findings(
    intent: Intent | None, tool: Tool, places: Sequence[Place], sights: Mapping[str, Sight]
) -> "Iterator[Finding]":
    if intent is None or not intent.rules:
        return
    from linetrail.ledger.constraints.rules import check

    spelled = {place.path: place.spelled for place in places}
    for path, sight in sights.items():
        after = expected(proposed(tool, spelled.get(path, path)), sight.content)
        if after is not None:
            yield from check(intent.rules, path, sight.content, after)


# What a person says


def _asked(
    situation: Situation, signal: Signal, tool: Tool, call: Call, held: Held, judgement: Judgement, *, dialog: bool
) -> tuple[Judgement, Held]:
    """Take a person's answer into account, or ask for one where the agent has no dialog."""
    if judgement.code in FINAL:
        return judgement, held
    from linetrail.ledger.gate import approvals
    from linetrail.ledger.hook.denials import attempted

    call = call._replace(digest=call.digest or input_digest(tool))
    held = held._replace(grants=approvals.grants(situation.repository, signal.session_id, situation.now_ns))
    judgement = _decided_of(situation, call, held) if held.grants else judgement
    if not judgement.enforced or judgement.code in FINAL:
        return judgement, held
    key = text_digest("\0".join([signal.session_id or "", tool.name, input_digest(tool)]))
    answer = approvals.take(situation.repository, key, situation.now_ns)
    if answer is not None:
        held = held._replace(approval=answer)
        return _decided_of(situation, call, held), held
    overrides = gate.overridable(judgement, held) and judgement.mode == BLOCK
    if not overrides and (judgement.mode != ASK or dialog):
        return judgement, held
    files = {place.path: proposed(tool, place.spelled) for place in call.places if place.path is not None}
    asked = approvals.request(
        situation.repository,
        key,
        session_id=signal.session_id,
        intent_id=held.selected,
        tool_name=tool.name,
        tool_call_id=tool.call_id,
        code=judgement.code,
        action=attempted(situation, tool),
        reason=judgement.reason,
        now_ns=situation.now_ns,
        seconds=situation.policy.settings.approval_seconds,
        covers=gate.covers(judgement, call, held),
        proposed=situation.states.objects.sealed(request_bytes(tool.command, files)),
    )
    code, reason = "APPROVAL_PENDING", f"{judgement.reason}; it waits for a person's approval as {asked.id}"
    if asked.state == "deferred":
        said = asked.words or "without giving a reason"
        code, reason = "APPROVAL_DEFERRED", f"{judgement.reason}; a person said not now to {asked.id}: {said}"
    elif overrides:
        code = judgement.code
        reason = (
            f"{judgement.reason}; a person can reopen it, or let it be gone on with: `linetrail approve {asked.id}`"
        )
    return judgement._replace(verdict="deny", code=code, reason=reason, approval_id=asked.id), held


def _reads(call: Call) -> bool:
    return call.kind in (READING, META) or (call.command is not None and call.command.cls == "safe")


def _memory(situation: Situation, signal: Signal, tool: Tool, call: Call, held: Held, judgement: Judgement) -> Later:
    """Keep what was decided until the call reports, and count a refusal."""
    facts = {
        "verdict": judgement.verdict,
        "code": judgement.code,
        "enforced": judgement.enforced,
        "before": surroundings(situation, held) if not _reads(call) else {},
        "places": [[place.spelled, place.path, place.identity] for place in call.places[:200]],
        "stale": [found[:3] for found in held.stale],
        "approved": judgement.code == "APPROVED",
    }
    stopped = judgement.enforced and judgement.verdict == "deny" and judgement.code not in _WAITING

    def keep(events: Sequence[Event]) -> None:
        event_id = next((event.id for event in events if event.type == "gate.decided"), None)
        deliveries.remember(situation.repository, JUDGED, *call_key(signal, tool), event_id=event_id, **facts)
        if stopped:
            # What only steers is no work for an intent.
            keys = breaker.keys_of(signal.session_id, held.selected if call.kind != META else None)
            settings = breaker.settings_of(situation.policy)
            breaker.count(situation.repository, keys, failed=True, now_ns=situation.now_ns, settings=settings)

    return Later(keep)


# What an agent has seen of a file, and who is about to write it: nobody writes over what was not read
#
# A baseline is the hash of a file when an agent last read or wrote it, kept per session and subagent. A call that was
# let through reserves its file until it reports, until its agent's turn ends, or until its lease is over.


def before_read(situation: Situation, call: Sequence[str], paths: Sequence[str]) -> Later:
    """Note what the files are before a tool reads them: what it then shows is this, or newer.

    Taken afterwards, a change made in between would count as seen though the agent may have read what was before it.
    """
    sights = {path: sight.hash for path in paths if (sight := situation.states.look(path)) is not None}
    return Later(lambda _: deliveries.remember(situation.repository, "calls", *call, read=sights))


def after_read(situation: Situation, signal: Signal, call: Sequence[str]) -> Iterator[Later]:
    """Take what the files were before they were read as what the agent now knows."""
    for path, digest in deliveries.recall(situation.repository, "calls", *call).get("read", {}).items():
        yield know(situation, signal, path, digest)


def know(situation: Situation, signal: Signal, path: str, digest: str) -> Later:
    """Note what the agent now knows of a file; `""` is that there is none."""
    key = _key(signal, path)
    return Later(lambda _: deliveries.remember(situation.repository, SEEN, *key, hash=digest))


def known(situation: Situation, signal: Signal, path: str) -> str | None:
    """Return what the agent knows of a file; None where it never saw it."""
    digest = deliveries.recall(situation.repository, SEEN, *_key(signal, path)).get("hash")
    return digest if isinstance(digest, str) else None


def stale(
    situation: Situation, signal: Signal, slots: Mapping[str, Slot], sights: Mapping[str, Sight]
) -> Iterator[Stale]:
    """Yield the files that another call is about to write, then those that are not as the agent knows them."""
    found = []
    for path, slot in slots.items():
        holder = _holder(situation, signal, slot)
        if holder is not None:
            yield Stale(path, None, None, busy=f"session {holder}")
        baseline, sight = known(situation, signal, path), sights.get(path)
        if baseline is not None and sight is not None and baseline != sight.hash:
            found.append(Stale(path, baseline or None, sight.hash or None))
    yield from found


def _holder(situation: Situation, signal: Signal, slot: Slot) -> str | None:
    """Return the session of another's call that was let through to this file and has not reported."""
    lease = situation.policy.settings.lease_seconds * breaker.SECOND
    for about in slot.state.pending.values():
        by = about.get("by") or [None, None]
        # Whoever came first may get the lock second: a call may have begun after this one did.
        if by == caller(signal) or abs(situation.now_ns - about["at"]) >= lease:
            continue
        ended = deliveries.recall(situation.repository, deliveries.TURNS, str(by[0] or "")).get("ended", 0)
        if about["at"] > ended:
            return str(by[0])
    return None


def _key(signal: Signal, path: str) -> Sequence[str]:
    return signal.session_id or "", signal.agent_id or "", path


# What the gate goes by: settings, hooks, the intent a call was judged under


def surroundings(situation: Situation, held: Held) -> dict[str, Any]:
    """Return what a call depends on, to be kept until it has ended."""
    scope = list(held.intent.scope) if held.intent else None
    files, guarded = gate_settings(situation.repository), fingerprints(situation.repository)
    known = {"files": files, "guarded": guarded, "mode": situation.policy.mode}
    return {**known, "intent_id": held.selected, "scope": scope}
