"""Turn one signal of an agent into events, append them, and return what the agent is to be told.

Whether a call may run is for the gatekeeper; what it says is said only once it is in the ledger.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from linetrail.ledger.errors import FutureLedgerError, IntegrityError, LinetrailError, StorageError
from linetrail.ledger.event.commitments import committed
from linetrail.ledger.event.drafts import MAX_TARGETS, Draft, call_key, ended, file_name, prompt, requested
from linetrail.ledger.event.event import Agent, Event, Vcs, derived_id, rfc3339
from linetrail.ledger.event.mcp_names import own_tool
from linetrail.ledger.event.signal import META, READING, WRITES, Answer, Signal, Tool
from linetrail.ledger.gate.policy import BLOCK, OBSERVE
from linetrail.ledger.gate.policy import of as policy_of
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.aftermath import after_command, before_command
from linetrail.ledger.hook.changes import after_write, before_write, release
from linetrail.ledger.hook.deadline import lift
from linetrail.ledger.hook.deliveries import Delivery
from linetrail.ledger.hook.situation import Scene
from linetrail.ledger.intents import changes, selection
from linetrail.ledger.intents.intent import state_of
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe import scan
from linetrail.ledger.observe.states import States
from linetrail.ledger.redact.fingerprints import Redactor, private_folder
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.ledger.vcs import head, stash

LOCK_SECONDS = 0.4
# Of an event of the future, how many of its fields are named.
MAX_FIELDS = 50
# Tools whose effect on files is only known by looking around afterwards.
_LOOK_AROUND = frozenset({"shell", "mcp", "other"})
# What an agent reserved and did not use is free again.
_ENDS_OF_TURNS = frozenset({"session_start", "session_end", "prompt", "stop"})

# Tells whether answers are those that were given before.
Given = Callable[[Sequence[Answer]], bool]


def record(
    agent: str,
    signal: Signal,
    repository: Repository,
    delivery: Delivery,
    *,
    dialog: bool = False,
    fallback: str = OBSERVE,
    given: Given | None = None,
    began_ns: int | None = None,
) -> list[Answer] | None:
    """Append the events of one signal, then remember what was seen; nothing is remembered that is not appended.

    `dialog`: the agent would ask a person where it is told to. `fallback` is the mode where no settings state one. Of
    the answers the first verdict counts. `given` asks, of a call that was delivered before, whether these answers are
    what was said then: then nothing is recorded, and None returned. `began_ns` is when the agent began to wait.
    """
    with contextlib.ExitStack() as held:
        vcs, redactor, policy = (
            _vcs(repository, signal),
            Redactor(private_folder(repository)),
            policy_of(repository, fallback).towards(agent),
        )
        scene = Scene(repository, States(repository), vcs, delivery.now_ns, held, [], [], redactor, policy, [], [])
        scene = scene._replace(found=_note_registry(scene))
        drafts = list(_drafts(scene, signal, dialog=dialog, given=given))
        if given is not None and not drafts:
            return None
        if began_ns is not None:
            drafts = [_timed(draft, began_ns) for draft in drafts]
        events = [_event(draft, at, agent, signal, scene, delivery) for at, draft in enumerate(drafts)]
        ledger = Ledger(repository, lock_seconds=LOCK_SECONDS)
        _keep(ledger, events, fresh=delivery.first, strict=policy.mode == BLOCK and _may_write(signal))
        # What was seen is safe now; a deadline would only make us forget it.
        lift()
        for slot, sight in scene.seen:
            scene.states.keep(sight)
            slot.save()
        for act in scene.afterwards:
            act(events)
    if signal.kind == "session_end" or ledger.due:
        # What cannot be sealed now waits for the next occasion.
        with contextlib.suppress(LinetrailError):
            ledger.seal()
    return scene.answers


def _timed(draft: Draft, began_ns: int) -> Draft:
    """Say with a call how long the agent has waited for this hook so far, in microseconds."""
    if draft.type != "tool.requested":
        return draft
    return draft._replace(data=draft.data | {"hook_us": (time.monotonic_ns() - began_ns) // 1000})


def _note_registry(scene: Scene) -> bool:
    """Record what an editor or git made of the registry since, and tell whether there was anything."""
    policy, repository = scene.policy, scene.repository
    if policy.registry_error is None and not changes.is_recorded(repository, policy.registry_digest):
        states = {intent.id: state_of(intent) for intent in policy.intents}
        with contextlib.suppress(LinetrailError, OSError), changes.held(repository, LOCK_SECONDS):
            found = changes.record(
                repository,
                states,
                policy.registry_digest,
                by=changes.FOUND,
                author=changes.UNKNOWN,
                now_ns=scene.now_ns,
                vcs=scene.vcs,
            )
            return bool(found)
    return False


def _keep(ledger: Ledger, events: list[Event], *, fresh: bool, strict: bool) -> None:
    """Append, or spool where the ledger itself is damaged or newer than we are: what was seen is not lost.

    `strict`: that a disk refused is an error all the same.
    """
    try:
        ledger.append(events, fresh=fresh)
    except (IntegrityError, FutureLedgerError, StorageError) as error:
        ledger.spool(events)
        if strict and isinstance(error, StorageError):
            raise


def _may_write(signal: Signal) -> bool:
    return signal.kind == "pre_tool" and signal.tool is not None and signal.tool.kind not in (READING, META)


def _drafts(scene: Scene, signal: Signal, *, dialog: bool, given: Given | None) -> Iterator[Draft]:
    if signal.kind == "session_start":
        yield _session_started(scene, signal)
    elif signal.kind == "session_end":
        yield Draft("session.ended", "unknown", {"reason": _said(scene, signal)})
    elif signal.kind == "prompt":
        yield prompt(signal, scene.redactor)
    elif signal.kind in ("permission_request", "permission_denied"):
        yield _permission(scene, signal)
        if signal.kind == "permission_denied" and signal.tool:
            release(scene, signal.tool, list(_roles(scene.repository, signal, signal.tool)))
    elif signal.kind == "pre_tool" and signal.tool:
        yield from _requested(scene, signal, signal.tool, dialog=dialog, given=given)
    elif signal.kind in ("post_tool", "tool_failure") and signal.tool:
        yield from _ended(scene, signal, signal.tool)
    else:
        yield _other(scene, signal)
    if scene.policy.in_use and signal.kind in _ENDS_OF_TURNS:
        yield from _turned(scene, signal)


def _turned(scene: Scene, signal: Signal) -> Iterator[Draft]:
    """Let go of what the session reserved, and say with which intent it starts again."""
    from linetrail.ledger.hook import freshness  # the gate, where it is in use

    freshness.end_turn(scene, signal)
    if signal.kind == "session_start":
        from linetrail.ledger.hook import checkout

        yield from checkout.begin(scene, signal)


def _event(draft: Draft, at: int, agent: str, signal: Signal, scene: Scene, delivery: Delivery) -> Event:
    """Place a draft in its session. A person has no agent; what nobody was seen doing was done for no intent, too."""
    session = signal.session_id
    nobody = draft.data.get("via") in ("unseen", "git")
    told = draft.data.get("intent_id") if draft.type.startswith("intent.") else None
    event = Event(
        id=derived_id(delivery.now_ns, delivery.key, str(at)),
        timestamp=rfc3339(delivery.now_ns),
        type=draft.type,
        session_id=session,
        agent=None if nobody or draft.contributor == "human" else _agent(agent, signal, scene),
        contributor=draft.contributor,
        intent_id=None if nobody else told or selection.read(scene.repository, session),
        vcs=scene.vcs,
        data=draft.data,
    )
    return committed(event, signal.text or "", scene.redactor.folder) if draft.type == "prompt.submitted" else event


def _agent(name: str, signal: Signal, scene: Scene) -> Agent:
    """Name the product and, where the session's start told it, the model."""
    model_id = signal.model_id
    if model_id is None and signal.session_id:
        known = deliveries.recall(scene.repository, "sessions", signal.session_id).get("model_id")
        model_id = known if isinstance(known, str) else None
    return Agent(name, signal.agent_version, model_id)


