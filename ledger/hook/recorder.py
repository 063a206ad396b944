"""What one signal says, and what follows from it: the event that is recorded whatever happens, then all the rest.

Nothing is recorded here. Whether a call may run is for the gatekeeper to find out.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.adapters.adapter import own_tool
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.commitments import committed
from linetrail.ledger.event.drafts import (
    MAX_COMMAND,
    MAX_TARGETS,
    Draft,
    call_key,
    ended,
    file_name,
    fitting,
    prompt,
    requested,
    without_secrets_in_paths,
)
from linetrail.ledger.event.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.event.signal import META, READING, WRITES, Answer, Signal, Tool
from linetrail.ledger.gate.policy import MAX_READ_BY_HOOK
from linetrail.ledger.gate.policy import of as policy_of
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.deliveries import Delivery
from linetrail.ledger.hook.situation import Effect, Later, Situation, Unscanned
from linetrail.ledger.intents import changes, selection
from linetrail.ledger.intents.intent import state_of
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import FOLDER, Repository, head, stash

if TYPE_CHECKING:
    from linetrail.ledger.observe.states import Slot

LOCK_SECONDS = 0.4
# Of an event of the future, how many of its fields are named.
MAX_FIELDS = 50
# Tools whose effect on files is only known by looking around afterwards.
_LOOK_AROUND = frozenset({"shell", "mcp", "other"})
# What an agent reserved and did not use is free again.
_ENDS_OF_TURNS = frozenset({"session_start", "session_end", "prompt", "stop"})
_ENDS_OF_CALLS = frozenset({"post_tool", "tool_failure"})
# When an agent is told what is new: not before a call, since a call that is asked twice is answered the same twice.
_HEARING = frozenset({"session_start", "prompt", *_ENDS_OF_CALLS})

# Returns whether answers are those that were given before.
Given = Callable[[Sequence[Answer]], bool]


class Files(NamedTuple):
    """The files that a signal is about, held: those it names, by their memory, or all, with those that git lists."""

    slots: "Mapping[str, Slot]"
    dirty: Sequence[str] = ()


class Work(NamedTuple):
    """What follows from a signal: what stands before its event in the ledger, and behind it.

    `is_echo`: the call was delivered and answered just so before, and nothing is to be recorded. `is_dirty`: git lists
    files that differ from their commit; asked at the start of a session only, since it costs a process.
    """

    before: Sequence[Effect] = ()
    after: Sequence[Effect] = ()
    is_echo: bool = False
    is_dirty: bool | None = None

    @property
    def effects(self) -> list[Effect]:
        return [*self.before, *self.after]

    @property
    def answers(self) -> list[Answer]:
        return [effect for effect in self.effects if isinstance(effect, Answer)]


def situated(repository: Repository, now_ns: int, agent: str, fallback: str) -> Situation:
    """Gather what holds while a signal is handled; `fallback` is the mode where no settings state one."""
    return Situation(
        repository,
        head(repository),
        now_ns,
        Redactor(private_folder(repository)),
        policy_of(repository, fallback, most=MAX_READ_BY_HOOK).towards(agent),
    )


class Recorder(NamedTuple):
    """What becomes of one signal of an agent in its situation."""

    agent: str
    situation: Situation
    signal: Signal
    delivery: Delivery

    @property
    def is_laborious(self) -> bool:
        """Whether something may follow from the signal that takes time to work out."""
        tool = self.signal.tool
        if tool is None or self.signal.kind not in (*_ENDS_OF_CALLS, "pre_tool"):
            return False
        return self.situation.policy.in_use or tool.operation in WRITES or _changes_unnamed_files(tool)

    def essential(self) -> Event:
        """Return the one event that is recorded whatever happens: what arrived, secrets taken out."""
        return self._event(_essence(self.situation, self.signal), 0)

    @contextlib.contextmanager
    def held(self, seconds: float = 0.0) -> Iterator[Files]:
        """Keep other hooks from the memory of the files that the signal is about, until it is recorded.

        A hook that may keep its agent waiting for so many `seconds` waits for others as long.
        """
        situation, tool, kind = self.situation, self.signal.tool, self.signal.kind
        if kind == "session_start" and situation.vcs:
            yield Files({}, _dirty_paths(situation))
        elif tool is None or kind not in (*_ENDS_OF_CALLS, "pre_tool", "permission_denied"):
            yield Files({})
        elif tool.operation in WRITES or kind == "permission_denied":
            with situation.states.hold(list(_roles(situation.repository, self.signal, tool)), seconds) as slots:
                yield Files(slots)
        elif _changes_unnamed_files(tool):
            # git may take its time, and nobody waits for it
            dirty = _dirty_paths(situation)
            with situation.states.hold_all(seconds):
                yield Files({}, dirty)
        else:
            yield Files({})

    def work_out(self, files: Files, *, dialog: bool = False, given: Given | None = None) -> Work:
        """Find out what follows from the signal. `dialog`: the agent would ask a person where it is told to.

        `given` asks, of a call that was delivered before, whether these answers are what was said then.
        """
        situation = self.situation._replace(registry_changed=_note_registry(self.situation))
        signal, tool, work = self.signal, self.signal.tool, Work()
        if situation.policy.in_use and signal.session_id:
            situation.leases.hear(signal.session_id)
        if signal.kind == "session_start":
            work = Work((), [_begun(situation, signal)], is_dirty=bool(files.dirty) if situation.vcs else None)
        elif signal.kind == "permission_denied" and tool:
            from linetrail.ledger.hook.changes import release

            work = Work((), list(release(situation, files.slots, tool)))
        elif signal.kind == "pre_tool" and tool:
            work = _requested(situation, signal, tool, files, dialog=dialog, given=given)
        elif signal.kind in _ENDS_OF_CALLS and tool:
            before = list(_observed(situation, signal, tool, files))
            work = Work(before, list(_followed(situation, signal, tool, before)))
        if situation.policy.in_use and signal.kind in _ENDS_OF_TURNS:
            work = work._replace(after=[*work.after, *_turned(situation, signal)])
        if given is None and situation.policy.in_use and _has_news(situation, signal):
            from linetrail.ledger.hook import news

            work = work._replace(after=[*work.after, *news.told(situation, signal, self.agent, work.answers)])
        return work

    def complete(self, files: Files) -> Work:
        """Find out what a call did to files, and against which rules, where its own hook came to no end."""
        tool = self.signal.tool
        if tool is None or self.signal.kind not in _ENDS_OF_CALLS:
            return Work()
        before = list(_observed(self.situation, self.signal, tool, files))
        return Work(before, list(_judged(self.situation, self.signal, tool, before)))

    def events(self, essential: Event, work: Work) -> list[Event]:
        """Return the events of the signal in the order of the ledger."""
        unscanned = sum(effect.files for effect in work.before if isinstance(effect, Unscanned))
        if unscanned:
            essential = essential._replace(data=essential.data | {"unscanned": unscanned})
        before = [effect for effect in work.before if isinstance(effect, Draft)]
        after = [effect for effect in work.after if isinstance(effect, Draft)]
        made = [self._event(draft, at) for at, draft in enumerate([*before, *after], 1)]
        told = [*made[: len(before)], essential, *made[len(before) :]]
        if work.is_dirty is None:
            return told
        return [event._replace(vcs=event.vcs and event.vcs._replace(dirty=work.is_dirty)) for event in told]

    def _event(self, draft: Draft, at: int) -> Event:
        """Place a draft in its session. A person has no agent; what nobody was seen doing was done for no intent."""
        signal, situation, session = self.signal, self.situation, self.signal.session_id
        nobody = draft.data.get("via") in ("unseen", "git")
        told = draft.data.get("intent_id") if draft.type.startswith("intent.") else None
        event = Event(
            id=derived_id(self.delivery.now_ns, self.delivery.key, str(at)),
            timestamp=rfc3339(self.delivery.now_ns),
            type=draft.type,
            session_id=session,
            agent=None if nobody or draft.contributor == "human" else _agent(self.agent, signal, situation),
            contributor=draft.contributor,
            intent_id=None if nobody else told or selection.read(situation.repository, session),
            vcs=situation.vcs,
            data=without_secrets_in_paths(draft.data, situation.redactor),
        )
        private = situation.redactor.folder
        return committed(event, signal.text or "", private) if draft.type == "prompt.submitted" else event


def _essence(situation: Situation, signal: Signal) -> Draft:
    # Whatever else stands in a payload, a session that starts is one.
    if signal.tool is None or signal.kind in _WITHOUT_TOOL:
        return _WITHOUT_TOOL.get(signal.kind, _other)(situation, signal)
    if signal.kind in ("permission_request", "permission_denied"):
        return _permission(situation, signal)
    if signal.kind == "pre_tool":
        draft = requested(signal, signal.tool, _targets(situation, signal, signal.tool), situation.redactor)
        return draft._replace(data=draft.data | _folder(situation, signal, signal.tool))
    if signal.kind in _ENDS_OF_CALLS:
        targets = None if _is_requested(situation, signal.tool) else _targets(situation, signal, signal.tool)
        return ended(signal, signal.tool, situation.redactor, targets=targets)
    return _other(situation, signal)


def _folder(situation: Situation, signal: Signal, tool: Tool) -> dict[str, str]:
    """Return where a command starts, where that is not the root."""
    root = situation.repository.root
    if tool.operation != "shell" or not signal.cwd or signal.cwd == root:
        return {}
    folder = _locate(situation.repository, signal, signal.cwd)
    told = f"outside:{file_name(signal.cwd, situation.redactor)}" if folder is None else folder
    return {} if told == "." else {"cwd": situation.redactor.cut(told, MAX_COMMAND)}


def _note_registry(situation: Situation) -> bool:
    """Record what an editor or git made of the registry since, and return whether there was anything."""
    policy, repository = situation.policy, situation.repository
    if policy.registry_error is None and not changes.is_recorded(repository, policy.registry_digest):
        states = {intent.id: state_of(intent) for intent in policy.intents}
        with contextlib.suppress(LinetrailError, OSError), changes.held(repository, LOCK_SECONDS):
            found = changes.record(
                repository,
                states,
                policy.registry_digest,
                by=changes.FOUND,
                author=changes.UNKNOWN,
                now_ns=situation.now_ns,
                vcs=situation.vcs,
            )
            return bool(found)
    return False


def _turned(situation: Situation, signal: Signal) -> Iterator[Effect]:
    """Let go of what the session reserved, and say with which intent it starts again."""
    session, now_ns = signal.session_id or "", situation.now_ns
    turns = {"ended": now_ns} | ({"over": True} if signal.kind == "session_end" else {})
    yield Later(lambda _: deliveries.remember(situation.repository, deliveries.TURNS, session, **turns))
    if signal.kind == "session_end":
        yield Later(lambda _: situation.leases.end(session))
    if signal.kind == "session_start":
        from linetrail.ledger.hook import checkout

        yield from checkout.begin(situation, signal)


def _has_news(situation: Situation, signal: Signal) -> bool:
    """Return quickly whether something waits to be told to the main agent of a session."""
    if signal.kind not in _HEARING or not signal.session_id or signal.agent_id or situation.policy.mode == OBSERVE:
        return False
    try:
        return os.stat(deliveries.inbox(situation.repository, signal.session_id)).st_size > 0
    except OSError:
        return False


def _agent(name: str, signal: Signal, situation: Situation) -> Agent:
    """Name the product and, where the session's start told it, the model."""
    model_id = signal.model_id
    if model_id is None and signal.session_id:
        known = deliveries.recall(situation.repository, "sessions", signal.session_id).get("model_id")
        model_id = known if isinstance(known, str) else None
    return Agent(name, signal.agent_version, model_id)


