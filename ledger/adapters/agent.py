"""What there is to know of one agent besides what its payloads mean and how it is answered.

Each module of this folder returns one such value from `about`: where its hooks go, what it lets them do, what `doctor`
asks its settings, what it leaves in commits. Facts of the vendor alone; what a mark rests on stands in `evidence`, with
the version where the agent itself was run. No hook loads this: what a hook needs of every agent is
in `ledger/agents.py`, which ``just agents`` makes from it.

Paths start in the project, with `~/` in the home folder of a person, or at the root.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

# The ways in which an agent is told of a hook.
GROUPS = "groups"  # JSON: event -> list of {matcher, hooks: [handler]}
LIST = "list"  # JSON: event -> list of handlers
SCRIPTS = "scripts"  # a folder of executable files, each named after its event
PLUGIN = "plugin"  # a folder from which the agent loads code

# How long an agent is told to wait for a hook; for one that may stop a call, more than hook/loop.py takes for it.
SECONDS, GATE_SECONDS = 5, 30
YES, NO = "yes", "no"
# Moments at which an agent takes a text of ours into what its model reads.
START, PROMPT, CALL, RESULT = "start", "prompt", "before a call", "after a call"
COMMAND_HANDLER = {"type": "command"}
# What stands in a template for what is filled in: a folder, a file in it, the tool and what it is given, the event.
FOLDER, FILE, TOOL, INPUT, EVENT = "{folder}", "{file}", "{tool}", "{input}", "{event}"
SESSION = "doctor"
# Any text but the empty one.
TEXT = None
# How Claude Code, and several like it, ask before a call, and what they read as a denial.
ASKED = {
    "session_id": SESSION,
    "cwd": FOLDER,
    "hook_event_name": "PreToolUse",
    "tool_name": TOOL,
    "tool_input": INPUT,
    "tool_use_id": "toolu_doctor",
}
NESTED = {
    "hookSpecificOutput": {
        "hookEventName": EVENT,
        "permissionDecision": "deny",
        "permissionDecisionReason": TEXT,
    }
}
# The same of those that name no call.
UNNAMED = {key: value for key, value in ASKED.items() if key != "tool_use_id"} | {
    "timestamp": "2026-01-05T09:00:00.000Z"
}
WRITE_ARGUMENTS = {"file_path": FILE, "content": "1\n"}
# How a package of ours is called, where an agent has such packages.
PACKAGE = "linetrail@linetrail"
# Value of a switch: a list that names a hook of ours.
LISTED = "linetrail"
REMOVE = "remove it there"
ADMINISTRATOR = "ask your administrator"


class Marks(NamedTuple):
    """What an agent lets a hook do, in words for people."""

    # what it rests on: a vendor's schema, types, source or documentation, or what others observed
    evidence: str
    record: str = YES
    deny: str = YES
    # whether a person can be asked, with the agent's own dialog
    ask: str = NO
    inject: tuple[str, ...] = ()
    # what happens to a call when the hook crashes, is missing, or takes too long
    fails: str = "open"


class Sign(NamedTuple):
    """By what a payload shows that this agent sent it to a hook of another one."""

    key: str = ""
    # what its ids of calls, and the paths of its transcripts, contain
    call_id: str = ""
    transcript: str = ""
    # of a payload without a transcript: a key that it has, or that its tools are spelled in lower case
    late_key: str = ""
    lower_tools: bool = False


class Question(NamedTuple):
    """How an agent asks before a call, as a template, and what it then says of a write, and of a tool that reads."""

    payload: Mapping[str, Any] = ASKED
    write: tuple[str, Mapping[str, Any]] = ("Write", WRITE_ARGUMENTS)
    # None: it does not ask
    read: tuple[str, Mapping[str, Any]] | None = ("Read", {"file_path": FILE})


class Denial(NamedTuple):
    """What an agent takes for a denial, and what for leave to go on, by the contract of its vendor."""

    # None: it reads a status of 2 with a reason on stderr, and nothing else
    answer: Mapping[str, Any] | None = NESTED
    # whether any other key makes it pass over the answer
    closed: bool = False
    passes: tuple[Mapping[str, Any], ...] = ({},)
    # whether silence is no leave
    must_answer: bool = False


class Switch(NamedTuple):
    """A value that turns hooks off where it stands under these keys."""

    keys: tuple[str, ...]
    value: object = True
    effect: str = "turns every hook off"
    advice: str = REMOVE


class Retention(NamedTuple):
    """How long an agent keeps what it wrote in a folder: as a setting says, else for so many `days`."""

    folder: str
    # None: nothing is documented
    days: int | None = None
    file: str = ""
    keys: tuple[str, ...] = ()
    # keys of a setting that, where false, keeps everything
    limited: tuple[str, ...] = ()
    # what to set, and where it goes: `{}` stands for the file
    advice: str = ""


class Package(NamedTuple):
    """The value that shows that our package is installed, and the files it may stand in: the later ones win."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    value: object = True


