"""What the event of a classification says: refactor or evolution."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from linetrail.ledger.event.data.shared import Count, Data, Digest, Excerpt, Fact, GitId, Position

Label = Literal["formatting", "comment", "refactor", "evolution"]
MutationClass = Literal["AST_REFACTOR", "INTENT_EVOLUTION", "BUG_FIX", "OPTIMIZATION"]
Notes = Annotated[list[Excerpt], Field(default_factory=list)]


class NamedLines(Fact):
    """The lines of a function, a class or a section."""

    name: str
    """As it is called inside its file: `Order.total`."""
    first: Position
    last: Position


class ClassifiedFile(Fact):
    """One file of a change that was judged."""

    path: str
    from_path: str | None = None
    """Of a rename: the path before."""
    before_hash: Digest | None = None
    """Of the whole file before; null is no file."""
    after_hash: Digest | None = None
    """Of the whole file after; null is no file."""
    label: Label
    kind: str
    """Finer than the label: `rename`, `extract`, `unproved` …"""
    evidence: Notes
    """What a reviewer would note, secrets taken out."""
    definitions: list[NamedLines] | None = None
    """What the file after defines, in the order of its lines; of the last recorded state of a file alone."""


class ClassBasis(Fact):
    """Who or what speaks for a class."""

    by: Literal["syntax", "call", "intent", "commit", "tests"]
    """`call`: the agent said so with it; `tests`: they failed before the session had changed anything, and then not."""
    mutation_class: MutationClass
    words: Excerpt | None = None
    """In whose words: the subject of a commit, a command."""
    event_ids: Annotated[list[str], Field(default_factory=list)]
    """The events that show it."""


class MutationClassified(Data):
    """A change was judged: does it alter behaviour? What is not proved to leave it as it is, is an evolution.

    The latest judgement under the highest version of the rules counts; older ones stay.
    """

    about: Literal["mutation", "run", "commit"]
    """One mutation; from the first to the last mutation of a run of them; or all that a commit changed."""
    mutation_id: str | None = None
    """The event that saw the change; of a run, its last one."""
    first_mutation_id: str | None = None
    """Of a run: the event that saw its first change."""
    revision: GitId | None = None
    """Of a commit: which one."""
    mutation_ids: list[str] | None = None
    """Of a commit: the recorded changes that it holds, as many as have room."""
    rule_version: Position
    """Version of the rules by which it was judged."""
    label: Label
    """Of the change as a whole; `formatting` and `comment` are refactors that touch no code."""
    kind: str
    """Finer than the label: `rename`, `extract`, `unproved`, `mixed` …"""
    computed_class: Literal["AST_REFACTOR", "INTENT_EVOLUTION"]
    """What the syntax trees say."""
    mutation_class: MutationClass
    """What it is, all that was known then taken together; a class beside the computed two is declared or evidenced."""
    declared_class: MutationClass | None = None
    """What was said that it is, by then; null where nobody said anything."""
    evidence: Notes
    """What a reviewer would note of the change as a whole, secrets taken out."""
    basis: Annotated[list[ClassBasis], Field(default_factory=list)]
    """What speaks for these classes."""
    files: Annotated[list[ClassifiedFile], Field(default_factory=list)]
    files_left_out: Count | None = None
    """How many more files were judged than there was room for."""
    evolved_files: Count
    """How many files of code that could be parsed are an evolution; others contradict nobody."""

    @model_validator(mode="after")
    def _names_what_it_is_about(self) -> Self:
        names = {"mutation": ["mutation_id"], "run": ["mutation_id", "first_mutation_id"], "commit": ["revision"]}
        found = [name for name in ("mutation_id", "first_mutation_id", "revision") if getattr(self, name) is not None]
        if found != names[self.about]:
            raise ValueError(f"a judgement about a {self.about} names {' and '.join(names[self.about])} alone")
        return self