# Sessions, prompts and the agent's own dialogs


def _begun(situation: Situation, signal: Signal) -> Later:
    """Remember the model of a session, which its later events do not name, and forget what is old."""

    def act(_: object) -> None:
        if signal.session_id and signal.model_id:
            deliveries.remember(situation.repository, "sessions", signal.session_id, model_id=signal.model_id)
        deliveries.forget_old(situation.repository, situation.now_ns)
        with contextlib.suppress(LinetrailError, OSError):
            situation.leases.sweep()

    return Later(act)


def _session_started(situation: Situation, signal: Signal) -> Draft:
    return Draft(
        "session.started",
        "unknown",
        {
            "source": _said(situation, signal),
            "transcript": signal.transcript and file_name(signal.transcript, situation.redactor),
            "cwd": situation.repository.relative(signal.cwd) if signal.cwd else None,
            "permission_mode": signal.permission_mode,
            "parent_session_id": signal.parent_session_id,
        },
    )


def _permission(situation: Situation, signal: Signal) -> Draft:
    """Keep what the agent's own dialog asked a person, and what was refused."""
    asked = signal.kind == "permission_request"
    named = _targets(situation, signal, signal.tool) if signal.tool else []
    paths = fitting({"path": stored} for stored, _, _ in named if stored)
    return Draft(
        "gate.decided",
        "unknown",
        {
            "tool_call_id": signal.tool and signal.tool.call_id,
            "tool_name": signal.tool and signal.tool.name,
            "verdict": "ask" if asked else "deny",
            "code": "AGENT_PERMISSION",
            "reason": _said(situation, signal),
            "rule": None,
            "source": "agent",
            **({"paths": paths} if paths else {}),
        },
    )


