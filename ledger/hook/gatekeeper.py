"""Stand between an agent's call and its tool: gather what the call is held against, let the gate decide, say so.

Nothing here decides. What was decided is remembered for the hook that sees what the call then did.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.event import mcp_names
from linetrail.ledger.event.drafts import Draft, call_key, fitting, input_digest, text_digest
from linetrail.ledger.event.event import Event
from linetrail.ledger.event.signal import GENERATIVE, META, READING, UNKNOWN, Answer, Signal, Tool
from linetrail.ledger.gate import breaker, gate, inputs, strangers
from linetrail.ledger.gate.gate import Call, Held, Judgement
from linetrail.ledger.gate.policy import ASK, BLOCK, WARN, Policy
from linetrail.ledger.hook import deliveries, freshness, handshake, watch
from linetrail.ledger.hook.situation import Scene
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.observe.proposals import expected
from linetrail.ledger.observe.states import Sight, Slot
from linetrail.ledger.paths.exemptions import Exemptions
from linetrail.ledger.paths.exemptions import read as read_exemptions
from linetrail.ledger.paths.globs import Scope, ScopeError, compile_scope
from linetrail.ledger.paths.paths import Place, resolve
from linetrail.ledger.paths.tree import NOT_A_FILE

if TYPE_CHECKING:  # most calls are not refused, and most intents have no constraints that are checked
    from linetrail.ledger.constraints.rules import Finding
    from linetrail.ledger.gate.refusals import Refusal

JUDGED = "judged"
# How many paths are looked up when somebody is told who owns them.
MAX_OWNED = 20
# How many files one call may name: to look each of more up would take longer than an agent waits.
MAX_PLACES = 500
# Refusals that are over by themselves, or when a person answers: asking again is no mistake.
_WAITING = frozenset({"CIRCUIT_OPEN", "APPROVAL_PENDING", "FILE_BUSY"})


class Outcome(NamedTuple):
    """What the ledger is told of a judgement, and whether the call was stopped; `shown` are the files that it reads."""

    drafts: list[Draft]
    stopped: bool
    shown: Mapping[str, str] = {}


def judge(scene: Scene, signal: Signal, tool: Tool, slots: Mapping[str, Slot], *, dialog: bool) -> Outcome | None:
    """Judge one call, and answer the agent where it is refused; None where nobody asked for judgements.

    `slots` are the files it would write, held; `dialog`: the agent can ask a person.
    """
    if not scene.policy.in_use:
        return None
    wish = handshake.wish_of(tool)
    call = _call(scene, signal, tool) if wish is None else _steering(scene, signal, tool, wish)
    held = _held(scene, signal, tool, call, slots)
    judgement = gate.decide(call, held)
    judgement = judgement._replace(reason=_here(scene, judgement.reason))
    if judgement.enforced:
        judgement, held = _asked(scene, signal, tool, call, held, judgement, dialog=dialog)
    owners = _owners(scene.policy, call, judgement) if judgement.refused else ()
    data = gate.record(judgement, call, held, owners)
    # Of many files an event has room for some: first for those that were refused.
    data["paths"] = fitting(sorted(data["paths"], key=lambda place: place["code"] is None))
    if judgement.refused:
        _answer(scene, judgement, _refusal(scene, tool, held, judgement, data), tool, wish)
    _remember(scene, signal, tool, call, held, judgement)
    stopped = judgement.enforced and judgement.verdict == "deny"
    taught: Iterable[Draft] = ()
    if stopped:
        from linetrail.ledger.hook.lessons import from_refusal

        path = next(iter(judgement.paths), None)
        taught = from_refusal(scene, signal, tool, judgement.code, path, judgement.reason)
    return Outcome([_decided(tool, data), *taught], stopped, _shown(scene, signal, tool, call))


def breaker_settings(policy: Policy) -> breaker.Settings:
    """Return when calls are stopped because too many failed."""
    told = policy.settings
    return breaker.Settings(
        told.breaker_threshold,
        told.breaker_window_seconds,
        told.breaker_cooldown_seconds,
        strict=policy.mode == BLOCK,
    )


def breaker_keys(scene: Scene, signal: Signal, *, for_intent: bool = True) -> list[str]:
    """Return what failures of this session are counted under; what only steers is no work for an intent."""
    selected = selection.read(scene.repository, signal.session_id) if for_intent else None
    keys = [breaker.session(signal.session_id)] if signal.session_id else []
    return [*keys, breaker.intent(selected)] if selected else keys


# What the call is


def _steering(scene: Scene, signal: Signal, tool: Tool, wish: handshake.Wish) -> Call:
    """Say what the handshake objects to; what it lets pass counts once the tool has done its part."""
    current = selection.read(scene.repository, signal.session_id)
    problem = inputs.problem(tool.name, tool.input) if tool.operation == "mcp" else None
    if problem is not None:
        return Call(tool.name, META, objection=("INVALID_INPUT", problem))
    refusal, objection = None, None
    if wish.verb == mcp_names.SELECT:
        refusal = handshake.objection(scene.policy, wish, current)
        # The command line asks by itself; it knows better whether it was answered.
        if refusal is None and scene.policy.settings.approve_selection and tool.operation == "mcp":
            objection = "SELECTION_TO_APPROVE", f"a person approves each selection here, and {wish.intent_id} is one"
    elif wish.verb == mcp_names.COMPLETE:
        refusal = handshake.completion_objection(scene.policy, wish, current)
    return Call(tool.name, META, objection=objection if refusal is None else (refusal.code, refusal.reason))


def _call(scene: Scene, signal: Signal, tool: Tool) -> Call:
    kind = _kind(scene.policy, tool)
    if kind in (READING, META):
        return Call(tool.name, kind)
    problem = inputs.problem(tool.name, tool.input)
    if tool.operation == "shell":
        from linetrail.ledger.adapters.patches import unshown as patches_in
        from linetrail.ledger.gate import reach
        from linetrail.ledger.shell.commands import (
            judge as judge_command,  # the grammar of the shell, for commands alone
        )

        root = scene.repository.root
        shell = "powershell" if tool.name.lower() == "powershell" else "bash"
        problem = problem or (None if tool.command is not None else f"{tool.name} names no command")
        here = os.path.relpath(os.path.realpath(signal.cwd), root) if signal.cwd and "\0" not in signal.cwd else "."
        command = judge_command(
            tool.command or "",
            shell,
            root=root,
            here="" if here == "." else here,
            free=reach.temporary_folders(),
            reading=scene.policy.settings.reading_commands,
        )
        places = reach.places(command, partial(_places, scene, signal), signal.cwd or root, root)
        patched, elsewhere = patches_in(tool.command or "", command.writes)
        return Call(tool.name, kind, [*places, *_places(scene, signal, patched)], command, problem or elsewhere)
    if tool.operation == "mcp":
        # What it does to a file nobody can say, so a person is asked; what is protected is not even asked about.
        named = _places(scene, signal, list(islice(strangers.lines(tool.input), MAX_PLACES)))
        return Call(tool.name, kind, [place for place in named if place.code == "PROTECTED_PATH"], None, problem)
    places = _places(scene, signal, [path for path, _ in tool.targets[:MAX_PLACES]])
    hidden = None
    if kind == UNKNOWN and places:
        beside = _places(scene, signal, strangers.other_places(tool.input)[:MAX_PLACES])
        places += [_whole(scene, signal, place) for place in beside]
        hidden = strangers.command_key(tool.input)
    if len(tool.targets) > MAX_PLACES:
        problem = problem or f"{tool.name} names {len(tool.targets):,} files, {MAX_PLACES:,} are allowed in one call"
    if kind == GENERATIVE and not places:
        problem = problem or f"{tool.name} names no file"
    return Call(tool.name, kind, places, None, problem, hidden=hidden)


def _whole(scene: Scene, signal: Signal, place: Place) -> Place:
    """Take a folder, which a command may change where a tool may not, for all that is in it."""
    if place.code != NOT_A_FILE:
        return place
    (inside,) = _places(scene, signal, [os.path.join(place.spelled, "*")])
    return inside._replace(spelled=place.spelled)


def _kind(policy: Policy, tool: Tool) -> str:
    if tool.kind == UNKNOWN and any(gate.matches(tool.name, name) for name in policy.settings.safe_tools):
        return READING
    return tool.kind


def _places(scene: Scene, signal: Signal, paths: Sequence[str]) -> list[Place]:
    root = scene.repository.root
    places = []
    for path in paths:
        there = scene.repository.from_windows(signal.cwd, path)
        places.append(resolve(root, there, cwd=root) if there else resolve(root, path, cwd=signal.cwd))
    return places


def _shown(scene: Scene, signal: Signal, tool: Tool, call: Call) -> dict[str, str]:
    """Return what the files are that the agent knows and a command shows again: whoever has no other tool reads so."""
    if call.command is None or call.command.cls != "safe":
        return {}
    from linetrail.ledger.shell.programs.shown import files

    paths = [place.path for place in _places(scene, signal, files(tool.command or "")) if place.path]
    known = [path for path in paths if freshness.known(scene, signal, path) is not None]
    return {path: sight.hash for path in known if (sight := scene.states.look(path)) is not None}


# What it is held against


def _held(scene: Scene, signal: Signal, tool: Tool, call: Call, slots: Mapping[str, Slot]) -> Held:
    policy = scene.policy
    selected = selection.read(scene.repository, signal.session_id)
    intent = policy.intent(selected)
    if call.kind in (READING, META):
        return Held(policy, selected, intent)
    paths = [place.path for place in call.places if place.path]
    sights = {path: sight for path in slots if (sight := scene.states.look(path)) is not None}
    # Of those who have to wait one may try again: that is not for a command that only reads.
    working = call.command is None or call.command.cls != "safe"
    keys, settings = breaker_keys(scene, signal), breaker_settings(policy)
    return Held(
        policy,
        selected,
        intent,
        _scope(intent),
        _exempt(read_exemptions(scene.repository.folder), paths),
        list(freshness.stale(scene, signal, slots, sights)),
        list(_findings(intent, tool, call.places, sights)),
        breaker.standing(scene.repository, keys, scene.now_ns, settings) if working else None,
    )


def _scope(intent: Intent | None) -> Scope | None:
    """Return what an intent owns; one whose scope is no scope has flaws, and is refused for them."""
    try:
        return None if intent is None else compile_scope(intent.scope)
    except ScopeError:
        return None


def _exempt(exemptions: Exemptions, paths: Sequence[str]) -> dict[str, str]:
    found = ((path, exemptions.match(path)) for path in paths)
    return {path: f".intentignore:{match[0]}:{match[1]}" for path, match in found if match is not None}


def _owners(policy: Policy, call: Call, judgement: Judgement) -> list[str]:
    """Return the open intents that own what was refused, the one that owns most of it first."""
    scopes = {intent.id: _scope(intent) for intent in policy.open_intents()}
    paths = [*judgement.paths, *(place.path for place in call.places if place.path and not judgement.paths)][:MAX_OWNED]
    owned = {
        name: sum(scope.owner(path) is not None for path in paths)
        for name, scope in scopes.items()
        if scope is not None
    }
    return sorted((name for name, count in owned.items() if count), key=lambda name: -owned[name])


def _findings(
    intent: Intent | None, tool: Tool, places: Sequence[Place], sights: Mapping[str, Sight]
) -> "Iterator[Finding]":
    if intent is None or not intent.rules:
        return
    from linetrail.ledger.constraints.rules import check

    spelled = {place.path: place.spelled for place in places}
    for path, sight in sights.items():
        after = expected(tool.proposed(spelled.get(path, path)), sight.content)
        if after is not None:
            yield from check(intent.rules, path, sight.content, after)


# What a person says


def _asked(
    scene: Scene, signal: Signal, tool: Tool, call: Call, held: Held, judgement: Judgement, *, dialog: bool
) -> tuple[Judgement, Held]:
    """Take a person's answer into account, or ask for one where the agent has no dialog."""
    if judgement.code in gate.FINAL:
        return judgement, held
    from linetrail.ledger.gate import approvals
    from linetrail.ledger.log.recent import is_recorded

    key = text_digest("\0".join([signal.session_id or "", tool.name, input_digest(tool)]))
    answer = approvals.take(scene.repository, key, scene.now_ns)
    # An answer is in the ledger before it counts; one that is not there was given by nobody.
    if answer is not None and is_recorded(scene.repository, "approval.decided", answer.id):
        held = held._replace(approval=answer)
        return gate.decide(call, held), held
    if judgement.mode != ASK or dialog:
        return judgement, held
    asked = approvals.request(
        scene.repository,
        key,
        session_id=signal.session_id,
        intent_id=held.selected,
        tool_name=tool.name,
        tool_call_id=tool.call_id,
        code=judgement.code,
        action=_attempted(scene, tool),
        reason=judgement.reason,
        now_ns=scene.now_ns,
        seconds=scene.policy.settings.approval_seconds,
    )
    reason = f"{judgement.reason}; it waits for a person's approval as {asked.id}"
    return judgement._replace(verdict="deny", code="APPROVAL_PENDING", reason=reason, approval_id=asked.id), held