def _vcs(repository: Repository, signal: Signal) -> Vcs | None:
    """Ask whether the worktree is dirty at session start only: it costs a process."""
    dirty = bool(scan.dirty_paths(repository)) if signal.kind == "session_start" and repository.git_dir else None
    return head(repository, dirty=dirty)


# Sessions, prompts and the agent's own dialogs


def _session_started(scene: Scene, signal: Signal) -> Draft:
    if signal.session_id and signal.model_id:
        deliveries.remember(scene.repository, "sessions", signal.session_id, model_id=signal.model_id)
    deliveries.forget_old(scene.repository, scene.now_ns)
    return Draft(
        "session.started",
        "unknown",
        {
            "source": _said(scene, signal),
            "transcript": signal.transcript and file_name(signal.transcript, scene.redactor),
            "cwd": scene.repository.relative(signal.cwd) if signal.cwd else None,
            "permission_mode": signal.permission_mode,
            "parent_session_id": signal.parent_session_id,
        },
    )


def _permission(scene: Scene, signal: Signal) -> Draft:
    """Keep what the agent's own dialog asked a person, and what was refused."""
    asked = signal.kind == "permission_request"
    return Draft(
        "gate.decided",
        "unknown",
        {
            "tool_call_id": signal.tool and signal.tool.call_id,
            "tool_name": signal.tool and signal.tool.name,
            "verdict": "ask" if asked else "deny",
            "code": "AGENT_PERMISSION",
            "reason": _said(scene, signal),
            "rule": None,
            "source": "agent",
        },
    )


def _other(scene: Scene, signal: Signal) -> Draft:
    data: dict[str, Any] = {
        "signal": scene.redactor.excerpt(signal.name, 100),
        "detail": _said(scene, signal),
        "agent_id": signal.agent_id,
        "agent_type": signal.agent_type,
    }
    if signal.fields:
        data["fields"] = [scene.redactor.excerpt(name, 60) for name in sorted(signal.fields)[:MAX_FIELDS]]
    return Draft("agent.signalled", "unknown", data)


