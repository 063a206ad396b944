"""What an agent told us, in one shape for all agents: an adapter makes it, the recorder reads it."""

from typing import Any, NamedTuple

# What a call is for: it only reads, steers the work, writes content, runs something; or nobody can say.
READING, META, GENERATIVE, OPERATIONAL, UNKNOWN = "reading", "meta", "generative", "operational", "unknown"
# Operations on the files that a call names.
WRITES = frozenset({"write", "edit", "delete"})


class Edit(NamedTuple):
    """One replacement that an edit tool asked for."""

    old: str
    new: str
    every: bool


class Proposal(NamedTuple):
    """What a write tool meant to do to its one file; `content` is the whole new text, `edits` are in order."""

    content: str | None = None
    edits: tuple[Edit, ...] = ()


class Tool(NamedTuple):
    """One call of a tool. `targets` are paths as the agent spelled them, with the role each plays.

    A role is one of write edit delete rename_from rename_to read other. An agent that sends no `call_id` has none here.
    """

    call_id: str | None
    name: str
    # write edit delete shell read mcp other
    operation: str
    targets: tuple[tuple[str, str], ...]
    command: str | None
    input: dict[str, Any]
    proposal: Proposal | None = None
    kind: str = UNKNOWN
    # of a call on several files: what it means to do to those of which that is known, as the agent spelled them
    proposals: tuple[tuple[str, Proposal], ...] = ()


class Result(NamedTuple):
    """How a call ended. `original` is the text before as the agent reports it; `known_new`: there was none."""

    output: Any = None
    error: str | None = None
    duration_ms: int | None = None
    exit_code: int | None = None
    interrupted: bool | None = None
    original: str | None = None
    known_new: bool = False
    user_modified: bool | None = None
    staged: bool = False


class Signal(NamedTuple):
    """One event of an agent's session.

    `kind` is one of session_start session_end prompt pre_tool post_tool tool_failure permission_request
    permission_denied subagent_start subagent_stop compact stop other; `name` is the agent's own word for it. `cwd` is
    the folder that relative paths start from, `roots` are the other folders that the agent works in.
    """

    kind: str
    name: str
    session_id: str | None
    cwd: str | None
    transcript: str | None = None
    model_id: str | None = None
    permission_mode: str | None = None
    prompt_id: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    # prompt: its text; session: source or reason; permission: the reason; other: whatever the agent adds
    text: str | None = None
    tool: Tool | None = None
    result: Result | None = None
    roots: tuple[str, ...] = ()
    agent_version: str | None = None
    # the session that started this one
    parent_session_id: str | None = None
    # of an event that nobody knows: the names of what the agent told with it
    fields: tuple[str, ...] = ()
    # of an event that is about no call: the file that it is about, as the agent spells it
    path: str | None = None


class Answer(NamedTuple):
    """What an agent is told: a verdict on its call (`deny` or `ask`) with the reason, or facts to go on with."""

    verdict: str | None = None
    message: str | None = None
    context: str | None = None


class Said(NamedTuple):
    """An answer in an agent's own protocol: what the hook prints, and the status it ends with."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