class Program(NamedTuple):
    """What starts an agent, the package of npm that has it, and where else than usual that may be installed."""

    name: str
    package: str | None = None
    roots: tuple[str, ...] = ()
    # other programs that start it
    others: tuple[str, ...] = ()


class Credit(NamedTuple):
    """How commits name an agent; patterns are anchored at both ends, and their case counts for nothing."""

    addresses: tuple[str, ...] = ()
    # accounts of a forge; those of `bots` only with the mark of a bot, as people are called so, too
    accounts: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    # how its name begins; `names` are nobody's first name
    names: tuple[str, ...] = ()
    first_names: tuple[str, ...] = ()
    # what stands behind `generated with` in the line that it puts at the end
    words: tuple[str, ...] = ()
    # trailers that nothing but its tool writes
    trailers: tuple[str, ...] = ()
    # who is credited, where a commit does not say which of several products it was
    product: str = ""


class Document(NamedTuple):
    """What a settings file says; `problem` is why it says nothing although it is there."""

    path: str
    values: Mapping[str, Any] = {}
    problem: str | None = None
    exists: bool = False

    def at(self, *keys: str) -> Any:
        """Return what stands under these keys, one inside the other; None where the way ends."""
        return at(self.values, *keys)

    @property
    def shown(self) -> str:
        return shown(self.path)

    @property
    def trouble(self) -> str:
        """Return what keeps it from being read, to be put behind a sentence."""
        return f" ({self.problem})" if self.problem else ""


class Trust(NamedTuple):
    """Whether an agent lets our hooks run; `given` is None where its files do not say, or are known to say it late."""

    given: bool | None
    message: str
    next: str | None = None


class Asked(Protocol):
    """A project whose hooks an agent may trust, and the files of the agent that say so."""

    root: str
    # the folders that the agent may mean by the project, and those that they lie in
    spellings: Sequence[str]
    around: Sequence[str]
    # where our handlers are: file, event, group, place in the group
    places: Sequence[tuple[str, str, int, int]]

    # a file of JSON, perhaps with comments; one of TOML
    def json(self, path: str) -> Document: ...
    def toml(self, path: str) -> Document: ...


