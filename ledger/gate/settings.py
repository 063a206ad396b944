"""What people may set about the gate, and what a refusal does in each mode."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

OBSERVE, WARN, ASK, BLOCK = "observe", "warn", "ask", "block"
MODES = (OBSERVE, WARN, BLOCK)
# Refusals that no approval of a person lifts: they are about the gate itself, or about what others would lose.
FINAL = frozenset({"PROTECTED_PATH", "INVALID_INPUT", "STALE_FILE", "FILE_BUSY", "LEASE_HELD", "REGISTRY_MALFORMED"})


class Settings(NamedTuple):
    """What ``config.yaml`` and ``config.local.yaml`` say, with what holds where they say nothing."""

    mode: str = OBSERVE
    # code of a refusal -> observe, warn, ask or block
    codes: Mapping[str, str] = {}
    # agents that a refusal ends -> warn or block
    agents: Mapping[str, str] = {}
    # names of tools, `*` for any run of characters: those that only read, and those that write
    safe_tools: Sequence[str] = ()
    writing_tools: Sequence[str] = ()
    # commands of the project that a person states to only read
    reading_commands: Sequence[str] = ()
    # names of programs that are the project's own
    own_programs: Sequence[str] = ()
    # a person is asked before an agent's selection counts
    approve_selection: bool = False
    approval_seconds: int = 600
    # patterns of files, and beginnings of commands, that a person approves whatever owns them
    approve_paths: Sequence[str] = ()
    approve_commands: Sequence[str] = ()
    # how long a file stays reserved for a call that was let through and does not report
    lease_seconds: int = 120
    # after how long without any event a session holds no file any more that it wrote in its worktree
    silence_seconds: int = 1800
    breaker_threshold: int = 5
    breaker_window_seconds: int = 600
    breaker_cooldown_seconds: int = 60
    context_tokens: int = 400
    lessons: bool = True
    # what sealing does about what looks like a secret: off, warn or refuse
    leaks: str = "off"
    # whether excerpts of what agents think are recorded: off or record
    thoughts: str = "off"
    # whether a process works out, when a session ends, what follows from it
    after_session: bool = True
    # name of an agent -> the command line that lets it work, and how long it may
    workers: Mapping[str, str] = {}
    worker_seconds: int = 3600