def _other(situation: Situation, signal: Signal) -> Draft:
    data: dict[str, Any] = {
        "signal": situation.redactor.excerpt(signal.name, 100),
        "detail": _said(situation, signal),
        "agent_id": signal.agent_id,
        "agent_type": signal.agent_type,
    }
    if signal.path and (path := _locate(situation.repository, signal, signal.path)):
        data["path"] = path
    if signal.fields:
        data["fields"] = [situation.redactor.excerpt(name, 60) for name in sorted(signal.fields)[:MAX_FIELDS]]
    return Draft("agent.signalled", "unknown", data)


def _session_ended(situation: Situation, signal: Signal) -> Draft:
    return Draft("session.ended", "unknown", {"reason": _said(situation, signal)})


def _prompt(situation: Situation, signal: Signal) -> Draft:
    return prompt(signal, situation.redactor)


def _said(situation: Situation, signal: Signal) -> str | None:
    return None if signal.text is None else situation.redactor.excerpt(signal.text)


_WITHOUT_TOOL = {
    "session_start": _session_started,
    "session_end": _session_ended,
    "prompt": _prompt,
    "permission_request": _permission,
    "permission_denied": _permission,
}


# Tools


def _requested(
    situation: Situation, signal: Signal, tool: Tool, files: Files, *, dialog: bool, given: Given | None
) -> Work:
    roles = _roles(situation.repository, signal, tool)
    outcome, effects = None, list[Effect]()
    if situation.policy.in_use:
        from linetrail.ledger.hook.gatekeeper import before_read, judge  # the gate, where it is in use

        # An approval is used up: what it let pass is not judged again.
        approved = given is not None and deliveries.recall(situation.repository, "judged", *call_key(signal, tool))
        if approved and approved.get("approved"):
            return Work(is_echo=True)
        outcome = judge(situation, signal, tool, files.slots, dialog=dialog)
        if tool.operation == "read" and given is None:
            effects.append(before_read(situation, call_key(signal, tool), list(roles)))
    if given is not None and given(outcome.answers if outcome else []):
        return Work(is_echo=True)
    from linetrail.ledger.hook.changes import before_command, before_write  # most events are about no file

    if _changes_unnamed_files(tool):
        # a refused command, too: where it runs all the same, what it did must be told from what was there before
        seen, noted = before_command(situation, [*roles, *files.dirty])
        read = dict(outcome.shown) if outcome else {}
        start = {"at": situation.now_ns, "revision": situation.revision, "stash": stash(situation.repository)}
        facts, key = start | {"noted": noted, "read": read}, call_key(signal, tool)
        effects += [*seen, Later(lambda _: deliveries.remember(situation.repository, "calls", *key, **facts))]
    elif tool.operation in WRITES and (outcome is None or not outcome.stopped):
        effects += before_write(situation, files.slots, signal, tool)
    return Work((), [*effects, *(outcome.effects if outcome else ())])


