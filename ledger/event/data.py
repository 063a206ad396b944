"""What each type of event says in its `data`: one model per shape, the published half of schema.py.

A field that may be null may also be left out; both mean that it is not known. Names never change, and a field
is only ever added.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from linetrail.ledger.event.event import MAX_INT

Count = Annotated[int, Field(ge=0, le=MAX_INT)]
Position = Annotated[int, Field(ge=1, le=MAX_INT)]
Integer = Annotated[int, Field(ge=-MAX_INT, le=MAX_INT)]
Digest = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$")]
LineHash = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Name = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
GitId = Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
Excerpt = Annotated[str, Field(max_length=200)]
Operation = Literal["write", "edit", "delete", "shell", "read", "mcp", "other"]


class Fact(BaseModel):
    """Strict: a name that is not listed, a float, or a number in quotes is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class Received(Fact):
    """Where in a file an imported record stood: in order, the `raw` of all events of a file are its lines."""

    file: str
    """Relative to the repository; the bare name of a file that lies elsewhere."""
    line: Position
    """Several records may have been glued into one line, then `raw` is the record's own piece of it."""
    unended: bool | None = None
    """True: the line was the last and had no line feed."""
    part: Position | None = None
    """Of a record too long for one event: which part of it `raw` is; the parts follow one another."""
    parts: Position | None = None
    redacted: bool | None = None
    """True: secrets were taken out of `raw`, which is the line but for their marks."""
    left_out: list[str] | None = None
    """Of a note: names of fields that hold a conversation, or a long text; in `raw` they are empty."""


class Data(Fact):
    """What the `data` of every type may carry besides its own fields."""

    dialect: str | None = None
    """Of an imported record: the format it came in. `latin-1`: it is no UTF-8, `raw` has a character for each byte."""
    raw: str | None = None
    """Of an imported record: the line as it was received, without its line feed; of a note, its text."""
    received: Received | None = None


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


class Hunk(Fact):
    """Old lines that became new lines, counted as git's unified diff does: an empty range names the line before it."""

    old_start: Count
    old_lines: Count
    new_start: Count
    new_lines: Count
    content_hash: Digest | None = None
    """Of the new lines, each ended by a newline."""
    line_hashes: list[LineHash] | None = None
    """One for each new line: the first 64 bits of SHA-256 over the line without its white space, the first line of a
    file without a byte order mark."""
    edited: list[Annotated[list[Position], Field(min_length=2, max_length=2)]] | None = None
    """Pairs of line numbers, new and old: this new line was made out of that old one."""
    reflowed: list[Annotated[list[Position], Field(min_length=2, max_length=2)]] | None = None
    """Pairs of line numbers, new and old: this new line was only broken anew and has tokens of that old one."""

    @model_validator(mode="after")
    def _each_new_line_has_a_hash(self) -> Self:
        if len(self.line_hashes or ()) != self.new_lines:
            raise ValueError("line_hashes must have one hash for each new line")
        return self


class SaidRange(Fact):
    """Lines that an imported record says somebody wrote, in its own numbers and hashes."""

    start_line: Integer | None = None
    end_line: Integer | None = None
    content_hash: str | None = None
    contributor: Literal["ai", "human", "mixed", "unknown"] = "unknown"
    model_id: str | None = None
    session_id: str | None = None
    node_type: str | None = None
    """The kind of syntax node that the range is said to be."""


class Said(Fact):
    """What an imported record says of a file. Nobody saw it, so no line is owned for it."""

    before_hash: str | None = None
    after_hash: str | None = None
    ranges: list[SaidRange] = []