def _said(scene: Scene, signal: Signal) -> str | None:
    return None if signal.text is None else scene.redactor.excerpt(signal.text)


# Tools


def _requested(scene: Scene, signal: Signal, tool: Tool, *, dialog: bool, given: Given | None) -> Iterator[Draft]:
    paths = list(_roles(scene.repository, signal, tool))
    slots = scene.hold(paths) if tool.operation in WRITES else {}
    outcome = None
    if scene.policy.in_use:
        from linetrail.ledger.hook.freshness import before_read  # the gate, where it is in use
        from linetrail.ledger.hook.gatekeeper import judge

        # An approval is used up: what it let pass is not judged again.
        approved = given is not None and deliveries.recall(scene.repository, "judged", *call_key(signal, tool))
        if approved and approved.get("approved"):
            return
        outcome = judge(scene, signal, tool, slots, dialog=dialog)
        if tool.operation == "read" and given is None:
            before_read(scene, call_key(signal, tool), paths)
    if given is not None and (outcome is None or given(scene.answers)):
        return
    if _changes_unnamed_files(tool):
        # a refused command, too: where it runs all the same, what it did must be told from what was there before
        noted = before_command(scene, paths)
        start = {"at": scene.now_ns, "revision": scene.revision, "stash": stash(scene.repository), "noted": noted}
        read = dict(outcome.shown) if outcome else {}
        deliveries.remember(scene.repository, "calls", *call_key(signal, tool), **start, read=read)
    elif tool.operation in WRITES and (outcome is None or not outcome.stopped):
        before_write(scene, slots, signal, tool)
    targets = [(_locate(scene.repository, signal, path), path, role) for path, role in tool.targets[:MAX_TARGETS]]
    yield requested(signal, tool, targets, scene.redactor)
    yield from outcome.drafts if outcome else ()


def _ended(scene: Scene, signal: Signal, tool: Tool) -> Iterator[Draft]:
    roles = _roles(scene.repository, signal, tool)
    changes = list(_observed(scene, signal, tool, roles))
    yield from changes
    yield ended(signal, tool, scene.redactor, unscanned=sum(scene.unscanned) or None)
    if scene.policy.in_use or deliveries.recall(scene.repository, "judged", *call_key(signal, tool)):
        from linetrail.ledger.hook import consequences, handshake  # the gate, where it is in use

        yield from consequences.follow(scene, signal, tool, changes, list(roles))
        if scene.policy.mode != OBSERVE and _may_teach(signal, tool):
            from linetrail.ledger.hook import lessons

            yield from lessons.from_outcome(scene, signal, tool)
        wish = handshake.wish_of(tool) if signal.kind == "post_tool" else None
        if wish is not None:
            from linetrail.ledger.hook import checkout

            yield from checkout.confirm(scene, signal, tool, wish)


def _observed(scene: Scene, signal: Signal, tool: Tool, roles: dict[str, str]) -> Iterator[Draft]:
    result = signal.result
    if tool.operation in WRITES:
        if not (result and result.staged):
            yield from after_write(scene, signal, tool, roles)
    elif _changes_unnamed_files(tool):
        call = deliveries.recall(scene.repository, "calls", *call_key(signal, tool))
        yield from after_command(scene, signal, tool, list(roles), call)


def _may_teach(signal: Signal, tool: Tool) -> bool:
    """Tell quickly whether there may be something to learn: most commands end well, and say so."""
    if tool.name == "TodoWrite" or signal.kind == "tool_failure":
        return True
    output = signal.result.output if signal.result and tool.operation == "shell" else None
    printed = output.values() if isinstance(output, dict) else ()
    return any("fail" in text.lower() or "error" in text.lower() for text in printed if isinstance(text, str))


def _changes_unnamed_files(tool: Tool) -> bool:
    """Tell whether files have to be looked at before and after: not for tools that are known to write none."""
    return tool.operation in _LOOK_AROUND and tool.kind not in (READING, META) and own_tool(tool.name) is None


def _roles(repository: Repository, signal: Signal, tool: Tool) -> dict[str, str]:
    """Return the targets inside the worktree, stored path -> role; what linetrail itself keeps is left out."""
    found = ((_locate(repository, signal, path), role) for path, role in tool.targets[:MAX_TARGETS])
    return {path: role for path, role in found if path and not path.startswith(f"{FOLDER}/")}


def _locate(repository: Repository, signal: Signal, path: str) -> str | None:
    """Return the stored path of a target; a relative one starts at the agent's working directory."""
    there = repository.from_windows(signal.cwd, path)
    if there is not None:
        return there or None
    base = signal.cwd if signal.cwd and os.path.isabs(signal.cwd) else repository.root
    try:
        return repository.relative(os.path.join(base, path))
    except (OSError, ValueError):
        return None