def _observed(situation: Situation, signal: Signal, tool: Tool, files: Files) -> Iterator[Effect]:
    from linetrail.ledger.hook.changes import after_command, after_write

    roles, result = _roles(situation.repository, signal, tool), signal.result
    if tool.operation in WRITES:
        if not (result and result.staged):
            yield from after_write(situation, files.slots, signal, tool, roles)
    elif _changes_unnamed_files(tool):
        call = deliveries.recall(situation.repository, "calls", *call_key(signal, tool))
        yield from after_command(situation, signal, tool, list(roles), files.dirty, call)


def _followed(situation: Situation, signal: Signal, tool: Tool, changes: Sequence[Effect]) -> Iterator[Effect]:
    """Hold what a call did against what was decided, learn from it, and carry out what it asked of the handshake."""
    if not _is_judged(situation, signal, tool):
        return
    yield from _judged(situation, signal, tool, changes)
    if situation.policy.mode != OBSERVE and _may_teach(signal, tool):
        from linetrail.ledger.hook import lessons

        yield from lessons.from_outcome(situation, signal, tool)
    if signal.kind == "post_tool" and tool.operation not in WRITES:
        from linetrail.ledger.hook import handshake  # no tool that writes a file asks for an intent

        wish = handshake.wish_of(tool)
        if wish is not None:
            from linetrail.ledger.hook import checkout

            yield from checkout.confirm(situation, signal, tool, wish)


