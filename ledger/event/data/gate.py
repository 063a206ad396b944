"""What the events of intents and of the gate say: what may be done."""

from typing import Annotated, Literal

from pydantic import Field

from linetrail.ledger.event.data.shared import Count, Data, Digest, Excerpt, Fact, Integer

Origin = Literal["command", "tool", "server", "session"]
Extent = Literal["once", "session", "scope"]
Names = Annotated[list[str], Field(default_factory=list)]


class IntentState(Fact):
    """An intent as its registry described it."""

    id: str
    name: str | None = None
    status: str | None = None
    scope: Names
    description: str | None = None
    owner: str | None = None
    priority: str | None = None
    constraints: Names
    """In words; one that is checked stands here as its JSON."""
    acceptance_criteria: Names
    dependencies: Names
    parent_intent: str | None = None
    references: Names
    blocked_reason: str | None = None
    forked_from: str | None = None
    """The intent that this one was split off."""
    merged_into: str | None = None
    """The intent that goes on with what this one was about."""
    approval: str | None = None
    """What of it a person approves though it is in scope."""
    checks: Names
    """Of criteria that a command decides, each as its JSON."""


class IntentRevision(Data):
    """`active_intents.yaml` says something else about an intent than before."""

    intent_id: str
    before: IntentState | None = None
    after: IntentState | None = None
    registry_digest: Digest | None = None
    """Of the whole file that says so."""
    verification_notes: str | None = None
    """What was checked before the intent was completed."""
    reason: Excerpt | None = None
    """Why it was given up or has to wait, in the words of whoever said so."""
    by: Literal["command", "tool", "found"] | None = None
    """How it came about; `found`: the file was found changed, so an editor did it, or git."""


class CriterionChecked(Data):
    """The command of an acceptance criterion was run."""

    intent_id: str
    criterion: Annotated[str, Field(max_length=400)]
    """What has to be so, as the registry says it."""
    command: Annotated[str, Field(max_length=400)] | None = None
    """What was run, secrets taken out."""
    passed: bool
    """Whether it ended with 0 in time."""
    exit_code: Integer | None = None
    timed_out: bool | None = None
    duration_ms: Count | None = None
    output_sha256: Digest | None = None
    excerpt: Excerpt | None = None
    """The end of what it printed, secrets taken out."""
    by: Literal["check", "done", "ci"] | None = None
    """What had it run: somebody asked, the intent was to be done, or a build server asked."""


class IntentSelected(Data):
    """The events that follow belong to this intent."""

    intent_id: str
    name: str | None = None
    status: str | None = None
    scope: Names
    by: Origin | None = None
    """Who chose: a command, a tool that a hook saw called, one that only its server saw, or a session that goes on."""
    for_session: str | None = None
    """The session it was chosen for; null is the whole worktree."""
    reasoning: Excerpt | None = None
    """Why the agent chose it, in its words, secrets taken out."""
    expected_mutations: list[str] | None = None
    """The files that the agent said it would change."""
    approval_id: str | None = None
    """The approval that a person gave, where one was asked for."""


class IntentCleared(Data):
    """The events that follow belong to no intent."""

    intent_id: str | None = None
    """The intent that was selected until now."""
    by: Origin | None = None
    for_session: str | None = None
    reason: str | None = None
    """Why it does not go on: the session was cleared, the intent was closed …"""


class JudgedPath(Fact):
    """A file that a judgement was about."""

    path: str
    """Relative to the repository; `outside:` and the bare name when it lies elsewhere or was refused on sight."""
    code: str | None = None
    """Why it was refused; null is allowed."""
    expected_hash: Digest | None = None
    """Of the file when the agent last saw it."""
    found_hash: Digest | None = None
    """Of the file on disk at the judgement; null is no file, or not looked at."""


class GateDecided(Data):
    """Somebody judged a tool call before it ran."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    verdict: Literal["allow", "deny", "ask"]
    code: str
    """The reason as a stable word."""
    reason: str | None = None
    """The reason as a sentence."""
    rule: str | None = None
    """The pattern, constraint or setting that decided."""
    source: Literal["agent", "linetrail"]
    """Whose judgement it was."""
    mode: Literal["observe", "warn", "ask", "block"] | None = None
    """What refusals of this code do here."""
    enforced: bool | None = None
    """True: the agent was stopped, or a person asked. False: it was only noted. Of a verdict that allows, null."""
    kind: Literal["generative", "operational", "meta", "reading"] | None = None
    """An older word for `act`: whether the call writes content, runs something, steers the work, or only reads."""
    act: Literal["generative", "safe", "mutating", "destructive", "meta"] | None = None
    """What kind of act: reasoning and planning without effect; reading; writing; what deletes, runs a command that is
    not shown to only read, or cannot be known; a change of what linetrail keeps. Older events tell `kind` alone."""
    command_class: Literal["safe", "destructive", "dangerous"] | None = None
    """Of a command: what it may do."""
    scope: list[str] | None = None
    """The patterns that it was held against."""
    paths: Annotated[list[JudgedPath], Field(default_factory=list)]
    available_intents: Names
    """The intents that could have been selected."""
    owners: Names
    """The open intents that own the path that was refused."""
    approval_id: str | None = None
    """The approval that it waits for, or that let it through."""


class GateViolated(Data):
    """What happened is not what was decided, or is against a rule that only shows afterwards."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    code: str
    """The reason as a stable word."""
    reason: str
    path: str | None = None
    decided_event_id: str | None = None
    """The judgement that it contradicts."""
    expected_hash: Digest | None = None
    found_hash: Digest | None = None
    rule: str | None = None


class ApprovalDeferred(Data):
    """A person put off what the gate had asked: "not now" is no denial, and the request stays open."""

    approval_id: str
    tool_name: str | None = None
    code: str | None = None
    """Why it was asked."""
    action: Annotated[str, Field(max_length=400)] | None = None
    """What was asked for, secrets taken out."""
    reason: Excerpt | None = None
    """In the person's words."""
    person: Excerpt | None = None
    """Who answered: name and address as git's settings have them there."""


class ApprovalRevoked(ApprovalDeferred):
    """A person took back an answer that still counted."""

    extent: Extent | None = None
    covers: list[str] | None = None
    """The files, the tool, the intent or the call that may not pass any more without being asked about."""


class ApprovalDecided(ApprovalRevoked):
    """A person answered what the gate had asked."""

    approved: bool
    extent: Extent | None = None
    """Of an approval: for this call `once`, for the like in its `session`, or it became `scope`; null is once."""
    covers: list[str] | None = None
    """What else the approval lets through: files, the tool, the intent or the call, by its hash."""


class GateReset(Data):
    """A person let agents go on that had to stop after too many refusals or failures."""

    names: list[str]
    """What they had been counted under: `session:` or `intent:`, and its name."""