class FileTransition(Fact):
    """One file between two known states; a hunk is a difference of substance, white space makes none."""

    path: str
    op: Literal["add", "modify", "delete", "rename", "copy"]
    from_path: str | None = None
    """Of a rename: the path before; of a copy: the file that was copied."""
    snapshot: bool | None = None
    """True: what came before is not known; the hunk holds all lines and nobody is said to have written them."""
    before_hash: Digest | None = None
    """Of the whole file before; null is no file, or not known when `snapshot`."""
    after_hash: Digest | None = None
    """Of the whole file after; null is no file."""
    before_blob: GitId | None = None
    """What git calls the content before."""
    before_lines: Count | None = None
    after_lines: Count | None = None
    eol: Literal["lf", "crlf", "mixed", "none"] | None = None
    """How the lines end after."""
    hunks: list[Hunk] | None = None
    """Null when `omitted`."""
    omitted: Literal["binary", "too large", "content lost", "not seen"] | None = None
    """Why there are hashes only; `not seen`: not even those, a record says that the file changed."""
    said: Said | None = None
    part: Position | None = None
    """Of a long transition: which part this is; the hunks of all parts belong together."""
    parts: Position | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.from_path is None) == (self.op in ("rename", "copy")):
            raise ValueError("from_path belongs to a rename or a copy, and only to one")
        if (self.hunks is None) == (self.omitted is None):
            raise ValueError("either hunks or the reason why they are omitted")
        if (self.part or 1) > (self.parts or 1) or (self.part is None) != (self.parts is None):
            raise ValueError("part must be one of parts")
        return self


class MutationObserved(Data):
    """Files changed; the state before and after was seen."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    via: Literal["tool", "shell", "human", "import", "git", "unseen"]
    """How it came about; `unseen`: found changed, and nothing recorded explains it; `human`: a person's change, of an
    agent's proposal where `user_modified` says so, which then is the state before and was on no disk."""
    agent_id: str | None = None
    user_modified: bool | None = None
    """True: a person changed the agent's proposal before accepting it; where it is known what each of them wrote, each
    has an event."""
    declared_class: str | None = None
    """What the agent said the change was."""
    basis: Literal["replayed", "commit", "history"] | None = None
    """How the text before is known where an imported history does not tell it: as the file was last left, or as it is
    in the commit that the session began on, or in one before that moment. The change could be done on it as a whole."""
    files: list[FileTransition]


class Alternative(Fact):
    """A way that was not taken."""

    option: str
    why_rejected: str | None = None


class DecidedLines(Fact):
    """Lines that a decision is about, with what tells them again where they went."""

    path: str
    first: Position
    last: Position
    line_hashes: list[LineHash]
    """One for each of the lines, as in a hunk."""


class DecisionRecorded(Data):
    """Somebody chose between ways and said why."""

    decision_id: str
    """The same in each record of one decision; the last record counts."""
    title: str
    rationale: str | None = None
    status: str
    supersedes: str | None = None
    """The decision this one replaces."""
    alternatives: list[Alternative] = []
    lines: list[str] | None = None
    """The places it is about, as `path:first-last`; a whole file is its path alone."""
    places: list[DecidedLines] | None = None
    """Those of the places that are lines, as they were when this was recorded."""


class LessonRecorded(Data):
    """Something to do differently next time."""

    lesson_id: str
    """The same for the same lesson learned again."""
    title: str
    body: str | None = None
    lines: list[str] | None = None
    """The places it is about, as `path:first-last`."""
    source: Literal["denial", "command", "verification", "demand"] | None = None
    """What taught it; `demand`: somebody said so."""
    code: str | None = None
    """The stable word of the refusal or failure that taught it."""
    path: str | None = None
    """The file, folder or program it is about."""
    resolution: str | None = None
    """How it is put right, where somebody said so."""
    pattern: str | None = None
    """By what it is known when it comes again, where somebody said so."""
    forgotten: bool | None = None
    """True: a person wants it shown no more, whatever teaches it again, until a person says it."""


class LessonsShown(Data):
    """An agent was told lessons together with its intent, when it checked it out or its session began."""

    intent_id: str | None = None
    lesson_ids: list[str]
    """Those that there was room for, the most useful first."""