def _judged(situation: Situation, signal: Signal, tool: Tool, changes: Sequence[Effect]) -> Iterator[Effect]:
    if _is_judged(situation, signal, tool):
        from linetrail.ledger.hook import consequences

        roles = _roles(situation.repository, signal, tool)
        drafts = [change for change in changes if isinstance(change, Draft)]
        yield from consequences.follow(situation, signal, tool, drafts, list(roles))


def _is_requested(situation: Situation, tool: Tool) -> bool:
    """Return whether the files that a call names are in the ledger already, with what it asked for."""
    if not tool.targets:
        return True
    from linetrail.ledger.log.recent import is_recorded

    return tool.call_id is not None and is_recorded(situation.repository, "tool.requested", tool.call_id)


def _is_judged(situation: Situation, signal: Signal, tool: Tool) -> bool:
    """Return whether calls are held against anything here, or this one was."""
    return situation.policy.in_use or bool(deliveries.recall(situation.repository, "judged", *call_key(signal, tool)))


def _dirty_paths(situation: Situation) -> list[str]:
    from linetrail.ledger.observe.scan import dirty_paths

    return dirty_paths(situation.repository)


def _may_teach(signal: Signal, tool: Tool) -> bool:
    """Return quickly whether there may be something to learn: most commands end well, and say so."""
    if tool.kind == META or signal.kind == "tool_failure" or "task_progress" in tool.input:
        return True
    output = signal.result.output if signal.result and tool.operation == "shell" else None
    printed = output.values() if isinstance(output, dict) else ()
    return any("fail" in text.lower() or "error" in text.lower() for text in printed if isinstance(text, str))


def _changes_unnamed_files(tool: Tool) -> bool:
    """Return whether files have to be looked at before and after: not for tools that are known to write none."""
    return tool.operation in _LOOK_AROUND and tool.kind not in (READING, META) and own_tool(tool.name) is None


def _targets(situation: Situation, signal: Signal, tool: Tool) -> list[tuple[str | None, str, str]]:
    """Return the files that a call names: the stored path, the path as the agent spelled it, and its role."""
    return [(_locate(situation.repository, signal, path), path, role) for path, role in tool.targets[:MAX_TARGETS]]


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