# What is said


def _answer(scene: Scene, judgement: Judgement, refusal: "Refusal", tool: Tool, wish: handshake.Wish | None) -> None:
    from linetrail.ledger.gate.refusals import message

    path, asked = next(iter(judgement.paths), ""), (wish and wish.intent_id) or ""
    verdict = judgement.verdict if judgement.enforced else WARN
    text = message(refusal, tool=tool.name, path=path, asked=asked, verdict=verdict)
    if judgement.enforced:
        scene.answers.append(Answer(judgement.verdict, text))
    elif judgement.mode == WARN:
        scene.answers.append(Answer(context=text))


def _refusal(scene: Scene, tool: Tool, held: Held, judgement: Judgement, data: Mapping[str, object]) -> "Refusal":
    from linetrail.ledger.gate.refusals import Refusal

    owners = data["owners"]
    return Refusal(
        judgement.code,
        judgement.reason,
        _attempted(scene, tool),
        held.selected,
        held.intent.scope if held.intent else (),
        [(intent.id, intent.name) for intent in held.policy.open_intents()],
        owners if isinstance(owners, list) else [],
        judgement.approval_id,
        _stated(tool, judgement),
    )


def _stated(tool: Tool, judgement: Judgement) -> str | None:
    """Return the command that a person could state to only read; None where that would not help."""
    if tool.operation != "shell" or judgement.code not in ("DANGEROUS_COMMAND", "NO_INTENT", "OUT_OF_SCOPE"):
        return None
    from linetrail.ledger.shell.commands import stated

    return stated(tool.command or "")


