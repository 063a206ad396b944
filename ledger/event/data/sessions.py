"""What agents do, in a session: its beginning and end, prompts, calls of tools, tokens."""

from typing import Literal

from linetrail.ledger.event.data.shared import Count, Data, Digest, Excerpt, Fact, Integer

Operation = Literal["write", "edit", "delete", "shell", "read", "mcp", "other"]


class SessionStarted(Data):
    """A conversation with an agent began, or was taken up again."""

    source: str | None = None
    """Why it began: `startup`, `resume`, `clear`, `compact`, or what the agent says."""
    transcript: str | None = None
    """Name of the file in which the agent keeps the conversation; never its text."""
    cwd: str | None = None
    """Working directory, relative to the repository; `.` is its root, null lies outside."""
    permission_mode: str | None = None
    parent_session_id: str | None = None


class SessionEnded(Data):
    """A conversation ended."""

    reason: str | None = None


class PromptSubmitted(Data):
    """A person told an agent what to do. The text itself is not stored."""

    prompt_id: str | None = None
    excerpt: Excerpt
    """The first characters, secrets taken out."""
    sha256: Digest | None = None
    """Of the whole prompt in UTF-8; in older events. A short text can be guessed from it."""
    length: Count
    """Characters in the whole prompt."""
    commitment: Digest | None = None
    """SHA-256 of 32 random bytes, then the whole prompt in UTF-8. The bytes are kept on one machine and erasable."""


class Target(Fact):
    """A file that a tool call names."""

    path: str
    """Relative to the repository; `outside:` and the bare name when it lies elsewhere."""
    role: str | None = None
    """What the call does with it: `write`, `edit`, `delete`, `rename_from`, `rename_to`, `read` or `other`."""


class ToolCall(Data):
    """What the three events of one tool call share."""

    tool_call_id: str | None = None
    """The agent's own name for this call; where it has none, `derived-` and a hash that its events share."""
    tool_name: str
    """As the agent spells it."""
    operation: Operation
    """What the tool does, in one vocabulary for all agents."""
    agent_id: str | None = None
    """The subagent that called; null is the main agent of the session."""
    agent_type: str | None = None


class ToolRequested(ToolCall):
    """An agent is about to run a tool."""

    targets: list[Target] = []
    command: str | None = None
    """Of a shell: the command line, secrets taken out."""
    cwd: str | None = None
    """Of a shell: the folder it starts in, relative to the root; null is the root, or not known."""
    input_sha256: Digest | None = None
    """Of what the tool was given, as JSON; where a command holds a secret, with a mark in the secret's place."""
    prompt_id: str | None = None
    permission_mode: str | None = None
    hook_us: Count | None = None
    """How long the agent had waited for the hook when this was written, in microseconds, the start included."""


class ToolCompleted(ToolCall):
    """A tool ended."""

    duration_ms: Count | None = None
    exit_code: Integer | None = None
    output_sha256: Digest | None = None
    interrupted: bool | None = None
    targets: list[Target] | None = None
    """The files that the call names, where no request for it is recorded."""
    unscanned: Count | None = None
    """How many files the hook had no time to look at after a command; their changes are found later, as unseen."""


class ToolFailed(ToolCompleted):
    """A tool ended with an error."""

    error: Excerpt | None = None
    """The first characters of the message, secrets taken out."""
    is_interrupt: bool | None = None
    """A person stopped it."""


class UsageRecorded(Data):
    """Tokens that one answer of a model took. The last record of a key wins."""

    usage_key: str
    """`<message id>:<request id>`."""
    message_id: str
    request_id: str | None = None
    model_id: str | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None


class AgentSignalled(Data):
    """An agent reported what no other type fits: a stop, a compaction, a subagent, an event of the future."""

    signal: str
    """The agent's own name for it."""
    agent_id: str | None = None
    agent_type: str | None = None
    detail: str | None = None
    path: str | None = None
    """The file that it is about."""
    fields: list[str] | None = None
    """Of an event that linetrail does not know: the names of what the agent told with it."""


class PayloadRejected(Data):
    """An agent sent what could not be read."""

    reason: str
    sha256: Digest
    """Of the bytes that were sent."""
    size: Count
