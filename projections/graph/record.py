"""What one commit did to the definitions of a repository, in the form in which it is kept.

A record is a fact about one commit: it follows from the commit, the commits before it, and what the ledger tells of the
files in it. Nothing in it depends on later commits, so what was once worked out is right for as long as history stands.
"""

import msgspec

# A definition of the same file in the first parent, by its place in the text; else with the number of a parent, a path.
Source = int | tuple[int, str, int]


class By(msgspec.Struct, frozen=True, array_like=True):
    """The recorded change that made a version, and how it was found."""

    event_id: str | None
    session_id: str | None
    agent_name: str | None
    model_id: str | None
    intent_id: str | None
    tool_call_id: str | None
    contributor_type: str
    occurred_at: str | None
    found_by: str
    confidence: float


class Told(msgspec.Struct, frozen=True, array_like=True):
    """One version of a definition, as `nodes.versions.Version` has it; `shape` is None where its text is not known.

    `likeness` is how much of it is the same as before, 0 to 1.
    """

    path: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    raw: str | None
    tokens: str | None
    shape: str | None
    state: str | None
    change: str
    former: str | None
    lines_added: int
    lines_deleted: int
    evidence: str
    likeness: float
    by: By | None


class Link(msgspec.Struct, frozen=True, array_like=True):
    """What a definition has of another one: what it was cut out of, or what was put into it."""

    edge: str
    source: Source
    evidence: str
    confidence: float


class Happened(msgspec.Struct, frozen=True, array_like=True):
    """What became of one definition, the first version first; in a merge `others` are what it was on other branches."""

    at: int
    versions: list[Told]
    others: list[Source]
    links: list[Link]


class Gone(msgspec.Struct, frozen=True, array_like=True):
    """A definition of the first parent that is no more, and the recorded change that took it away."""

    path: str
    at: int
    by: By


class File(msgspec.Struct, frozen=True, array_like=True):
    """A file that a commit changed, and where each of its definitions comes from; None where it began."""

    path: str
    blob: str
    language: str
    sources: list[Source | None]
    happened: list[Happened]


class Record(msgspec.Struct, frozen=True, array_like=True):
    """One commit. `ledger` names what the ledger told of the paths and sessions that were asked for."""

    revision: str
    parents: list[str]
    ledger: dict[str, str]
    files: list[File]
    gone: list[Gone]


def source(told: Source, path: str) -> tuple[int, str, int]:
    """Return the number of a parent, a path in it and a place in that file.

    >>> source(3, "a.py"), source((1, "b.py", 3), "a.py")
    ((0, 'a.py', 3), (1, 'b.py', 3))
    """
    return (0, path, told) if isinstance(told, int) else told