class ThoughtRecorded(Data):
    """An excerpt of an agent's reasoning; recorded only where a person asked for it."""

    excerpt: Excerpt
    """The first characters, secrets taken out."""
    sha256: Digest | None = None
    """Of the whole thought in UTF-8; in older events. A short text can be guessed from it."""
    length: Count
    """Characters in the whole thought."""
    commitment: Digest | None = None
    """SHA-256 of 32 random bytes, then the whole thought in UTF-8. The bytes are kept on one machine and erasable."""
    prompt_id: str | None = None
    """The prompt it was thought about."""
    agent_id: str | None = None
    """The subagent that thought; null is the main agent of the session."""


class KeptFile(Fact):
    """A file of a recovery point that is not as its commit has it."""

    path: str
    hash: Digest | None = None
    """Of the whole file; null is no file."""
    executable: bool | None = None
    omitted: Literal["too large", "not a file", "erased"] | None = None
    """Why its content was not kept."""


class RecoveryPointMarked(Data):
    """A state that somebody may want to come back to: a commit, and all that was different in the worktree."""

    name: str
    files: dict[str, Digest] = {}
    point_id: str | None = None
    revision: GitId | None = None
    """The commit that holds every file which is not listed; null: every file is listed."""
    entries: list[KeptFile] = []
    paths: list[str] | None = None
    """The files or folders it is about; null is all of the worktree."""
    part: Position | None = None
    """Of a long list: which part this is; the entries of all parts belong together."""
    parts: Position | None = None
    reason: str | None = None
    """Why it was marked by the tool itself: `before restore of <point>`."""


class WorkFinding(Fact):
    """What stands against a piece of work."""

    code: str
    path: str | None = None
    message: str


class WorkMoved(Data):
    """The work for an intent went from one state to the next, on a branch and in a worktree of its own."""

    state: Literal["running", "given_back", "checking", "landed", "evicted", "abandoned"]
    before: str | None = None
    """The state it was in; null: it was planned."""
    branch: str | None = None
    worktree: str | None = None
    """Name of its folder."""
    role: Literal["architect", "builder", "tester"] | None = None
    """What whoever works on it may change."""
    target: str | None = None
    """The branch that it is to land on."""
    base: GitId | None = None
    """The commit it began from, or of given back work the one it is compared with."""
    head: GitId | None = None
    """The last commit of its branch."""
    revision: GitId | None = None
    """The merge that landed it."""
    command: Excerpt | None = None
    """What was run for it, secrets taken out."""
    exit_code: Integer | None = None
    """How that ended; null where it was stopped, since its time was over."""
    duration_ms: Count | None = None
    patch: Digest | None = None
    """Of its unified diff."""
    files: Count | None = None
    """How many files that changes."""
    checks: Count | None = None
    """How many commands of acceptance criteria were run."""
    failed: Count | None = None
    findings: list[WorkFinding] = []
    reason: str | None = None


class LeaseBroken(Data):
    """A file is free for others though a session at work wrote it first; `intent_id` is what that works on."""

    path: str
    held_by: str
    """The session that had it."""
    worktree: str | None = None
    """Name of the folder in which that works."""
    reason: str


class CorrectionRecorded(Data):
    """A person overrules an answer about lines that follow one another; the old one stays visible."""

    event_id: str | None = None
    """The event whose reading is corrected; null: none speaks of the lines, git alone does."""
    field: str
    """`contributor`: who wrote the lines; `class`: what the change of the event was."""
    before: str | None = None
    """The answer that is overruled: `ai`, `human`, `unknown`, or a class."""
    after: str | None = None
    """The answer instead; null: the person takes an earlier correction back."""
    reason: str | None = None
    agent_name: str | None = None
    """Of `ai`: the product; null is not known."""
    person: str | None = None
    """Name and address, as git would write them into a commit."""
    path: str | None = None
    first: Position | None = None
    last: Position | None = None
    line_hashes: list[LineHash] | None = None
    """One for each of the lines, as in a hunk; null: all lines of the change are meant."""
    nth: list[Position] | None = None
    """Which of the lines that are equal and have the same event each one is, in the order of the file."""
    revision: GitId | None = None
    """Where git alone speaks of them: the commit that it names; null: they were not committed."""
    origin: str | None = None
    """The name of the file in that commit."""
    origin_first: Position | None = None
    """The number of the first of the lines in that commit."""