class Agent(NamedTuple):
    """What there is to know of one agent."""

    name: str
    title: str
    layout: str
    # relative to the project, and to the home folder; a folder for SCRIPTS, a pattern where each file is edited
    file: str
    user_file: str
    # native names, in the order of a session
    events: tuple[str, ...]
    marks: Marks
    # those of them that concern one call of a tool, and those at which it can still be stopped
    tool_events: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    # where it stands in lists: what more people use comes first
    rank: int = 100
    # other names by which programs tell of it, MCP clients too, in lower case; what begins like one is meant, too
    aliases: tuple[str, ...] = ()
    # where events are in the document of a project and, where it is elsewhere, in that of a person
    root: tuple[str, ...] = ("hooks",)
    user_root: tuple[str, ...] | None = None
    # what a new document holds besides
    skeleton: Mapping[str, Any] = {}
    # the only keys that a document may have at its root, and the only events that it may name; none: any
    closed: tuple[str, ...] = ()
    known_events: frozenset[str] = frozenset()
    # matcher for tools that write, and for every tool; None: the agent has no matcher, or is told none
    tools: str | None = None
    every_tool: str | None = None
    # what every handler holds besides its command
    handler: Mapping[str, Any] = {}
    command_key: str = "command"
    # where a command for PowerShell goes; None: there is no such place
    windows_key: str | None = None
    # key and value, in the agent's own unit; None: it has no limit, or none that can be set
    timeout: tuple[str, int] | None = ("timeout", SECONDS)
    # what lets a failing hook stop the call, put there in block mode alone
    fail_closed: tuple[str, Any] | None = None
    # how the hook is called: agents that share a file share their entries
    called: str = ""
    # whether a change of the entry makes the agent stop calling it
    frozen: bool = False
    # whether a hook that is missing would refuse calls, so that the command looks for it first
    guarded: bool = False
    # whether a refusal ends the whole run, so that it is only told unless somebody wants more
    only_told: bool = False
    # what the agent reads before it starts to work
    instructions: str = "AGENTS.md"
    # other settings files that count
    others: tuple[str, ...] = ()
    # settings files of a project that hold more than hooks
    mixed: tuple[str, ...] = ()
    # folders and files of a project in which it is told what to do: only people change them
    protected: tuple[str, ...] = ()
    # where it makes worktrees for sessions of its own
    worktrees: str = ""
    # folders and files that show that the agent is used here, or by this person
    signs: tuple[str, ...] = ()
    home_signs: tuple[str, ...] = ()
    # a folder in the home folder of a person, and the variable by which that person moves it elsewhere
    moved: tuple[str, str] | None = None
    # why hooks do not fire, and the step that a person has to take
    trust: str = ""
    limits: tuple[str, ...] = ()
    # agents whose hooks it runs, too, where that needs a setting, and by what its payloads are told from theirs
    borrows: tuple[str, ...] = ()
    borrows_where: str = ""
    sign: Sign = Sign()
    # whether its payloads always name a transcript, and never the time
    names_transcript: bool = False
    # variables that it sets: to the project, for what it starts; in its shells, and whether to the id of the session
    project_variables: tuple[str, ...] = ()
    shell_variables: tuple[tuple[str, bool], ...] = ()
    # where the session stands in what it sends along with a call over MCP
    mcp_sessions: tuple[tuple[str, ...], ...] = ()
    program: Program | None = None
    package: Package | None = None
    question: Question = Question()
    denial: Denial = Denial()
    # what becomes of calls whose hook cannot be started, where that is more than `marks` say
    unstarted: str = ""
    # settings files that may turn hooks off, the last of which wins, and what in them does; `*` for any name
    switch_files: tuple[str, ...] = ()
    switches: tuple[Switch, ...] = ()
    # what its files say of the trust that our hooks need
    trusts: Callable[[Asked], Iterator[Trust]] | None = None
    retention: Retention | None = None
    credit: Credit = Credit()

    def for_user(self) -> "Agent":
        """Return the same agent as it is found in the home folder of a person."""
        return self._replace(file=self.user_file, root=self.root if self.user_root is None else self.user_root)

    @property
    def seconds(self) -> float | None:
        """Return how long this agent waits for a hook; None where no limit is set."""
        return self.timeout and self.timeout[1] / self.units_a_second

    @property
    def units_a_second(self) -> int:
        """Return in what this agent counts: seconds or, where its number is large, milliseconds."""
        return 1000 if self.timeout and self.timeout[1] >= 1000 else 1

    @property
    def argument(self) -> str:
        """Return the name that the hook is called with."""
        return self.called or self.name


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text: names of events, in the order of a session.

    >>> words("SessionStart Stop")
    ('SessionStart', 'Stop')
    """
    return tuple(text.split())


def at(values: Any, *keys: str) -> Any:
    """Return what stands under these keys, one inside the other; None where the way ends.

    >>> at({"a": {"b": 1}}, "a", "b"), at({"a": [1]}, "a", "b")
    (1, None)
    """
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def shown(path: str) -> str:
    start = os.path.join(os.path.expanduser("~"), "")
    return os.path.join("~", path[len(start) :]) if path.startswith(start) else path
