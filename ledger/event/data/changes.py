"""What became of files, and who is said to have written their lines."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from linetrail.ledger.event.data.shared import Count, Data, Digest, Fact, GitId, Integer, LineHash, Position


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