class CommitObserved(Data):
    """A commit was made."""

    revision: GitId
    parents: list[GitId] = []
    patch_id: GitId | None = None
    """What `git patch-id --stable` prints: the same for the same change elsewhere in history."""
    files: list[str] = []


class StatedAuthor(Fact):
    """Who a key of a note stands for. A key that its note does not explain has a contributor at most."""

    key: str
    contributor: Literal["ai", "human", "unknown"]
    agent_name: str | None = None
    session_id: str | None = None
    model_id: str | None = None
    person: str | None = None
    """Of a human: the name and address that the note gives."""


class StatedLines(Fact):
    """Lines under one key; where two keys have a line, the later one counts."""

    key: str
    """That of a `StatedAuthor`, perhaps with `::` and the name of one call behind it."""
    ranges: list[Annotated[list[Position], Field(min_length=2, max_length=2)]]
    """First and last lines, counted in the file as the commit has it."""


class StatedFile(Fact):
    """What a note says of one file."""

    path: str
    by: list[StatedLines]


class AuthorshipStated(Data):
    """A note that another tool attached to a commit says who wrote which of its lines. Nobody here saw it.

    Of several notes on a commit the one imported last counts, alone. Under the dialect `trailers` it is the commit
    itself that credits `authors`, of all that it added: the keys are those of its trailers, or `author`, `committer`,
    `text`.
    """

    revision: GitId
    """The commit that the note is attached to."""
    note: GitId
    """What git calls the text that is kept."""
    part: Position | None = None
    """Of a long note: which of its events this is; all of them together are the note."""
    parts: Position | None = None
    generator: str | None = None
    """The program that wrote the note, as the note says."""
    unread: str | None = None
    """Why nothing could be read from it; the text is kept all the same."""
    authors: list[StatedAuthor] = []
    files: list[StatedFile] = []


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


class LedgerSealed(Data):
    """The header of a segment: the lines that follow it in its file are closed."""

    parents: list[Name]
    """Every segment that no other named as its parent when this one was sealed."""
    first: Position
    """Number of the first line in the chain of the tail it was sealed from."""
    last: Position
    follows: Name
    """Hash of the line before the first; 64 zeros where a chain begins."""
    digest: Name
    """Hash of the last line."""
    bytes: Count
    """Of the lines, without the header."""
    oldest_id: str
    newest_id: str
    redaction: Count
    """Version of the rules by which secrets were taken out."""


class LedgerRepaired(Data):
    """A line that was never finished was moved aside; the bytes are kept."""

    quarantined: str
    """Where, relative to `.orchestration`."""
    bytes: Count
    offset: Count


class LedgerRestored(Data):
    """The file of lines not sealed yet was gone, and came back from the second name that git's folder keeps."""

    lines: Count


class LedgerLost(Data):
    """Lines that were acknowledged and not sealed are gone, or not as they were."""

    lines: Count
    """At least so many."""
    digest: Name
    """Hash of the last of them."""


class LedgerMissed(Data):
    """Events could not be stored, for want of space or of rights; some may be missing."""

    since: str
    """When that began, in RFC 3339."""
    events: Count
    """How many could not be stored, as far as that could be counted."""


class PayloadErased(Data):
    """What was kept outside the ledger was deleted on request; the lines that speak of it stay."""

    sha256: Digest
    """Of the content, or the commitment to the text whose salt is gone."""
    reason: str | None = None
    """As the person who asked for it wrote, secrets taken out."""
    kind: Literal["content", "salt"] | None = None
    erased_event_id: str | None = None
    """The event whose salt is gone."""
    path: str | None = None
    """A file that had the content."""


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
