"""What there is to know of an agent before a hook can be put into its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from linetrail.ledger.adapters.hosts import BORROWERS

# The ways in which an agent is told of a hook.
GROUPS = "groups"  # JSON: event -> list of {matcher, hooks: [handler]}
LIST = "list"  # JSON: event -> list of handlers
SCRIPTS = "scripts"  # a folder of executable files, each named after its event
PLUGIN = "plugin"  # a folder from which the agent loads code

SECONDS = 5
# Whose hooks several others call, too, and who is meant where nobody is named.
CLAUDE = "claude-code"
YES, NO = "yes", "no"
# Moments at which an agent takes a text of ours into what its model reads.
START, PROMPT, CALL, RESULT = "start", "prompt", "before a call", "after a call"


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What an agent lets a hook do, in words for people."""

    record: str = YES
    deny: str = YES
    # whether a person can be asked, with the agent's own dialog
    ask: str = NO
    inject: tuple[str, ...] = ()
    # what happens to a call when the hook crashes, is missing, or takes too long
    fails: str = "open"
    # what it rests on: a vendor's schema, types, source or documentation, or what others observed
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Agent:
    """What there is to know of one agent."""

    name: str
    title: str
    layout: str
    # relative to the project, and to the home folder; a folder for SCRIPTS, a pattern where each file is edited
    file: str
    user_file: str
    # native names, in the order of a session
    events: tuple[str, ...]
    # those of them that concern one call of a tool, and those at which it can still be stopped
    tool_events: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    # where events are in the document of a project and, where it is elsewhere, in that of a person
    root: tuple[str, ...] = ("hooks",)
    user_root: tuple[str, ...] | None = None
    # what a new document holds besides
    skeleton: Mapping[str, Any] = field(default_factory=dict)
    # the only keys that a document may have at its root; none: any
    closed: tuple[str, ...] = ()
    # matcher for tools that write, and for every tool; None: the agent has no matcher, or is told none
    tools: str | None = None
    every_tool: str | None = None
    # what every handler holds besides its command
    handler: Mapping[str, Any] = field(default_factory=dict)
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
    # what the agent reads before it starts to work
    instructions: str = "AGENTS.md"
    # other settings files that count: relative to the project, in the home folder with ~, or absolute
    others: tuple[str, ...] = ()
    # folders and files that show that the agent is used here, or by this person
    signs: tuple[str, ...] = ()
    home_signs: tuple[str, ...] = ()
    # why hooks do not fire, and the step that a person has to take
    trust: str = ""
    limits: tuple[str, ...] = ()
    marks: Marks

    def for_user(self) -> "Agent":
        """Return the same agent as it is found in the home folder of a person."""
        return replace(self, file=self.user_file, root=self.root if self.user_root is None else self.user_root)

    @property
    def reads_claude(self) -> bool:
        """Tell whether it also reads the hooks of Claude Code, which are recorded once all the same."""
        return self.name in BORROWERS

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