def _attempted(scene: Scene, tool: Tool) -> str:
    named = ", ".join(path for path, _ in tool.targets[:3])
    given = json.dumps(tool.input, ensure_ascii=False) if tool.kind == UNKNOWN else ""
    what = tool.command if tool.command is not None else named or given
    return scene.redactor.excerpt(f"{tool.name} {what}".strip())


def _here(scene: Scene, text: str) -> str:
    """Return a text without where this machine keeps the repository, and where people are at home."""
    inside = text.replace(os.path.join(scene.repository.root, ""), "")
    return inside.replace(os.path.expanduser("~"), "~")


def _decided(tool: Tool, data: dict[str, object]) -> Draft:
    return Draft("gate.decided", "unknown", {"tool_call_id": tool.call_id, "tool_name": tool.name, **data})


def _remember(scene: Scene, signal: Signal, tool: Tool, call: Call, held: Held, judgement: Judgement) -> None:
    """Keep what was decided until the call reports, and count a refusal; both once the events are on disk."""
    facts = {
        "verdict": judgement.verdict,
        "code": judgement.code,
        "enforced": judgement.enforced,
        "before": watch.before(scene, held) if call.kind not in (READING, META) else {},
        "places": [[place.spelled, place.path, place.identity] for place in call.places[:200]],
        "stale": [found[:3] for found in held.stale],
        "approved": judgement.code == "APPROVED",
    }
    keys = breaker_keys(scene, signal, for_intent=call.kind != META)
    stopped = judgement.enforced and judgement.verdict == "deny" and judgement.code not in _WAITING

    def keep(events: Sequence[Event]) -> None:
        event_id = next((event.id for event in events if event.type == "gate.decided"), None)
        deliveries.remember(scene.repository, JUDGED, *call_key(signal, tool), event_id=event_id, **facts)
        if stopped:
            settings = breaker_settings(scene.policy)
            breaker.count(scene.repository, keys, failed=True, now_ns=scene.now_ns, settings=settings)

    scene.afterwards.append(keep)
