"""Judge a tool call before it runs.

Pure: what is judged, and everything it is held against, was gathered before, so the same call under the same
circumstances is always judged the same. The rules stand in the order in which they are asked; the first that objects
decides. Codes are stored, so their spelling never changes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.event.signal import GENERATIVE, META, OPERATIONAL, READING, UNKNOWN
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.roles import ARCHITECT, SCOPES
from linetrail.ledger.gate.settings import ASK, BLOCK, FINAL
from linetrail.ledger.intents.intent import CLOSED, DONE, Intent

if TYPE_CHECKING:  # a call pays for what judged it alone: the grammar of the shell costs 17 ms
    from linetrail.ledger.constraints.rules import Finding
    from linetrail.ledger.gate.approvals import Approval
    from linetrail.ledger.gate.breaker import Standing
    from linetrail.ledger.gate.leases import Lease
    from linetrail.ledger.paths.globs import Scope
    from linetrail.ledger.paths.paths import Place
    from linetrail.ledger.shell.commands import Judged


# With these a shell does more than run one program.
_SIGNS = frozenset("$`;&|()<>\n\r")
_QUOTES = str.maketrans({**dict.fromkeys("\"'\\"), **dict.fromkeys("$`;&|()<>{}=\n", " ")})
# Refusals that one call at most may pass by: a session that was to stop is let go on by `linetrail gate reset`.
_ONCE = frozenset({"CIRCUIT_OPEN"})


class Call(NamedTuple):
    """What an agent asks for. `places` are the files it would write, `problem` what is wrong with its input.

    `objection` is what the handshake has against it, a code and a sentence; `hidden` the argument of a tool that is not
    known in which it may be told to do more than write these files; `deletes`: a file may be gone afterwards; `digest`
    stands for the tool and all that it is given; `records`: it is a command of ours by which an architect
    plans. `written` are the stored paths that it surely writes.
    """

    tool_name: str
    kind: str
    places: "Sequence[Place]" = ()
    command: "Judged | None" = None
    problem: str | None = None
    objection: tuple[str, str] | None = None
    hidden: str | None = None
    deletes: bool = False
    digest: str = ""
    records: bool = False
    written: Sequence[str] = ()


class Stale(NamedTuple):
    """A file that is not as the agent knows it; `busy` names the session that is about to write it."""

    path: str
    expected: str | None
    found: str | None
    busy: str | None = None


class Held(NamedTuple):
    """What a call is held against. `selected` is the id that was chosen, `intent` that intent if it still exists."""

    policy: Policy
    selected: str | None = None
    intent: Intent | None = None
    scope: "Scope | None" = None
    # stored paths that need no intent, each with the pattern that says so
    exempt: Mapping[str, str] = {}
    stale: Sequence[Stale] = ()
    # files that others write in other worktrees
    leased: Mapping[str, "Lease"] = {}
    findings: "Sequence[Finding]" = ()
    breaker: "Standing | None" = None
    approval: "Approval | None" = None
    # what a person lets this session do: code of a refusal and what is covered -> the approval
    grants: Mapping[tuple[str, str], str] = {}
    # stored paths for which people want to be asked, and the kind of command, each with the setting that says so
    marked: Mapping[str, str] = {}
    marked_command: str | None = None
    # that command is all there is to run
    marked_alone: bool = False


class Judgement(NamedTuple):
    """What was decided. `paths` names each file that was refused, with the code; `mode` is what a refusal does here."""

    verdict: str
    code: str
    reason: str
    mode: str
    rule: str | None = None
    paths: Mapping[str, str] = {}
    approval_id: str | None = None

    @property
    def refused(self) -> bool:
        """The call should not run as it is."""
        return self.verdict != "allow"

    @property
    def enforced(self) -> bool:
        """The agent is stopped, or a person asked."""
        return self.refused and self.mode in (ASK, BLOCK)


class _Objection(NamedTuple):
    code: str
    reason: str
    rule: str | None = None
    paths: Mapping[str, str] = {}
    # the code whose setting says what it does, where that is another one
    setting: str | None = None


_Rule = Callable[[Call, Held], _Objection | None]


def decide(call: Call, held: Held) -> Judgement:
    """Let a call pass, refuse it, or leave it to a person."""
    if call.kind in (READING, META) and call.objection is None:
        return _allow(
            "READS_ONLY" if call.kind == READING else "STEERS_ONLY", f"{call.tool_name} changes no file", held
        )
    objection, granted = _first(call, held)
    if objection is None:
        return _passed(call, held) if granted is None else _approved(granted, "for this session", held)
    approval = held.approval
    objection = _unleased(call, held) or objection if approval is not None else objection
    if approval is not None and objection.code not in FINAL:
        if approval.state == "approved":
            return _approved(approval.id, "once", held)
        reason = f"a person said no: {approval.words or 'without giving a reason'}"
        return Judgement("deny", "REJECTED", reason, BLOCK, None, objection.paths, approval.id)
    mode = _mode(objection, held)
    verdict = "ask" if mode == ASK else "deny"
    return Judgement(verdict, objection.code, objection.reason, mode, objection.rule, objection.paths)


def overridable(judgement: Judgement, held: Held) -> bool:
    """Return whether a person may let a call pass though its intent is done; what was given up or waits is not."""
    return judgement.code == "INTENT_CLOSED" and held.intent is not None and held.intent.status == DONE


def _first(call: Call, held: Held) -> tuple[_Objection | None, str | None]:
    """Return the first objection that no approval for the session lifts, and such an approval that lifts another."""
    granted = None
    for rule in _RULES:
        objection = rule(call, held)
        if objection is not None:
            approval_id = _granted(objection, call, held)
            if approval_id is None:
                return objection, granted
            granted = approval_id
    return None, granted


def covers(judgement: Judgement, call: Call, held: Held) -> tuple[str, ...]:
    """Return what an approval for the session would let through: files, the tool, the intent, or the very call."""
    if judgement.code in _ONCE:
        return ()
    return _covered(judgement.code, judgement.paths, call, held)


def _covered(code: str, paths: Mapping[str, str], call: Call, held: Held) -> tuple[str, ...]:
    if paths:
        return tuple(paths)
    if code == "UNKNOWN_TOOL" and call.hidden is None:
        return (call.tool_name,)
    return (str(held.selected),) if code == "INTENT_CLOSED" else (call.digest,)


def _granted(objection: _Objection, call: Call, held: Held) -> str | None:
    """Return the approval under which a person lets the session do this in spite of the objection."""
    is_flawed = objection.code == "INTENT_CLOSED" and held.intent is not None and held.intent.flaws
    if not held.grants or objection.code in FINAL or is_flawed:
        return None
    covered = [(objection.code, one) for one in _covered(objection.code, objection.paths, call, held)]
    return held.grants[covered[0]] if all(one in held.grants for one in covered) else None


def _approved(approval_id: str, how: str, held: Held) -> Judgement:
    return _allow("APPROVED", f"a person approved it {how} as {approval_id}", held)._replace(approval_id=approval_id)


def _mode(objection: _Objection, held: Held) -> str:
    """Say what an objection does here."""
    mode = held.policy.mode_for(objection.setting or objection.code)
    return BLOCK if mode == ASK and objection.code in FINAL else mode


def _passed(call: Call, held: Held) -> Judgement:
    """Say what a call passed by."""
    if call.command is not None and call.command.cls == "safe":
        return _allow("READS_ONLY", call.command.reason, held)
    paths = [place.path for place in call.places if place.path]
    if paths and all(path in held.exempt for path in paths):
        return _allow("EXEMPT", f"no intent is needed for {paths[0]}", held)._replace(rule=held.exempt[paths[0]])
    if call.kind == OPERATIONAL or not paths:
        return _allow("INTENT_OPEN", f"{held.selected} is open", held)
    if held.policy.role in SCOPES:
        return _allow("IN_ROLE", f"the role {held.policy.role} may change {paths[0]}", held)
    return _allow("IN_SCOPE", f"{held.selected} owns {paths[0]}", held)


def _allow(code: str, reason: str, held: Held) -> Judgement:
    return Judgement("allow", code, reason, held.policy.mode)


def _shaken(call: Call, _: Held) -> _Objection | None:
    return None if call.objection is None else _Objection(*call.objection)


def _protected(call: Call, _: Held) -> _Objection | None:
    refused = {place.spelled: place for place in call.places if place.code is not None}
    if not refused:
        return None
    first = next(iter(refused.values()))
    paths = {path: place.code or "" for path, place in refused.items()}
    return _Objection(first.code or "", first.reason, None, paths)


def _known(call: Call, held: Held) -> _Objection | None:
    if call.kind != UNKNOWN or call.places or _named(call.tool_name, held.policy.settings.writing_tools):
        return None
    reason = f"{call.tool_name} is not a tool that linetrail knows, and its effect cannot be seen"
    return _Objection("UNKNOWN_TOOL", reason)


def _sane(call: Call, _: Held) -> _Objection | None:
    return None if call.problem is None else _Objection("INVALID_INPUT", call.problem)


def _harmless(call: Call, held: Held) -> _Objection | None:
    if call.command is None or call.command.cls != "dangerous" or call.command.bounded or call.records:
        return None  # what is bounded to paths is held against the scope like any other write
    if held.marked_alone:
        return None  # a person answers for it, once nothing else is against it
    return _Objection("DANGEROUS_COMMAND", call.command.reason)


def _intent(call: Call, held: Held) -> _Objection | None:
    policy, intent = held.policy, held.intent
    found = None
    if _free(call, held):
        return None
    if policy.settings_error is not None:
        found = _Objection("SETTINGS_MALFORMED", policy.settings_error)
    elif policy.registry_error is not None:
        found = _Objection("REGISTRY_MALFORMED", policy.registry_error)
    elif held.selected is None:
        found = _Objection("NO_INTENT", f"no intent is selected, and {call.tool_name} changes files")
    elif intent is None:
        found = _Objection("UNKNOWN_INTENT", f"{held.selected} is selected, but no longer in the registry")
    elif intent.status in CLOSED:
        found = _Objection("INTENT_CLOSED", f"{intent.id} is {intent.status}")
    elif intent.flaws:
        found = _Objection("INTENT_FLAWED", f"{intent.id} cannot be used: {intent.flaws[0]}")
    return found


def _in_scope(call: Call, held: Held) -> _Objection | None:
    if held.scope is None:
        return None
    paths = [place.path for place in call.places if place.path and place.path not in held.exempt]
    outside = [path for path in paths if held.scope.owner(path) is None]
    if not outside:
        return None
    others = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
    role = held.policy.role
    whose = f"what the {role} may change for" if role in SCOPES else "the scope of"
    reason = f"{outside[0]}{others} is outside {whose} {held.selected}"
    return _Objection("OUT_OF_SCOPE", reason, None, dict.fromkeys(outside, "OUT_OF_SCOPE"))


def _in_role(call: Call, held: Held) -> _Objection | None:
    """Let an architect run what only reads, and what records intents and decisions."""
    runs = call.command is not None or call.kind in (OPERATIONAL, UNKNOWN)
    if held.policy.role != ARCHITECT or not runs or call.records or _free(call, held):
        return None
    return _Objection("OUT_OF_SCOPE", f"an architect changes no file, and {call.tool_name} may")


def _seen(call: Call, _: Held) -> _Objection | None:
    if call.command is None or call.command.unseen is None:
        return None
    return _Objection("DANGEROUS_COMMAND", call.command.unseen)


def _overt(call: Call, held: Held) -> _Objection | None:
    if call.hidden is None or _named(call.tool_name, held.policy.settings.writing_tools):
        return None
    reason = f"{call.tool_name} is not a tool that linetrail knows, and what its `{call.hidden}` does cannot be seen"
    return _Objection("UNKNOWN_TOOL", reason)


def _fresh(_: Call, held: Held) -> _Objection | None:
    if not held.stale:
        return None
    first = held.stale[0]
    if first.busy is not None:
        return _Objection(
            "FILE_BUSY", f"another call is about to write {first.path}: {first.busy}", None, {first.path: "FILE_BUSY"}
        )
    hashes = f"it was {_hash(first.expected)}, it is {_hash(first.found)}"
    reason = f"{first.path} was changed since this agent last saw it: {hashes}"
    return _Objection("STALE_FILE", reason, None, {stale.path: "STALE_FILE" for stale in held.stale})


def _unleased(_: Call, held: Held) -> _Objection | None:
    if not held.leased:
        return None
    path, lease = next(iter(held.leased.items()))
    where = lease.worktree.rpartition("/")[2]
    reason = f"{path} is written by session {lease.session_id} for {lease.intent_id}, in the worktree {where}"
    return _Objection("LEASE_HELD", reason, None, dict.fromkeys(held.leased, "LEASE_HELD"))


def _constrained(_: Call, held: Held) -> _Objection | None:
    found = next((finding for finding in held.findings if finding.deny), None)
    if found is None:
        return None
    return _Objection("CONSTRAINT_VIOLATED", found.message, found.rule, {found.path: "CONSTRAINT_VIOLATED"})


def _calm(call: Call, held: Held) -> _Objection | None:
    if (
        held.breaker is None
        or held.breaker.state != "open"
        or (call.command is not None and call.command.cls == "safe")
    ):
        return None
    stopped = held.breaker
    kind, _, name = (stopped.key or "").partition(":")
    whose = f"for {name}" if kind == "intent" else "in this session"
    counted = f"{stopped.failures} calls {whose} were refused or failed in a row"
    return _Objection("CIRCUIT_OPEN", f"{stopped.reason or counted}; after a while one call may try again")


def _consented(call: Call, held: Held) -> _Objection | None:
    """Ask for the yes that people want before what is in scope is done."""
    command = call.command
    if command is not None and command.cls == "safe":
        return None
    if held.marked_command is not None:
        danger = f"{command.reason}; " if command is not None and command.cls == "dangerous" else ""
        return _Objection("APPROVAL_REQUIRED", f"{danger}a person approves such commands here", held.marked_command)
    paths = {place.path: "APPROVAL_REQUIRED" for place in call.places if place.path and place.path in held.marked}
    if paths:
        first = next(iter(paths))
        return _Objection("APPROVAL_REQUIRED", f"a person approves changes of {first}", held.marked[first], paths)
    return None if _free(call, held) or held.intent is None else _consented_for(held.intent, call, held)


def _consented_for(intent: Intent, call: Call, held: Held) -> _Objection | None:
    """Ask where the intent says so, or the settings for all intents that say nothing."""
    runs = call.command is not None or call.kind == OPERATIONAL
    own = {place.path: "APPROVAL_REQUIRED" for place in call.places if place.path and not runs}
    what = "each change" if not runs and not call.deletes else "what runs or deletes"
    if intent.approval is None:
        code = "INTENT_OPEN" if runs else "IN_SCOPE"
        if held.policy.settings.codes.get(code) != ASK:
            return None
        return _Objection("APPROVAL_REQUIRED", f"a person approves {what} here", f"codes: {code}: ask", own, code)
    if intent.approval == "none" or (intent.approval == "destructive" and not runs and not call.deletes):
        return None
    reason = f"a person approves {what} for {intent.id}"
    return _Objection("APPROVAL_REQUIRED", reason, f"{intent.id}: approval: {intent.approval}", own)


# What the handshake says of its own tools; then in the order of the design: what is protected, is the tool known, what
# the command does, the intent, its scope, does another write the file in another worktree, does the agent know what it
# overwrites, what does the intent demand of the result, is it time to stop and think, and does a person want to be
# asked all the same.
_RULES: tuple[_Rule, ...] = (
    _shaken,
    _protected,
    _known,
    _sane,
    _harmless,
    _intent,
    _in_scope,
    _in_role,
    _seen,
    _overt,
    _unleased,
    _fresh,
    _constrained,
    _calm,
    _consented,
)


def _free(call: Call, held: Held) -> bool:
    """Return whether a call needs no intent: a command that only reads, or one that touches exempted files alone."""
    command = call.command
    if command is not None and command.cls == "safe":
        return True
    known = command is None or (command.complete and len(command.writes) == len(call.places))
    return known and bool(call.places) and all(place.path in held.exempt for place in call.places)


def _named(tool_name: str, patterns: Sequence[str]) -> bool:
    return any(matches(tool_name, pattern) for pattern in patterns)


def is_kind_of(command: str, kind: str) -> bool:
    """Return whether a command may be of a kind: the words of the kind stand in it, in this order, whatever between.

    Quotes are left out and programs are known by their names, so a command in a command is found. That asks a person
    too often rather than too seldom.

    >>> is_kind_of("cd api && /usr/bin/git -C x push origin", "git push"), is_kind_of("git pull", "git push")
    (True, False)
    """
    plain = command.translate(_QUOTES)
    words = iter(word.rpartition("/")[2] for word in plain.split())
    return all(any(matches(word, wanted) for word in words) for wanted in kind.split())


def is_alone(command: str, kind: str) -> bool:
    """Return whether a command of a kind is all there is: it begins as the kind does, and nothing begins another.

    >>> is_alone("git push x", "git push"), is_alone("git push; rm", "git push"), is_alone("rm git push", "git push")
    (True, False, False)
    """
    return _SIGNS.isdisjoint(command) and all(map(matches, command.split()[:1], kind.split()[:1]))


def matches(name: str, pattern: str) -> bool:
    """Match a name against a pattern in which `*` is any run of characters.

    >>> matches("mcp__github__get_issue", "mcp__github__get_*")
    True
    """
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first) or not name.endswith(rest[-1]) or len(name) < len(first) + len(rest[-1]):
        return False
    at, end = len(first), len(name) - len(rest[-1])
    for part in rest[:-1]:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _hash(digest: str | None) -> str:
    return digest or "no file"


def act(call: Call, operation: str, *, steers: bool) -> str:
    """Return what kind of act a call is, whatever is decided of it; what nobody can say is taken for the worst.

    `kind` has other words for it: it calls `generative` what writes. `steers`: it is a call of linetrail's own tools.
    """
    if steers:
        return "meta"
    if call.command is not None:
        return "safe" if call.command.cls == "safe" else "destructive"
    if call.kind == GENERATIVE and operation != "delete":
        return "mutating"
    return {META: "generative", READING: "safe"}.get(call.kind, "destructive")


def record(
    judgement: Judgement, call: Call, held: Held, owners: Collection[str] = (), act: str | None = None
) -> dict[str, Any]:
    """Return a judgement as an event tells it; `owners` are open intents that own a path of the call."""
    stale = {found.path: found for found in held.stale}
    spelled = [place.path or f"outside:{place.spelled.rpartition('/')[2][:200]}" for place in call.places]
    return {
        "verdict": judgement.verdict,
        "code": judgement.code,
        "reason": judgement.reason,
        "rule": judgement.rule,
        "source": "linetrail",
        "mode": judgement.mode,
        "enforced": judgement.enforced if judgement.refused else None,
        "kind": OPERATIONAL if call.kind == UNKNOWN else call.kind,
        "act": act,
        "command_class": call.command and call.command.cls,
        "scope": list(held.intent.scope) if held.intent else None,
        "paths": [
            {
                "path": path,
                "code": judgement.paths.get(place.path or place.spelled) or place.code,
                "expected_hash": (path in stale and stale[path].expected) or None,
                "found_hash": (path in stale and stale[path].found) or None,
            }
            for path, place in zip(spelled, call.places, strict=True)
        ],
        "available_intents": [intent_id for intent_id, _ in held.policy.offer().named] if judgement.refused else [],
        "owners": list(owners),
        "approval_id": judgement.approval_id,
    }
